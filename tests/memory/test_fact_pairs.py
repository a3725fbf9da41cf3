"""RECALL-1: which facts say the same, and which take another one's place, on labelled pairs.

The pairs of `fact_pairs_tuning.txt` were at hand while the rules were made; those of
`fact_pairs_held_out.txt` were written afterwards, and no rule was changed for them. A line is
`label|cosine|older fact|newer fact`; the cosines are those of all-MiniLM-L6-v2.
"""

from collections import Counter
from pathlib import Path

import pytest

from memory.facts.likeness import compare
from memory.facts.values import Verdict

FOLDER = Path(__file__).parent
TUNING, HELD_OUT = "fact_pairs_tuning.txt", "fact_pairs_held_out.txt"


def pairs(name: str) -> list[tuple[str, float, str, str]]:
    rows = [line.split("|") for line in (FOLDER / name).read_text("utf-8").splitlines()]
    return [(label, float(cosine), old, new) for label, cosine, old, new in rows]


def judged(name: str, *, by_meaning: bool) -> Counter[tuple[str, Verdict]]:
    """How often each label was given each verdict."""
    return Counter(
        (label, compare(old, new, cosine if by_meaning else None))
        for label, cosine, old, new in pairs(name)
    )


def precision(counts: Counter[tuple[str, Verdict]], verdict: Verdict) -> float:
    given = sum(n for (_, said), n in counts.items() if said == verdict)
    return counts[verdict, verdict] / given


def recall(counts: Counter[tuple[str, Verdict]], verdict: Verdict) -> float:
    wanted = sum(n for (label, _), n in counts.items() if label == verdict)
    return counts[verdict, verdict] / wanted


def test_there_are_enough_pairs_of_every_kind() -> None:
    """RECALL-1: no pair stands in both sets."""
    tuning, held_out = pairs(TUNING), pairs(HELD_OUT)
    assert len(tuning) + len(held_out) > 300
    for rows in (tuning, held_out):
        labels = Counter(row[0] for row in rows)
        assert set(labels) == {"same", "contradicts", "different"}
        assert min(labels.values()) >= 15
    assert not {row[2:] for row in tuning} & {row[2:] for row in held_out}


@pytest.mark.parametrize("name", [TUNING, HELD_OUT])
def test_what_ends_a_fact_does_so_rightly(name: str) -> None:
    """RECALL-1: a fact ended wrongly is worse than two that both stand."""
    for by_meaning in (True, False):
        counts = judged(name, by_meaning=by_meaning)
        assert precision(counts, "contradicts") >= 0.97
        assert recall(counts, "contradicts") >= 0.84
        wrongly = counts["different", "contradicts"] + counts["different", "same"]
        assert wrongly <= 0.02 * len(pairs(name))


@pytest.mark.parametrize("name", [TUNING, HELD_OUT])
def test_what_says_the_same_is_known(name: str) -> None:
    """RECALL-1: with an embedder more of it than by rule alone."""
    by_meaning = judged(name, by_meaning=True)
    assert precision(by_meaning, "same") >= 0.97
    assert recall(by_meaning, "same") >= 0.9
    by_rule = judged(name, by_meaning=False)
    assert precision(by_rule, "same") >= 0.97
    assert recall(by_rule, "same") >= 0.75


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user prefers tea.", "The user prefers coffee now."),
        ("The user's cat is called Mia.", "The user's cat is called Lou."),
        ("The newsletter goes out every Thursday.", "The newsletter goes out every Tuesday."),
    ],
)
def test_where_nobody_can_tell_both_stand(old: str, new: str) -> None:
    """RECALL-1: there may be two cats."""
    assert compare(old, new, 0.8) in ("unsure", "different")


@pytest.mark.parametrize(
    "text", ["", "?", "42", "。", "Ada", "猫が好きです。", "🙂", "not", "x" * 400, "of the is"]
)
def test_whatever_stands_there_is_compared(text: str) -> None:
    """RECALL-1: words of any script, and none."""
    assert compare(text, text) == "same"
    assert compare(text, "The user lives in Berlin.") in ("same", "different")
    assert compare("The user lives in Berlin.", text) in ("same", "different")
