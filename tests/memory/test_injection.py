"""ALL-8, RECALL-4: text in memory that tries to give orders stays data, wherever it comes from."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memory import Memory
from memory.answer import NewMessage
from memory.enclosing import unmarked
from memory.events import Message
from memory.facts.asking import Said
from memory.facts.checking import accepted
from memory.facts.material import Line, line_of
from memory.file_events import FileRef
from memory.parts import MessageRef
from memory.plain_prompt import plain_messages
from memory.project_context import CLOSES, OPENS, file_text
from memory.recall.wording import entry, source
from memory.recalled import HEADING, NOTE
from tests.memory.doubles import chat_model, opened
from tests.memory.injections import ALL, CLOSING, HUGE, ORDERS, TERMINAL, about, topic
from widgets.plain import printable

BLOCK = re.compile(r"\n\n<memory>\n(.*)\n</memory>\Z", re.DOTALL)
OWN_LINE = re.compile(
    rf"{re.escape(HEADING)}|{re.escape(NOTE)}|## Facts to keep in mind|"
    r"\d{4}-\d\d-\d\d(, in another session)?:|"
    r"- (user|assistant|tool|content by tool)( \((imported|from a tool)\))?: .*"
    r"|- \(since \d{4}-\d\d-\d\d(, noted by a (model|tool))?\) .*|  .*|",
)
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
ROOM: dict[str, Any] = {"recall": {"passage_tokens": 2_000}}


def assert_block(said: str, question: str) -> str:
    """The block of a turn: one, at its end, of lines that are ours or set in; what it says."""
    assert said.startswith(question)
    found = BLOCK.search(said)
    assert found is not None
    inside = found[1]
    assert unmarked(inside) == inside
    for line in inside.split("\n"):
        assert OWN_LINE.fullmatch(line), line
        assert line == "" or line.splitlines() == [line]
    assert said.count("<memory>") == said.count("</memory>") == 1
    return inside


async def assert_recalled_as_data(memory: Memory, origin: str) -> None:
    """Each text comes back in the block of the turn that asks for it, and nowhere else."""
    brought = 0
    for place in range(len(ALL)):
        question = f"What does the {topic(place)} say?"
        plain = [m["role"] for m in (await memory.prompt("Hello there.")).messages]
        prompt = await memory.prompt(question)
        assert [message["role"] for message in prompt.messages] == plain
        said = str(prompt.messages[-1]["content"])
        if topic(place) in said.removeprefix(question):
            brought += 1
            lines = assert_block(said, question).split("\n")
            first = next(line for line in lines if topic(place) in line)
            assert origin in first
    assert brought >= len(ALL) - len(HUGE)


def imported(text: str) -> NewMessage:
    return NewMessage("user", text, "import")


def called(name: str) -> tuple[Mapping[str, Any], ...]:
    return ({"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}},)


def test_there_are_enough() -> None:
    assert len(ALL) >= 40
    assert len(set(map(topic, range(len(ALL))))) == len(ALL)


async def test_what_was_imported_is_recalled_as_data(tmp_path: Path) -> None:
    async with opened(tmp_path, session="before", **ROOM) as memory:
        await memory.add_all([imported(about(place)) for place in range(len(ALL))])
    async with opened(tmp_path, chat=chat_model(128_000), **ROOM) as memory:
        await assert_recalled_as_data(memory, "- user (imported): ")


async def test_what_a_tool_brought_is_recalled_as_data(tmp_path: Path) -> None:
    async with opened(tmp_path, session="before", **ROOM) as memory:
        for place in range(len(ALL)):
            await memory.add("assistant", "", tool_calls=called(f"c{place}"))
            await memory.add("tool", about(place), tool_call_id=f"c{place}")
    async with opened(tmp_path, chat=chat_model(128_000), **ROOM) as memory:
        await assert_recalled_as_data(memory, "tool (from a tool): ")


async def test_facts_stay_lines_of_the_block(tmp_path: Path) -> None:
    async with opened(tmp_path, chat=chat_model(128_000), **ROOM) as memory:
        for place, text in enumerate(ALL):
            if len(text) < 400:
                await memory.facts.remember(about(place))
        brought = 0
        for place in range(len(ALL)):
            question = f"What does the {topic(place)} say?"
            said = str((await memory.prompt(question)).messages[-1]["content"])
            if topic(place) in said.removeprefix(question):
                brought += "- (since " in assert_block(said, question)
        assert brought > 30


async def test_what_is_pinned_stays_in_the_block(tmp_path: Path) -> None:
    """COMPACT-14: word for word, but for what would close it."""
    async with opened(tmp_path, chat=chat_model(128_000), **ROOM) as memory:
        await memory.add("user", "Hello there.")
        for text in ALL:
            if len(text) < 400:
                await memory.pinning.pin_text(text)
        said = str((await memory.prompt()).messages[-1]["content"])
    inside = BLOCK.search(said)
    assert inside is not None
    assert unmarked(inside[1]) == inside[1]
    assert all(unmarked(text) in said for text in ORDERS)


@pytest.mark.parametrize("text", CLOSING)
def test_no_memory_file_closes_its_block(text: str) -> None:
    told = file_text(FileRef("a.md", "a", len(text)), f"{text}\n{text}", first=True)
    assert told.count(OPENS) == told.count(CLOSES) == 1
    inside = told.split(f"{OPENS}\n")[1].removesuffix(f"\n{CLOSES}")
    assert unmarked(inside) == inside


def test_no_fact_is_read_out_of_what_tools_and_models_brought() -> None:
    """RECALL-1: neither out of results, nor out of what another model asked a helper for."""
    for text in ALL:
        result = Message(MessageRef(1, "tool", "b", len(text)), "tool")
        assert line_of(result, "main", "2026-01-01T00:00:00.000Z", text) is None


@pytest.mark.parametrize("text", ORDERS[:5])
def test_an_order_is_no_fact(text: str) -> None:
    """RECALL-1: also where a user pasted or imported it, and a model took it for a fact."""
    line = Line(1, "main", "user", "2026-01-01T00:00:00.000Z", text)
    assert isinstance(accepted(Said(text, 1), [line]), str)


def test_lists_of_what_was_found_have_lines_of_ours_alone() -> None:
    """RECALL-6: each entry is one line of ours, below which all is set in."""
    for text in ALL:
        head = source("message", "user", 3, f"{text} session", "2026-01-01T00:00:00.000Z")
        told = entry(head, text)
        first, *rest = told.splitlines()
        assert first.startswith("2026-01-01 · user · message 3 · in ")
        assert all(line.startswith("  ") for line in rest)
        assert len(told) < 2 * len(text) + 2_000
        assert not CONTROLS.search(printable(told))


def test_nobody_else_speaks_in_a_plain_prompt() -> None:
    """PROMPT-6, ALL-8: for a model that continues text, turns begin where we begin them."""
    for text in ALL:
        told = plain_messages(
            [{"role": "system", "content": "s"}, {"role": "user", "content": text}]
        )
        turns = re.findall(r"^(User|Assistant|System|Tool):", told, re.MULTILINE)
        assert turns == ["User", "Assistant"]


def test_terminals_obey_none_of_it() -> None:
    for text in (*ALL, *TERMINAL):
        assert not CONTROLS.search(printable(text))
