"""From the pieces of a model's stream to events: merging, assembling, checking the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from uuid import uuid4

from app.backend.errors import FailureKind
from app.backend.fenced import hold_back, parse_fenced_calls
from app.backend.protocol import Delta, JsonObject, StreamEvent, ToolCall

MERGE_INTERVAL_S = 1 / 30
"""More often than this nobody can see a change; each event costs the screen some work."""

Emit = Callable[[StreamEvent], None]


@dataclass(frozen=True)
class ToolPart:
    """A piece of a tool call; pieces with equal `index` belong together."""

    index: int
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(frozen=True)
class Piece:
    """What one chunk of a stream brought."""

    text: str = ""
    reasoning: str = ""
    tools: tuple[ToolPart, ...] = ()
    thinking_blocks: tuple[JsonObject, ...] = ()


class DeltaMerger:
    """Passes text on at most 30 times a second; the first piece, or one after a pause, at once.

    Args:
        emit: Takes the merged deltas.
    """

    def __init__(self, emit: Emit) -> None:
        self._emit = emit
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, text: str, reasoning: str = "") -> None:
        """Takes a piece; keeps it while the last event is younger than the interval."""
        if reasoning and self._text:
            self._release()
        self._text.append(text)
        self._reasoning.append(reasoning)
        # A fast stream can keep the loop from running its timers: so the time is asked, too.
        if self._timer is None or self._loop.time() >= self._timer.when():
            self.flush()
            self._wait()

    def flush(self) -> None:
        """Passes on what is kept, and stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._release()

    def _wait(self) -> None:
        self._timer = self._loop.call_later(MERGE_INTERVAL_S, self._due)

    def _due(self) -> None:
        self._timer = None
        if self._text or self._reasoning:
            self._release()
            self._wait()

    def _release(self) -> None:
        delta = Delta("".join(self._text), "".join(self._reasoning))
        self._text.clear()
        self._reasoning.clear()
        if delta.text or delta.reasoning:
            self._emit(delta)


class ToolCallAssembler:
    """Puts tool calls together from their pieces."""

    def __init__(self) -> None:
        self._calls: list[list[ToolPart]] = []
        self._at: dict[int, list[ToolPart]] = {}
        """The call that the next piece of an index belongs to."""

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add(self, part: ToolPart) -> None:
        """Takes a piece of a call."""
        parts = self._at.get(part.index)
        if parts is None or _begins_another(parts, part):
            parts = self._at[part.index] = []
            self._calls.append(parts)
        parts.append(part)

    def calls(self) -> list[ToolCall]:
        """Returns the calls in the order they began, whatever the model wrote in them."""
        return [_assembled(parts) for parts in self._calls]


def _begins_another(parts: list[ToolPart], part: ToolPart) -> bool:
    """Whether a piece begins a call of its own: some servers give every call the same index."""
    known = next((one.id for one in parts if one.id), "")
    return bool(part.name and part.id and known and part.id != known)


def _assembled(parts: list[ToolPart]) -> ToolCall:
    name = next((part.name for part in parts if part.name), "")
    id = next((part.id for part in parts if part.id), "") or _new_call_id()
    return ToolCall(id, name, "".join(part.arguments for part in parts) or "{}")


def _new_call_id() -> str:
    """An id for a call that came without one: a session's calls are told apart by theirs."""
    return f"call_{uuid4().hex[:24]}"


@dataclass
class Answer:
    """Collects one answer, passes its text on and knows at the end whether it is whole.

    Args:
        emit: Takes the events.
        fenced_tools: Names of tools whose calls may stand in the text; empty where they can't.
        trims: Whether white space before the first word goes: a base model puts it behind the
            label that it goes on from.
    """

    emit: Emit
    fenced_tools: Collection[str] = ()
    trims: bool = False
    started: bool = False
    thinking_blocks: list[JsonObject] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._merger = DeltaMerger(self.emit)
        self._tools = ToolCallAssembler()
        self._held = ""
        self._shown_last = ""
        """The last character that was passed on."""
        self._has_text = False

    def add(self, piece: Piece) -> None:
        """Takes what a chunk brought."""
        if self.trims and not self._has_text:
            piece = replace(piece, text=piece.text.lstrip())
        if piece.text or piece.reasoning or piece.tools:
            self.started = True
        self._has_text |= bool(piece.text)
        self.thinking_blocks += piece.thinking_blocks
        for part in piece.tools:
            self._tools.add(part)
        text = self._hold(piece.text) if self.fenced_tools else piece.text
        if text or piece.reasoning:
            self._merger.add(text, piece.reasoning)

    def flush(self) -> None:
        """Passes on all text that is kept, whatever comes of the answer."""
        held, self._held = self._held, ""
        self._merger.add(held)
        self._merger.flush()

    def finish(self) -> bool:
        """Passes on the rest and the tool calls; tells whether there were any."""
        fenced = parse_fenced_calls(self._held, self.fenced_tools) if self._held else []
        if fenced:
            self._held = ""
        self.flush()
        calls = self._tools.calls()
        calls += [ToolCall(_new_call_id(), call.name, call.arguments) for call in fenced]
        for call in calls:
            self.emit(call)
        return bool(calls)

    @property
    def is_empty(self) -> bool:
        """Whether neither text nor a tool call came."""
        return not self._has_text and not self._tools

    def _hold(self, text: str) -> str:
        """Keeps text back while it could be a call; returns what may pass."""
        if not text:
            return ""
        last = self._shown_last
        shown, self._held = hold_back(
            self._held + text, at_start=not last, at_line=last in ("", "\n")
        )
        self._shown_last = shown[-1:] or last
        return shown


@dataclass(frozen=True)
class Ending:
    """How a stream ended, as its raw chunks told.

    Args:
        finish_reason: The provider's; None where it sent none.
        chunks: How many chunks could be read.
        content_type: The answer's content type, in lower case.
    """

    finish_reason: str | None
    chunks: int
    content_type: str = ""


def flaw_of(ending: Ending, *, empty: bool, empty_allowed: bool = False) -> FailureKind | None:
    """Tells what is wrong with a stream that ended without an error, or None.

    Args:
        ending: How it ended.
        empty: Whether neither text nor a tool call came.
        empty_allowed: Whether nothing was to come, as when only a prefix is read.
    """
    if ending.finish_reason is None:
        if not empty:
            return "cut"
        strange = ending.chunks == 0 or not _may_be_stream(ending.content_type)
        return "malformed" if strange else "empty"
    if not empty or empty_allowed:
        return None
    return "filtered" if ending.finish_reason == "content_filter" else "empty"


def _may_be_stream(content_type: str) -> bool:
    return not content_type.startswith(("text/html", "application/json", "text/plain"))
