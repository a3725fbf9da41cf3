"""Digests of search results: the files, the lines with a match in each, and the first matches."""

import re
from collections.abc import Iterator

from memory.content.compactors.sketch import SCANNED, About, Group, Sketch, lines_of, many
from memory.content.telling import READ, clipped

MOST_FILES = 60
LINES_TOLD = 6
"""Line numbers that are named of each file."""
SAMPLES = 2
_HIT = re.compile(r"^([^\s:][^:\n]{0,200}):(\d{1,9})[:-]([^\n]*)", re.MULTILINE)


def read_hits(text: str, about: About) -> Sketch | None:
    """Matches as `path:line:text`, where most lines are some."""
    if _HIT.match(text.lstrip()) is None:
        return None
    seen = sum(1 for _ in _HIT.finditer(text[:READ]))
    lines = text.count("\n", 0, READ) + 1
    if seen < 2 or seen * 2 < lines:  # noqa: PLR2004 (most lines are hits)
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
