"""Secrets in columns whose heading names them: tables, lists with commas, rows for a database."""

import re
from collections.abc import Callable, Generator, Iterator

from memory.privacy.kinds import Kind, Span
from memory.privacy.looked import Looked, compiled, places
from memory.privacy.names import PASSWORD_NAMES, SECRET_NAMES, SHORT_PASSWORD_NAMES
from memory.privacy.values import Found, is_password, is_secret

_HEADINGS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("passwords", (*PASSWORD_NAMES, *SHORT_PASSWORD_NAMES)),
    ("api_keys", SECRET_NAMES),
)
_RULE = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:-]*)+$", re.MULTILINE)
_CELLS = re.compile(r"(?<!\\)\|")
_INSERT = r"\s+(?:into\s+)?[\w.\"`\[\]]{1,80}\s*\(([^()]{1,500})\)\s*values\s*"
_ROW = re.compile(r"\(((?:'(?:[^'\\]|''|\\.){0,400}'|[^()']){1,2000})\)\s*,?\s*")
_LISTED = re.compile(r"(?:'(?:[^'\\]|''|\\.)*'|[^,'])+")
_QUOTED_CELL = re.compile(r"[ \t]*(?:\*\*|`|\"|')?(.*?)(?:\*\*|`|\"|')?[ \t\r]*\Z", re.DOTALL)
LONGEST_HEADING = 300
"""Characters of a line that may be the heading of columns."""
LONGEST_CELL = 30
"""Characters of a heading's name: what has more is a sentence."""


def find(looked: Looked) -> Iterator[Span]:
    """The secrets of a text that stand beneath a name for them."""
    low = looked.low
    if "|" in low and "--" in low:
        yield from _in_tables(looked.text)
    if "," in low or ";" in low or "\t" in low:
        yield from _in_lists(looked)
    if "insert" in low and "values" in low:
        yield from _in_inserts(looked.text)
    yield from _below(looked)


def held(looked: Looked, begin: int) -> int:
    """Where the last line begins, if it may be a row beneath such a heading."""
    text = looked.text
    line = text.rfind("\n") + 1
    if not any(sign in text[line:] for sign in "|,;\t"):
        return len(text)
    row = _of(text, max(begin, text.rfind("\n\n", 0, line) + 1), line)
    return line if row else len(text)


def _of(text: str, begin: int, end: int) -> bool:
    """Whether a line of the block before a row names a secret."""
    return any(
        _named([cell.strip() for cell in re.split(r"[|,;\t]", line)])
        for line in text[begin:end].split("\n")
        if len(line) < LONGEST_HEADING
    )


def _in_tables(text: str) -> Iterator[Span]:
    end = 0
    for rule in _RULE.finditer(text):
        begin = text.rfind("\n", max(0, rule.start() - LONGEST_HEADING), rule.start() - 1) + 1
        if rule.start() < end or rule.start() - begin > LONGEST_HEADING:
            continue
        if wanted := _named(_CELLS.split(text[begin : rule.start()])):
            end = yield from _rows(text, rule.end() + 1, wanted, _cells)


def _in_lists(looked: Looked) -> Iterator[Span]:
    """Lists with a heading: `user,password` and the lines beneath it."""
    text, end = looked.text, 0
    for line, stop in sorted(_headings(looked.low)):
        match = compiled(_LIST).fullmatch(text, line, stop) if line >= end else None
        if match is None:
            continue
        sign = match[1]
        if wanted := _named(match[0].split(sign)):
            split = _separated(sign, match[0].count(sign))
            end = yield from _rows(text, stop + 1, wanted, split)


def _headings(low: str) -> set[tuple[int, int]]:
    """Where short lines with a part of a name in them begin and end."""
    found: set[tuple[int, int]] = set()
    for part in _PARTS:
        for at in places(low, part):
            begin = low.rfind("\n", max(0, at - LONGEST_HEADING), at) + 1
            stop = low.find("\n", at, begin + LONGEST_HEADING)
            if stop > 0 and (begin or at < LONGEST_HEADING):
                found.add((begin, stop))
    return found


_PARTS = (
    "pass",
    "pwd",
    "psk",
    "mdp",
    "clave",
    "kennwort",
    "contrase",
    "senha",
    "secret",
    "token",
    "api",
)
_LIST = r"[\w \"'.-]{1,40}([,;\t])[\w \"'.-]{1,40}(?:\1[\w \"'.-]{1,40}){0,12}\r?"


def _in_inserts(text: str) -> Iterator[Span]:
    for match in re.finditer(rf"\b(?:insert|replace){_INSERT}", text, re.IGNORECASE):
        wanted = _named(match[1].split(","))
        at = match.end()
        while wanted and (row := _ROW.match(text, at)):
            cells = [(cell.start(), cell.end()) for cell in _LISTED.finditer(text, *row.span(1))]
            yield from _wanted(text, cells, wanted)
            at = row.end()


def _below(looked: Looked) -> Iterator[Span]:
    """Several by their names: `passwords:` and lines deeper than it, or in braces."""
    text = looked.text
    for kind, word in _SEVERAL:
        for at in places(looked.low, word):
            if opened := _OPENED.match(text, at + len(word)):
                yield from _entries(text, opened.end(), kind)


def _entries(text: str, at: int, kind: Kind) -> Iterator[Span]:
    while entry := _ENTRY.match(text, at):
        start, end = entry.span(1) if entry[1] else entry.span(2)
        found = Found(start, end, quoted=bool(entry[1]))
        if _is_one(text, text[start:end], found, kind):
            yield Span(start, end, kind)
        at = entry.end()


_SEVERAL: tuple[tuple[Kind, str], ...] = (
    ("passwords", "passwords"),
    ("passwords", "passwörter"),
    ("api_keys", "tokens"),
    ("api_keys", "secrets"),
    ("api_keys", "api_keys"),
    ("api_keys", "apikeys"),
)
_OPENED = re.compile(r"[\"']?\s{0,3}[:=]\s{0,3}(?:\{\s{0,12}|\r?\n(?=[ \t]{1,12}[\w\"'-]))")
_ENTRY = re.compile(
    r"[ \t]{0,12}[\"']?[\w.@-]{1,40}[\"']?[ \t]{0,3}[:=][ \t]{0,3}"
    r"(?:[\"']([^\"'\n]{1,300})[\"']|([^\s\"'{}\[\],]{1,300}))[ \t]{0,3}"
    r"(?:,\s{0,12}|\r?\n(?=[ \t])|(?=\}|\Z|\r?\n))"
)


def _named(cells: list[str]) -> dict[int, Kind]:
    """Which of several headings name a secret."""
    wanted: dict[int, Kind] = {}
    for place, cell in enumerate(cells):
        heading = cell.strip(" \t\r\"'`*_[]").lower()
        for kind, names in _HEADINGS if len(heading) <= LONGEST_CELL else ():
            if (
                heading in names
                or heading.endswith(tuple(f"_{name}" for name in names))
                or any(
                    heading.startswith(f"{name} ") or heading.endswith(f" {name}") for name in names
                )
            ):
                wanted.setdefault(place, kind)
    return wanted


Split = Callable[[str, int, int], list[tuple[int, int]]]


def _rows(text: str, at: int, wanted: dict[int, Kind], split: Split) -> Generator[Span, None, int]:
    """The secrets in the lines from a place on, as long as they have as many columns.

    Returns:
        Where the first line begins that has not.
    """
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        cells = split(text, at, end)
        if len(cells) <= max(wanted):
            break
        yield from _wanted(text, cells, wanted)
        at = end + 1
    return at


def _cells(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    places = [match.start() for match in _CELLS.finditer(text, begin, end)]
    starts = [begin, *(place + 1 for place in places)]
    return list(zip(starts, [*places, end], strict=True)) if places else []


def _separated(sign: str, number: int) -> Split:
    def split(text: str, begin: int, end: int) -> list[tuple[int, int]]:
        line = text[begin:end]
        if line.count(sign) != number:
            return []
        cells: list[tuple[int, int]] = []
        for cell in line.split(sign):
            cells.append((begin, begin + len(cell)))
            begin += len(cell) + 1
        return cells

    return split


def _wanted(text: str, cells: list[tuple[int, int]], wanted: dict[int, Kind]) -> Iterator[Span]:
    for place, kind in wanted.items():
        if place >= len(cells):
            continue
        begin, end = cells[place]
        match = _QUOTED_CELL.match(text[begin:end])
        if match is None or not match[1]:
            continue
        start, value = begin + match.start(1), match[1]
        if _is_one(text, value, Found(start, start + len(value)), kind):
            yield Span(start, start + len(value), kind)


def _is_one(text: str, value: str, found: Found, kind: Kind) -> bool:
    if kind == "api_keys":
        return is_secret(value, found)
    strong = not value.isalpha() and " " not in value and not value.isdecimal()
    return strong and is_password(text, value, found, loud=False)
