"""Calls of tools in the log, joined with the messages that hold their results. Pure."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from memory.events import Event, Message, Recorded
from widgets.entries import CallEntry

UNNAMED = "tool"


@dataclass(slots=True)
class OpenCalls:
    """The calls of the newest message that made any, as far as nothing has answered them."""

    texts: Mapping[str, str]
    """Bodies of the log by id."""
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
        return CallEntry(call.name, call.arguments, "done", number=event.ref.number, result=text)

    def unanswered(self) -> Iterator[CallEntry]:
        """The calls that nothing answers any more."""
        for call in self._waiting.values():
            yield CallEntry(call.name, call.arguments, "unanswered")
        self._waiting = {}


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
