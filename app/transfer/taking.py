"""Takes the conversations of an export in, one after the other, and tells what became of them."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.transfer import chatgpt, claude, lines, own
from app.transfer.elements import Broken, NotJson, Value, values
from app.transfer.fields import Unreadable, counted
from app.transfer.files import Part, UnreadableFile
from app.transfer.messages import UnreadableRecording
from app.transfer.own import KeptFact
from memory.errors import StrataError
from memory.importing import Elsewhere, Importing, NothingSaid
from memory.storage.leases import SessionHeld
from widgets.figures import count

NAMES = {chatgpt.FORMAT: "ChatGPT", claude.FORMAT: "Claude", own.FORMAT: "Strata"}
FORMATS = tuple(NAMES)
MOST_FAILURES = 50
"""Conversations that could not be read, of which each is named."""
SHOWN_FAILURES = 3
UNTITLED = "a conversation without a title"


@dataclass(frozen=True, slots=True)
class Failed:
    """A conversation that was not imported, and why."""

    title: str
    why: str
    whole: bool = True
    """Whether what follows in its file could be read."""


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation of an export."""

    conversation: Elsewhere
    facts: Sequence[KeptFact] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which conversations are wanted, and what they are to be called."""

    format: str | None = None
    """One of `FORMATS`; None for what each one looks like."""
    only: Sequence[str] = ()
    """Titles or ids; all without any."""
    title: str | None = None
    """A title in the place of its own, for the one conversation there may be then."""

    def has(self, conversation: Elsewhere) -> bool:
        """Whether it is one of them."""
        return not self.only or conversation.title in self.only or conversation.id in self.only


@dataclass(slots=True)
class Report:
    """What became of an export."""

    conversations: int = 0
    became: Counter[str] = field(default_factory=Counter)
    """How many are new, had gone on (more), were there, or differ from what is here (changed)."""
    messages: int = 0
    """Messages that were added."""
    left_out: Counter[str] = field(default_factory=Counter)
    failures: int = 0
    broken_off: bool = False
    """Whether a file could not be read to its end."""
    failed: list[Failed] = field(default_factory=list)
    """The first of them."""
    sessions: list[dict[str, Any]] = field(default_factory=list)
    formats: Counter[str] = field(default_factory=Counter)

    def fail(self, failed: Failed) -> None:
        """One more that was not imported."""
        self.conversations += 1
        self.failures += 1
        self.broken_off |= not failed.whole
        if len(self.failed) < MOST_FAILURES:
            self.failed.append(failed)

    def document(self) -> dict[str, Any]:
        """The same for a program."""
        return {
            "conversations": self.conversations,
            "formats": dict(self.formats),
            "imported": self.became["new"],
            "extended": self.became["more"],
            "there": self.became["there"],
            "changed": self.became["changed"],
            "failed": [{"title": each.title, "why": each.why} for each in self.failed],
            "failures": self.failures,
            "messages": self.messages,
            "left_out": dict(self.left_out),
            "sessions": self.sessions,
        }

    def lines(self) -> list[str]:
        """The same for a person."""
        new = self.became["new"]
        lines = [f"Imported {count(new, 'conversation')}, {count(self.messages, 'message')}."]
        if self.became["more"]:
            lines.append(f"Gone on since: {self.became['more']:,}.")
        if self.became["there"]:
            lines.append(f"Here already: {self.became['there']:,}.")
        if self.became["changed"]:
            lines.append(
                f"Went on otherwise here or there, left as it is: {self.became['changed']:,}."
            )
        if self.left_out:
            parts = (counted(what, number) for what, number in sorted(self.left_out.items()))
            lines.append(f"Left out: {', '.join(parts)}.")
        named = self.failed[:SHOWN_FAILURES]
        lines += [f"Not imported: {failed.title}: {failed.why}" for failed in named]
        if self.failures > SHOWN_FAILURES:
            lines.append(f"Not imported in all: {self.failures:,}. --json names them.")
        return lines


def found_in(parts: Sequence[Part], selection: Selection) -> Iterator[Found | Failed]:
    """The conversations that are wanted of an export, and those that can't be read."""
    for part in parts:
        try:
            for found in _of_part(part, selection):
                if isinstance(found, Failed) or selection.has(found.conversation):
                    yield found
        except (NotJson, UnreadableFile, UnreadableRecording) as error:
            yield Failed(part.name, str(error).removeprefix(part.name).strip(), whole=False)


def _of_part(part: Part, selection: Selection) -> Iterator[Found | Failed]:
    if part.title is not None:
        yield Found(lines.conversation(part))
        return
    for each in values(part.chunks(), part.name):
        where = f"conversation {each.place} of {part.name}"
        if isinstance(each, Broken):
            yield Failed(where, f"{each.why}.")
        else:
            yield _read(each.value, where, selection)


async def are_chats(parts: Sequence[Part]) -> bool:
    """Whether an export is of conversations, by the first value in it, or a broken list."""

    def look() -> bool:
        try:
            first = next(values(parts[0].chunks(), parts[0].name), None)
        except NotJson:
            return next(parts[0].chunks(), "").lstrip().startswith("[")
        return isinstance(first, Value) and shape_of(first.value) is not None

    several = len(parts) > 1 or parts[0].title is not None
    return several or await asyncio.to_thread(look)


def shape_of(value: object) -> str | None:
    """The format that a JSON value is a conversation of."""
    if own.is_session(value):
        return own.FORMAT
    if chatgpt.is_conversation(value):
        return chatgpt.FORMAT
    return claude.FORMAT if claude.is_conversation(value) else None


def _read(value: object, where: str, selection: Selection) -> Found | Failed:
    shape = shape_of(value)
    if shape is None or not isinstance(value, dict):
        return Failed(where, "it has the form of no conversation.")
    if selection.format not in (None, shape):
        return Failed(where, f"it is not {NAMES[selection.format or shape]}'s.")
    try:
        return _found(value, shape)
    except Unreadable as error:
        return Failed(where, error.sentence)
    except (TypeError, ValueError, LookupError, AttributeError, RecursionError):
        # The form of exports is written down nowhere; one oddity must not cost the others.
        return Failed(where, f"it is not as {NAMES[shape]} writes them.")


def _found(value: Mapping[str, Any], shape: str) -> Found:
    if shape == chatgpt.FORMAT:
        return Found(chatgpt.read(value))
    if shape == claude.FORMAT:
        return Found(claude.read(value))
    return Found(own.read(value), own.read_facts(value))


async def in_turn(found: Iterator[Found | Failed]) -> AsyncIterator[Found | Failed]:
    """Each of what is found, read in a thread so that the screen goes on."""
    while (each := await asyncio.to_thread(next, found, None)) is not None:
        yield each


async def take_all(
    importing: Importing,
    parts: Sequence[Part],
    selection: Selection,
    *,
    tell: Callable[[Report], None] = lambda report: None,
    learn: Callable[[str, Sequence[KeptFact]], Any] | None = None,
) -> Report:
    """Imports what is wanted of an export.

    Args:
        importing: Where to.
        parts: The texts of the export.
        selection: What is wanted.
        tell: Hears how far it has got, after each conversation.
        learn: Takes over the facts of a session that is new, given its id.

    Raises:
        StorageError: The database refused; what was imported before stays.
    """
    report = Report()
    async for each in in_turn(found_in(parts, selection)):
        if isinstance(each, Failed):
            report.fail(each)
        else:
            session = await _take(importing, each, selection, report)
            if learn is not None and each.facts and session is not None:
                await learn(session, each.facts)
        tell(report)
    return report


async def _take(
    importing: Importing, found: Found, selection: Selection, report: Report
) -> str | None:
    """Imports a conversation; returns the session's id where it is new."""
    conversation = found.conversation
    shown = conversation.title[:80] or UNTITLED
    if selection.title is not None:
        if report.conversations:
            raise SeveralConversations
        id = f"{conversation.id} as {selection.title}"
        conversation = replace(conversation, title=selection.title, id=id, own=False)
    try:
        taken = await importing.take(conversation)
    except (NothingSaid, SessionHeld) as error:
        report.fail(Failed(shown, str(error)))
        return None
    report.conversations += 1
    report.formats[conversation.format] += 1
    report.became[taken.how] += 1
    report.messages += taken.messages
    if taken.how == "new":
        report.left_out.update(conversation.left_out)
    report.sessions.append(
        {
            "session": taken.session, "title": conversation.title, "how": taken.how,
            "messages": taken.messages, "left_out": dict(conversation.left_out),
        }
    )  # fmt: skip
    return taken.session if taken.how == "new" else None


class SeveralConversations(StrataError):
    """One name for several sessions."""

    def __init__(self) -> None:
        super().__init__(
            "The export holds several conversations, and one name was given for them.",
            "Leave --session out, or choose one with --only TITLE. The first one is imported.",
        )
