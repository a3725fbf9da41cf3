"""Digests of listings: how many entries of what kind, in which folder, and their names."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath

from memory.content.compactors.sketch import SCANNED, About, Group, Sketch, many
from memory.content.telling import READ

MOST_KINDS = 4
MOST_NAMES = 60
LEAST_ENTRIES = 3
_ENTRY = re.compile(r"^(\S[^\n]{0,300}?)(?:/|  +\d[\d.,]* (?:[kMGT]i?)?B)$", re.MULTILINE)


def read_listing(text: str, about: About) -> Sketch | None:
    """Names with sizes, and folders that end in a slash, where nearly all lines are some."""
    head = text[:READ]
    seen = sum(1 for _ in _ENTRY.finditer(head))
    if seen < LEAST_ENTRIES or seen * 4 < 3 * len(head.split("\n")):
        return None
    paths = [match[1] for match in _ENTRY.finditer(text, 0, SCANNED)]
    folder = _folder(paths)
    where = [f"in {folder}"] if folder else []
    return Sketch(
        f"listing, {many(len(paths), 'entry', 'entries')}",
        (Group([*where, *_kinds(paths)]), Group(_names(paths, folder), "such as")),
    )


def _folder(paths: list[str]) -> str:
    """The folder that all of them are in; empty where there is none."""
    shared: list[str] = []
    for names in zip(*(path.split("/")[:-1] for path in paths), strict=False):
        if len(set(names)) > 1:
            break
        shared.append(names[0])
    return "/".join(shared)


def _kinds(paths: list[str]) -> Iterator[str]:
    """How many entries there are of the most frequent endings."""
    endings = Counter(PurePosixPath(path).suffix for path in paths)
    return (f"{times:,} {end}" for end, times in endings.most_common(MOST_KINDS) if end)


def _names(paths: list[str], folder: str) -> Iterator[str]:
    start = len(folder) + 1 if folder else 0
    return (path[start:] for path in paths[:MOST_NAMES])
