"""Small exports of other programs, in the shapes that theirs have."""

import json
import zipfile
from pathlib import Path
from typing import Any

MARCH = 1_677_924_000.0
"""2023-03-04T10:00:00Z"""


def node(
    id: str,
    parent: str | None,
    role: str,
    *parts: object,
    kind: str = "text",
    to: str = "all",
    at: float | None = MARCH,
    **more: object,
) -> tuple[str, dict[str, Any]]:
    """A node of ChatGPT's tree."""
    content: dict[str, Any] = {"content_type": kind}
    content |= (
        {"text": parts[0]} if kind in ("code", "execution_output") else {"parts": list(parts)}
    )
    message = {
        "id": id, "author": {"role": role, "name": None, "metadata": {}}, "create_time": at,
        "content": content, "recipient": to, "weight": 1.0, "metadata": {}, **more,
    }  # fmt: skip
    return id, {"id": id, "parent": parent, "children": [], "message": message}


def chatgpt(*nodes: tuple[str, Any], id: str = "c1", **more: object) -> dict[str, Any]:
    """A conversation of ChatGPT's export."""
    root: tuple[str, dict[str, Any]] = (
        "root",
        {"id": "root", "parent": None, "children": [], "message": None},
    )
    return {
        "title": "Lisbon", "create_time": MARCH, "update_time": MARCH, "conversation_id": id,
        "id": id, "current_node": nodes[-1][0] if nodes else "root",
        "mapping": dict((root, *nodes)), **more,
    }  # fmt: skip


def simple(id: str = "c1", title: str = "Lisbon", turns: int = 1) -> dict[str, Any]:
    """A conversation of so many questions and answers."""
    nodes, parent = [], "root"
    for turn in range(turns):
        for role, words in (("user", "Where is it?"), ("assistant", "At the river Tejo.")):
            nodes.append(node(f"{role}{turn}", parent, role, words, at=MARCH + turn))
            parent = f"{role}{turn}"
    return chatgpt(*nodes, id=id, title=title)


def claude(*messages: dict[str, Any], id: str = "k1", **more: object) -> dict[str, Any]:
    """A conversation of Claude's export."""
    return {
        "uuid": id, "name": "Porto", "created_at": "2024-05-01T08:00:00.000000Z",
        "updated_at": "2024-05-01T09:00:00.000000Z", "account": {"uuid": "a"},
        "chat_messages": list(messages), **more,
    }  # fmt: skip


def said(id: str, sender: str, *blocks: object, text: str = "", **more: object) -> dict[str, Any]:
    """A message of Claude's export."""
    content = [{"type": "text", "text": b} if isinstance(b, str) else b for b in blocks]
    return {
        "uuid": id, "sender": sender, "text": text, "content": content,
        "created_at": "2024-05-01T08:00:01.500000+00:00", "attachments": [], "files": [], **more,
    }  # fmt: skip


def zipped(path: Path, **members: object) -> Path:
    """A zip with JSON files; a double underscore in a name is a dot."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, document in members.items():
            archive.writestr(name.replace("__", "."), json.dumps(document))
    return path
