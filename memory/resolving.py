"""What the handles of messages name: texts from the log (I10)."""

from collections.abc import Mapping
from typing import cast

from memory.content.handles import MessagesHandle, UnknownItem
from memory.events import Message
from memory.journal import Journal
from memory.parts import MessageRef
from memory.state import State


async def text_of_messages(journal: Journal, named: MessagesHandle) -> str:
    """The text of a message, or of several, each under its number and role.

    Raises:
        UnknownItem: There are no such messages.
        StorageError: The database refused.
    """
    last = min(named.last, journal.state.messages)
    found = await journal.log.messages(named.first, last)
    refs = [cast(Message, entry.event).ref for entry in found]
    if not refs:
        raise _no_messages(named, journal.state)
    bodies = {body for ref in refs for body in (ref.body, ref.calls) if body}
    texts = await journal.bodies.texts(bodies)
    if len(refs) == 1 and not refs[0].calls:
        return texts[refs[0].body]
    return "\n\n".join(_told(ref, texts) for ref in refs)


def _told(ref: MessageRef, texts: Mapping[str, str]) -> str:
    heading = f"Message {ref.number}, {ref.role}:"
    calls = [f"calls {texts[ref.calls]}"] if ref.calls else []
    return "\n".join([heading, *filter(None, [texts[ref.body]]), *calls])


def _no_messages(named: MessagesHandle, state: State) -> UnknownItem:
    which = (
        f"message {named.first}"
        if named.first == named.last
        else f"messages {named.first} to {named.last}"
    )
    if named.last <= state.before_log:
        return UnknownItem(
            f"The text of {which} is not in this log: the session was restored.",
            "The summaries stand for what came before.",
        )
    first = state.before_log + 1
    has = f"It has {first} to {state.messages}." if state.messages >= first else "It is empty."
    return UnknownItem(f"This session has no {which}.", has)
