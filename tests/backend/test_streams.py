"""CHAT-2, ALL-2: deltas are merged, tool calls assembled, and false endings noticed."""

import asyncio
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.backend.errors import FailureKind
from app.backend.fenced import FencedCall, may_become_call, parse_fenced_calls
from app.backend.protocol import Delta, StreamEvent, ToolCall
from app.backend.streams import (
    Answer,
    DeltaMerger,
    Ending,
    Piece,
    ToolCallAssembler,
    ToolPart,
    flaw_of,
)
from tests.support.processes import until

CALL = '```json\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n```'
TOOLS = {"read_file", "list_files"}


def text_of(events: list[StreamEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Delta))


async def test_the_first_delta_is_not_held_back() -> None:
    """ALL-7: time to first token does not wait for the merging."""
    events: list[StreamEvent] = []
    merger = DeltaMerger(events.append)
    merger.add("a")
    assert events == [Delta("a")]
    merger.flush()


async def test_later_deltas_are_merged_to_thirty_a_second() -> None:
    """ALL-7: a fast stream costs the screen 30 events a second, and loses nothing."""
    events: list[StreamEvent] = []
    merger = DeltaMerger(events.append)
    began = time.monotonic()
    for number in range(50):
        merger.add(f"{number} ")
        await asyncio.sleep(0.005)
    merger.flush()
    seconds = time.monotonic() - began
    assert text_of(events) == "".join(f"{number} " for number in range(50))
    assert len(events) <= 30 * seconds + 6


async def test_a_waiting_delta_comes_without_a_further_one() -> None:
    """CHAT-1: what has arrived is shown even while the model pauses."""
    events: list[StreamEvent] = []
    merger = DeltaMerger(events.append)
    merger.add("a")
    merger.add("b")
    await until(lambda: text_of(events) == "ab", 60)
    merger.flush()


async def test_reasoning_and_text_keep_their_order() -> None:
    """CHAT-2: reasoning that follows text is not moved before it."""
    events: list[StreamEvent] = []
    merger = DeltaMerger(events.append)
    for text, reasoning in (("", "r1"), ("t1", ""), ("", "r2")):
        merger.add(text, reasoning)
    merger.flush()
    assert events == [Delta("", "r1"), Delta("t1"), Delta("", "r2")]


def test_pieces_of_tool_calls_are_put_together() -> None:
    """CHAT-10: calls that come in pieces, interleaved."""
    assembler = ToolCallAssembler()
    for part in (
        ToolPart(0, "call_a", "read_file", '{"pa'),
        ToolPart(1, "call_b", "list_files", ""),
        ToolPart(0, arguments='th": "x"}'),
    ):
        assembler.add(part)
    assert assembler.calls() == [
        ToolCall("call_a", "read_file", '{"path": "x"}'),
        ToolCall("call_b", "list_files", "{}"),
    ]


def test_calls_of_one_index_are_told_apart_by_their_ids() -> None:
    """CHAT-10: some servers count none of their calls; others repeat id and name in each piece."""
    assembler = ToolCallAssembler()
    for part in (
        ToolPart(0, "call_a", "read_file", '{"path": '),
        ToolPart(0, "call_a", "read_file", '"x"}'),
        ToolPart(0, "call_b", "read_file", '{"path":'),
        ToolPart(0, "", "", ' "y"}'),
    ):
        assembler.add(part)
    assert assembler.calls() == [
        ToolCall("call_a", "read_file", '{"path": "x"}'),
        ToolCall("call_b", "read_file", '{"path": "y"}'),
    ]


@pytest.mark.parametrize("arguments", ['{"path": "a', "[1]", '"x"', "nonsense"])
def test_broken_arguments_come_as_they_are(arguments: str) -> None:
    """CHAT-10: what is no JSON object is a call all the same, which the model can mend."""
    assembler = ToolCallAssembler()
    assembler.add(ToolPart(0, "call_a", "read_file", arguments))
    assert assembler.calls() == [ToolCall("call_a", "read_file", arguments)]


def test_calls_without_an_id_get_one_of_their_own() -> None:
    """CHAT-10, I3: results are matched by it, so no two in a session are the same."""
    ids = set()
    for _ in range(3):
        assembler = ToolCallAssembler()
        assembler.add(ToolPart(0, "", "read_file", "{}"))
        ids.add(assembler.calls()[0].id)
    assert len(ids) == 3


@pytest.mark.parametrize(
    ("ending", "empty", "flaw"),
    [
        (Ending("stop", 5), False, None),
        (Ending("length", 5), False, None),
        (Ending(None, 5), False, "cut"),
        (Ending("stop", 5), True, "empty"),
        (Ending(None, 3), True, "empty"),
        (Ending("content_filter", 1), True, "filtered"),
        (Ending(None, 0), True, "malformed"),
        (Ending(None, 0, "text/html"), True, "malformed"),
        (Ending(None, 1, "application/json"), True, "malformed"),
    ],
)
def test_false_endings_are_noticed(ending: Ending, empty: bool, flaw: FailureKind | None) -> None:
    """ALL-2: a stream that ends without an error is not always whole."""
    assert flaw_of(ending, empty=empty) == flaw


def test_a_prefix_may_be_read_without_an_answer() -> None:
    """COMPACT-9: warming wants no text."""
    assert flaw_of(Ending("length", 1), empty=True, empty_allowed=True) is None


def test_a_fenced_call_is_a_call() -> None:
    """CHAT-10: small models write calls as a fenced JSON block."""
    assert parse_fenced_calls(CALL, TOOLS) == [FencedCall("read_file", '{"path": "a.txt"}')]


OBJECT = '{"name": "read_file", "arguments": {"path": "a.txt"}}'


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f"{CALL}\n\n{CALL.replace('json', '')}\n", 2),
        (f"```json\n{OBJECT}\n{OBJECT}\n```", 2),
        (f"```json\n[{OBJECT}, {OBJECT}]\n```", 2),
        (f"<tool_call>\n{OBJECT}\n</tool_call>\n<tool_call>{OBJECT}</tool_call>", 2),
        (f"```json\n{OBJECT}", 1),
        (OBJECT, 1),
        (f"{{{OBJECT}}}", 1),
        (f"{{{OBJECT}", 1),
        (f"<tools>\n{OBJECT}\n</tools>", 1),
        ('{"type": "function", "function": ' + OBJECT + "}", 1),
        ('{"name": "read_file", "parameters": {"path": "a.txt"}}', 1),
        (json.dumps({"name": "read_file", "arguments": '{"path": "a.txt"}'}), 1),
    ],
)
def test_the_forms_in_which_small_models_call(text: str, count: int) -> None:
    """CHAT-10: several in a block or a list, between tags, bare, without the last mark."""
    call = FencedCall("read_file", '{"path": "a.txt"}')
    assert parse_fenced_calls(text, TOOLS) == [call] * count


@pytest.mark.parametrize(
    "text",
    [
        "",
        CALL + "\nThat is it.",
        CALL.replace("read_file", "format_disk"),
        '```json\n{"name": "read_file", "arguments": [1]}\n```',
        '```json\n{"name": "read_file", \n```',
        '```json\n["read_file"]\n```',
        "```python\nprint(1)\n```",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    """CHAT-10: an example in an answer is not carried out."""
    assert parse_fenced_calls(text, TOOLS) == []


@given(st.integers(0, len(CALL)))
def test_every_beginning_of_a_call_may_become_one(length: int) -> None:
    """CHAT-10: nothing of a call is shown before it is known for one."""
    assert may_become_call(CALL[:length])


@given(st.lists(st.text(st.sampled_from('`json\n{}"name: read_file a'), max_size=12)))
async def test_no_text_is_lost_while_it_is_held(pieces: list[str]) -> None:
    """CHAT-2: held text comes out in the end, word for word."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    for piece in pieces:
        answer.add(Piece(piece))
    assert answer.finish() is False
    assert text_of(events) == "".join(pieces)


async def test_a_fenced_call_becomes_an_event_and_no_text() -> None:
    """CHAT-10: the fenced form is reported as any other call."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    for character in CALL:
        answer.add(Piece(character))
    assert answer.finish() is True
    (call,) = events
    assert isinstance(call, ToolCall)
    assert (call.name, call.arguments) == ("read_file", '{"path": "a.txt"}')


async def test_words_before_a_call_are_shown_and_the_call_is_not() -> None:
    """CHAT-10: "I'll read the file:" and then the block."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    for character in f"I'll read `a.txt`:\n\n{CALL}":
        answer.add(Piece(character))
    assert answer.finish() is True
    assert text_of(events) == "I'll read `a.txt`:\n\n"
    assert isinstance(events[-1], ToolCall)


@pytest.mark.parametrize(
    "text",
    [
        'An example:\n```json\n{"name": "Anna", "age": 7}\n```\n',
        'So:\n```python\nprint("```")\n```\nDone.',
        f"Write it so:\n{CALL}\nand it is read.",
        f"Inline: {OBJECT}",
        '{"city": "Bergen"}',
        "<tool_call>nothing</tool_call>",
    ],
)
async def test_what_only_looks_like_a_call_is_shown(text: str) -> None:
    """CHAT-10: JSON, code, and an example of a call within an answer."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    for character in text:
        answer.add(Piece(character))
    assert answer.finish() is False
    assert text_of(events) == text


async def test_a_block_that_is_no_call_streams_on() -> None:
    """CHAT-1: it is held no longer than until its first key is known."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    answer.add(Piece('So:\n```json\n{"city": "Ber'))
    assert text_of(events) == 'So:\n```json\n{"city": "Ber'
    answer.flush()


async def test_ordinary_text_streams_although_tools_were_given() -> None:
    """CHAT-1: only what could become a call is held back."""
    events: list[StreamEvent] = []
    answer = Answer(events.append, TOOLS)
    answer.add(Piece("The file"))
    assert text_of(events) == "The file"
    answer.flush()
