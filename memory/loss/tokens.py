"""Identifiers, paths and addresses: words that are marked by what stands inside them."""

import re
from collections.abc import Iterator

from memory.loss.found import Found
from memory.loss.wording import DOMAIN_ENDINGS, FILE_ENDINGS, WORD_ENDINGS
from memory.views import ItemKind

LONGEST = 300
"""Characters; what is longer is data, not something anybody cites."""
SIGNS = 4
"""A command has more than this part of letters and figures."""

_PARTING = r"\s()\[\]{}<>\"'`,;|=“”‘’«»*"
"""What stands between words that may be identifiers, as part of a character class."""
_MARK = re.compile(
    # One class first: the engine skips to the next of these characters at once.
    r"[_@\\/$#.:\-A-Z0-9](?:(?<=[_@\\])|(?<=[a-z0-9][A-Z])|(?<=[A-Z]{2})(?=[a-z])"
    r"|(?<=[\w)][.:\-])(?=\w)|(?<=--)(?=\w)|(?<=/)(?=[\w.~])|(?<=[A-Za-z][0-9])|(?<=[0-9])(?=[a-f])"
    r"|(?<=#)(?=[0-9])|(?<=\$)(?=[A-Z]))"
)
_REST = re.compile(rf"[^{_PARTING}]*")
_PARTS = re.compile(rf"[{_PARTING}]")
URL = re.compile(r"\b(?:https?|ftp|wss?|file|ssh|git)://[^\s<>\"'`“”|\\^{}]{2,}")
COMMAND = re.compile(r"`([^`\n]{2,200})`")

_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?=[0-9a-f]*[0-9])(?=[0-9a-f]*[a-f])(?:0x)?[0-9a-f]{7,128}")
_VERSION = re.compile(r"v?[0-9]+\.[0-9]+\.[0-9]+[\w.+-]*|v[0-9]+(?:\.[0-9]+)*")
_ADDRESS = re.compile(
    r"(?:[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[A-Za-z][\w.-]*)(?::[0-9]{2,5})|[0-9]{1,3}(?:\.[0-9]{1,3}){3}"
)
_TICKET = re.compile(r"[A-Z][A-Z0-9]{1,9}-[0-9]+|\#[0-9]+")
_SNAKE = re.compile(r"\$?[A-Za-z_][\w.]*_[\w.:]*|\$[A-Z][A-Z0-9]*")
_CAMEL = re.compile(r"[a-z]+[a-z0-9]*(?:[A-Z][A-Za-z0-9]*)+|[A-Z]\w*[a-z0-9][A-Z]\w*")
_DOTTED = re.compile(r"[A-Za-z_]\w+(?:(?:\.|::)[A-Za-z_]\w+)+")
_FLAG = re.compile(r"--[A-Za-z][\w-]+")
_LETTERS_DIGITS = re.compile(r"[A-Za-z]+[0-9][A-Za-z0-9]*")
_HYPHENED = re.compile(r"(?=[\w.-]*[0-9])(?=[\w.-]*[A-Za-z])[A-Za-z][\w.]*(?:-[\w.]+)+")
_IDENTIFIERS = (
    _UUID, _HEX, _VERSION, _ADDRESS, _TICKET, _SNAKE, _CAMEL, _FLAG, _LETTERS_DIGITS, _HYPHENED,
    _DOTTED,
)  # fmt: skip
_ROOTED = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[\\/](?:[\w.@+~%$#-]+[\\/]?)+")
_ESCAPE = re.compile(r"\\(?!\\)")
_SLASHED = re.compile(r"[\w.@+~-]+(?:[\\/][\w.@+~-]+)+[\\/]?")
_FILE = re.compile(r"[\w+-]*[\w-](?:\.[\w+-]+)*\.(\w{1,10})")
_HOST = re.compile(r"(?:[A-Za-z0-9-]+\.)+([a-z]{2,4})(?::[0-9]+)?(?:/[\w./%?&=#~+-]*)?")


def urls(text: str) -> Iterator[Found]:
    """Addresses with their scheme, without the punctuation after them."""
    if "://" not in text:
        return
    for match in URL.finditer(text):
        clean = match.group().rstrip(".,;:!?*_")
        while clean.endswith((")", "]")) and clean.count("(") < clean.count(")"):
            clean = clean[:-1]
        clean = clean.rstrip("]")
        yield Found("url", clean, match.start(), match.start() + len(clean))


def commands(text: str) -> Iterator[Found]:
    """What stands between backticks in one line."""
    if "`" not in text:
        return
    for match in COMMAND.finditer(text):
        inner = match.group(1).strip()
        # What is mostly signs stands between two quotations, not in one.
        if sum(map(str.isalnum, inner)) * SIGNS > len(inner):
            start = match.start(1) + match.group(1).index(inner)
            yield Found(_kind(inner) or "identifier", inner, start, start + len(inner))


def marked_words(text: str) -> Iterator[Found]:
    """Identifiers, paths, e-mail addresses and hosts."""
    for start, word in _marked(text):
        clean = word.rstrip(".:!?-…").lstrip(":!?")
        kind = _kind(clean) if len(clean) > 1 else None
        if kind is not None:
            here = start + word.index(clean)
            # What closes a tag, as in `[/bold]`, is on no disk.
            if kind == "path" and "/" in clean and text[here - 1 : here] in ("[", "<"):
                continue
            yield Found(kind, clean, here, here + len(clean))


def _marked(text: str) -> Iterator[tuple[int, str]]:
    """The words with a mark inside, with their places."""
    place = 0
    while match := _MARK.search(text, place):
        here = match.start()
        low = max(place, here - LONGEST)
        start = here - len(_PARTS.split(text[low:here])[-1])
        rest = _REST.match(text, here)
        place = max(match.end(), rest.end() if rest else 0)
        if place - start <= LONGEST:
            yield start, text[start:place]


def _kind(word: str) -> ItemKind | None:
    if "@" in word and _EMAIL.fullmatch(word):
        return "identifier"
    if "/" in word or "\\" in word:
        # `\\d` and its like stand in patterns, not on disks.
        return None if _ESCAPE.match(word) else _path_kind(word)
    if "." in word and (kind := _dotted_kind(word)):
        return kind
    if any(pattern.fullmatch(word) for pattern in _IDENTIFIERS):
        return "identifier"
    return None


def _path_kind(word: str) -> ItemKind | None:
    host = _HOST.fullmatch(word)
    if host and host.group(1) in DOMAIN_ENDINGS:
        return "url"
    if _ROOTED.fullmatch(word) and sum(map(str.isalnum, word)) > 1:
        return "path"
    if not _SLASHED.fullmatch(word):
        return None
    last = re.split(r"[\\/]", word.rstrip("\\/"))[-1]
    has_ending = re.search(r"\w\.[A-Za-z]\w{0,9}$", last)
    deep = word.count("/") > 1 and not word[0].isdigit()
    return "path" if has_ending or deep or word.endswith("/") else None


def _dotted_kind(word: str) -> ItemKind | None:
    host = _HOST.fullmatch(word)
    file = _FILE.fullmatch(word)
    if file and file.group(1).casefold() in FILE_ENDINGS:
        return "path"
    if host and host.group(1) in DOMAIN_ENDINGS:
        # `event.at` and `self.info` are attributes, `www.example.at` is a host.
        return None if word.count(".") == 1 and host.group(1) in WORD_ENDINGS else "url"
    return None
