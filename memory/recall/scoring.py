"""The score of a candidate: its features, weighed and summed. Pure."""

import math
from collections.abc import Mapping

from memory.recall.weights import PART_OF, PARTS, WEIGHTS


def score_of(features: Mapping[str, float]) -> float:
    """The score of a candidate."""
    return math.fsum(WEIGHTS[name] * value for name, value in features.items())


def parts_of(features: Mapping[str, float]) -> dict[str, float]:
    """What a candidate's score consists of, by the names that people read; they sum to it."""
    parts = dict.fromkeys(PARTS, 0.0)
    for name, value in features.items():
        parts[PART_OF[name]] += WEIGHTS[name] * value
    return parts
