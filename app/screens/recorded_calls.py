"""Calls of tools in the log, joined with the messages that hold their results. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from memory.events import Event, Message, Recorded
from widgets.entries import CallEntry, CallState

if TYPE_CHECKING:
    from memory.work_events import ToolExecuted

EXECUTED = "tool_executed"
"""The kind of these events."""
UNNAMED = "tool"
STOPPED = "Stopped"
"""The kind of failure of a call that the user stopped."""


@dataclass(slots=True)
class OpenCalls:
    """The calls of the newest message that made any, as far as nothing has answered them."""

    texts: Mapping[str, str]
    """Bodies of the log by id."""
    ran: Mapping[int, "ToolExecuted"]
    """What is known of how calls went, by the messages with their results."""
    _waiting: dict[str, CallEntry] = field(default_factory=dict)

    def begin(self, event: Message) -> None:
        """Takes in a message that is no result: what was waiting before it, waits no more."""
        self._waiting = {}
        if event.ref.calls is not None:
            made = calls_in(self.texts.get(event.ref.calls, ""))
            named = zip(event.ref.call_ids, made, strict=False)
            self._waiting = dict(named)

    def answered(self, event: Message, text: str) -> CallEntry | None:
        """The call that a message is the result of; None where nobody knows of it."""
        call = self._waiting.pop(event.ref.answers or "", None)
        if call is None:
            return None
        number = event.ref.number
        handle = event.ref.item or ""
        entry = replace(call, state="done", number=number, result=text, handle=handle)
        ran = self.ran.get(number)
        if ran is None:
            return entry
        state = ended_as(ok=ran.ok, error=ran.error)
        return replace(entry, state=state, error=ran.error, seconds=ran.duration_s)

    def unanswered(self) -> Iterator[CallEntry]:
        """The calls that nothing answers any more."""
        yield from self._waiting.values()
        self._waiting = {}


def ended_as(*, ok: bool, error: str) -> CallState:
    """How a call ended."""
    if ok:
        return "done"
    return "stopped" if error == STOPPED else "failed"


def executions(events: Sequence[Recorded]) -> "dict[int, ToolExecuted]":
    """How calls went, by the messages with their results."""
    # The module of these events is loaded only where there are any: it takes its time.
    ran = [cast("ToolExecuted", e.event) for e in events if e.event.KIND == EXECUTED]
    return {event.number: event for event in ran if event.number is not None}


def calls_in(body: str) -> list[CallEntry]:
    """The calls in a body of a message, in their order; nothing where it can't be read."""
    try:
        calls = json.loads(body)
    except ValueError:
        return []
    made: list[CallEntry] = []
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        given = function if isinstance(function, dict) else {}
        arguments = given.get("arguments")
        shown = arguments if isinstance(arguments, str) else json.dumps(arguments or {})
        made.append(CallEntry(str(given.get("name") or UNNAMED), shown, "unanswered"))
    return made


def bodies_of(events: Sequence[Recorded]) -> list[str]:
    """The bodies that the entries of these events are made from."""
    return [body for recorded in events for body in _bodies(recorded.event)]


def _bodies(event: Event) -> list[str]:
    if not isinstance(event, Message):
        return []
    return [event.ref.body] if event.ref.calls is None else [event.ref.body, event.ref.calls]
