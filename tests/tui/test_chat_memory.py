"""What is seen of memory on the real chat is never stale (VIEW-1, VIEW-3, VIEW-5)."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.screens.asking import Asking
from app.screens.paging import Paging
from app.screens.timeline import TimelineScreen
from memory import Memory
from memory.snapshot import Snapshot
from memory.tokens import estimate
from memory.vault_reading import read_context
from memory.wish import Wish
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui.conftest import Chat, OpenChat, fill, memory_in
from tests.tui.deeds import STRESS, WIDE, folded, folding
from widgets.core.view import core_view
from widgets.entries import Entry, LiveMarkEntry, MarkEntry
from widgets.gauge import Gauge
from widgets.said_line import SaidLine

pytestmark = pytest.mark.asyncio(loop_scope="session")
HELD = {"memory__profile": "stress", "model__summary_model": "openai/held"}


def snapshot(chat: Chat) -> Snapshot:
    talk = chat.app._chat.talk
    assert talk is not None
    return talk._memory.snapshot()


def layer(chat: Chat, name: str) -> int:
    """Tokens of a layer as the core shows it."""
    view = chat.core.view
    assert view is not None
    return next((layer.tokens for layer in view.layers if layer.name == name), 0)


async def true_to_memory(chat: Chat) -> None:
    """Waits until core, gauge, panes and key line show memory as it is."""

    def true() -> bool:
        """At one moment: a title that is found meanwhile changes memory once more."""
        now, view = snapshot(chat), chat.core.view
        shown = (chat.panes._snapshot, view, chat.screen.query_one(Gauge).view)
        return view is not None and shown == (now, core_view(now), view)

    await chat.until(true)
    view = chat.core.view
    if chat.core.display and view is not None and view.known:
        assert f"{view.used / view.limit:.0%}".replace("%", " %") in chat.hint


async def marked(chat: Chat, number: int) -> None:
    """Waits until so many marks stand in the conversation."""
    await chat.until(lambda: len(chat.marks) == number)


def live_marks(chat: Chat) -> list[str]:
    """What the marks say that stand for a compaction on its way."""
    return [e.text for e in chat.transcript.entries if isinstance(e, LiveMarkEntry)]


def rows(chat: Chat, pane: str) -> list[str]:
    """The rows of a pane, as text."""
    view = chat.panes.pane(pane)._view
    return ["".join(piece.text for piece in row.pieces) for row in view.rows]


async def test_what_is_typed_and_answered_lies_on_top(
    open_chat: OpenChat, server: MisbehavingServer
) -> None:
    """VIEW-1: while it is on its way it is a layer of its own; then it is a message."""
    async with open_chat("held", size=WIDE) as chat:
        await chat.ready()
        await chat.write("some words " * 40)
        await chat.until(lambda: layer(chat, "draft") == estimate(440))
        await chat.press("backspace")
        await chat.until(lambda: layer(chat, "draft") == estimate(439))
        with server.holding():
            await chat.press("enter")
            await chat.until(lambda: layer(chat, "answer") > 100)
            assert layer(chat, "draft") == 0
            await chat.write("the next one")
            await chat.until(lambda: layer(chat, "draft") == estimate(12))
            assert chat.core.view is not None
            on_its_way = layer(chat, "answer") + layer(chat, "draft")
            assert chat.core.view.used == snapshot(chat).context.used + on_its_way
        await chat.answered(2)
        await chat.until(lambda: layer(chat, "answer") == 0)
        assert layer(chat, "draft") == estimate(12)
        chat.composer.clear()
        await true_to_memory(chat)


async def test_a_command_that_is_typed_is_no_message(open_chat: OpenChat) -> None:
    """VIEW-1: what goes away without being said leaves nothing behind."""
    async with open_chat(size=WIDE) as chat:
        await chat.ready()
        await chat.say("@memory-status")
        await chat.until(lambda: "Next prompt" in chat.notices)
        await true_to_memory(chat)


@pytest.mark.parametrize("size", [(80, 24), WIDE, (160, 40)])
async def test_figures_are_those_of_memory_after_each_event(
    open_chat: OpenChat, data: Path, size: tuple[int, int]
) -> None:
    """VIEW-1: after messages, a compaction, one taken back and one that holds again."""
    async with folded(data), open_chat(size=size) as chat:
        await chat.ready()
        await true_to_memory(chat)
        await chat.say("hello")
        await chat.answered(12)
        await true_to_memory(chat)
        for number, command in enumerate(("@undo", "@redo"), start=2):
            await chat.say(command)
            await marked(chat, number)
            await true_to_memory(chat)


async def test_a_compaction_is_seen_while_it_runs(
    open_chat: OpenChat, data: Path, server: MisbehavingServer
) -> None:
    """VIEW-5: a mark that lives, the state, a row of the pane; then the mark in its place."""
    async with memory_in(data, passive=True) as memory:
        await fill(memory, 10, "with some words " * 20)
    with server.holding():
        async with open_chat(size=WIDE, **HELD) as chat:
            await chat.until(lambda: chat.state.startswith("folding: "))
            await chat.until(lambda: live_marks(chat) == [chat.state])
            await chat.until(lambda: any("●" in row for row in rows(chat, "timeline")))
            await chat.until(lambda: len(rows(chat, "window")) == 10)
            place = len(chat.transcript.entries)
            server.let_go()
            await chat.until(lambda: chat.marks)
            await chat.ready()
            assert live_marks(chat) == []
            assert isinstance(chat.transcript.entries[place - 1], MarkEntry)
            await true_to_memory(chat)
            await chat.until(lambda: len(rows(chat, "window")) < 10)
            await chat.until(lambda: not any("●" in row for row in rows(chat, "timeline")))
            await chat.until(lambda: len(rows(chat, "short_term")) > 1)


async def test_a_compaction_that_begins_while_the_log_is_read(
    open_chat: OpenChat, data: Path, server: MisbehavingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-5: its mark stands below what was read."""
    read = Paging.show_newest

    begun = asyncio.Event()

    async def late(paging: Paging) -> list[Entry]:
        paging._memory.watch_compaction(lambda _: begun.set())
        if paging._memory.snapshot().running is None:
            await begun.wait()
        return await read(paging)

    monkeypatch.setattr(Paging, "show_newest", late)
    async with memory_in(data, passive=True) as memory:
        await fill(memory, 10, "with some words " * 20)
    with server.holding():
        async with open_chat(size=WIDE, **HELD) as chat:
            await chat.until(lambda: chat.messages and live_marks(chat) == [chat.state])
            server.let_go()
            await chat.until(lambda: chat.marks and live_marks(chat) == [])


async def test_the_timeline_follows_what_happens_under_it(
    open_chat: OpenChat, data: Path, server: MisbehavingServer
) -> None:
    """VIEW-3: open while a compaction ends, it shows it; undo and redo work in it."""
    async with memory_in(data, passive=True) as memory:
        await fill(memory, 10, "with some words " * 20)
    with server.holding():
        async with open_chat(**HELD) as chat:
            await chat.until(lambda: chat.state.startswith("folding: "))
            await chat.press("f3")
            screen = await chat.over(TimelineScreen)
            assert undone(screen) == []
            server.let_go()
            await chat.until(lambda: undone(screen) == [False])
            assert screen._list.cursor == screen._records[0].event.id
            await answer(chat, "u", "y")
            await chat.until(lambda: undone(screen) == [True])
            await answer(chat, "r", "y")
            await chat.until(lambda: undone(screen) == [False])
            await chat.press("escape")
            await chat.until(lambda: len(chat.marks) == 3)
            await true_to_memory(chat)


def undone(screen: TimelineScreen) -> list[bool]:
    """Of each compaction, whether it was taken back."""
    return [record.undone for record in screen._records]


async def answer(chat: Chat, key: str, yes: str) -> None:
    """Presses a key that asks, and answers."""
    await chat.over(TimelineScreen)
    await chat.press(key)
    await chat.over(Asking)
    await chat.press(yes)


async def walk(chat: Chat) -> None:
    """Goes through everything that can be looked at."""
    for key in (*["f6"] * 6, "f8", "f8", "f7", "f7", "pageup", "ctrl+home", "ctrl+end"):
        await chat.press(key)
    await chat.press("f3")
    await chat.over(TimelineScreen)
    await chat.press("escape")


async def test_a_session_that_is_only_read_has_its_panes(open_chat: OpenChat, data: Path) -> None:
    """STORE-5, VIEW-1: they follow what the other process does; nothing can be taken back."""
    async with folding(data) as memory:
        wish = Wish(session=memory.info.id, read_only=True)
        async with open_chat(size=WIDE, wish=wish) as chat:
            await chat.until(lambda: chat.state == "read-only")
            await true_to_memory(chat)
            await memory.add("user", "from the other side")
            await chat.until(lambda: chat.said[-1] == ("you", "from the other side"))
            await chat.until(lambda: "from the other side" in rows(chat, "window")[0])
            await true_to_memory(chat)
            await memory.undo()
            await chat.until(lambda: len(chat.marks) == 2)
            await true_to_memory(chat)
            await walk(chat)
            await chat.press("f3")
            screen = await chat.over(TimelineScreen)
            await chat.press("u")
            assert screen.query_one(SaidLine).has_class("-said")


async def test_a_session_that_is_taken_over_keeps_its_panes(
    open_chat: OpenChat, data: Path
) -> None:
    """STORE-5, VIEW-1: the panes go on with what the other process writes."""
    async with folding(data) as memory:
        session = memory.info.id
    async with open_chat(size=WIDE, wish=Wish(session=session)) as chat:
        await chat.ready()
        chat.panes.focus_pane("window")
        async with memory_in(data, session=session, take_over=True) as other:
            await other.add("user", "taken")
            await chat.until(lambda: chat.state == "read-only")
            await chat.until(lambda: "taken" in rows(chat, "window")[0])
            await true_to_memory(chat)
            await walk(chat)


@asynccontextmanager
async def restored(data: Path) -> AsyncIterator[int]:
    """A session made from a vault's JSON, whose log begins with its window; the first number."""
    elsewhere = data.with_name("elsewhere")
    async with folding(elsewhere):
        pass
    (kept,) = elsewhere.rglob("*.json")
    document = json.loads(kept.read_text(encoding="utf-8"))
    async with Memory.open(data, "restored", config=STRESS, wish=Wish(passive=True)) as memory:
        await memory.restore(read_context(document, kept.name))
        first = memory.state.before_log + 1
    yield first


async def test_a_restored_session_is_read_and_gone_on_with(open_chat: OpenChat, data: Path) -> None:
    """STORE-3, VIEW-1: its first message is not number 1; there is nothing before it."""
    async with restored(data) as first, open_chat(size=WIDE) as chat:
        await chat.ready()
        assert first > 1
        await walk(chat)
        await chat.press("ctrl+home")
        assert [message.number for message in chat.messages] == list(range(first, 11))
        assert f"message number {first} " in "\n".join(chat.seen)
        await true_to_memory(chat)
        chat.panes.focus_pane("window")
        chat.panes.pane("window").mark(str(first))
        await chat.press("enter")
        await chat.until(lambda: chat.transcript.has_focus)
        await chat.press("escape")
        await chat.say("hello")
        await chat.answered(12)
        assert chat.notices == ""
        await true_to_memory(chat)
