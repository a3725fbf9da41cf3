"""CHAT-4: the list of sessions: found, opened, renamed, deleted after a question."""

import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot

from app.chat.shelf import Hit
from app.screens.asking import Asking
from app.screens.session_fields import TitleInput
from app.screens.session_list import SessionList
from app.screens.session_rows import columns_for, found, head_pieces, session_pieces
from app.screens.sessions import SessionChoice, SessionsScreen
from memory.clock import format_time
from memory.errors import StrataError
from memory.parts import Usage
from memory.storage.leases import SessionHeld
from memory.storage.sessions import SessionInfo
from memory.wish import Wish
from tests.tui.conftest import OpenChat
from themes import strata
from widgets.hint_line import HintLine
from widgets.line import Line

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOW = datetime.now(UTC)


def info(number: int, title: str | None, **changes: object) -> SessionInfo:
    # The screen tells ages by the real clock: counted from when a test begins, they hold.
    now = datetime.now(UTC)
    begun = format_time(now - timedelta(days=1, minutes=number))
    session = SessionInfo(
        id=f"me:default:{begun}",
        title=title,
        agent="default",
        branch=f"b{number}",
        messages=number,
        model="openai/gpt-4o" if number % 2 else "embedded/smollm2-135m",
        started_at=begun,
        last_used=format_time(now - timedelta(minutes=3 * number)),
        usage=Usage(1_000, 200),
        bytes=1_000 * number,
    )
    return replace(session, **changes)  # type: ignore[arg-type]


@dataclass
class Shelf:
    """Sessions in memory's place, and what was asked of it."""

    sessions: list[SessionInfo]
    failure: StrataError | None = None
    done: list[tuple[str, ...]] = field(default_factory=list)
    said: dict[str, str] = field(default_factory=dict)
    """What was said in sessions, by their ids."""

    async def list(self) -> Sequence[SessionInfo]:
        return list(self.sessions)

    async def search(self, text: str) -> dict[str, Hit]:
        return {id: Hit(said, 7) for id, said in self.said.items() if text in said}

    async def rename(self, session: str, title: str) -> None:
        self._note("rename", session, title)
        self.sessions = [replace(s, title=title) if s.id == session else s for s in self.sessions]

    async def delete(self, session: str) -> None:
        self._note("delete", session)
        self.sessions = [s for s in self.sessions if s.id != session]

    def _note(self, *what: str) -> None:
        if self.failure is not None:
            raise self.failure
        self.done.append(what)


class Alone(App[None]):
    """The screen and nothing else."""

    def __init__(self, shelf: Shelf, current: str | None) -> None:
        super().__init__()
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name
        self.listed = SessionsScreen(shelf, current)
        self.choice: list[SessionChoice | None] = []

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(self.current_theme.dark)

    def on_mount(self) -> None:
        self.push_screen(self.listed, self.choice.append)


@dataclass
class Seen:
    """The screen as a user sees it."""

    app: Alone
    pilot: Pilot[None]
    shelf: Shelf

    @property
    def rows(self) -> list[str]:
        return [line for line in self._list.lines if line]

    @property
    def chosen(self) -> str | None:
        chosen = self._list.chosen
        return chosen.title if chosen is not None else None

    @property
    def said(self) -> str:
        return self.app.listed.query_one(HintLine).line

    @property
    def detail(self) -> str:
        return self.app.listed.query_one(".-detail", Line).line

    @property
    def head(self) -> str:
        return self.app.listed.query_one(".-head", Line).line

    @property
    def _list(self) -> SessionList:
        return self.app.listed.query_one(SessionList)

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    async def until(self, holds: Callable[[], object]) -> None:
        end = time.process_time() + 10
        while not holds():
            assert time.process_time() < end, (self.rows, self.said)
            await self.pilot.pause(0.01)


@asynccontextmanager
async def listed(
    *sessions: SessionInfo, size: tuple[int, int] = (80, 24), failure: StrataError | None = None
) -> AsyncIterator[Seen]:
    shelf = Shelf(list(sessions), failure)
    app = Alone(shelf, sessions[0].id if sessions else None)
    async with app.run_test(size=size) as pilot:
        seen = Seen(app, pilot, shelf)
        await seen.until(lambda: app.screen is app.listed and app.listed._loaded)
        await pilot.pause()
        yield seen


def three() -> tuple[SessionInfo, ...]:
    return info(1, "boat talk"), info(2, "Lisbon"), info(3, None)


async def test_each_is_listed_with_what_tells_it_apart() -> None:
    """CHAT-4: title, model, messages, size and last use; the open one is marked."""
    async with listed(*three()) as seen:
        first, second, third = seen.rows
        assert first.split() == ["›", "boat", "talk", "gpt-4o", "1", "1.0", "kB", "open"]
        assert second.split() == ["Lisbon", "smollm2-135m", "2", "2.0", "kB", "6", "min", "ago"]
        assert third.strip().startswith("session of ")
        assert seen.head.endswith("3 sessions, 6.0 kB")
        assert "1,000 tokens in, 200 out" in seen.detail


async def test_enter_opens_and_the_open_one_is_gone_back_to() -> None:
    """CHAT-4: by keys alone."""
    sessions = three()
    async with listed(*sessions) as seen:
        await seen.press("down", "enter")
        assert seen.app.choice == [SessionChoice("open", sessions[1].id)]
    async with listed(*sessions) as seen:
        await seen.press("down", "up", "up", "enter")
        assert seen.app.choice == [None]
    async with listed(*sessions) as seen:
        await seen.press("ctrl+n")
        assert seen.app.choice == [SessionChoice("new")]


async def test_the_mouse_can_do_it_too() -> None:
    """CHAT-7: a click chooses, a click on what is chosen opens."""
    sessions = three()
    async with listed(*sessions) as seen:
        await seen.pilot.click(SessionList, offset=(5, 2))
        assert seen.chosen is None
        assert seen.app.choice == []
        await seen.pilot.click(SessionList, offset=(5, 2))
        await seen.until(lambda: seen.app.choice)
        assert seen.app.choice == [SessionChoice("open", sessions[2].id)]
        await seen.pilot.pause()


async def test_typing_finds_what_was_said() -> None:
    """CHAT-4: sessions in which it was said follow those that are called so, with the place."""
    async with listed(*three()) as seen:
        seen.shelf.said = {seen.shelf.sessions[1].id: "…and the owl of Athens flew"}
        await seen.press(*"Athens")
        await seen.until(lambda: seen.rows)
        await seen.until(lambda: "Message 7: …and the owl of Athens" in seen.detail)
        await seen.press("enter")
        opened = SessionChoice("open", seen.shelf.sessions[1].id, 7)
        await seen.until(lambda: seen.app.choice == [opened])


async def test_typing_finds() -> None:
    """CHAT-4: letters seek, Esc shows all again and then goes back."""
    async with listed(*three()) as seen:
        await seen.press(*"LISB")
        assert [row.split()[0] for row in seen.rows] == ["Lisbon"]
        assert seen.head.endswith("1 of 3 sessions")
        await seen.press("x")
        assert seen.rows == []
        assert "No session is called that" in str(
            seen.app.listed.query_one("#session-none").render()
        )
        await seen.press("enter", "ctrl+e", "delete")
        assert seen.app.choice == []
        await seen.press("escape")
        assert len(seen.rows) == 3
        await seen.press("escape")
        assert seen.app.choice == [None]


@pytest.mark.parametrize(
    ("wanted", "titles"),
    [("", 3), ("talk boat", 1), ("GPT", 2), ("session of", 1), ("default", 3), ("nothing", 0)],
)
async def test_every_word_counts(wanted: str, titles: int) -> None:
    """CHAT-4: of title, model and agent, in any order."""
    assert len(found(three(), wanted, NOW)) == titles


async def test_a_new_title_is_written_in_its_place() -> None:
    """CHAT-4: with the old one in the field; Esc and an empty title change nothing."""
    sessions = three()
    async with listed(*sessions) as seen:
        await seen.press("down", "ctrl+e")
        field = seen.app.listed.query_one(TitleInput)
        assert (field.value, field.has_focus) == ("Lisbon", True)
        assert field.region.y == seen._list.region.y + 1
        await seen.press(*"xy", "escape")
        assert seen.shelf.done == []
        await seen.press("ctrl+e", "backspace", "enter")
        assert seen.shelf.done == []
        await seen.press("ctrl+e", "end", *" in May", "enter")
        await seen.until(lambda: "Lisbon in May" in seen.rows[1])
        assert seen.shelf.done == [("rename", sessions[1].id, "Lisbon in May")]
        assert seen.chosen == "Lisbon in May"
        await seen.press("ctrl+n")
        assert seen.app.choice == [SessionChoice("new")]


async def test_a_session_without_a_title_gets_one() -> None:
    """CHAT-4: the field is empty and says what the session is called now."""
    async with listed(*three()) as seen:
        await seen.press("down", "down", "ctrl+e")
        field = seen.app.listed.query_one(TitleInput)
        assert field.value == ""
        assert field.placeholder.startswith("session of ")
        await seen.press("a", "enter")
        await seen.until(lambda: seen.shelf.done)
        assert seen.shelf.done[0][2] == "a"


async def test_deleting_asks_first_and_the_safe_answer_has_the_focus() -> None:
    """CHAT-4: title and number of messages stand in the question."""
    sessions = three()
    async with listed(*sessions) as seen:
        await seen.press("down", "delete")
        await seen.until(lambda: isinstance(seen.app.screen, Asking))
        asked = str(seen.app.screen.query_one("Static").render())
        assert "“Lisbon” with its 2 messages" in asked
        await seen.press("enter")
        assert seen.shelf.done == []
        await seen.press("delete")
        await seen.until(lambda: isinstance(seen.app.screen, Asking))
        await seen.press("right", "enter")
        await seen.until(lambda: len(seen.rows) == 2)
        assert seen.shelf.done == [("delete", sessions[1].id)]
        assert seen.chosen is None
        assert seen.app.choice == []


async def test_deleting_the_open_session_is_left_to_who_has_it_open() -> None:
    """CHAT-4: asked as well; a new one begins then."""
    sessions = three()
    async with listed(*sessions) as seen:
        await seen.press("delete")
        await seen.until(lambda: isinstance(seen.app.screen, Asking))
        assert "a new session begins" in str(seen.app.screen.query_one("Static").render())
        await seen.press("right", "enter")
        await seen.until(lambda: seen.app.choice)
        assert seen.app.choice == [SessionChoice("delete", sessions[0].id)]
        assert seen.shelf.done == []


async def test_delete_in_a_text_is_about_the_text() -> None:
    """CHAT-4: where there is a letter to delete, no session is meant."""
    async with listed(*three()) as seen:
        await seen.press(*"oa", "left", "delete")
        assert seen.app.screen is seen.app.listed
        assert len(seen.rows) == 3
        await seen.press("delete")
        await seen.until(lambda: isinstance(seen.app.screen, Asking))


async def test_what_another_process_has_open_says_so() -> None:
    """STORE-5: it can be opened, which asks; renaming and deleting wait."""
    held = info(2, "Lisbon", holder="the chat of process 4711")
    async with listed(info(1, "boat talk"), held) as seen:
        await seen.press("down")
        assert seen.rows[1].endswith("elsewhere")
        assert seen.detail.startswith("Open in the chat of process 4711.")
        for key in ("delete", "ctrl+e"):
            await seen.press(key)
            assert "It is open in the chat of process 4711: close it there first." in seen.said
            assert seen.app.screen is seen.app.listed
        await seen.press("up")
        assert "4711" not in seen.said


@pytest.mark.parametrize("keys", [("ctrl+e", "x", "enter"), ("delete", "right", "enter")])
async def test_what_fails_is_one_sentence(keys: tuple[str, ...]) -> None:
    """ALL-2: another process was faster."""
    async with listed(*three(), failure=SessionHeld("another chat")) as seen:
        await seen.press("down", *keys)
        await seen.until(lambda: "The session is open in another chat." in seen.said)
        assert len(seen.rows) == 3


async def test_without_any() -> None:
    """CHAT-4: an empty list says how one begins."""
    async with listed() as seen:
        assert seen.rows == []
        assert "Ctrl+N begins one" in str(seen.app.listed.query_one("#session-none").render())
        await seen.press("down", "pagedown", "enter", "delete", "ctrl+e")
        assert seen.app.choice == []


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 60), (40, 10), (20, 6)])
async def test_it_fits_every_size(size: tuple[int, int]) -> None:
    """VIEW-1: columns are aligned, nothing is cut at the edge, the chosen one stays in sight."""
    sessions = [info(n, f"東京 {n} " + "long " * (n % 30)) for n in range(1, 61)]
    async with listed(*sessions, size=size) as seen:
        await seen.press("ctrl+end")
        assert all(cell_len(row) <= size[0] for row in seen.rows)
        assert any("東京 60" in row for row in seen.rows)
        await seen.press("ctrl+home", "pagedown")
        await seen.pilot.resize_terminal(60, 20)
        await seen.pilot.pause()
        assert any((seen.chosen or "")[:6] in row for row in seen.rows)


@pytest.mark.parametrize("width", range(20, 220, 7))
async def test_columns_are_as_wide_as_their_rows(width: int) -> None:
    """VIEW-1: heading and rows end at the same cell, within the list."""
    columns = columns_for(width)
    head = "".join(text for text, _ in head_pieces(columns))
    for session in three():
        row = "".join(text for text, _ in session_pieces(session, columns, NOW, None))
        assert cell_len(row) == cell_len(head)
        assert cell_len(row) < max(width, 27)


async def test_a_title_can_be_no_markup_and_no_escape() -> None:
    """ALL-8: what a terminal would obey is not drawn."""
    evil = info(2, "[bold]x[/] \x1b]0;y\x07\x1b[31mred")
    async with listed(info(1, "a"), evil) as seen:
        assert "[bold]x[/] red" in seen.rows[1]
        await seen.press("down", "delete")
        await seen.until(lambda: isinstance(seen.app.screen, Asking))
        assert "[bold]x[/] red" in str(seen.app.screen.query_one("Static").render())


async def test_five_hundred_are_quick() -> None:
    """ALL-7: a key in a long list is drawn at once."""
    async with listed(*(info(n, f"session {n}") for n in range(500))) as seen:
        start = time.process_time()
        for _ in range(20):
            await seen.pilot.press("down")
        await seen.press(*"499")
        assert (time.process_time() - start) / 23 < 0.15
        assert len(seen.rows) == 1


async def test_the_status_line_takes_a_title_by_itself(open_chat: OpenChat) -> None:
    """CHAT-4: a session is called by its start until its first answer names it."""
    async with open_chat() as chat:
        await chat.ready()
        assert chat.status.startswith("session of ")
        await chat.say("Can you help me plan a trip to Lisbon?")
        await chat.until(lambda: chat.status.startswith("Plan a trip to Lisbon"))
    async with open_chat(ui__auto_title=False, wish=Wish(fresh=True)) as chat:
        await chat.ready()
        await chat.say("Can you help me plan a trip to Lisbon?")
        await chat.answered(2)
        assert chat.status.startswith("session of ")
