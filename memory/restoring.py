"""Lets an empty session go on from where the vault's file of another one had got."""

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


async def restore(journal: Journal, kept: KeptSession) -> None:
    """Appends a kept session in one transaction: its summaries, then its messages.

    Raises:
        SessionNotEmpty: Something was said in the session; nothing was written.
        StorageError: The database refused; nothing was written.
    """
    bodies: dict[str, Cleaned] = {}
    restored = _restored(kept, bodies)
    messages = [_cleaned(message, bodies).event(message.number) for message in kept.window]
    pins = [_pin(pin, bodies) for pin in kept.strata.pins]
    work = list(Restored(bodies).events(kept.strata.work, kept.tasks))

    def make(state: State) -> tuple[list[Event], dict[str, Cleaned]]:
        if state.messages:
            raise SessionNotEmpty(state.title or kept.session)
        return [restored, *messages, *pins, *work], bodies

    await journal.append(make)


def _restored(kept: KeptSession, bodies: dict[str, Cleaned]) -> SessionRestored:
    own = kept.strata
    return SessionRestored(
        source=Door().clean(kept.session).text,
        covered=kept.covered,
        long_term=_summary(own.long_term, bodies),
        short_term=_summary(own.short_term, bodies),
        pinned=tuple(_pinned(message, bodies) for message in own.pinned),
        last_cascade=own.last_cascade,
        automatic_waits=own.automatic_waits,
    )


def _summary(kept: KeptSummary | None, bodies: dict[str, Cleaned]) -> SummaryRef | None:
    if kept is None:
        return None
    body = new_id()
    bodies[body] = Door().clean(kept.text)
    return SummaryRef(
        body=body,
        first=kept.first,
        last=kept.last,
        version=kept.version,
        by=kept.by,
        made_at=Door().clean(kept.time).text,
        model=None if kept.model is None else Door().clean(kept.model).text,
        tokens=kept.tokens,
        details=_details(kept, bodies),
        details_tokens=kept.details_tokens if kept.details else 0,
    )


def _details(kept: KeptSummary, bodies: dict[str, Cleaned]) -> str | None:
    if not kept.details:
        return None
    body = new_id()
    bodies[body] = Door().clean(kept.details)
    return body


def _pin(kept: KeptPin, bodies: dict[str, Cleaned]) -> Pinned:
    body = new_id()
    bodies[body] = Door().clean(kept.text)
    return Pinned(new_id(), body, len(bodies[body].text), kept.number, kept.whole)


def _pinned(kept: KeptMessage, bodies: dict[str, Cleaned]) -> MessageRef:
    return _cleaned(kept, bodies).event(kept.number).ref


def _cleaned(kept: KeptMessage, bodies: dict[str, Cleaned]) -> CleanedMessage:
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
        )
    )
    bodies.update(cleaned.bodies)
    return cleaned
