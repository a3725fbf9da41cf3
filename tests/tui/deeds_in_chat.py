"""The keys that hold everywhere, in the chat and while writing, as deeds."""

from app.palette import Palette
from app.screens.help import HelpScreen
from app.screens.sessions import SessionsScreen
from app.screens.themes import ThemeScreen
from app.screens.timeline import TimelineScreen
from memory.wish import Wish
from tests.support.misbehaving_server import GOOD_ANSWER
from tests.tui.deeds import WIDE, Doing, branched, deed, folded, said, three_sessions
from widgets.panes.pane import Pane

# -- everywhere


@deed("app.help")
async def _help(doing: Doing) -> None:
    await doing.press()
    await doing.chat.over(HelpScreen)


@deed("app.palette")
async def _palette(doing: Doing) -> None:
    await doing.press()
    await doing.chat.over(Palette)
    await doing.chat.press("escape")


@deed("app.suspend")
async def _suspend(doing: Doing) -> None:
    await doing.press()
    assert doing.happened == ["suspended"]


@deed("app.quit")
async def _quit(doing: Doing) -> None:
    await doing.press()
    await doing.chat.until(lambda: doing.chat.app._exit)


# -- the chat


@deed("chat.stop", model="held")
async def _stop(doing: Doing) -> None:
    chat = doing.chat
    with doing.server.holding():
        await chat.say("count")
        await chat.until(lambda: chat.state == "answering")
        await doing.press()
        await chat.ready()
    assert chat.messages[-1].mark == "stopped"


@deed("chat.new", three_sessions)
async def _new(doing: Doing) -> None:
    chat = doing.chat
    assert chat.status.startswith("newest")
    await doing.press()
    await chat.until(lambda: chat.state == "ready" and chat.status.startswith("session of"))
    assert chat.messages == []


@deed("chat.sessions", three_sessions)
async def _sessions(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(SessionsScreen)
    await doing.chat.until(lambda: len(screen._list.sessions) == 3)


@deed("chat.timeline", folded)
async def _timeline(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(TimelineScreen)
    assert len(screen._records) == 1


@deed("chat.branch", branched)
async def _branch(doing: Doing) -> None:
    chat = doing.chat
    assert "branch 2 of 2" in chat.status
    await doing.press()
    await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "ready")
    assert len(chat.messages) == 4


@deed("chat.panes", size=WIDE)
async def _panes(doing: Doing) -> None:
    panes = doing.chat.panes
    for seen in (False, True):
        await doing.press()
        assert panes.display is seen
    assert doing.chat.composer.has_focus


@deed("chat.enlarge", said(2), size=WIDE)
async def _enlarge(doing: Doing) -> None:
    panes = doing.chat.panes
    panes.focus_pane("window")
    width = panes.size.width
    for enlarged in ("window", None):
        await doing.press()
        assert panes.enlarged == enlarged
        assert panes.pane("window").has_focus
        assert (panes.size.width > width) is bool(enlarged)


@deed("chat.theme")
async def _theme(doing: Doing) -> None:
    await doing.press()
    await doing.chat.over(ThemeScreen)


@deed("chat.copy")
async def _copy(doing: Doing) -> None:
    chat = doing.chat
    await doing.press()
    await chat.until(lambda: "There is no answer yet." in chat.notices)
    await chat.say("hello")
    await chat.answered(2)
    await doing.press()
    await chat.until(lambda: chat.clipboard == GOOD_ANSWER)
    await chat.until(lambda: "the last answer (38 characters)" in chat.hint)


@deed("chat.reopen", said(2), opens=False, wish=Wish(read_only=True))
async def _reopen(doing: Doing) -> None:
    chat = doing.chat
    await chat.until(lambda: chat.state == "read-only")
    await doing.press()
    await chat.ready()
    assert not chat.composer.disabled


def regions(doing: Doing) -> list[str]:
    """The parts of the screen at this width, in their order."""
    return [
        "composer",
        "transcript",
        "core",
        *(p.id or "" for p in doing.chat.panes.query(Pane) if p.display),
    ]


async def _round(doing: Doing, expected: list[str]) -> None:
    for name in expected:
        await doing.press()
        focused = doing.chat.app.focused
        assert focused is not None
        assert focused.id == name


@deed("chat.next_region", said(2), size=WIDE)
async def _next_region(doing: Doing) -> None:
    order = regions(doing)
    await _round(doing, [*order[1:], order[0]])


@deed("chat.previous_region", said(2), size=WIDE)
async def _previous_region(doing: Doing) -> None:
    await _round(doing, regions(doing)[::-1])


@deed("chat.back", said(20))
async def _back(doing: Doing) -> None:
    transcript = doing.chat.transcript
    before = transcript.scroll_offset.y
    await doing.press()
    assert before - transcript.size.height <= transcript.scroll_offset.y < before
    assert doing.chat.composer.has_focus


@deed("chat.on", said(20))
async def _on(doing: Doing) -> None:
    transcript = doing.chat.transcript
    transcript.go_to_start()
    await doing.press()
    assert 0 < transcript.scroll_offset.y < transcript.size.height


@deed("chat.oldest", said(20))
async def _oldest(doing: Doing) -> None:
    await doing.press()
    assert doing.chat.transcript.scroll_offset.y == 0
    assert not doing.chat.transcript.following


@deed("chat.newest", said(20))
async def _newest(doing: Doing) -> None:
    doing.chat.transcript.go_to_start()
    await doing.press()
    assert doing.chat.transcript.following
    assert "message number 20" in "\n".join(doing.chat.seen)


# -- while writing


@deed("composer.send")
async def _send(doing: Doing) -> None:
    chat = doing.chat
    await chat.write("hello")
    await doing.press()
    await chat.answered(2)
    assert chat.said == [("you", "hello"), ("strata", GOOD_ANSWER)]


@deed("composer.newline")
async def _newline(doing: Doing) -> None:
    await doing.chat.write("one")
    await doing.press()
    await doing.chat.write("two")
    assert doing.chat.composer.text == "one\ntwo"


@deed("composer.complete")
async def _complete(doing: Doing) -> None:
    await doing.chat.press(*"@mem")
    await doing.press()
    assert doing.chat.composer.text == "@memory-status "


@deed("composer.close")
async def _close(doing: Doing) -> None:
    await doing.chat.press("@")
    assert doing.chat.composer.offers
    await doing.press()
    assert not doing.chat.composer.offers
    assert doing.chat.composer.text == "@"


@deed("composer.previous", said(3))
async def _previous(doing: Doing) -> None:
    await doing.chat.write("draft")
    await doing.press()
    assert doing.chat.composer.text.startswith("message number 3")


@deed("composer.next", said(3))
async def _next(doing: Doing) -> None:
    await doing.chat.write("draft")
    doing.chat.composer.action_cursor_up()
    await doing.press()
    assert doing.chat.composer.text == "draft"


@deed("composer.undo")
async def _undo(doing: Doing) -> None:
    await doing.chat.write("draft")
    await doing.press()
    assert doing.chat.composer.text == ""
