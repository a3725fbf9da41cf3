"""The door that every text passes before it is stored: obvious secrets are replaced.

The forms are those their issuers publish; a secret without a form of its own is not found here.
"""

import json
import re
import string
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memory.config import PrivacyConfig

_HEADER = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_FOOTER = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_INSIDE = r"(?:[^-]|-(?!----))"
_BREAK = r"(?:\s|\\n)"
_KEY_LINE = r"[A-Za-z0-9+/=]{20,}"
_FIELD = r"[A-Za-z][A-Za-z0-9-]{1,30}: [^\n\\]{0,200}"
FIRST_LINE_WITHIN = 400
"""Characters after its header within which a key begins: fields of the header stand between."""
PRIVATE_KEY = re.compile(
    # With its last line, or cut off: then only what looks like the key itself.
    # Prose that merely names the header has no line of a key after it, and stays.
    rf"{_HEADER}(?:(?={_INSIDE}{{0,{FIRST_LINE_WITHIN}}}?{_KEY_LINE}){_INSIDE}{{1,20000}}{_FOOTER}"
    rf"|(?:{_BREAK}|{_FIELD}(?={_BREAK}))*(?:{_KEY_LINE}{_BREAK}*)+)"
)
API_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"sk-(?:proj-|ant-|or-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}"
    r"|(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}"
    r"|AIza[A-Za-z0-9_-]{35}"
    r"|gh[pousr]_[A-Za-z0-9]{36,}"
    r"|github_pat_[A-Za-z0-9_]{22,}"
    r"|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|hf_[A-Za-z0-9]{30,}"
    r"|gsk_[A-Za-z0-9]{40,}"
    r"|npm_[A-Za-z0-9]{36}"
    r"|pypi-[A-Za-z0-9_-]{50,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"
    r")"
)
KINDS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private key", PRIVATE_KEY),
    ("API key", API_KEY),
)
SWITCHES_OF = {"private key": "private_keys", "API key": "api_keys"}
SWITCHES = tuple(SWITCHES_OF.values())

_TOKEN_CHARACTERS = string.ascii_letters + string.digits + "_.-"
_TOKEN_START = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-|sk_|rk_|pk_|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|xox|hf_"
    r"|gsk_|npm_|pypi-|eyJ)"
)
_GROWING_HEADER = re.compile(r"-{1,5}(?:BEGIN[A-Z0-9 ]*-{0,4})?\Z")
_GROWING_KEY = re.compile(rf"{_HEADER}({_INSIDE}*)-{{0,5}}(?:END[A-Z0-9 ]*-{{0,4}})?\Z")
_LONGEST_HEADER = 80
GROWING_TAIL = 20_000
"""Characters at the end of an arriving text that are looked at: longer than any private key."""
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that may be stored, and how many secrets were replaced in it.

    Only `Door` makes it: what takes a `Cleaned` can't be given a text that has not passed.
    """

    text: str
    redacted: int


class Door:
    """Replaces secrets and what no database or model takes (lone surrogates).

    An open database has one, through which everything goes that is written there.

    Args:
        kinds: Of secrets that are replaced, by the names of their switches.
    """

    def __init__(self, kinds: Collection[str] = tuple(SWITCHES)) -> None:
        self._kinds = [(name, pattern) for name, pattern in KINDS if SWITCHES_OF[name] in kinds]

    @classmethod
    def of(cls, privacy: "PrivacyConfig") -> "Door":
        """The door that a configuration asks for."""
        return cls([kind for kind in SWITCHES if getattr(privacy, kind)])

    def clean(self, text: str) -> Cleaned:
        """The text as it may be stored, with the number of secrets replaced."""
        text = encodable(text)
        redacted = 0
        for kind, pattern in self._kinds:
            text, found = pattern.subn(f"[redacted: {kind}]", text)
            redacted += found
        return Cleaned(text, redacted)

    def clean_json(self, value: object) -> Cleaned:
        """A value as JSON of which every text has passed; its structure stays whole."""
        redacted = 0

        def walk(part: object) -> object:
            nonlocal redacted
            if isinstance(part, str):
                cleaned = self.clean(part)
                redacted += cleaned.redacted
                return cleaned.text
            if isinstance(part, Mapping):
                return {walk(str(key)): walk(entry) for key, entry in part.items()}
            if isinstance(part, Sequence):
                return [walk(entry) for entry in part]
            return part

        return Cleaned(json.dumps(walk(value), ensure_ascii=False), redacted)

    def clean_growing(self, text: str) -> str:
        """A text that is still arriving, without what may become a secret at its end."""
        return self.clean(text[: _settled_length(text)]).text


def encodable(text: str) -> str:
    """The text without what no database or model takes: lone surrogates."""
    return _SURROGATE.sub("\ufffd", text)


def _settled_length(text: str) -> int:
    """Characters at the beginning of an arriving text that no secret can reach back to."""
    begin = max(0, len(text) - GROWING_TAIL)
    tail = text[begin:]
    last_word = begin + len(tail.rstrip(_TOKEN_CHARACTERS))
    held_back = [
        _TOKEN_START.search(text, last_word),
        _GROWING_HEADER.search(text, max(begin, len(text) - _LONGEST_HEADER)),
        _growing_key(text, begin),
    ]
    return min((match.start() for match in held_back if match), default=len(text))


def _growing_key(text: str, begin: int) -> re.Match[str] | None:
    match = _GROWING_KEY.search(text, begin)
    if match is None or len(match[1]) < FIRST_LINE_WITHIN:
        return match
    return match if re.search(_KEY_LINE, match[1]) else None
