"""Lets an empty session go on from where the vault's file of another one had got."""

from dataclasses import dataclass

from memory.answer import CleanedMessage, NewMessage
from memory.errors import StrataError
from memory.events import Event, Pinned, SessionRestored
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import MessageRef, SummaryRef
from memory.privacy import Cleaned, Door
from memory.state import State
from memory.vault_reading import KeptMessage, KeptPin, KeptSession, KeptSummary
from memory.work_restoring import Restored


class SessionNotEmpty(StrataError):
    """A session can only be restored where nothing was said yet."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a session named {name!r} already.",
            "Restore under another name with --session NAME.",
        )


@dataclass(frozen=True, slots=True)
class _Writing:
    """The texts of what comes back."""

    door: Door
    bodies: dict[str, Cleaned]

    def text(self, text: str) -> str:
        """Takes a text; the id of its body."""
        body = new_id()
        self.bodies[body] = self.door.clean(text)
        return body

    def name(self, name: str) -> str:
        """A name as an event may hold it."""
        return self.door.clean(name).text


async def restore(journal: Journal, kept: KeptSession) -> None:
    """Appends a kept session in one transaction: its summaries, then its messages.

    Raises:
        SessionNotEmpty: Something was said in the session; nothing was written.
        StorageError: The database refused; nothing was written.
    """
    into = _Writing(journal.door, {})
    restored = _restored(kept, into)
    messages = [_cleaned(message, into).event(message.number) for message in kept.window]
    pins = [_pin(pin, into) for pin in kept.strata.pins]
    work = list(Restored(into.bodies, into.door).events(kept.strata.work, kept.tasks))

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
        if state.messages:
            raise SessionNotEmpty(state.title or kept.session)
        return [restored, *messages, *pins, *work], into.bodies

    await journal.append(make)


def _restored(kept: KeptSession, into: _Writing) -> SessionRestored:
    own = kept.strata
    return SessionRestored(
        source=into.name(kept.session),
        covered=kept.covered,
        long_term=_summary(own.long_term, into),
        short_term=_summary(own.short_term, into),
        pinned=tuple(_pinned(message, into) for message in own.pinned),
        last_cascade=own.last_cascade,
        automatic_waits=own.automatic_waits,
    )


def _summary(kept: KeptSummary | None, into: _Writing) -> SummaryRef | None:
    if kept is None:
        return None
    return SummaryRef(
        body=into.text(kept.text),
        first=kept.first,
        last=kept.last,
        version=kept.version,
        by=kept.by,
        made_at=into.name(kept.time),
        model=None if kept.model is None else into.name(kept.model),
        tokens=kept.tokens,
        details=_details(kept, into),
        details_tokens=kept.details_tokens if kept.details else 0,
    )


def _details(kept: KeptSummary, into: _Writing) -> str | None:
    return into.text(kept.details) if kept.details else None


def _pin(kept: KeptPin, into: _Writing) -> Pinned:
    body = into.text(kept.text)
    return Pinned(new_id(), body, len(into.bodies[body].text), kept.number, kept.whole)


def _pinned(kept: KeptMessage, into: _Writing) -> MessageRef:
    return _cleaned(kept, into).event(kept.number).ref


def _cleaned(kept: KeptMessage, into: _Writing) -> CleanedMessage:
    more = kept.metadata
    cleaned = CleanedMessage.of(
        NewMessage(
            kept.role,
            kept.content,
            "import",
            tool_calls=more.tool_calls,
            tool_call_id=more.tool_call_id,
            reasoning=more.reasoning,
            interrupted=more.interrupted,
        ),
        into.door,
    )
    into.bodies.update(cleaned.bodies)
    return cleaned
