"""What must hold of a prompt as the model is sent it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memory.content.receipts import handles_in
from memory.enclosing import unmarked
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Event,
    Message,
    Pinned,
    Recorded,
    ResultsReceipted,
    SummaryRewritten,
    SystemPromptSet,
    Unpinned,
)
from memory.file_events import MemoryFilesRead
from memory.fold import fold
from memory.pairing import MISSING_BODY, NOT_RUN, STRAY
from memory.parts import Ledger, MessageRef
from memory.pieces import ChatMessage, Piece
from memory.prompt import Prompt
from memory.recall_events import Recalled
from memory.state import State
from memory.window import Window

BLOCK = "\n\n<memory>\n"
"""Begins the block that the last user turn carries."""
BREAKING = (
    Compacted,
    CompactionUndone,
    CompactionRedone,
    ResultsReceipted,
    SummaryRewritten,
    SystemPromptSet,
    MemoryFilesRead,
)
"""What may change bytes before the last user turn."""


@dataclass(frozen=True)
class Receipt:
    """A receipt that stands in a prompt, and the messages it stands for."""

    handle: str
    numbers: tuple[int, ...]


def check_shown(prompt: Prompt, state: State, texts: Mapping[str, str]) -> list[Receipt]:
    """I1: every message stands word for word, or its receipt does; the receipts there are."""
    rendered = dict(_rendered(prompt))
    edits = {edit.number: edit for edit in state.folding.edits}
    receipts: list[Receipt] = []
    seen: set[int] = set()
    for piece, message in rendered.items():
        content = str(message["content"])
        ref = piece.ref
        assert ref is not None
        if ref.body.startswith(MISSING_BODY):
            assert content == NOT_RUN
            continue
        assert piece.sources is not None
        numbers = tuple(range(piece.sources[0], piece.sources[1] + 1))
        assert seen.isdisjoint(numbers)
        seen.update(numbers)
        assert content.partition(BLOCK)[0] == piece.text.partition(BLOCK)[0]
        if piece.stage == "snip":
            assert all(edits[number].body is None for number in numbers)
            receipts.append(Receipt(_only(handles_in(content.partition(BLOCK)[0])), numbers))
        elif ref.number in prompt.ledger.shortened:
            handle = f"m{ref.number}"
            assert handle in handles_in(content)
            receipts.append(Receipt(handle, numbers))
        elif ref.number in edits:
            edit = edits[ref.number]
            assert edit.body is not None
            assert content.removeprefix(STRAY).startswith(texts[edit.body])
            assert edit.items
            assert set(edit.items) <= set(handles_in(content))
            receipts += [Receipt(item, numbers) for item in edit.items]
        else:
            own = content.removeprefix(STRAY) if message["role"] == "user" else content
            assert own.startswith(texts[_original(state, ref.number).body])
    receipts += _left_out(prompt, seen)
    _check_nothing_missing(state, seen, receipts)
    return receipts


def check_kept_word_for_word(prompt: Prompt, state: State, texts: Mapping[str, str]) -> None:
    """COMPACT-14: system messages and pins stand in the prompt as they are."""
    whole = "\n".join(str(message["content"]) for message in prompt.messages)
    for ref in (*state.folding.pinned, *state.folding.verbatim):
        if ref.role == "system":
            assert texts[ref.body] in whole
    for pin in state.pins:
        text = texts[pin.body]
        assert text in whole or unmarked(text) in whole


def check_pairs(prompt: Prompt, said: Sequence[MessageRef]) -> None:
    """I3: in the messages that are sent each result follows its call, and each call has them."""
    callers = callers_of(said)
    shown = [
        piece.ref
        for piece, _ in _rendered(prompt)
        if piece.ref and piece.stage != "snip" and not piece.ref.body.startswith(MISSING_BODY)
    ]
    numbers = {ref.number for ref in shown}
    for ref in shown:
        if ref.number in callers:
            assert callers[ref.number] in numbers
    for result, caller in callers.items():
        assert caller not in numbers or result in numbers
    assert in_flight(said) <= numbers
    owed: list[str] = []
    for message in prompt.messages:
        if message["role"] == "tool":
            owed.remove(message["tool_call_id"])
        else:
            assert not owed
            owed = [call["id"] for call in message.get("tool_calls", ())]
    assert not owed


def callers_of(said: Sequence[MessageRef]) -> dict[int, int]:
    """The message that called for each result, by number; an id belongs to its newest call."""
    callers: dict[int, int] = {}
    newest: dict[str, int] = {}
    for ref in said:
        if ref.role == "tool" and ref.answers in newest:
            callers[ref.number] = newest[ref.answers]
        newest.update(dict.fromkeys(ref.call_ids, ref.number))
    return callers


def in_flight(said: Sequence[MessageRef]) -> set[int]:
    """The messages whose calls wait for a result; what a user spoke over no longer does."""
    waiting: dict[str, int] = {}
    for ref in said:
        if ref.role == "tool":
            waiting.pop(ref.answers or "", None)
        elif ref.role == "user":
            waiting.clear()
        waiting.update(dict.fromkeys(ref.call_ids, ref.number))
    return set(waiting.values())


def check_prefix(
    before: tuple[Sequence[ChatMessage], Ledger],
    now: tuple[Sequence[ChatMessage], Ledger],
    between: Sequence[Event],
) -> bool:
    """I9: byte for byte as before up to the last user turn, or something says why not."""
    (earlier, ledger), (later, next_ledger) = before, now
    kept = _bytes(earlier[: _last_user_turn(earlier)])
    if _bytes(later).startswith(kept):
        return True
    changed = [event for event in between if isinstance(event, BREAKING)]
    refitted = (ledger.left_out, ledger.shortened, ledger.excerpt_chars) != (
        next_ledger.left_out,
        next_ledger.shortened,
        next_ledger.excerpt_chars,
    )
    # A pin stands in the block of the turn, or where the message stood; only of what is left out
    # to fit does it bring a message back.
    repinned = any(isinstance(event, Pinned | Unpinned) for event in between)
    # A result that comes after others have spoken takes the place of what stood for it.
    late = any(isinstance(event, Message) and event.ref.role == "tool" for event in between)
    assert changed or late or refitted or (repinned and ledger.left_out is not None)
    assert next_ledger.broken_by
    return False


def check_recalled(log: Sequence[Recorded]) -> None:
    """RECALL-3: nothing was brought that stood in the prompt already, and nothing twice."""
    place = max(n for n, entry in enumerate(log) if isinstance(entry.event, Recalled))
    found = log[place].event
    assert isinstance(found, Recalled)
    folding = fold(log[:place]).folding
    window = Window.of(folding)
    standing = {ref.body for ref in window.refs if ref.number not in window.edits}
    brought = [(text.body, text.first) for text in (*found.texts, *found.facts)]
    assert len(set(brought)) == len(brought)
    assert standing.isdisjoint(body for body, _ in brought)
    assert all(text.why_not for text in found.left_out)


def _rendered(prompt: Prompt) -> Iterator[tuple[Piece, ChatMessage]]:
    """The messages of the conversation as they are sent, each with its piece."""
    pieces = prompt.pieces
    system = any(piece.place == "system" and piece.text for piece in pieces)
    first = int(system) + any(piece.place == "lead" for piece in pieces)
    own = [piece for piece in pieces if piece.place == "message"]
    sent = prompt.messages[first:]
    # A prompt in which nobody asks anything carries its block in a message of its own.
    assert len(own) <= len(sent) <= len(own) + 1
    return zip(own, sent, strict=False)


def _left_out(prompt: Prompt, seen: set[int]) -> list[Receipt]:
    span = prompt.ledger.left_out
    if span is None:
        return []
    numbers = tuple(n for n in range(span[0], span[1] + 1) if n not in seen)
    handle = f"m{span[0]}" if span[0] == span[1] else f"m{span[0]}-m{span[1]}"
    lead = next(message for message in prompt.messages if message["role"] != "system")
    assert handle in handles_in(str(lead["content"]))
    return [Receipt(handle, numbers)]


def _check_nothing_missing(state: State, seen: set[int], receipts: Sequence[Receipt]) -> None:
    named = {number for receipt in receipts for number in receipt.numbers}
    leading = {ref.number for ref in state.folding.verbatim if ref.role == "system"} & {1}
    assert seen | named | leading == {ref.number for ref in state.folding.verbatim}


def _original(state: State, number: int) -> MessageRef:
    return next(ref for ref in state.folding.verbatim if ref.number == number)


def _only(handles: Sequence[str]) -> str:
    (handle,) = handles
    return handle


def _bytes(messages: Sequence[ChatMessage]) -> bytes:
    return b"".join(json.dumps(message, sort_keys=True).encode() + b"\n" for message in messages)


def _last_user_turn(messages: Sequence[ChatMessage]) -> int:
    turns = [place for place, message in enumerate(messages) if message["role"] == "user"]
    return turns[-1] if turns else len(messages)
