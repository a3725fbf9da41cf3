"""Events as JSON, of this version, of older ones and of newer ones."""

import json
from dataclasses import dataclass
from typing import Any, ClassVar, cast

import pytest

from memory import codec
from memory.codec import UnreadableEvent, UnwritableEvent, decode, encode
from memory.events import Event, Message, RequestEnded, SessionRenamed
from memory.vocabulary import ALL_EVENTS
from tests.memory.doubles import ref


def test_every_kind_has_one_name_and_a_version() -> None:
    """STORE-1: kinds are stable names."""
    kinds = [event.KIND for event in ALL_EVENTS]

    assert len(set(kinds)) == len(kinds)
    assert all(event.KIND and event.VERSION >= 1 for event in ALL_EVENTS)


def test_kind_and_version_are_columns_not_data() -> None:
    """STORE-1: what says how to read the data does not stand in it."""
    assert json.loads(encode(SessionRenamed("new"))) == {"title": "new"}


@dataclass(frozen=True, slots=True)
class Third(SessionRenamed):
    """A title that was a name in version 1 and had no case in version 2."""

    VERSION: ClassVar[int] = 3


def rename(data: dict[str, Any]) -> dict[str, Any]:
    return {"title": data["name"]}


def capitalise(data: dict[str, Any]) -> dict[str, Any]:
    return {"title": data["title"].capitalize()}


@pytest.fixture
def third_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in which renaming is in its third form."""
    kind = SessionRenamed.KIND
    monkeypatch.setattr(codec, "KINDS", {**codec.KINDS, kind: Third})
    monkeypatch.setitem(codec.UPCASTERS, (kind, 1), rename)
    monkeypatch.setitem(codec.UPCASTERS, (kind, 2), capitalise)


@pytest.mark.parametrize(
    ("version", "data"),
    [(1, {"name": "lisbon"}), (2, {"title": "lisbon"}), (3, {"title": "Lisbon"})],
)
@pytest.mark.usefixtures("third_version")
def test_old_forms_are_brought_up_to_date_step_by_step(version: int, data: dict[str, str]) -> None:
    """STORE-1: a database of any older version opens."""
    assert decode(SessionRenamed.KIND, version, json.dumps(data)) == Third("Lisbon")


@pytest.mark.parametrize(
    ("kind", "version", "data", "says"),
    [
        (SessionRenamed.KIND, 2, '{"title": "x"}', "version 2, which is unknown here"),
        ("prophecy", 1, "{}", "kind 'prophecy'"),
        (SessionRenamed.KIND, 1, "{}", "can't be read"),
        (SessionRenamed.KIND, 1, "not json", "can't be read"),
        (Message.KIND, 1, '{"ref": 3, "origin": "user"}', "can't be read"),
    ],
)
def test_what_cannot_be_read_is_a_clear_error(
    kind: str, version: int, data: str, says: str
) -> None:
    """STORE-1, STORE-4: newer events, unknown kinds and damage each have a sentence."""
    with pytest.raises(UnreadableEvent, match=says):
        decode(kind, version, data)


@pytest.mark.parametrize("data", ["not json", "{}", "[]"])
@pytest.mark.usefixtures("third_version")
def test_a_damaged_old_event_is_a_clear_error(data: str) -> None:
    """STORE-4: upcasting meets damage as reading does."""
    with pytest.raises(UnreadableEvent):
        decode(SessionRenamed.KIND, 1, data)


def test_fields_that_came_later_have_defaults() -> None:
    """STORE-1: a message written before a field was there still reads."""
    event = Message(ref(1), "user")
    assert isinstance(event, Event)
    assert "extra_chars" not in encode(event)
    assert decode(Message.KIND, 1, encode(event)) == event


def test_what_nobody_could_read_again_is_not_written() -> None:
    """STORE-2, CONT-1: one event of a wrong form would close its session for good."""
    with pytest.raises(UnwritableEvent, match=r"ref\.role: Input should be 'system'"):
        encode(Message(ref(1, cast(Any, "robot")), "user"))
    for wrong in (float("nan"), float("inf"), "soon"):
        with pytest.raises(UnwritableEvent, match="duration_s"):
            encode(RequestEnded("r1", 1, "m", "ok", duration_s=cast(Any, wrong)))
