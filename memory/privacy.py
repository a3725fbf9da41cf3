"""The door that every text passes before it is stored: obvious secrets are replaced.

The forms are those their issuers publish; a secret without a form of its own is not found here.
"""

import re
from dataclasses import dataclass

_HEADER = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_FOOTER = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
PRIVATE_KEY = re.compile(
    # With its last line, or cut off: then only what looks like the key itself.
    rf"{_HEADER}(?:(?:[^-]|-(?!----)){{1,20000}}{_FOOTER}"
    r"|(?:\s|\\n)*(?:[A-Za-z0-9+/=]{20,}(?:\s|\\n)*)+)"
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

_GROWING = (
    re.compile(
        r"(?<![A-Za-z0-9])(?:sk-|sk_|rk_|pk_|AKIA|ASIA|AIza|gh[pousr]_|github_pat_|glpat-|xox|hf_"
        r"|gsk_|npm_|pypi-|eyJ)[A-Za-z0-9_.-]*\Z"
    ),
    re.compile(r"-{1,5}(?:BEGIN[A-Z0-9 ]*-{0,4})?\Z"),
    re.compile(rf"{_HEADER}(?:[^-]|-(?!----))*-{{0,5}}(?:END[A-Z0-9 ]*-{{0,4}})?\Z"),
)
"""What may still become a secret at the end of a text that is arriving."""
GROWING_TAIL = 20_000
"""Characters at the end of such a text that are looked at: longer than any private key."""
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text that may be stored, and how many secrets were replaced in it.

    Only `Door` makes it: what takes a `Cleaned` can't be given a text that has not passed.
    """

    text: str
    redacted: int


class Door:
    """Replaces secrets and what no database or model takes (lone surrogates)."""

    def clean(self, text: str) -> Cleaned:
        """The text as it may be stored, with the number of secrets replaced."""
        text = _SURROGATE.sub("\ufffd", text)
        redacted = 0
        for kind, pattern in KINDS:
            text, found = pattern.subn(f"[redacted: {kind}]", text)
            redacted += found
        return Cleaned(text, redacted)

    def clean_growing(self, text: str) -> str:
        """A text that is still arriving, without what may become a secret at its end."""
        starts = (pattern.search(text, max(0, len(text) - GROWING_TAIL)) for pattern in _GROWING)
        held_back = [match.start() for match in starts if match]
        return self.clean(text[: min(held_back, default=len(text))]).text
