"""Where did it go: the screen and the command (VIEW-10)."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.chat.trace_command import trace_lines
from app.screens.timeline import TimelineScreen
from app.screens.trace_rows import compaction_of, trace_rows
from memory.tracing import Traced
from memory.views import Trace, TraceStep
from tests.tui.conftest import OpenChat
from tests.tui.deeds import folded
from tests.tui.deeds_on_the_way import lines, traced

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOW = datetime(2026, 3, 14, 15, tzinfo=UTC)
AT = "2026-03-14T14:30:00.000Z"
STEPS = (
    TraceStep(7, AT, 3, "message", "You said it in message 3.", "the [b]code[/b] is 77"),
    TraceStep(31, AT, 20, "left", "It was folded, which does not say it.", ""),
)
ONE = Trace("77", 3, STEPS, in_prompt=False, answer="It left the prompt; @retrieve m3 shows it.")


@pytest.mark.parametrize("width", [10, 24, 60, 140])
async def test_rows_fit_their_width_and_lead_to_compactions(width: int) -> None:
    """VIEW-10: each station with its time; one that is a compaction opens it."""
    view = trace_rows(Traced("77", (ONE, ONE), more=True), {31: "abc"}, width, NOW)
    assert all(len(row.text) <= width + 10 for row in view.rows)
    keys = {key for key in view.keys if key is not None}
    assert len(keys) == 2
    assert {compaction_of(key) for key in keys} == {"abc"}
    assert "2 ways" in view.figures


async def test_a_text_that_nobody_said_is_said_to_be_nowhere() -> None:
    """VIEW-10: in one sentence, the text clipped."""
    assert trace_lines(Traced("x" * 99, (), more=False), NOW) == [
        f"“{'x' * 59}…” was said nowhere in this session."
    ]
    told = trace_lines(Traced("77", (ONE,), more=True), NOW)
    assert told[0] == "Message 3: it left the prompt; @retrieve m3 shows it."
    assert "    the [b]code[/b] is 77" in told
    assert told[-1].startswith("It was said before")


async def test_the_command_tells_the_way_and_opens_it(open_chat: OpenChat, data: Path) -> None:
    """VIEW-10: as lines in the transcript, and as a screen that leads to the timeline."""
    async with folded(data), open_chat(size=(100, 30)) as chat:
        await chat.ready()
        screen = await traced(chat, "MESSAGE  number 1 ")
        assert "You said it in message 1." in lines(screen)
        assert "You said it in message 1." in chat.notices
        await chat.press("enter")
        timeline = await chat.over(TimelineScreen)
        assert timeline._selected is not None


async def test_nothing_opens_for_what_is_nowhere(open_chat: OpenChat) -> None:
    """VIEW-10: the transcript says so; without a text, how it is written."""
    async with open_chat() as chat:
        await chat.ready()
        await chat.say("@trace nobody said this")
        await chat.until(lambda: "said nowhere in this session" in chat.notices)
        await chat.say("@trace")
        await chat.until(lambda: "@trace TEXT" in chat.notices)
