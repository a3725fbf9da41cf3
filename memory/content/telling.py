"""What is worth quoting of a text: its first line, its names, where it tells of an error."""

import re
from collections import Counter

READ = 4_000
"""Characters at a text's beginning that are read; a text may be one word of many thousand."""
READ_AT_END = 1_000
"""Characters at its end in which errors and totals are looked for."""
MOST_NAMES = 24
"""More of them have no room in a digest."""
LONGEST_LINE = 100
"""Characters of a line that is quoted."""
LONGEST_NAME = 60
_TOTAL = re.compile(r"\d (?:passed|failed|errors?|warnings?|rows?|matches|files?)(?![\w.])")
_TROUBLE = ("error", "exception", "failed", "failure", "fatal", "panic")
_IDENTIFIER = re.compile(r"[^\W_]_|[/@]\w|[a-z][A-Z]|[^\W\d]\.\w|[^\W\d]-?\d")
"""What a path, address or identifier has within that no plain word has."""
_NAME = re.compile(r"[^\W\d_]{3}|\d.*\d")
"""What a name, a date or a figure has at least, beside a first character in no lower case."""
_PARTING = str.maketrans(dict.fromkeys("\"'`()[]{}<>,;=“”‘’|\\", " "))
_AROUND = ".:!?*#+-~@%$&"
_CAPITALS = """
The This That These Those What When Where Which Why Who How You Your They She His Her It's And But
For From Not Now One Two All Any Are Can Then There Here With Would Mon Tue Wed Thu Fri Sat Sun Jan
Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec
"""
_COMMON = frozenset(_CAPITALS.split())
"""Words with a capital that name nothing."""


def first_line(text: str) -> str:
    """The first line of a text, in at most a hundred characters."""
    return clipped(text[: 4 * LONGEST_LINE].split("\n", 1)[0])


def one_line(text: str) -> str:
    """A text with every run of blanks and line breaks as one blank."""
    return " ".join(text.split())


def names(text: str) -> list[str]:
    """What is named at the beginning: identifiers, then names and figures, the frequent first."""
    words = Counter(text[:READ].translate(_PARTING).split())
    identifiers: Counter[str] = Counter()
    others: Counter[str] = Counter()
    for word, times in words.items():
        name = word.strip(_AROUND)
        if not 1 < len(name) <= LONGEST_NAME:
            continue
        if _IDENTIFIER.search(name):
            identifiers[name] += times
        elif not name[0].islower() and name not in _COMMON and _NAME.search(name):
            others[name] += times
    ranked = (*identifiers.most_common(), *others.most_common())
    return [name for name, _ in ranked[:MOST_NAMES]]


def trouble(text: str) -> list[str]:
    """The first line that tells of an error, and the last that sums up; in quotation marks."""
    told: list[str] = []
    for part in (text[:READ], text[-READ_AT_END:] if len(text) > READ else ""):
        lower = part.lower()
        found = [place for word in _TROUBLE if (place := _place_of(word, lower)) >= 0]
        if found and not told:
            told.append(_line_at(part, min(found)))
        totals = list(_TOTAL.finditer(part))
        told += [_line_at(part, totals[-1].start())] if totals else []
    return [f"“{line}”" for line in told]


def _place_of(word: str, text: str) -> int:
    """Where a word stands that is no part of a longer one, such as of a file's name; or -1."""
    place = text.find(word)
    follows = text[place + len(word) : place + len(word) + 1]
    return -1 if follows.isalnum() or follows in (".", "_") else place


def _line_at(text: str, place: int) -> str:
    start = max(text.rfind("\n", 0, place) + 1, place - LONGEST_LINE // 2)
    end = text.find("\n", place)
    return clipped(text[start : end if end >= 0 else len(text)])


def clipped(line: str, longest: int = LONGEST_LINE) -> str:
    """A text as one line of at most so many characters."""
    line = one_line(line[: 4 * longest])
    return line if len(line) <= longest else f"{line[: longest - 1].rstrip()}…"
