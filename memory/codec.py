"""Events and states as JSON, and old forms of events brought up to date."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from memory.errors import StrataError
from memory.events import Event
from memory.vocabulary import ALL_EVENTS

Upcaster = Callable[[dict[str, Any]], dict[str, Any]]

KINDS: Mapping[str, type[Event]] = {event.KIND: event for event in ALL_EVENTS}

UPCASTERS: dict[tuple[str, int], Upcaster] = {}
"""From (kind, version) to the function that turns that version's data into the next version's."""


class UnreadableEvent(StrataError):
    """An event in the database is not of a form this version knows."""


class UnwritableEvent(StrataError):
    """A value that no log may hold, since nobody could read the log again."""


def encode(event: Event) -> str:
    """The event's fields as compact JSON, without kind and version, which have columns.

    Raises:
        UnwritableEvent: A value is not of the form that is read.
    """
    adapter = _adapter(type(event))
    data = adapter.dump_json(event, exclude_defaults=True, warnings="none")
    try:
        adapter.validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UnwritableEvent(f"This can't be kept: {place}: {first['msg']}.") from error
    return data.decode()


def decode(kind: str, version: int, data: str | bytes) -> Event:
    """The event of a stored row, upcast to the present form.

    Raises:
        UnreadableEvent: The kind is unknown, newer than this program, or the data doesn't fit it.
    """
    event_type = KINDS.get(kind)
    if event_type is None or version > event_type.VERSION:
        raise UnreadableEvent(
            f"The log holds an event of kind {kind!r}, version {version}, which is unknown here.",
            "Open it with a newer Strata.",
        )
    try:
        if version == event_type.VERSION:
            return _adapter(event_type).validate_json(data)
        return _adapter(event_type).validate_python(upcast(kind, version, json.loads(data)))
    except (ValueError, LookupError, TypeError) as error:
        raise UnreadableEvent(
            f"An event of kind {kind!r} in the log can't be read.",
            "The database may be damaged: keep a copy of it.",
        ) from error


def upcast(kind: str, version: int, data: dict[str, Any]) -> dict[str, Any]:
    """Data of an old version of an event, step by step in the present form."""
    for step in range(version, KINDS[kind].VERSION):
        data = UPCASTERS[kind, step](data)
    return data


def _adapter(event_type: type[Event]) -> TypeAdapter[Event]:
    if event_type not in _ADAPTERS:
        _ADAPTERS[event_type] = TypeAdapter(event_type)
    return _ADAPTERS[event_type]


_ADAPTERS: dict[type[Event], TypeAdapter[Event]] = {}
