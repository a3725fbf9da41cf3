"""A question left without any answer: a kill came first, or the server failed (STORE-2)."""

from memory.events import Message
from memory.memory import Memory

UNANSWERED = "Your last message was not answered. @retry asks it again."


async def unanswered_note(memory: Memory) -> str:
    """What the user should know of it when the session is opened; empty where there is nothing.

    Raises:
        StorageError: The database refused.
    """
    last = memory.state.messages
    if memory.read_only or not last:
        return ""
    for entry in await memory.messages(last, last):
        said = entry.event
        if isinstance(said, Message) and (said.ref.role, said.origin) == ("user", "user"):
            return UNANSWERED
    return ""
