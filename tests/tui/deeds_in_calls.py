"""The keys of a question that a tool asks, as deeds."""

from tests.tui.calls import Turn, called
from tests.tui.deeds import Doing, deed
from widgets.permit import GUARD_SECONDS, Permit, Verdict


async def _answered(doing: Doing, *before: str) -> Verdict:
    """What the key under test answers, after some others."""
    chat = doing.chat
    turn = Turn.begin(chat)
    turn.asks()
    turn.says("", called("t1", command="make"))
    turn.calls("t1", "run_command", command="make")
    answer = turn.wants("t1", "make")
    await chat.until(lambda: any(panel.has_focus for panel in chat.app.screen.query(Permit)))
    await chat.pilot.pause(GUARD_SECONDS + 0.05)
    await chat.press(*before)
    await doing.press()
    await chat.until(answer.done)
    turn.view.close()
    return answer.result()


@deed("permit.no")
async def _no(doing: Doing) -> None:
    assert await _answered(doing, "right") == "no"


@deed("permit.once")
async def _once(doing: Doing) -> None:
    assert await _answered(doing) == "once"


@deed("permit.always")
async def _always(doing: Doing) -> None:
    assert await _answered(doing) == "always"


@deed("permit.take")
async def _take(doing: Doing) -> None:
    assert await _answered(doing, "right") == "once"
