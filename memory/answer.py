"""An answer while it streams: saved as a draft, closed as a message (STORE-2)."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from memory import telemetry
from memory.compaction.micro import pasted_part
from memory.errors import StrataError
from memory.events import Event, Message
from memory.finishing import finish
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import MessageRef, Origin, Role
from memory.privacy import Cleaned, Door, replaced_in
from memory.results import KeptAs, called_tools, name_of_call, with_items
from memory.state import State
from memory.storage.drafts import Draft
from memory.telling import told_of_message

ADDED_AT_ONCE = 500
"""Messages of an import in one transaction."""
LOGGER = logging.getLogger("strata.memory")
DRAFT_SECONDS = 0.1
"""Between two writes of a draft; what was shown for longer than 0.25 s is on disk. What arrives
during a write waits for the next one, and a busy machine may delay either."""


class EmptyMessage(StrataError):
    """A message without any text."""

    def __init__(self) -> None:
        super().__init__("The message is empty.", "Write something first.")


@dataclass(frozen=True, slots=True)
class StoredMessage:
    """A message that is on disk."""

    number: int
    role: Role
    content: str
    at: str
    redacted: int = 0
    kinds: tuple[tuple[str, int], ...] = ()
    """How many secrets of which kind were replaced in it."""
    interrupted: bool = False
    item: str | None = None
    """The content item that keeps its text."""


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to append."""

    role: Role
    content: str
    origin: Origin
    tool_calls: Sequence[Mapping[str, Any]] = ()
    tool_call_id: str | None = None
    reasoning: Mapping[str, Any] | None = None
    interrupted: bool = False
    request: str | None = None
    said_at: str | None = None
    """When it was said, as `memory.clock.format_time` writes it, where that was before now."""
    kept: KeptAs = field(default_factory=KeptAs)


async def append_message(
    journal: Journal, new: NewMessage, *, closes_draft: bool = False
) -> StoredMessage:
    """Appends a message; it is on disk when this returns.

    Raises:
        StorageError: The database refused; nothing was written.
    """
    return (await append_messages(journal, [new], closes_draft=closes_draft))[0]


async def append_messages(
    journal: Journal, news: Sequence[NewMessage], *, closes_draft: bool = False
) -> list[StoredMessage]:
    """Appends messages in one transaction; all are on disk when this returns, or none.

    Raises:
        StorageError: The database refused; nothing was written.
    """
    for new in news:
        await journal.door.ahead(new.content, new.reasoning, new.tool_calls)
    cleaned = [CleanedMessage.of(new, journal.door) for new in news]
    bodies = {id: text for entry in cleaned for id, text in entry.bodies.items()}

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
        events = [
            entry.event(state.messages + place) for place, entry in enumerate(cleaned, start=1)
        ]
        answered = {event.ref.answers for event in events if event.ref.answers}
        tools = called_tools(state, journal.texts, answered, journal.door) if answered else {}
        tools |= {
            id: tool
            for new in news
            for id, tool in (name_of_call(call, journal.door) for call in new.tool_calls)
        }
        kept = [_kept(entry, state) for entry in cleaned]
        return with_items(events, kept, tools, state), bodies

    recorded = await journal.append(make, closes_draft=closes_draft)
    said = [entry for entry in recorded if isinstance(entry.event, Message)]
    return [
        entry.stored(cast(Message, event.event), event.at)
        for entry, event in zip(cleaned, said, strict=True)
    ]


async def append_many(journal: Journal, news: Sequence[NewMessage]) -> list[StoredMessage]:
    """Appends any number of messages, a few hundred in each transaction.

    Raises:
        StorageError: The database refused; what was appended before is kept.
    """
    stored: list[StoredMessage] = []
    for start in range(0, len(news), ADDED_AT_ONCE):
        stored += await append_messages(journal, news[start : start + ADDED_AT_ONCE])
    return stored


@dataclass(frozen=True, slots=True)
class CleanedMessage:
    """A message whose texts have passed the door."""

    new: NewMessage
    ids: Mapping[str, str]
    bodies: Mapping[str, Cleaned]
    call_ids: tuple[str, ...]
    answers: str | None

    @classmethod
    def of(cls, new: NewMessage, door: Door) -> "CleanedMessage":
        """The message with its texts cleaned, and ids for them."""
        cleaned = {"body": door.clean(new.content)}
        for name, value in (("calls", list(new.tool_calls)), ("reasoning", new.reasoning)):
            if value:
                cleaned[name] = door.clean_json(value)
        ids = {name: new_id() for name in cleaned}
        answers = new.tool_call_id
        return cls(
            new,
            ids,
            {ids[name]: entry for name, entry in cleaned.items()},
            tuple(door.clean(str(call.get("id", ""))).text for call in new.tool_calls),
            None if answers is None else door.clean(answers).text,
        )

    @property
    def content(self) -> str:
        """Its text."""
        return self.bodies[self.ids["body"]].text

    @property
    def kinds(self) -> tuple[tuple[str, int], ...]:
        """How many secrets of which kind were replaced in it."""
        return replaced_in(self.bodies.values())

    def event(self, number: int) -> Message:
        """The event that says it, as message `number`."""
        new = self.new
        ref = MessageRef(
            number=number,
            role=new.role,
            body=self.ids["body"],
            chars=len(self.content),
            calls=self.ids.get("calls"),
            call_ids=self.call_ids,
            answers=self.answers,
            reasoning=self.ids.get("reasoning"),
            extra_chars=sum(
                len(self.bodies[id].text) for name, id in self.ids.items() if name != "body"
            ),
            interrupted=new.interrupted,
        )
        kinds = self.kinds
        redacted = sum(many for _, many in kinds)
        return Message(ref, new.origin, new.request, redacted, new.said_at, kinds)

    def stored(self, event: Message, at: str) -> StoredMessage:
        """What is told of it once its event is on disk."""
        ref = event.ref
        return StoredMessage(
            number=ref.number,
            role=ref.role,
            content=self.content,
            at=at,
            redacted=event.redacted,
            kinds=event.kinds,
            interrupted=ref.interrupted,
            item=ref.item,
        )


def _kept(entry: CleanedMessage, state: State) -> KeptAs:
    """How a message is kept beside the conversation: what the user pasted, as pasted text."""
    new = entry.new
    if (new.role, new.origin) != ("user", "user") or state.thresholds is None:
        return new.kept
    part = pasted_part(entry.content, state.thresholds)
    return new.kept if part is None else KeptAs("user", "pasted_text", ("pasted",), part=part)


@dataclass(slots=True)
class Answer:
    """The model's answer to one request, from its first word to the message it becomes."""

    journal: Journal
    request: str
    text: str = ""
    reasoning: str = ""
    _dirtied: bool = False
    """A draft may be on disk."""
    _writing: asyncio.Task[None] | None = None
    _dirty: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def streams(self) -> bool:
        """Whether it has begun and is not closed."""
        return self._writing is not None

    def grow(self, text: str, reasoning: str = "") -> None:
        """Takes what has arrived; it is on disk within a quarter of a second."""
        self.text += text
        self.reasoning += reasoning
        self._dirty.set()
        if self._writing is None:
            self._writing = asyncio.create_task(self._keep_writing(), name="strata draft")

    @telemetry.operation("memory.answer", told_of_message)
    async def close(
        self,
        *,
        interrupted: bool = False,
        tool_calls: Sequence[Mapping[str, Any]] = (),
        reasoning: Mapping[str, Any] | None = None,
    ) -> StoredMessage | None:
        """Makes the draft a message; None where nothing had arrived.

        Raises:
            StorageError: The database refused; the draft stays and is taken up at the next start.
        """
        return await finish(self._close(interrupted, tool_calls, reasoning))

    async def leave(self) -> None:
        """Stops writing; what is on disk stays a draft, which the next start makes a message."""
        writing, self._writing = self._writing, None
        if writing is not None:
            writing.cancel()
            await asyncio.wait({writing})

    async def _close(
        self,
        interrupted: bool,
        tool_calls: Sequence[Mapping[str, Any]],
        reasoning: Mapping[str, Any] | None,
    ) -> StoredMessage | None:
        await self.leave()
        if not self.text and not tool_calls:
            if self._dirtied:
                await self.journal.drop_draft()
            return None
        if reasoning is None and self.reasoning:
            reasoning = {"reasoning_content": self.reasoning}
        new = NewMessage(
            "assistant",
            self.text,
            "model",
            tool_calls=tool_calls,
            reasoning=reasoning,
            interrupted=interrupted,
            request=self.request,
        )
        return await append_message(self.journal, new, closes_draft=True)

    async def _keep_writing(self) -> None:
        while True:
            await self._dirty.wait()
            self._dirty.clear()
            self._dirtied = True
            try:
                await self.journal.write_draft(Draft(self.request, self.text, self.reasoning))
            except StrataError as error:
                # The answer goes on in memory; the next writing, or closing, tries again.
                LOGGER.warning("the draft could not be written: %s", error.sentence)
            await asyncio.sleep(DRAFT_SECONDS)


async def close_orphan(journal: Journal) -> StoredMessage | None:
    """Makes the draft that a killed process left behind a message marked interrupted."""
    draft = await journal.drafts.orphan()
    if draft is None:
        return None
    answer = Answer(journal, draft.request, draft.text, draft.reasoning, _dirtied=True)
    return await answer.close(interrupted=True)
