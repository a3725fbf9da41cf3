"""How well messages are represented by what stands for them, by the nearness of vectors. Pure."""

import re
from collections.abc import Iterable, Sequence
from operator import mul
from typing import TypeVar

T = TypeVar("T")

Vector = Sequence[float]
"""Of length one."""

MOST_PASSAGES = 60
"""A summary of the longest kind that is configured has about 40 sentences."""

_ENDS = re.compile(r"(?<=[.!?。！？])[\"'”’)]*\s+|;\s+")


def passages_of(texts: Iterable[str]) -> list[str]:
    """The sentences and bullets of what stands for messages, each of which may represent one."""
    lines = [line.strip().removeprefix("- ") for text in texts for line in text.splitlines()]
    parts = [part.strip() for line in lines for part in _ENDS.split(line)]
    return evenly([part for part in parts if any(map(str.isalnum, part))], MOST_PASSAGES)


def evenly(items: Sequence[T], most: int) -> list[T]:
    """At most so many of the items, taken at even distances, in their order."""
    if len(items) <= most:
        return list(items)
    return [items[place * len(items) // most] for place in range(most)]


def nearest(vector: Vector, others: Iterable[Vector]) -> float:
    """The greatest cosine of a vector with any of the others, 0 to 1."""
    best = max((float(sum(map(mul, vector, other))) for other in others), default=0.0)
    return min(1.0, max(0.0, best))


def mean(values: Sequence[float]) -> float:
    """The mean, to four places."""
    return round(sum(values) / len(values), 4)
