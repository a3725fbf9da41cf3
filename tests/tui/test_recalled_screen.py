"""The screen of what was recalled, by what it lists and opens (RECALL-4)."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.screens.recalled import RecalledScreen
from app.screens.recalled_rows import detail_rows, found_by, heading_of, list_rows
from app.screens.sessions import SessionsScreen
from memory.recall_views import IndexView
from memory.storage.said import Said
from tests.support.works import AT, ELSEWHERE, RECALLED, passage
from tests.tui.conftest import OpenChat, memory_in
from tests.tui.deeds_in_recalled import OWL, found, read
from widgets.entries import MessageEntry
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
ODD = "[b]x[/b]\x1b[31m\u202e漢字漢字\x07 " + "long" * 40
SAID = Said(88, "message", "b", 9, "t", "a boat", 88, "assistant", AT, "It costs 1,240. Too much.")


def texts(view: PaneView) -> list[str]:
    return [row.text.rstrip() for row in view.rows]


def test_all_that_was_found_is_listed_with_its_score() -> None:
    """RECALL-4: what stands in the turn, facts too, then what was left out."""
    view = list_rows(RECALLED, IndexView(), 70, NOW)
    rows = texts(view)
    assert rows[0].startswith("passages")
    assert rows[1].startswith("━━━━  8.3 you     No pets")
    assert "facts" in rows
    assert "left out" in rows
    assert [key for key in view.keys if key] == list(found_by(RECALLED))
    assert texts(list_rows(None, IndexView(), 70, NOW)) == ["Nothing recalled for this turn."]
    assert heading_of(RECALLED).startswith("for message 201 · 3 passages")
    assert heading_of(replace(RECALLED, meaning=False)).endswith("by words only")


def test_one_of_them_is_opened_with_the_parts_of_its_score() -> None:
    """RECALL-4: bars with names and figures, the whole text, and where it is from."""
    told = texts(detail_rows(ELSEWHERE, SAID, 60, NOW))
    assert told[0] == "It costs 1,240. Too much."
    assert "brought   yes, it stands in this turn" in told
    assert "session   “a boat”" in told
    assert any(row.startswith("words") and "3.55 ━━━━" in row for row in told)
    assert any(row.startswith("long") and "-0.40" in row for row in told)
    left_out = texts(detail_rows(RECALLED.left_out[1], None, 60, NOW))
    assert "brought   no: the budget is used up" in left_out


@pytest.mark.parametrize("width", [8, 21, 34, 90])
def test_nothing_steers_and_nothing_is_too_wide(width: int) -> None:
    """ALL-8: found texts are never markup and never control."""
    odd = replace(passage(1, ODD, 8.0, ODD), role=ODD, kind="content", parts={ODD: 1.0})
    said = replace(SAID, title=ODD, text=ODD)
    for view in (
        list_rows(replace(RECALLED, texts=(odd,)), IndexView(problem=ODD, backlog=1), width, NOW),
        detail_rows(odd, said, width, NOW),
    ):
        assert max(cell_len(row.text) for row in view.rows) <= width
        assert not {"\x1b", "\x07", "\u202e"} & set("".join(texts(view)))


@pytest.mark.asyncio(loop_scope="session")
async def test_a_message_tells_what_was_recalled_for_it_and_opens_it(
    open_chat: OpenChat, data: Path
) -> None:
    """RECALL-4, VIEW-4: also where other turns came after it."""
    async with found(data):
        pass
    async with memory_in(data) as memory:
        await memory.add("user", "And yours?")
        await memory.add("assistant", "Strata.")
    async with open_chat(size=(120, 40)) as chat:
        await chat.ready()
        first = chat.messages[0]
        assert first.figures[1:] == ("1 passage recalled",)
        chat.transcript.focus()
        await chat.press(*["up"] * 5, "enter")
        screen = await chat.over(RecalledScreen)
        await chat.until(lambda: OWL in read(screen))
        assert screen._turn is not None
        assert screen._turn.told == "as of message 1"


@pytest.mark.asyncio(loop_scope="session")
async def test_a_session_is_opened_where_it_was_said(open_chat: OpenChat, data: Path) -> None:
    """CHAT-4: the message that has the words is chosen there."""
    async with found(data):
        pass
    async with open_chat(size=(120, 40)) as chat:
        await chat.ready()
        await chat.press("ctrl+o")
        listed = await chat.over(SessionsScreen)
        await chat.press(*"good name")
        await chat.until(lambda: listed._heard)
        await chat.press("enter")
        await chat.until(lambda: "owls" in chat.status)
        await chat.until(lambda: isinstance(chat.transcript.chosen, MessageEntry))
        chosen = chat.transcript.chosen
        assert isinstance(chosen, MessageEntry)
        assert chosen.number == 2
