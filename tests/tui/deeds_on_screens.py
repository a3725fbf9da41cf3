"""The keys of the screens that lie over the chat, as deeds."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Static

from app.choices import read_choices
from app.screens.asking import Asking
from app.screens.first import FirstScreen
from app.screens.held import HeldScreen
from app.screens.help import HelpScreen
from app.screens.rewrite import RewriteScreen
from app.screens.sessions import SessionsScreen
from app.screens.themes import ThemeScreen
from app.screens.timeline import TimelineScreen
from app.screens.unlock import UnlockScreen
from memory import Key, Memory
from memory.storage.keys import give_up_key
from memory.wish import Wish
from tests.memory.doubles import words
from tests.tui.conftest import Chat, memory_in
from tests.tui.deeds import STRESS, Doing, deed, folded, folding, nothing, said, three_sessions
from widgets.panes.pane import Pane

# -- the timeline


@asynccontextmanager
async def taken_back(data: Path) -> AsyncIterator[None]:
    """A session whose compaction was taken back."""
    async with folding(data) as memory:
        await memory.undo()
    yield


async def _timeline(doing: Doing) -> TimelineScreen:
    await doing.chat.press("f3")
    return await doing.chat.over(TimelineScreen)


@deed("timeline.undo", folded)
async def _undo(doing: Doing) -> None:
    chat = doing.chat
    screen = await _timeline(doing)
    await doing.press()
    await chat.over(Asking)
    await chat.press("y")
    await chat.until(lambda: screen._records[0].undone)
    await chat.until(lambda: chat.marks[-1].startswith("took back 1 compaction"))


@deed("timeline.redo", taken_back)
async def _redo(doing: Doing) -> None:
    chat = doing.chat
    screen = await _timeline(doing)
    assert screen._records[0].undone
    await doing.press()
    await chat.over(Asking)
    await chat.press("y")
    await chat.until(lambda: not screen._records[0].undone)
    await chat.until(lambda: chat.marks[-1].endswith("holds again"))


@asynccontextmanager
async def losing(data: Path) -> AsyncIterator[None]:
    """A session that is folded, with names and figures in what was said."""
    async with Memory.open(data, config=STRESS, wish=Wish(passive=True)) as memory:
        for number in range(10):
            await memory.add("user", words(number, 600))
        assert await memory.compact() is not None
    yield


@deed("timeline.pin", losing, size=(120, 40))
async def _pin(doing: Doing) -> None:
    chat = doing.chat
    screen = await _timeline(doing)
    await chat.until(lambda: screen._view is not None and screen._view.items)
    await chat.press("enter")
    # Everything is kept or can be brought back here: any item will do.
    screen._unfolded = frozenset({"group:lost", "group:retrievable", "group:kept"})
    screen._show_selected()
    screen._detail.mark("item:0")
    await doing.press()
    memory = chat.app._chat.talk._memory  # type: ignore[union-attr]
    await chat.until(lambda: len(memory.pinning.pins()) == 1)
    await chat.until(lambda: "Pinned" in str(screen.query_one("#timeline-said", Static).content))


async def _rewriting(doing: Doing) -> RewriteScreen:
    chat = doing.chat
    await _timeline(doing)
    await chat.press("w")
    return await chat.over(RewriteScreen)


@deed("timeline.rewrite", folded)
async def _rewrite(doing: Doing) -> None:
    screen = await _timeline(doing)
    await doing.press()
    over = await doing.chat.over(RewriteScreen)
    assert over.query_one("#pane-which", Pane).cursor == "short_term"
    assert screen.is_attached


@deed("rewrite.accept", folded)
async def _accept(doing: Doing) -> None:
    chat = doing.chat
    screen = await _rewriting(doing)
    await chat.press("enter")
    await chat.until(lambda: screen._preview is not None)
    await chat.pilot.pause()
    await doing.press()
    memory = chat.app._chat.talk._memory  # type: ignore[union-attr]
    await chat.until(lambda: memory.state.short_versions == 2)
    await chat.over(TimelineScreen)


@deed("rewrite.leave", folded)
async def _leave_rewriting(doing: Doing) -> None:
    chat = doing.chat
    screen = await _rewriting(doing)
    await chat.press("enter")
    await chat.until(lambda: screen._preview is not None)
    await doing.press()
    await chat.over(TimelineScreen)
    assert chat.app._chat.talk._memory.state.short_versions == 1  # type: ignore[union-attr]


@deed("timeline.back", folded)
async def _timeline_back(doing: Doing) -> None:
    await _timeline(doing)
    await _goes_back(doing)


async def _goes_back(doing: Doing) -> None:
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)


# -- the sessions


async def _sessions(doing: Doing) -> SessionsScreen:
    await doing.chat.press("ctrl+o")
    screen = await doing.chat.over(SessionsScreen)
    await doing.chat.until(lambda: len(screen._list.sessions) == 3)
    return screen


def _title(screen: SessionsScreen) -> str | None:
    chosen = screen._list.chosen
    return chosen.title if chosen is not None else None


@deed("sessions.open", three_sessions)
async def _open(doing: Doing) -> None:
    await _sessions(doing)
    await doing.chat.press("down")
    await doing.press()
    await doing.chat.until(lambda: doing.chat.status.startswith("middle"))
    await doing.chat.ready()
    assert doing.chat.said[0] == ("you", "message number 1 of the middle")


@deed("sessions.new", three_sessions)
async def _new(doing: Doing) -> None:
    await _sessions(doing)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.status.startswith("session of"))
    await doing.chat.ready()
    assert doing.chat.messages == []


async def _renaming(doing: Doing) -> SessionsScreen:
    screen = await _sessions(doing)
    await doing.chat.press("ctrl+e", "end", *" one")
    return screen


@deed("sessions.rename", three_sessions)
async def _rename(doing: Doing) -> None:
    screen = await _sessions(doing)
    await doing.press()
    assert screen._title.has_focus
    assert screen._title.value == "newest"


@deed("sessions.save", three_sessions)
async def _save(doing: Doing) -> None:
    screen = await _renaming(doing)
    await doing.press()
    await doing.chat.until(lambda: _title(screen) == "newest one")
    await doing.chat.until(lambda: doing.chat.status.startswith("newest one"))


@deed("sessions.leave", three_sessions)
async def _leave(doing: Doing) -> None:
    screen = await _renaming(doing)
    await doing.press()
    assert _title(screen) == "newest"
    assert screen._finder.has_focus
    assert doing.chat.screen is screen


@deed("sessions.delete", three_sessions)
async def _delete(doing: Doing) -> None:
    screen = await _sessions(doing)
    await doing.chat.press("down")
    await doing.press()
    await doing.chat.over(Asking)
    await doing.chat.press("y")
    await doing.chat.until(lambda: len(screen._list.sessions) == 2)
    assert [s.title for s in screen._list.sessions] == ["newest", "oldest"]


@deed("sessions.back", three_sessions)
async def _sessions_back(doing: Doing) -> None:
    await _sessions(doing)
    await _goes_back(doing)


def _moves(action: str, start: int, title: str) -> Callable[[Doing], object]:
    @deed(action, three_sessions)
    async def move(doing: Doing) -> None:
        screen = await _sessions(doing)
        screen._list.choose(start)
        await doing.press()
        assert _title(screen) == title

    return move


_moves("sessions.up", 2, "middle")
_moves("sessions.down", 0, "middle")
_moves("sessions.page_up", 2, "newest")
_moves("sessions.page_down", 0, "oldest")
_moves("sessions.first", 2, "newest")
_moves("sessions.last", 0, "oldest")


# -- the themes


async def _other_theme(doing: Doing) -> tuple[str, str]:
    """Opens the list and walks to the next theme; returns the old one and that one."""
    app = doing.chat.app
    before = app.theme
    await doing.chat.press("f9")
    await doing.chat.over(ThemeScreen)
    await doing.chat.press("down")
    await doing.chat.until(lambda: app.theme != before)
    return before, app.theme


@deed("themes.keep")
async def _keep(doing: Doing) -> None:
    _, wanted = await _other_theme(doing)
    await _goes_back(doing)
    assert doing.chat.app.theme == wanted
    await doing.chat.until(lambda: _kept_theme(doing.data) == wanted)


@deed("themes.leave")
async def _leave_theme(doing: Doing) -> None:
    before, _ = await _other_theme(doing)
    await _goes_back(doing)
    assert doing.chat.app.theme == before
    assert _kept_theme(doing.data) is None


def _kept_theme(data: Path) -> object:
    layer, _ = read_choices(data)
    given = layer.get("ui", {}).get("theme")
    return given.value if given is not None else None


# -- questions


async def _asked_to_delete(chat: Chat) -> None:
    await chat.say("@delete")
    await chat.over(Asking)


@deed("asking.yes", said(2))
async def _yes(doing: Doing) -> None:
    chat = doing.chat
    await _asked_to_delete(chat)
    await doing.press()
    await chat.until(lambda: chat.messages == [] and chat.state == "ready")


@deed("asking.no", said(2))
async def _no(doing: Doing) -> None:
    await _asked_to_delete(doing.chat)
    await _goes_back(doing)
    assert len(doing.chat.messages) == 2


@deed("first.later", nothing, opens=False, model=None)
async def _later(doing: Doing) -> None:
    await doing.chat.over(FirstScreen)
    await _goes_back(doing)
    await doing.chat.until(lambda: doing.chat.state == "no model yet")


@asynccontextmanager
async def locked(data: Path) -> AsyncIterator[None]:
    """An encrypted data directory whose key nobody has given."""
    async with Memory.open(data, "s", key=Key.passphrase("seven grey geese")):
        pass
    give_up_key(data)
    yield


@asynccontextmanager
async def held(data: Path) -> AsyncIterator[None]:
    """A session that another process has open."""
    async with memory_in(data, session="shared"):
        yield


@deed("held.read_only", held, opens=False, wish=Wish(session="shared"))
async def _read_only(doing: Doing) -> None:
    await doing.chat.over(HeldScreen)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.state == "read-only")
    assert doing.chat.composer.disabled


@deed("unlock.leave", locked, opens=False)
async def _leave_locked(doing: Doing) -> None:
    await doing.chat.over(UnlockScreen)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.app._exit)


# -- the list of keys


@deed("help.close")
async def _close(doing: Doing) -> None:
    await doing.chat.press("f1")
    await doing.chat.over(HelpScreen)
    await _goes_back(doing)
