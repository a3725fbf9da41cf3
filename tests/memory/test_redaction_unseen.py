"""How well what must be replaced is told from what looks like it, in hundreds of texts."""

import pytest

from memory.privacy import KINDS, Door, Kind
from tests.memory.redaction.cases import SHORT, Case, Score, cases, measured

PLANTED = cases("planted") + cases("planted_later")
CLEAN = cases("clean") + cases("clean_later")
FEWEST = 500
LEAST_RECALL, LEAST_PRECISION = 0.97, 0.99
MOST_WRONG = 3
"""Texts without a secret of which a part is replaced all the same."""


@pytest.fixture(scope="module")
def score() -> Score:
    return measured(PLANTED)


def test_there_are_many_of_both() -> None:
    """RECALL-7: so that what follows says something."""
    assert min(len(PLANTED), len(CLEAN)) >= FEWEST


@pytest.mark.parametrize("kind", KINDS)
def test_nearly_all_that_is_planted_is_found(score: Score, kind: Kind) -> None:
    """RECALL-7: as people and tools write it, in files, commands, code, prose and replies."""
    kept = [(left, text) for missed, left, text in score.kept if missed == kind]

    assert score.planted[kind] >= 15
    assert score.recall(kind) >= LEAST_RECALL, kept


@pytest.mark.parametrize("kind", KINDS)
def test_nearly_all_that_is_replaced_was_planted(score: Score, kind: Kind) -> None:
    """RECALL-7: what stands around a secret stays."""
    assert score.precision(kind) >= LEAST_PRECISION, score.taken


def test_texts_that_only_look_like_it_stay() -> None:
    """RECALL-7: code about passwords, hashes, ids, figures, and prose about secrets."""
    taken = measured(CLEAN).taken

    assert len({text for _, _, text in taken}) <= MOST_WRONG, taken


@pytest.mark.parametrize("part", range(4))
def test_no_draft_of_them_holds_a_secret(part: int) -> None:
    """RECALL-7, STORE-2: wherever a stream is cut, what is shown begins what will be stored."""
    for case in PLANTED[part::16]:
        _cut_anywhere(case)


def _cut_anywhere(case: Case) -> None:
    door = Door(KINDS, case.region)
    whole = f"{case.text} And so it goes on.\n"
    final = door.clean(whole).text
    for end in range(0, len(whole) + 1, 3):
        shown = door.clean_growing(whole[:end])
        settled = shown if final.startswith(shown) else shown[:-SHORT]
        assert final.startswith(settled), (whole[:end], shown)
