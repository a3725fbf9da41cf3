"""Reads a session back from the vault's JSON. Pure."""

import re
from collections.abc import Iterable
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from memory.clock import parse_time
from memory.errors import StrataError
from memory.parts import Role, SummaryBy
from memory.vault import VERSION
from memory.vault_work import KeptTask, KeptWork

Number = Annotated[int, Field(ge=1, le=2**53)]
LARGEST_COUNT = 2**53


class UnreadableContext(StrataError):
    """A file is no session that the vault has kept."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"{name} can't be restored as a session: {why}",
            "Nothing was imported, and the file is as it was.",
        )


class _Part(BaseModel):
    """Whatever else stands in the file is not for us."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class KeptSummary(_Part):
    """A summary and the messages it stands for (inclusive)."""

    first: Number = Field(alias="from")
    last: Number = Field(alias="to")
    tokens: Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
    version: Number
    by: SummaryBy
    model: str | None
    time: str
    text: str
    details: str = ""
    details_tokens: int = 0

    @model_validator(mode="after")
    def _sound(self) -> Self:
        if self.first > self.last:
            raise ValueError("a range that does not end before it begins")
        try:
            known = parse_time(self.time).tzinfo is not None
        except ValueError:
            known = False
        if not known:
            raise ValueError("a time such as 2026-01-31T12:00:00.000Z")
        return self


class KeptMetadata(_Part):
    """What S1's shape has no place for."""

    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    tool_call_id: str | None = None
    reasoning: dict[str, Any] | None = None
    interrupted: bool = False


class KeptMessage(_Part):
    """A message that stood word for word."""

    number: Number
    role: Role
    content: str
    metadata: KeptMetadata = Field(default_factory=KeptMetadata)


class KeptPin(_Part):
    """A text that stays word for word."""

    text: str = Field(min_length=1)
    number: Number | None
    whole: bool


class _Strata(_Part):
    version: Number
    agent: str
    title: str | None
    messages: Number
    long_term: KeptSummary | None
    short_term: KeptSummary | None
    pinned: list[KeptMessage]
    pins: list[KeptPin] = Field(default_factory=list)
    last_cascade: Annotated[int, Field(ge=0, le=LARGEST_COUNT)]
    automatic_waits: bool
    work: KeptWork = Field(default_factory=KeptWork)


class KeptSession(_Part):
    """A session as the vault has kept it: whole, without a gap."""

    session: str = Field(alias="session_id", min_length=1)
    window: list[KeptMessage] = Field(alias="recent_history")
    tasks: list[KeptTask] = Field(alias="active_tasks", default_factory=list)
    strata: _Strata

    @property
    def covered(self) -> int:
        """The newest message that only a summary stands for; 0 where there is none."""
        return self.strata.messages - len(self.window)

    @model_validator(mode="after")
    def _without_a_gap(self) -> Self:
        """I1: every message is under one summary or word for word, each once."""
        kept = self.strata
        spans = [(s.first, s.last) for s in (kept.long_term, kept.short_term) if s]
        spans += [(message.number, message.number) for message in self.window]
        following = _end(spans)
        if following != kept.messages + 1:
            raise ValueError(f"all of its {kept.messages} messages, each once and in order")
        if any(m.number > self.covered for m in kept.pinned):
            raise ValueError("as pinned only messages that have left the window")
        if kept.last_cascade > kept.messages:
            raise ValueError("no cascade after its last message")
        return self


def is_context(document: Any) -> bool:
    """Whether a JSON document has the shape of the vault's sessions (S1's)."""
    return isinstance(document, dict) and {"session_id", "recent_history"} <= document.keys()


def looks_like_context(text: str) -> bool:
    """Whether a text that is no JSON document begins as the vault's sessions do."""
    return re.match(r'\s*\{\s*"session_id"\s*:', text) is not None


def read_context(document: Any, name: str) -> KeptSession:
    """The session in a JSON document of the vault.

    Args:
        document: The document, parsed.
        name: What its file is called, for messages.

    Raises:
        UnreadableContext: It is damaged, of a newer version, or not Strata's.
    """
    own = document.get("strata") if isinstance(document, dict) else None
    if not isinstance(own, dict):
        raise UnreadableContext(name, "it does not say which messages its summary stands for.")
    if isinstance(own.get("version"), int) and own["version"] > VERSION:
        raise UnreadableContext(name, "a newer Strata wrote it.")
    try:
        return KeptSession.model_validate(document)
    except ValidationError as error:
        raise UnreadableContext(name, _first_fault(error)) from error


def _end(spans: Iterable[tuple[int, int]]) -> int:
    """The number after the last of ranges that follow one another; 0 where they do not."""
    following = 1
    for first, last in spans:
        if first != following:
            return 0
        following = last + 1
    return following


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    reason = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "value_error":
        return f"it must hold {reason}." if not place else f"{place} must hold {reason}."
    return f"{place}: {reason[:1].lower()}{reason[1:]}."
