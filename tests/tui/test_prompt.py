"""The prompt inspector: the next request and every past one, piece by piece (VIEW-2)."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App
from textual.pilot import Pilot
from textual.widgets import Static

from app.screens.place import Place
from app.screens.prompt import FIRST, NEXT, NOT_SEARCHED, PromptScreen
from app.screens.prompt_head import PromptBar, PromptFigures, PromptHead, bar_pieces, cells_of
from app.screens.prompt_opened import all_found
from app.screens.prompt_reading import Requests
from app.screens.prompt_rows import NOTHING_SAID, entries_of, list_rows
from app.screens.prompt_sources import NO_SOURCE, PromptSources
from memory.answer import NewMessage
from memory.events import RequestEnded
from memory.memory import Memory
from memory.parts import Usage
from memory.views import PieceView, PromptView, RequestInfo
from tests.memory.doubles import ScriptedModel, chat_model, opened, say, words
from tests.tui.conftest import OpenChat, memory_in
from tests.tui.deeds_in_recalled import OWL
from themes import strata
from widgets.panes.pane import Pane

SIZES = [(80, 24), (120, 40), (200, 50)]
HOSTILE = "[bold]no[/bold] \x1b[31mred\x1b]0;title\x07 \u202eback [/] 日本語 👩‍👩‍👧 " + "x" * 300


class Shown:
    """The screens that the inspector leads to, by what they are asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, object]] = []

    async def show_facts(self, chosen: str | None, which: str) -> Place | None:
        self.asked.append((which, chosen))
        return None

    async def show_recalled(self, chosen: str | None, message: int) -> Place | None:
        assert chosen is None
        self.asked.append(("recalled", message))
        return Place(message)

    async def show_goals(self, chosen: str | None) -> int | None:
        self.asked.append(("goals", chosen))
        return None


class Inspector(App[None]):
    """The inspector over a memory, as the chat opens it."""

    def __init__(self, memory: Memory, draft: str, theme: str = strata.DARK.name) -> None:
        super().__init__()
        self.copied: list[tuple[str, str]] = []
        self.shown = Shown()
        self.ended: list[Place | None] = []
        self.prompt = PromptScreen(
            memory.inspecting,
            PromptSources(memory, self.shown),
            "flat [b]in[/b] Lisbon",
            lambda: draft,
            self._keep,
        )
        for known in (strata.DARK, strata.LIGHT):
            self.register_theme(known)
        self.theme = theme

    def _keep(self, text: str, what: str) -> None:
        self.copied.append((text, what))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(dark=True)

    def on_mount(self) -> None:
        self.push_screen(self.prompt, self.ended.append)

    @property
    def rows(self) -> list[str]:
        return [row.text.rstrip() for row in self.prompt._list.shown.rows]

    @property
    def text(self) -> str:
        return "\n".join(row.text.rstrip() for row in self.prompt._text.shown.rows)

    @property
    def why(self) -> str:
        return str(self.prompt.query_one("#prompt-why", Static).content)

    @property
    def said(self) -> str:
        return str(self.prompt.query_one("#prompt-said", Static).content)

    @property
    def head(self) -> str:
        return self.prompt.query_one(PromptHead).line

    @property
    def figures(self) -> str:
        return self.prompt.query_one(PromptFigures).line


@asynccontextmanager
async def inspector(
    memory: Memory, size: tuple[int, int] = (120, 40), draft: str = "", **options: str
) -> AsyncIterator[tuple[Inspector, Pilot[None]]]:
    app = Inspector(memory, draft, **options)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield app, pilot


async def settled(pilot: Pilot[None]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)


@asynccontextmanager
async def session(path: Path, turns: int = 9) -> AsyncIterator[Memory]:
    """A session of short windows with a request each turn."""
    answers = iter(f"Summary number {n} of what was said." for n in range(99))
    model = ScriptedModel(lambda _: next(answers), name="writer")
    async with opened(
        path, profile="stress", model=model, chat=chat_model(), system_prompt="Be brief."
    ) as memory:
        for _ in range(turns):
            number = memory.state.messages + 1
            await memory.add("user", words(number))
            prompt = await memory.prompt()
            request = await memory.prepare(prompt)
            usage = Usage(prompt.tokens + 3, 5)
            await memory.ended(RequestEnded(request, 1, "m", "ok", usage=usage))
            await memory.add("assistant", words(number + 1))
            await memory.settled()
        yield memory


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", [strata.DARK.name, strata.LIGHT.name])
async def test_the_next_request_is_listed(
    tmp_path: Path, size: tuple[int, int], theme: str
) -> None:
    """VIEW-2: pieces in the order in which the model reads them, with what is left out."""
    async with session(tmp_path) as memory, inspector(memory, size, theme=theme) as (app, _):
        view = app.prompt.view
        assert view is not None
        found = all_found(view)
        assert found
        assert len(app.rows) == len(view.pieces) + len(view.left_out) + len(found)
        order = [row[2:].split() for row in app.rows]
        assert order[0][0] == "system"
        assert order[1][1] == "long-term"
        assert order[2][1:4] == ["not", "word", "for"]
        assert order[3][1] == "short-term"
        entries = zip(app.prompt._entries.values(), app.rows, strict=True)
        assert all(row.endswith("%") == (entry.piece is not None) for entry, row in entries)
        assert "next request" in app.head
        assert f"{view.tokens} of" in app.figures
        assert "trigger" in app.prompt.query_one(PromptBar).line
        assert app.focused is app.prompt._list


async def test_a_piece_opens_to_its_exact_text(tmp_path: Path) -> None:
    """VIEW-2: its text, why it is there, where it came from, what it replaced."""
    async with session(tmp_path) as memory, inspector(memory) as (app, pilot):
        await press(pilot, "home", "down", "down", "down")
        assert app.prompt._list.cursor == "short_term"
        piece = app.prompt._entry.piece if app.prompt._entry else None
        assert piece is not None
        assert " ".join(app.text.split()).startswith(" ".join(piece.text.split()))
        assert "it replaced the version before" in app.text
        assert f"version {piece.version}, written by writer".lower() in app.why.lower()
        await press(pilot, "enter")
        assert app.focused is app.prompt._text
        await press(pilot, "escape")
        assert app.focused is app.prompt._list
        await press(pilot, "tab")
        assert app.focused is app.prompt._text


async def test_one_steps_through_the_requests(tmp_path: Path) -> None:
    """VIEW-2: the last is the next one; our count stands beside the provider's."""
    async with session(tmp_path, turns=4) as memory, inspector(memory) as (app, pilot):
        await press(pilot, "right")
        assert app.said == NEXT
        await press(pilot, "left")
        assert "request 4 of 4" in app.head
        assert "answered" in app.head
        view = app.prompt.view
        assert view is not None
        assert f"provider {view.tokens + 3}" in app.figures
        await press(pilot, "left", "left", "left")
        assert "request 1 of 4" in app.head
        await press(pilot, "left")
        assert app.said == FIRST
        await press(pilot, "n")
        assert "next request" in app.head
        assert app.said == ""


class Held:
    """Requests that are read only when they may be."""

    def __init__(self, requests: Requests) -> None:
        self.may = asyncio.Event()
        self._requests = requests

    async def requests(self) -> Sequence[RequestInfo]:
        await self.may.wait()
        return await self._requests.requests()

    async def inspect(self, request: str | None = None, draft: str = "") -> PromptView:
        return await self._requests.inspect(request, draft)


async def test_a_step_before_the_requests_are_read_is_taken(tmp_path: Path) -> None:
    """VIEW-2: a quick reader is not told that there are none."""
    async with session(tmp_path, turns=2) as memory:
        app = Inspector(memory, "")
        app.prompt._read = held = Held(memory.inspecting)
        async with app.run_test() as pilot:
            await pilot.press("left")
            assert app.said == ""
            held.may.set()
            await settled(pilot)
            assert "request 2 of 2" in app.head


async def test_the_chosen_message_stays_chosen(tmp_path: Path) -> None:
    """VIEW-2: in the request before it is looked at in the same place."""
    async with session(tmp_path, turns=3) as memory, inspector(memory) as (app, pilot):
        await press(pilot, "home", "down", "down", "left")
        assert app.prompt._list.cursor == "messages:2-2"
        assert app.text.split() == words(2).split()


async def test_what_broke_the_shared_part_is_marked(tmp_path: Path) -> None:
    """VIEW-2, I9: by a sign, by name, and it is what one sees first."""
    async with session(tmp_path) as memory:
        requests = await memory.inspecting.requests()
        views = [await memory.inspecting.inspect(info.request) for info in requests]
        place = next(i for i, view in enumerate(views) if "the first one" in view.broken_by)
        async with inspector(memory) as (app, pilot):
            await press(pilot, *["left"] * (len(requests) - place))
            assert f"≠ {views[place].broken_by}" in app.figures
            marks = [row[0] for row in app.rows]
            assert marks.count("≠") == 1
            assert marks[0] == "│"
            assert "+" in marks[marks.index("≠") :]


async def test_what_is_looked_at_first_is_in_sight(tmp_path: Path) -> None:
    """VIEW-2: a pin is new at the end of a list that is longer than its room."""
    async with session(tmp_path, turns=20) as memory:
        await memory.pinning.pin_text("Never on Sundays.")
        async with inspector(memory, (80, 24)) as (app, pilot):
            await pilot.pause()
            pieces = app.prompt._list
            assert pieces.cursor is not None
            assert pieces.cursor.startswith("facts")
            (row,) = [place for place, text in enumerate(app.rows) if " facts " in text]
            top, height = pieces.scroll_offset.y, pieces.scrollable_content_region.height
            assert top <= row < top + height


async def test_a_piece_is_copied_in_full(tmp_path: Path) -> None:
    """VIEW-2: and what is left out is no piece."""
    async with session(tmp_path) as memory, inspector(memory) as (app, pilot):
        app.prompt._list.mark("messages:18-18")
        await press(pilot, "c")
        assert app.copied == [(words(18), "message 18")]
        assert app.said == "Copied: message 18 (120 characters)."
        await press(pilot, "home", "down", "down", "c")
        assert app.said == "Only a piece can be copied."
        assert "not here word for word" in app.text
        await press(pilot, "end", "c")
        assert app.said.startswith("Copied: what was found")


@pytest.mark.parametrize("size", SIZES)
async def test_text_is_never_markup(tmp_path: Path, size: tuple[int, int]) -> None:
    """VIEW-2, ALL-8: no text of a piece is obeyed, by us or by the terminal."""
    call = {"id": "[/]", "type": "function", "function": {"name": HOSTILE, "arguments": "{}"}}
    async with opened(tmp_path, system_prompt=HOSTILE) as memory:
        await memory.add("user", HOSTILE)
        await memory.add("assistant", HOSTILE, tool_calls=[call])
        await memory.add_all([NewMessage("tool", HOSTILE, "tool", (), "[/]")])
        async with inspector(memory, size, draft=HOSTILE) as (app, pilot):
            for _ in range(5):
                assert "[bold]no[/bold] red" in app.text
                assert "\x1b" not in app.text + "".join(app.rows) + app.why + app.head
                await press(pilot, "down")
            assert app.rows[-1].split()[1:3] == ["you", "[bold]no[/bold]"]
            assert max(map(len, app.rows)) <= size[0]
            assert "flat [b]in[/b] Lisbon" in app.head


async def test_on_a_low_screen_the_text_comes_first(tmp_path: Path) -> None:
    """VIEW-2: what is told of a piece takes no row that its text needs."""
    async with session(tmp_path) as memory, inspector(memory, (38, 12)) as (app, pilot):
        text = app.screen.query_one("#pane-piece")
        assert text.content_size.height >= 2
        await pilot.resize_terminal(38, 24)
        await settled(pilot)
        assert app.screen.query_one("#prompt-why").display


async def test_a_session_without_a_word_says_so(tmp_path: Path) -> None:
    """VIEW-2: in one sentence."""
    async with opened(tmp_path) as memory, inspector(memory) as (app, pilot):
        assert " ".join(" ".join(app.rows).split()).startswith(NOTHING_SAID)
        await press(pilot, "left")
        assert app.said == FIRST


async def test_a_prompt_that_does_not_fit_says_why(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-3: it is shown, over its limit."""
    async with opened(tmp_path, chat=chat_model(600)) as memory:
        await memory.add("user", words(1, 9_000))
        async with inspector(memory) as (app, _):
            assert app.said.startswith("Message 1 has about")
            assert "!" in app.prompt.query_one(PromptBar).line


async def test_the_next_request_grows_with_memory(tmp_path: Path) -> None:
    """VIEW-2: a past one stays as it was."""
    async with session(tmp_path, turns=2) as memory, inspector(memory) as (app, pilot):
        await memory.add("user", "one more")
        app.prompt.memory_changed()
        await settled(pilot)
        assert app.rows[-1].split()[1:4] == ["5", "you", "one"]
        await press(pilot, "left")
        before = app.rows
        await say(memory, 1)
        app.prompt.memory_changed()
        await settled(pilot)
        assert app.rows == before


@pytest.mark.asyncio(loop_scope="session")
async def test_what_is_being_written_is_part_of_it(open_chat: OpenChat, data: Path) -> None:
    """VIEW-2: as it would be sent; a command is not."""
    async with memory_in(data) as memory:
        await say(memory, 2)
    async with open_chat() as chat:
        await chat.ready()
        await chat.write("half a thought")
        await chat.press("f2")
        screen = await chat.over(PromptScreen)
        await chat.until(lambda: screen.view is not None)
        assert screen.view is not None
        assert screen.view.pieces[-1].text == "half a thought"
        await chat.press("escape")
        await chat.until(lambda: chat.composer.has_focus)
        assert chat.composer.text == "half a thought"


def test_the_bar_is_true_to_tokens() -> None:
    """VIEW-2: every stratum has its cell, and no more cells are drawn than there are."""
    pieces = [
        piece("system", "system", 1),
        piece("short_term", "user", 50),
        piece("messages", "user", 500),
        piece("messages", "assistant", 450),
    ]
    cells = cells_of(pieces, 40)
    assert len(cells) == 40
    assert cells[0] == "system"
    assert cells.count("short-term") == 2
    assert abs(cells.count("you") - cells.count("model")) <= 3
    for width in (8, 40, 118):
        for tokens in (0, 1_001, 9_000):
            bar = bar_pieces(view_of(pieces, tokens), width)
            assert sum(len(text) for text, _ in bar) == width


async def test_thousands_of_pieces_open_and_scroll_at_once() -> None:
    """VIEW-2, ALL-7: five thousand rows; what it costs, however busy the machine is."""
    pieces = [piece("messages", "user", 9, (n, n)) for n in range(1, 5_001)]

    class Many:
        async def requests(self) -> list[object]:
            return []

        async def inspect(self, *_: str | None) -> PromptView:
            return view_of(pieces, 45_000)

    class Bare(App[None]):
        def get_theme_variable_defaults(self) -> dict[str, str]:
            return strata.stratum_variables(dark=True)

    app = Bare()
    async with app.run_test(size=(120, 40)) as pilot:
        sources = PromptSources(None, Shown())  # type: ignore[arg-type]
        screen = PromptScreen(Many(), sources, "many", lambda: "", lambda *_: None)  # type: ignore[arg-type]
        begun = time.process_time()
        await app.push_screen(screen)
        await settled(pilot)
        assert time.process_time() - begun < 3
        begun = time.process_time()
        await pilot.press(*["down"] * 10, *["pagedown"] * 10, "end")
        assert time.process_time() - begun < 3
        assert screen.query_one("#pane-pieces", Pane).cursor == "messages:5000-5000"


def test_what_is_left_out_stands_behind_what_tells_of_it() -> None:
    """VIEW-2: keys are the same in every request, and none is there twice."""
    pieces = [piece("messages", "user", 9, (n, n)) for n in (1, 1, 2)]
    view = view_of(pieces, 27)
    keys = [entry.key for entry in entries_of(view)]
    assert keys == ["messages:1-1", "messages:1-1#2", "messages:2-2"]
    assert len(list_rows(view, entries_of(view), 60).rows) == 3


def test_calls_and_tools_are_told_by_name() -> None:
    """VIEW-2, CHAT-10: a message that only calls says what; a receipt is called one."""
    calls = [{"id": f"c{n}", "function": {"name": "add_task", "arguments": "{}"}} for n in range(3)]
    calls.append({"id": "c4", "function": {"name": "read_file", "arguments": "{}"}})
    called = replace(
        piece("messages", "assistant", 9, (2, 2)),
        text="",
        extras=f"tool_calls: {json.dumps(calls)}",
    )
    thought = replace(called, extras='reasoning: [{"text": "so"}]', sources=(3, 3))
    receipt = replace(piece("messages", "tool", 9, (4, 4)), stage="shown")
    schemas = json.dumps([{"type": "function", "function": {"name": "read_file"}}])
    tools = replace(piece("tools", "system", 9), text=schemas)
    view = view_of([tools, called, thought, receipt], 36)
    rows = [row.text for row in list_rows(view, entries_of(view), 76).rows]
    assert "1 tool · read_file" in rows[0]
    assert "calls 3 × add_task, read_file" in rows[1]
    assert "calls tools" in rows[2]
    assert "(receipt) text of" in rows[3]


def piece(
    section: str, role: str, tokens: int, sources: tuple[int, int] | None = None
) -> PieceView:
    text = f"text of {section} {sources}"
    return PieceView(section, role, text, tokens, 0.1, "it is", sources, "new")  # type: ignore[arg-type]


def view_of(pieces: list[PieceView], tokens: int) -> PromptView:
    return PromptView(
        request=None,
        n=1,
        at=None,
        model=None,
        message=len(pieces),
        pieces=tuple(pieces),
        left_out=(),
        tokens=tokens,
        limit=6_000,
        window=8_000,
        trigger=5_000,
        shared_tokens=0,
        broken_by="",
        provider_tokens=None,
        outcome=None,
        exact=True,
    )


OWNER = "The owl belongs to Dr. Ferreira."
PIN = "We move on 4 April."


@asynccontextmanager
async def recalling(path: Path) -> AsyncIterator[Memory]:
    """A session whose first turn has facts, a message of another session, and a pinned sentence."""
    async with memory_in(path, session=None, fresh=True) as memory:
        await memory.rename("owls")
        await memory.add("user", OWL)
        await memory.add("assistant", "A good name.")
    async with memory_in(path, session=None, fresh=True) as memory:
        await memory.facts.remember(OWNER)
        await memory.add("user", "How is the owl of the harbour called, and whose is it?")
        await memory.settled()
        await memory.prepare(await memory.prompt())
        await memory.add("assistant", "Athena.")
        await memory.pinning.pin_text(PIN)
        yield memory


def rows_with(app: Inspector, text: str) -> list[int]:
    return [place for place, row in enumerate(app.rows) if text in row]


async def choose(app: Inspector, pilot: Pilot[None], text: str) -> None:
    """Marks the last row with a text."""
    key = app.prompt._list.shown.keys[rows_with(app, text)[-1]]
    assert key is not None
    app.prompt._list.mark(key)
    app.prompt._show_opened()
    await settled(pilot)


@pytest.mark.parametrize("past", [True, False], ids=["past", "next"])
async def test_facts_and_passages_stand_there_one_by_one(tmp_path: Path, past: bool) -> None:
    """VIEW-2, RECALL-4: each below its piece, with score, origin and why."""
    async with recalling(tmp_path) as memory, inspector(memory) as (app, pilot):
        await press(pilot, *(["left"] if past else []))
        assert "you" in app.rows[app.prompt._list.shown.keys.index("recalled:0")]
        assert bool(rows_with(app, PIN)) != past
        await choose(app, pilot, "owl of the harbour is")
        assert app.text.startswith(OWL)
        assert "“owls”" in app.text
        assert "what the score is made of" in app.text
        assert app.why == "It is here because it was found for message 1."
        await choose(app, pilot, "Ferreira")
        assert "fact" in app.text


async def test_each_leads_to_where_it_is_from(tmp_path: Path) -> None:
    """VIEW-2: a passage to its message, a fact to the facts, the system prompt to nothing."""
    async with recalling(tmp_path) as memory, inspector(memory) as (app, pilot):
        await choose(app, pilot, "Ferreira")
        await press(pilot, "m")
        assert app.shown.asked == [("live", memory.facts.live()[0].id)]
        await choose(app, pilot, "You are")
        await press(pilot, "m")
        assert app.said == NO_SOURCE
        await choose(app, pilot, PIN)
        assert app.why == "It is here because it is pinned: it stands in every prompt."
        await choose(app, pilot, OWL[:20])
        await press(pilot, "m")
        (place,) = app.ended
        assert place is not None
        assert (place.number, place.name) == (1, "owls")
        assert place.branch


async def test_a_fact_that_was_forgotten_since_leads_nowhere(tmp_path: Path) -> None:
    """VIEW-2, RECALL-6: what was sent does not bring it back."""
    async with recalling(tmp_path) as memory:
        await memory.facts.forget(memory.facts.live()[0].id)
        async with inspector(memory) as (app, pilot):
            await press(pilot, "left")
            assert not rows_with(app, "Ferreira")


async def test_what_was_recalled_is_a_key_away(tmp_path: Path) -> None:
    """VIEW-2: the screen of that turn; a message chosen there is gone to."""
    async with recalling(tmp_path) as memory, inspector(memory) as (app, pilot):
        await press(pilot, "left", "f10")
        assert app.shown.asked == [("recalled", 1)]
        assert app.ended == [Place(1)]
    async with session(tmp_path / "other", turns=1) as memory, inspector(memory) as (app, pilot):
        await press(pilot, "f10")
        assert app.said == NOT_SEARCHED


async def test_what_a_draft_will_call_for_is_shown_before_it_is_sent(tmp_path: Path) -> None:
    """VIEW-2, RECALL-3: the next request is searched for as it will be."""
    async with recalling(tmp_path) as memory:
        text = "Whose owl is it, Dr. Ferreira's?"
        view = await memory.inspecting.inspect(draft=text)
        assert view.recalled is not None
        assert view.recalled.number == 3
        assert [found.text for found in view.recalled.facts] == [OWNER]
        await memory.add("user", text)
        await memory.prompt()
        found = memory.snapshot().recalled
        assert found is not None
        # Scores may differ by a little: the message is among the texts by now.
        assert [one.passage for one in (*found.facts, *found.texts)] == [
            one.passage for one in (*view.recalled.facts, *view.recalled.texts)
        ]
        assert (await memory.inspecting.inspect(draft="ok")).recalled is None
