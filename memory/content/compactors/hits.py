"""Digests of search results: the files, the lines with a match in each, and the first matches."""

import re
from collections.abc import Iterator

from memory.content.compactors.sketch import SCANNED, About, Group, Sketch, lines_of, many
from memory.content.telling import READ, clipped

MOST_FILES = 60
LINES_TOLD = 6
"""Line numbers that are named of each file."""
SAMPLES = 2
_HIT = re.compile(r"^([^\s:][^:\n]{0,200}):(\d{1,9}):([^\n]*)", re.MULTILINE)
_AROUND = re.compile(r"^[^\s:][^:\n]{0,200}?-\d{1,9}-|^--$", re.MULTILINE)
"""Lines around a match, and what parts them."""


def read_hits(text: str, about: About) -> Sketch | None:
    """Matches as `path:line:text`, where most lines are some."""
    head = text[:READ]
    seen = sum(1 for _ in _HIT.finditer(head))
    around = sum(1 for _ in _AROUND.finditer(head))
    lines = head.count("\n") + 1
    if not seen or seen + around < 2 or (seen + around) * 2 < lines:  # noqa: PLR2004 (most lines)
        return None
    files: dict[str, list[str]] = {}
    samples: list[str] = []
    for match in _HIT.finditer(text, 0, SCANNED):
        files.setdefault(match[1], []).append(match[2])
        if len(samples) < SAMPLES:
            samples.append(f"“{clipped(match[3])}”")
    return Sketch(
        f"matches, {lines_of(text)} in {many(len(files), 'file')}",
        (Group(_by_file(files)), Group(samples, "first")),
    )


def _by_file(files: dict[str, list[str]]) -> Iterator[str]:
    for path, lines in list(files.items())[:MOST_FILES]:
        told = " ".join(dict.fromkeys(lines[:LINES_TOLD]))
        more = "…" if len(lines) > LINES_TOLD else ""
        yield f"{path} ({told}{more})"
