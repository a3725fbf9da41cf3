"""The score of a candidate: its features, weighed and summed. Pure."""

import math
from collections.abc import Mapping

from memory.recall.weights import PART_OF, PARTS


def score_of(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The score of a candidate; features without a weight add nothing."""
    return math.fsum(weights.get(name, 0.0) * value for name, value in features.items())


def parts_of(features: Mapping[str, float], weights: Mapping[str, float]) -> dict[str, float]:
    """What a candidate's score consists of, by the names that people read; they sum to it."""
    parts = dict.fromkeys(PARTS, 0.0)
    for name, weight in weights.items():
        if name in features:
            parts[PART_OF[name]] += weight * features[name]
    return parts
