"""Facts and recalled passages beside the conversation (VIEW-1, RECALL-4)."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from app.screens.awaited import NOTE_SECONDS, Awaited
from memory.recall_views import IndexView
from memory.snapshot import ContextView, PinView
from tests.support.snapshots import snapshot_of, talk
from tests.support.works import FACTS, RECALLED, fact, passage
from widgets.panes.facts import NO_FACTS, fact_rows, has_facts
from widgets.panes.recalled import (
    NOTHING_YET,
    SEARCHED,
    SEARCHING,
    may_recall,
    recalled_rows,
)
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
EMPTY = snapshot_of(talk(1, [40, 60]))
FULL = replace(EMPTY, facts=FACTS, recalled=RECALLED)
ODD = "[b]x[/b]\x1b[31m\u202e漢字漢字\x07 " + "long" * 40


def texts(view: PaneView) -> list[str]:
    return [row.text.rstrip() for row in view.rows]


def test_facts_stand_there_with_pin_weight_and_age() -> None:
    """VIEW-1: those in the present prompt have another sign; what may be wrong is said."""
    view = fact_rows(FULL, 60, NOW)
    rows = texts(view)
    assert rows[0] == "○ They move to Lisbon in April with a dog, Biscuit."
    assert rows[1] == "  ◆ pinned · importance 80 % · 20 min"
    assert rows[3] == "  importance 80 % · 20 min · said 3 times"
    assert rows[4] == "● The budget is €1,100 a month."
    assert rows[6] == "  ! another fact may say otherwise"
    assert rows[-1] == "2 facts ended"
    assert view.figures == "4 facts · 2 ended"
    assert view.keys[:2] == ("fact:f1", "fact:f1")
    assert view.keys[-1] == "ended"


def test_a_pinned_sentence_stands_among_the_facts() -> None:
    """COMPACT-14: in the prompt it stands there as well."""
    pin = PinView("p1", 12, False, "Never by phone.", 9)
    rows = texts(fact_rows(replace(EMPTY, pins=(pin,)), 60, NOW))
    assert rows == ["● Never by phone.", "  ◆ pinned from message 12 · 9 tok"]


def test_passages_stand_there_with_score_source_and_what_was_left_out() -> None:
    """RECALL-4: score, age and source of each; of the best left out, why."""
    view = recalled_rows(FULL, 60, NOW)
    rows = texts(view)
    assert rows[0].startswith("━━━━  8.3 No pets in Saldanha")
    assert rows[1].split() == ["you", "74", "·", "20", "Nov", "42"]
    assert rows[2].startswith("━━━─  7.1 1,240 is too much")
    assert "strata 88 · elsewhere" in rows[3]
    assert "content imported" in rows[5].replace("elsewhere · ", "")
    assert rows[7] == "left out"
    assert rows[8:10] == ["2.9 Thanks!", "  it has too little to do with the message"]
    assert view.figures == "3 passages · 412 of 2.0k tok · 1 fact · 0.1 s"
    assert view.keys[0] == view.keys[1] == "passage:0"
    assert view.keys[-1] == "out:1"


def test_how_far_the_index_is_and_what_it_lacks_is_said() -> None:
    """RECALL-2: one line while there is a backlog; by words where nothing compared meanings."""
    index = IndexView(5_310, 1_204, 4_106, "indexing")
    rows = texts(recalled_rows(replace(EMPTY, index=index), 60, NOW))
    assert rows[0] == "1,204 of 5,310 indexed"
    failing = replace(index, state="waiting", problem="The embedder does not answer.")
    rows = texts(recalled_rows(replace(EMPTY, index=failing), 80, NOW))
    assert rows[0] == "1,204 of 5,310 indexed: The embedder does not answer."
    words = replace(RECALLED, meaning=False, texts=(), facts=())
    rows = texts(recalled_rows(replace(EMPTY, recalled=words), 60, NOW))
    assert rows[:2] == ["Nothing of it stands in the prompt.", "by words only"]


def test_what_a_turn_leaves_to_be_indexed_is_not_told() -> None:
    """VIEW-1: it would come and go each time; but what does not go on is said."""
    few = IndexView(5_310, 5_306, 4, "indexing")
    assert texts(recalled_rows(replace(FULL, index=few), 60, NOW))[0].startswith("━━━━  8.3")
    stuck = replace(few, state="waiting", problem="The embedder does not answer.")
    rows = texts(recalled_rows(replace(FULL, index=stuck), 80, NOW))
    assert rows[0] == "5,306 of 5,310 indexed: The embedder does not answer."


def test_a_search_is_told_of_in_the_border() -> None:
    """RECALL-4: what was found for the turn before stays until there is something else."""
    view = recalled_rows(replace(FULL, searching=True), 60, NOW)
    assert texts(view) == texts(recalled_rows(FULL, 60, NOW))
    assert view.figures == SEARCHED
    assert " ".join(texts(recalled_rows(replace(EMPTY, searching=True), 60, NOW))) == SEARCHING


def test_what_was_recalled_stays_in_sight_until_memory_was_searched() -> None:
    """VIEW-1: nothing goes and comes back; a search that takes long is told of."""
    due, searches, later = [False], [False], list[float]()
    awaited = Awaited(
        lambda: due[0],
        lambda: searches[0],
        lambda seconds, _: later.append(seconds),
        lambda: None,
    )
    with_found = replace(FULL, context=_context(facts=30, recalled=70))
    fresh = replace(EMPTY, context=_context(messages=40))
    assert awaited.held(with_found) is with_found
    due[0] = True
    for _ in range(2):
        held = awaited.held(fresh)
        assert held.recalled is RECALLED
        assert held.context.sections == {"messages": 40, "facts": 30, "recalled": 70}
        assert held.context.used == 140
        assert not held.searching
    assert later == [NOTE_SECONDS]
    awaited._since = -2 * NOTE_SECONDS
    assert not awaited.held(fresh).searching
    searches[0] = True
    assert awaited.held(fresh).searching
    due[0] = False
    assert awaited.held(fresh) is fresh


def _context(**sections: int) -> ContextView:
    return replace(EMPTY.context, used=sum(sections.values()), sections=sections)


def test_empty_panes_say_what_will_stand_there() -> None:
    """VIEW-1: in one sentence, and they stand aside where nothing can come."""
    assert " ".join(texts(fact_rows(EMPTY, 34, NOW))) == NO_FACTS
    assert " ".join(texts(recalled_rows(EMPTY, 34, NOW))) == NOTHING_YET
    assert not has_facts(EMPTY)
    assert not may_recall(EMPTY)
    assert may_recall(replace(EMPTY, index=IndexView(passages=40)))


@pytest.mark.parametrize("width", [8, 21, 34, 90])
def test_nothing_steers_and_nothing_is_too_wide(width: int) -> None:
    """ALL-8: texts of facts and passages are never markup and never control."""
    facts = replace(FACTS, shown=(fact(1, ODD, 1.0, "f2"),))
    odd = replace(passage(1, ODD, 8.0), role=ODD, kind="content")
    recalled = replace(RECALLED, texts=(odd,), left_out=(replace(odd, why_not=ODD),))
    for rows in (fact_rows, recalled_rows):
        view = rows(replace(FULL, facts=facts, recalled=recalled), width, NOW)
        told = "".join(texts(view))
        assert max(cell_len(row.text) for row in view.rows) <= width
        assert not {"\x1b", "\x07", "\u202e"} & set(told)
        assert "[b]" in told or width < 12
