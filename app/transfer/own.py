"""Strata's own JSON: a session with all that was said in it. Pure."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.transfer.fields import SUMMARIES, Unreadable, moment, text
from memory.answer import NewMessage
from memory.importing import Elsewhere
from memory.parts import Role
from memory.vault_reading import KeptPin
from memory.vault_work import KeptTask, KeptWork

FORMAT = "strata"
VERSION = 1
KEY = "strata_session"
"""The member by which such a session is known; its value is the version."""
MOST_FACTS = 10_000


class _Part(BaseModel):
    """Whatever else stands in the file is not for us."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Message(_Part):
    number: int | None = None
    role: Role
    content: str = ""
    at: str | None = None
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    tool_call_id: str | None = None
    interrupted: bool = False


class KeptFact(_Part):
    """A fact that was learned in the session."""

    text: str = Field(min_length=1)
    valid_from: str
    importance: Annotated[float, Field(ge=0, le=1)] = 0.5
    pinned: bool = False


class _Session(_Part):
    version: int = Field(alias="strata_session")
    session: str = Field(min_length=1)
    title: str | None = None
    started_at: str | None = None
    models: list[str] = Field(default_factory=list)
    messages: list[_Message]
    pins: list[KeptPin] = Field(default_factory=list)
    summaries: list[dict[str, Any]] = Field(default_factory=list)
    work: KeptWork = Field(default_factory=KeptWork)
    tasks: list[KeptTask] = Field(default_factory=list)


def is_session(document: object) -> bool:
    """Whether a JSON value is a session that Strata has exported."""
    return isinstance(document, dict) and KEY in document


def read(document: Mapping[str, Any]) -> Elsewhere:
    """The session; its summaries stay behind, since all that they stand for is there.

    Raises:
        Unreadable: A newer Strata wrote it, or it is damaged.
    """
    title = text(document.get("title"))[:80] or text(document.get("session"))[:80]
    version = document.get(KEY)
    if isinstance(version, int) and version > VERSION:
        raise Unreadable(f"A newer Strata wrote the session {title!r}.")
    try:
        kept = _Session.model_validate(document)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, fault["loc"]))
        raise Unreadable(f"The session {title!r} is damaged: {place}: {fault['msg']}.") from error
    places = {message.number: place for place, message in enumerate(kept.messages, start=1)}
    pins = [
        pin.model_copy(update={"number": places.get(pin.number) if pin.number else None})
        for pin in kept.pins
    ]
    left_out = {SUMMARIES: len(kept.summaries)} if kept.summaries else {}
    return Elsewhere(
        FORMAT,
        kept.session,
        kept.title or "",
        [_new(message) for message in kept.messages],
        started_at=moment(kept.started_at),
        models=kept.models,
        left_out=left_out,
        pins=pins,
        work=kept.work,
        tasks=kept.tasks,
        own=True,
    )


def read_facts(document: Mapping[str, Any]) -> Sequence[KeptFact]:
    """The facts of a session that can be kept."""
    facts: list[KeptFact] = []
    listed = document.get("facts")
    for fact in (listed if isinstance(listed, list) else [])[:MOST_FACTS]:
        try:
            facts.append(KeptFact.model_validate(fact))
        except ValidationError:
            continue
    return facts


def _new(message: _Message) -> NewMessage:
    return NewMessage(
        message.role,
        message.content,
        "import",
        tool_calls=message.tool_calls,
        tool_call_id=message.tool_call_id,
        interrupted=message.interrupted,
        said_at=moment(message.at),
    )
