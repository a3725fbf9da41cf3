"""Private keys: from the first line to the last one, or as far as they go."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, places

HEADER = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_FOOTER = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
INSIDE = r"(?:[^-]|-(?!----))"
_BREAK = r"(?:\s|\\n)"
KEY_LINE = r"[A-Za-z0-9+/=]{20,}"
_FIELD = r"[A-Za-z][A-Za-z0-9-]{1,30}: [^\n\\]{0,200}"
FIRST_LINE_WITHIN = 400
"""Characters after its header within which a key begins: fields of the header stand between."""
_PEM = re.compile(
    # With its last line, or cut off: then only what looks like the key itself.
    # Prose that merely names the header has no line of a key after it, and stays.
    rf"{HEADER}(?:(?={INSIDE}{{0,{FIRST_LINE_WITHIN}}}?{KEY_LINE}){INSIDE}{{1,20000}}{_FOOTER}"
    rf"|(?:{_BREAK}|{_FIELD}(?={_BREAK}))*(?:{KEY_LINE}{_BREAK}*)+)"
)
_PUTTY = re.compile(rf"Private-Lines: \d+{_BREAK}+((?:{KEY_LINE}{_BREAK}*)+)")
_AGE = re.compile(r"AGE-SECRET-KEY-(?:PQ-)?1[0-9A-Z]{40,2000}", re.IGNORECASE)

_GROWING_HEADER = re.compile(r"-{1,5}(?:B|BE|BEG|BEGI|BEGIN[A-Z0-9 ]*-{0,4})?\Z")
_GROWING_KEY = re.compile(rf"{HEADER}({INSIDE}*)-{{0,5}}(?:END[A-Z0-9 ]*-{{0,4}})?\Z")
_GROWING_PUTTY = re.compile(r"Private-Lines: \d+([\sA-Za-z0-9+/=\\]+)\Z")
_LONGEST_HEADER = 80
GROWING_TAIL = 20_000
"""Characters at the end of an arriving text that are looked at: longer than any private key."""


def find(looked: Looked) -> Iterator[Span]:
    """The private keys of a text."""
    text = looked.text
    if "PRIVATE KEY" in text:
        yield from (Span(*match.span(), "private_keys") for match in _PEM.finditer(text))
    if "Private-Lines:" in text:
        yield from (Span(*match.span(1), "private_keys") for match in _PUTTY.finditer(text))
    for at in places(looked.low, "age-secret-key-"):
        if match := _AGE.match(text, at):
            yield Span(*match.span(), "private_keys")


def held(text: str) -> int:
    """Where what may become a private key begins at the end of an arriving text."""
    begin = max(0, len(text) - GROWING_TAIL)
    lines = _GROWING_PUTTY.search(text, begin) if "Private-Lines:" in text else None
    first = lines.start(1) if lines else len(text)
    found = [
        _GROWING_HEADER.search(text, max(begin, len(text) - _LONGEST_HEADER)),
        _growing_key(text, begin),
    ]
    return min(first, *(match.start() for match in found if match), len(text))


def begins_with(word: str) -> bool:
    """Whether a word may be the beginning of a key that has no header."""
    return bool(word) and "age-secret-key-".startswith(word.lower())


def _growing_key(text: str, begin: int) -> re.Match[str] | None:
    if "PRIVATE KEY" not in text:
        return None
    match = _GROWING_KEY.search(text, begin)
    if match is None or len(match[1]) < FIRST_LINE_WITHIN:
        return match
    return match if re.search(KEY_LINE, match[1]) else None
