"""Digests of code and of changes to it: signatures with their lines, the files a diff touches."""

import re
from itertools import islice

from memory.content.compactors.sketch import (
    SCANNED,
    About,
    Group,
    Sketch,
    at_lines,
    lines_of,
    many,
)
from memory.content.telling import READ, first_line, names

MOST_SIGNATURES = 60
LEAST_CODE = 4
"""Lines that look like code: prose has fewer."""
_SIGNATURE = re.compile(
    r"^[ \t]*(?:export |public |private |protected |static |async |pub |abstract |final |default )*"
    r"((?:def|class|func|fn|function|struct|enum|interface|trait|impl|type|module|namespace"
    r"|CREATE TABLE) +[\w.$]+)",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^[ \t]*(?:import |from [\w.]+ import |#include|return\b|if .*[:{]$|for .*[:{]$"
    r"|[\w.]+ = |[}\])];?$|const |let |var |@\w)",
    re.MULTILINE,
)
_CHANGED = re.compile(r"^(?:diff --git a/\S+ b/|\+\+\+ b/)(\S+)", re.MULTILINE)


def read_code(text: str, about: About) -> Sketch | None:
    """Code, where enough of its beginning looks like it."""
    found = islice(signatures(text[:READ]), LEAST_CODE)
    lines = islice(_CODE_LINE.finditer(text, 0, READ), LEAST_CODE)
    if sum(1 for _ in found) + sum(1 for _ in lines) < LEAST_CODE:
        return None
    return draw_code(text, about)


def draw_code(text: str, about: About) -> Sketch:
    """Code, whether it looks like it or not."""
    found = signatures(text)
    named = Group(at_lines(text, found)) if found else Group(names(text))
    return Sketch(f"code, {lines_of(text)}", (Group([first_line(text.lstrip())]), named))


def signatures(text: str) -> list[tuple[str, int]]:
    """What is declared, and the character at which each declaration begins."""
    found = islice(_SIGNATURE.finditer(text, 0, SCANNED), MOST_SIGNATURES)
    return [(match[1], match.start(1)) for match in found]


def read_diff(text: str, about: About) -> Sketch | None:
    """Changes to files, in the form of a unified diff."""
    if "\n+++ " not in text[:READ]:
        return None
    files = list(dict.fromkeys(_CHANGED.findall(text[:SCANNED])))
    added, gone = text.count("\n+") - text.count("\n+++ "), text.count("\n-") - text.count("\n--- ")
    changed = f"{many(added, 'line')} added, {many(gone, 'line')} removed"
    return Sketch(f"diff, {lines_of(text)}", (Group(files), Group([changed])))
