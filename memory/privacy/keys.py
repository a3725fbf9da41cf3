"""Private keys: from the first line to the last one, or as far as they go."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, compiled, places

HEADER = r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_FOOTER = r"-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
INSIDE = r"(?:[^-]|-(?!----))"
_BREAK = r"(?:\s|\\[rn]|(?<=\n)[>|#*]{1,3} )"
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

_ENCODED = (
    # `-----BEGIN PRIVATE KEY` and its like in base64, as clusters keep it.
    "LS0tLS1CRUdJTiBQUklWQVRFIEtFW",
    "LS0tLS1CRUdJTiBSU0EgUFJJVkFURS",
    "LS0tLS1CRUdJTiBFQyBQUklWQVRFI",
    "LS0tLS1CRUdJTiBPUEVOU1NIIFBSSVZBVE",
    "LS0tLS1CRUdJTiBFTkNSWVBURUQgUFJJVkFUR",
    "LS0tLS1CRUdJTiBEU0EgUFJJVkFURS",
    "LS0tLS1CRUdJTiBQR1AgUFJJVkFURS",
)
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/=]+(?:\s{0,12}(?=[A-Za-z0-9+/=]{40}))?)+")
_JWK = re.compile(
    r"\\{0,3}\"(?:d|p|q|dp|dq|qi|k)\\{0,3}\"\s{0,3}:\s{0,3}\\{0,3}\"([A-Za-z0-9_-]{40,})"
)
_XML = re.compile(r"<(D|P|Q|DP|DQ|InverseQ)>\s{0,8}([A-Za-z0-9+/=\s]{40,3000})</\1>")
_EXTENDED = re.compile(
    r"(?<![A-Za-z0-9])(?:[xyz]prv[1-9A-HJ-NP-Za-km-z]{100,120}|nsec1[a-z0-9]{50,70})"
)
_WORDS = (
    # Twelve to twenty-four words stand for the key of a wallet (BIP 39).
    r"(?:phrase|mnemonic|seed words)[^\w\n]{0,4}(?:\s?(?:is|are|ist|lautet|was)\b)?"
    r"[\s:=\"'`*_-]{1,8}((?:\d{0,2}[.)]?\s?[a-z]{3,8}[\s,]{1,3}){11,23}[a-z]{3,8})"
)
_GROWING_WORDS = (
    r"(?i)(?:phrase|mnemonic|seed words)[^\w\n]{0,4}(?:\s?(?:is|are|ist|lautet|was)\b)?"
    r"[\s:=\"'`*_-]{1,8}((?:\d{0,2}[.)]?\s?[a-z]{3,8}[\s,]{1,3}){0,23}[a-z]{0,8}\s?)\Z"
)
LONGEST_PHRASE = 400
_WORD_NAMES = ("phrase", "mnemonic", "seed words")

_GROWING_HEADER = re.compile(r"-{1,5}(?:B|BE|BEG|BEGI|BEGIN[A-Z0-9 ]*-{0,4})?\Z")
_GROWING_KEY = re.compile(rf"{HEADER}({INSIDE}*)-{{0,5}}(?:E|EN|END[A-Z0-9 ]*-{{0,4}})?\Z")
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
    yield from _without_header(looked)
    for at in places(looked.low, "age-secret-key-"):
        if match := _AGE.match(text, at):
            yield Span(*match.span(), "private_keys")


def _without_header(looked: Looked) -> Iterator[Span]:
    text = looked.text
    for start in _ENCODED:
        for at in places(text, start):
            if match := _BASE64.match(text, at):
                yield Span(*match.span(), "private_keys")
    if '"kty' in text:
        yield from (Span(*match.span(1), "private_keys") for match in _JWK.finditer(text))
    if "<D>" in text or "<P>" in text:
        yield from (Span(*match.span(2), "private_keys") for match in _XML.finditer(text))
    if "prv" in text or "nsec1" in text:
        yield from (Span(*match.span(), "private_keys") for match in _EXTENDED.finditer(text))
    for name in _WORD_NAMES:
        for at in places(looked.low, name):
            if match := compiled(_WORDS).match(looked.low, at):
                yield Span(*match.span(1), "private_keys")


def held(text: str) -> int:
    """Where what may become a private key begins at the end of an arriving text."""
    words = compiled(_GROWING_WORDS).search(text, max(0, len(text) - LONGEST_PHRASE))
    if words is not None:
        return words.start(1)
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
