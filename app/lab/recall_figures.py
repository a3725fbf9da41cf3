"""How much of what answers a question is found: at k, and within budgets of tokens. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory.recall.packing import Entry, pack

AT = (5, 10, 20)
BUDGETS = (1_000, 2_000, 4_000)
JUDGED = (1, 2, 3, 4)
"""Categories of the figures over all; LoCoMo's fifth asks for what was never said."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a ranking found of one question's evidence, as shares."""

    category: int
    at: tuple[float, ...]
    within: tuple[float, ...]
    whole: tuple[bool, ...]
    """Whether all of it is within each budget."""


def measured(
    ranking: Sequence[str],
    evidence: frozenset[str],
    entries: Mapping[str, Entry[str]],
    category: int,
) -> Measured:
    """Measures one ranking.

    Args:
        ranking: Ids of turns, best first.
        evidence: Those that answer the question.
        entries: What each turn costs, by id.
        category: The question's.
    """
    packed = [
        evidence.intersection(
            entry.source for entry in pack((entries[id] for id in ranking), budget).kept
        )
        for budget in BUDGETS
    ]
    return Measured(
        category,
        tuple(len(evidence.intersection(ranking[:most])) / len(evidence) for most in AT),
        tuple(len(found) / len(evidence) for found in packed),
        tuple(found == evidence for found in packed),
    )


def figures(rows: Sequence[Measured]) -> dict[str, Any]:
    """The means over some questions, in shares of 1; None where there is none."""
    return {
        "questions": len(rows),
        "recall_at": {str(k): _mean(row.at[place] for row in rows) for place, k in enumerate(AT)},
        "recall_within": {
            str(budget): _mean(row.within[place] for row in rows)
            for place, budget in enumerate(BUDGETS)
        },
        "all_evidence_within": {
            str(budget): _mean(float(row.whole[place]) for row in rows)
            for place, budget in enumerate(BUDGETS)
        },
    }


def by_category(rows: Sequence[Measured]) -> dict[str, Any]:
    """The figures over categories 1 to 4, and of each category."""
    categories = sorted({row.category for row in rows})
    return {
        "overall": figures([row for row in rows if row.category in JUDGED]),
        "by_category": {
            str(category): figures([row for row in rows if row.category == category])
            for category in categories
        },
    }


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return round(sum(listed) / len(listed), 4) if listed else None
