"""The keys that follow a text on its way through memory, as deeds."""

from app.screens.chat import ChatScreen
from app.screens.timeline import TimelineScreen
from app.screens.trace import TraceScreen
from tests.tui.conftest import Chat
from tests.tui.deeds import Doing, deed, folded
from widgets.panes.pane import Pane


def lines(screen: TraceScreen) -> str:
    """What the screen says."""
    return "\n".join(row.text for row in screen.query_one(Pane)._view.rows)


async def traced(chat: Chat, text: str) -> TraceScreen:
    """The screen that a command opens."""
    await chat.say(f"@trace {text}")
    screen = await chat.over(TraceScreen)
    await chat.until(lambda: lines(screen))
    return screen


@deed("transcript.trace", folded)
async def _trace(doing: Doing) -> None:
    chat = doing.chat
    chat.transcript.focus()
    await chat.press("up")
    await doing.press()
    screen = await chat.over(TraceScreen)
    await chat.until(
        lambda: "Message 10: it is in the prompt: it stands word for word." in lines(screen)
    )


@deed("trace.back", folded)
async def _back(doing: Doing) -> None:
    chat = doing.chat
    screen = await traced(chat, "message number 1 ")
    await chat.press("enter")
    await chat.over(TimelineScreen)
    await chat.press("escape")
    await chat.press("escape")
    screen = await chat.over(TraceScreen)
    assert screen.chosen
    await doing.press()
    await chat.over(ChatScreen)
