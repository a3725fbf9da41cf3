"""`strata import --list`: what there is to import, without importing it (STORE-6)."""

from collections.abc import Iterator, Sequence
from typing import Any

from app.commands.output import print_json
from app.transfer.messages import RecordedMessage
from app.transfer.taking import Failed, Found, in_turn
from memory.importing import Importing
from memory.vault_reading import KeptSession
from widgets.figures import count
from widgets.plain import one_line

HERE = {"new": "", "there": ", here", "more": ", has gone on", "changed": ", differs here"}


async def list_chats(importing: Importing, found: Iterator[Found | Failed], *, json: bool) -> int:
    """Tells of each conversation of an export.

    Returns:
        The exit status: 1 where a file breaks off or nothing could be read.
    """
    documents: list[dict[str, Any]] = []
    whole = True
    async for each in in_turn(found):
        if isinstance(each, Failed):
            documents.append({"title": each.title, "problem": each.why})
            whole = whole and each.whole
            continue
        conversation = each.conversation
        documents.append(
            {
                "id": conversation.id,
                "title": conversation.title,
                "messages": len(conversation.messages),
                "started_at": conversation.started_at,
                "state": await importing.look(conversation),
            }
        )
    _print(documents, json=json)
    readable = not documents or any("problem" not in document for document in documents)
    return 0 if whole and readable else 1


def list_messages(title: str, messages: Sequence[RecordedMessage], *, json: bool) -> int:
    """Tells of messages that would become one session, or be put at the end of one."""
    said = (message.at for message in messages if message.at)
    return _one(title, len(messages), next(said, None), json=json)


def list_kept(kept: KeptSession, *, json: bool) -> int:
    """Tells of a session of the vault."""
    title = kept.strata.title or kept.session
    return _one(title, len(kept.window) + kept.covered, None, json=json)


def _one(title: str, messages: int, started_at: str | None, *, json: bool) -> int:
    document = {
        "id": title, "title": title, "messages": messages,
        "started_at": started_at, "state": "new",
    }  # fmt: skip
    _print([document], json=json)
    return 0


def _print(documents: list[dict[str, Any]], *, json: bool) -> None:
    if json:
        print_json({"conversations": documents})
        return
    for document in documents:
        print(one_line(_line(document)))


def _line(document: dict[str, Any]) -> str:
    if "problem" in document:
        return f"{document['title']}: {document['problem']}"
    day = (document["started_at"] or "")[:10].ljust(10)
    said = count(document["messages"], "message")
    title = document["title"] or document["id"]
    return f"{day}  {title}  ({said}{HERE[document['state']]})"
