"""Claude's data export: messages one after the other, made of blocks. Pure.

The form is written down nowhere. What is read here was seen in exports of 2024 to 2026: messages
with `text`, later with `content` blocks, attachments with the text that was taken of them, and
`parent_message_uuid` where a question was asked anew.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from app.transfer import fields
from app.transfer.fields import LeftOut, Unreadable, entries, moment, name, path_to, table, text
from memory.answer import NewMessage
from memory.importing import Elsewhere

FORMAT = "claude"
QUIET = ("token_budget", "flag")
"""Blocks that say nothing."""


def is_conversation(document: object) -> bool:
    """Whether a JSON value has the shape of a conversation of this export."""
    return isinstance(document, dict) and "chat_messages" in document


def read(document: Mapping[str, Any]) -> Elsewhere:
    """The conversation as it stood on the screen last; other branches are counted.

    Raises:
        Unreadable: It is no such conversation.
    """
    title = text(document.get("name"))
    if not isinstance(document.get("chat_messages"), list):
        raise Unreadable(f"The conversation {title[:80]!r} has no list of messages.")
    all_of_it = [table(message) for message in document["chat_messages"]]
    left_out = LeftOut()
    way = _way(document, all_of_it, title[:80])
    left_out[fields.BRANCHES] += len(all_of_it) - len(way)
    reading = _Reading(left_out)
    for message in way:
        reading.take(message)
    return Elsewhere(
        FORMAT,
        name(document.get("uuid")) or f"begun {text(document.get('created_at'))} {title}",
        title,
        reading.messages,
        reading.marks,
        moment(document.get("created_at")),
        tuple(filter(None, [text(document.get("model"))])),
        +left_out,
    )


def _way(
    document: Mapping[str, Any], messages: list[Mapping[str, Any]], title: str
) -> list[Mapping[str, Any]]:
    """The messages of the branch that was looked at last; all where there is one branch."""
    nodes = {text(message.get("uuid")): message for message in messages}
    parents = {id: text(node.get("parent_message_uuid")) for id, node in nodes.items()}
    following = [parent for parent in parents.values() if parent]
    if len(nodes) < len(messages) or "" in nodes or len(following) == len(set(following)):
        return messages
    leaf = text(document.get("current_leaf_message_uuid"))
    leaf = leaf if leaf in nodes else text(messages[-1].get("uuid"))
    return [nodes[id] for id in path_to(leaf, parents, title)]


@dataclass(slots=True)
class _Reading:
    """The messages of the way, one after the other."""

    left_out: LeftOut
    messages: list[NewMessage] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    calls: int = 0

    def take(self, message: Mapping[str, Any]) -> None:
        """Adds what a message says: one message, or several where tools were called in it."""
        at = moment(message.get("created_at"))
        human = message.get("sender") in ("human", "user")
        before = len(self.messages)
        if human:
            said = [self._texts(message), *self._attached(message)]
            self._add(NewMessage("user", "\n\n".join(filter(None, said)), "import", said_at=at))
        else:
            for new in self._answer(message, at):
                self._add(new)
        self.left_out[fields.FILES] += len(entries(message.get("files")))
        id = name(message.get("uuid"))
        added = len(self.messages) - before
        self.marks += [f"{id}/{place}" for place in range(added)]
        if not added:
            self.left_out[fields.EMPTY] += 1

    def _add(self, new: NewMessage) -> None:
        if new.content.strip() or new.tool_calls or new.role == "tool":
            self.messages.append(new)

    def _texts(self, message: Mapping[str, Any]) -> str:
        blocks = [table(block) for block in entries(message.get("content"))]
        said = [text(block.get("text")) for block in blocks if block.get("type") == "text"]
        for block in blocks:
            self._count(block)
        return "\n\n".join(filter(None, said)) or text(message.get("text"))

    def _attached(self, message: Mapping[str, Any]) -> Iterator[str]:
        """The attachments whose text the export has."""
        for attachment in map(table, entries(message.get("attachments"))):
            inside = text(attachment.get("extracted_content"))
            if inside.strip():
                yield f"Attached: {name(attachment.get('file_name')) or 'a text'}\n\n{inside}"
            else:
                self.left_out[fields.FILES] += 1

    def _answer(self, message: Mapping[str, Any], at: str | None) -> Iterator[NewMessage]:
        """An answer, cut where tools have answered, so that each call stands before its result."""
        said: list[str] = []
        calls: list[dict[str, Any]] = []
        blocks = [table(block) for block in entries(message.get("content"))]
        if not any(block.get("type") in ("text", "tool_use", "tool_result") for block in blocks):
            said.append(text(message.get("text")))
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                said.append(text(block.get("text")))
            elif kind == "tool_use":
                self.calls += 1
                calls.append(_call(block, self.calls))
            elif kind == "tool_result":
                asked = _asked(block, calls)
                if said or calls:
                    yield _assistant(said, calls, at)
                    said, calls = [], []
                answer = _result(block.get("content"), self.left_out)
                yield NewMessage("tool", answer, "import", tool_call_id=asked, said_at=at)
            else:
                self._count(block)
        yield _assistant(said, calls, at)

    def _count(self, block: Mapping[str, Any]) -> None:
        kind = text(block.get("type"))
        if kind in ("text", "tool_use", "tool_result", *QUIET):
            return
        if "thinking" in kind:
            self.left_out[fields.REASONING] += 1
        elif kind in ("image", "document"):
            self.left_out[fields.IMAGES if kind == "image" else fields.FILES] += 1
        else:
            self.left_out[fields.OTHER] += 1


def _assistant(said: list[str], calls: list[dict[str, Any]], at: str | None) -> NewMessage:
    words = "\n\n".join(filter(None, said))
    return NewMessage("assistant", words, "import", tool_calls=tuple(calls), said_at=at)


def _call(block: Mapping[str, Any], place: int) -> dict[str, Any]:
    arguments = json.dumps(block.get("input") or {}, ensure_ascii=False)
    function = {"name": name(block.get("name")), "arguments": arguments}
    return {
        "id": name(block.get("id")) or f"call_{place}",
        "type": "function",
        "function": function,
    }


def _asked(block: Mapping[str, Any], calls: list[dict[str, Any]]) -> str | None:
    """The call that a result answers: the one it names, else the one before it."""
    wanted = name(block.get("tool_use_id"))
    return wanted or (str(calls[-1]["id"]) if calls else None)


def _result(content: object, left_out: LeftOut) -> str:
    if isinstance(content, str):
        return content
    blocks = [table(block) for block in entries(content)]
    for block in blocks:
        if not isinstance(block.get("text"), str):
            left_out[fields.IMAGES if block.get("type") == "image" else fields.OTHER] += 1
    return "\n".join(filter(None, (text(block.get("text")) for block in blocks)))
