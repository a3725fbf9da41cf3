"""Helpers: sessions that are begun for a task of another one (CHAT-11)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory.agent_events import Delegated, HelpingBegun
from memory.answer import NewMessage
from memory.content.digests import item_type
from memory.content_sharing import SharedContent
from memory.content_store import Content
from memory.events import Message
from memory.journal import Journal
from memory.parts import MemoryScope, MessageRef
from memory.results import called_tools
from memory.state import State
from memory.storage.checkpoints import state_at
from memory.storage.database import Database
from memory.storage.log import Log
from memory.storage.sessions import SessionInfo, Sessions

TAG = "helper"
"""Tag of what a helper has stored with its owner."""
Progress = Literal["working", "done", "not done"]


@dataclass(frozen=True, slots=True)
class HelperInfo:
    """A helper of a session, as lists show it."""

    number: int
    """Its place among the session's helpers, the first one is 1."""
    session: SessionInfo
    scope: MemoryScope
    progress: Progress


async def begin(
    owner: Journal, owner_info: SessionInfo, helper: Journal, scope: MemoryScope, call: str
) -> None:
    """Records on both sides that a session begins to work for another one.

    The helper's first: where a crash falls between, nothing names a session that is not there.

    Args:
        owner: Whom it works for.
        owner_info: The owner's line in the list.
        helper: The helper's session, in which nothing was said yet.
        scope: What it has of the owner's memory.
        call: The tool call that asked for it; empty where the user did.

    Raises:
        ReadOnly, Conflict, StorageError: It has not begun.
    """
    begun = HelpingBegun(owner_info.id, owner.log.branch, scope)
    await helper.append(lambda _: ([begun], {}))
    stream = await Sessions(helper.database).at(helper.log.branch)
    delegated = Delegated(call, stream.id, helper.log.branch, scope)
    await owner.append(lambda _: ([delegated], {}))


async def content_for(
    helper: Journal, owner: Content, scope: MemoryScope
) -> tuple[Content, dict[str, str]]:
    """The content store that a helper works with.

    Returns:
        The store; and from each id in a copy to the id of what was copied.

    Raises:
        ReadOnly, Conflict, StorageError: The copy of a snapshot could not be made.
    """
    if scope == "shared":
        return SharedContent(helper, owner), {}
    content = Content(helper)
    if scope == "isolated":
        return content, {}
    ids = await content.restore(await owner.snapshot())
    return content, {here: there for there, here in ids.items()}


async def kept_by_owner(
    content: Content | None, journal: Journal, messages: Sequence[NewMessage]
) -> list[NewMessage]:
    """The messages, their tool results stored with the owner first where a helper shares it.

    So a receipt here cites what can be retrieved there as well (I10).

    Raises:
        ReadOnly, Conflict, StorageError: A result could not be stored.
    """
    owner = content.working_for if isinstance(content, SharedContent) else None
    if owner is None:
        return list(messages)
    ids = {message.tool_call_id or "" for message in messages if message.role == "tool"}
    tools = called_tools(journal.state, journal.texts, ids - {""}, journal.door)
    return [await _kept(owner, new, tools.get(new.tool_call_id or "", "")) for new in messages]


async def _kept(owner: Content, new: NewMessage, tool: str) -> NewMessage:
    kept = new.kept
    if new.role != "tool" or not new.content or kept.cites is not None:
        return new
    item = await owner.store(
        new.content, kept.type or item_type(tool), kept.source or tool, (*kept.tags, TAG)
    )
    return replace(new, kept=replace(kept, cites=item.id))


async def helpers_of(database: Database, session: str) -> list[HelperInfo]:
    """The helpers of a session, the first one first.

    Raises:
        StorageError: The database refused.
    """
    infos = (await Sessions(database).helpers(session))[::-1]
    return [await _helper(database, number, info) for number, info in enumerate(infos, start=1)]


async def helper_of(journal: Journal, session: str, message: int) -> int | None:
    """The number of the helper whose answer a message is; None where it is of none.

    Raises:
        StorageError: The database refused.
    """
    for said in await journal.log.messages(message, message):
        call = said.event.ref.answers if isinstance(said.event, Message) else None
        begun = await journal.log.read(0, said.n, (Delegated.KIND,))
        events = [e.event for e in begun if isinstance(e.event, Delegated)]
        sessions = [event.session for event in events if event.call == call]
        ids = [info.id for info in await Sessions(journal.database).helpers(session)][::-1]
        if call and sessions and sessions[-1] in ids:
            return ids.index(sessions[-1]) + 1
    return None


async def _helper(database: Database, number: int, info: SessionInfo) -> HelperInfo:
    state = await state_at(database, await Log.open(database, info.branch))
    scope = state.helping.scope if state.helping else "isolated"
    return HelperInfo(number, info, scope, _progress(info, state))


def _progress(info: SessionInfo, state: State) -> Progress:
    if info.holder is not None:
        return "working"
    said = state.folding.verbatim
    return "done" if said and is_answer(said[-1]) else "not done"


def is_answer(ref: MessageRef) -> bool:
    """Whether a message answers to the end: it calls nothing, and nobody interrupted it."""
    return ref.role == "assistant" and not ref.call_ids and not ref.interrupted
