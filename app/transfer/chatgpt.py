"""ChatGPT's data export: a tree of messages for each conversation. Pure.

The form is written down nowhere. What is read here was seen in exports of 2023 to 2026: the tree
(`mapping`, `current_node`), parts that are no text, calls of tools by `recipient`, hidden context.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.transfer import fields
from app.transfer.fields import LeftOut, Unreadable, entries, moment, name, path_to, table, text
from app.transfer.references import readable
from memory.answer import NewMessage
from memory.importing import Elsewhere

FORMAT = "chatgpt"
REASONING = ("thoughts", "reasoning_recap")
CONTEXT = ("user_editable_context", "model_editable_context")


def is_conversation(document: object) -> bool:
    """Whether a JSON value has the shape of a conversation of this export."""
    return isinstance(document, dict) and "mapping" in document


def read(document: Mapping[str, Any]) -> Elsewhere:
    """The conversation as it stood on the screen last; other branches are counted.

    Raises:
        Unreadable: It is no such conversation.
    """
    title = text(document.get("title"))
    mapping = document.get("mapping")
    if not isinstance(mapping, dict):
        raise Unreadable(f"The conversation {title[:80]!r} has no messages in a tree.")
    nodes = {id: table(node) for id, node in mapping.items()}
    parents = {id: node.get("parent") for id, node in nodes.items()}
    parents = {id: parent if isinstance(parent, str) else None for id, parent in parents.items()}
    way = path_to(_leaf(document, nodes, parents), parents, title[:80])
    reading = _Reading(text(document.get("default_model_slug")))
    for id in way:
        reading.take(id, table(nodes[id].get("message")))
    on_the_way = set(way)
    beside = [node for id, node in nodes.items() if id not in on_the_way]
    reading.left_out[fields.BRANCHES] += sum(map(_is_said, beside))
    return Elsewhere(
        FORMAT,
        name(document.get("conversation_id")) or name(document.get("id")) or _known_by(nodes),
        title,
        reading.messages,
        reading.marks,
        moment(document.get("create_time")),
        tuple(reading.models),
        +reading.left_out,
    )


def _leaf(
    document: Mapping[str, Any],
    nodes: Mapping[str, Mapping[str, Any]],
    parents: Mapping[str, str | None],
) -> str:
    """The node that the conversation ends with; by time where the export does not tell."""
    current = document.get("current_node")
    if isinstance(current, str) and current in nodes:
        return current
    inner = set(parents.values())
    leaves = [id for id in nodes if id not in inner]
    return max(leaves, key=lambda id: _at(nodes[id]) or "", default="")


def _at(node: Mapping[str, Any]) -> str | None:
    return moment(table(node.get("message")).get("create_time"))


def _is_said(node: Mapping[str, Any]) -> bool:
    """Whether a node beside the way is something that a person or a model has said."""
    message = table(node.get("message"))
    role = table(message.get("author")).get("role")
    content = table(message.get("content"))
    return role in ("user", "assistant") and bool(content.get("parts") or content.get("text"))


def _known_by(nodes: Mapping[str, object]) -> str:
    """What tells a conversation without an id from others."""
    return "nodes " + " ".join(sorted(nodes)[:3])


@dataclass(slots=True)
class _Reading:
    """The messages of the way, one after the other."""

    model: str
    """The model of the conversation, where messages name none."""
    messages: list[NewMessage] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    models: dict[str, None] = field(default_factory=dict)
    left_out: LeftOut = field(default_factory=LeftOut)
    call: str | None = None
    """The call that a tool may answer next."""

    def take(self, id: str, message: Mapping[str, Any]) -> None:
        """Adds what a node says, if it says anything."""
        if not message:
            return
        role = table(message.get("author")).get("role")
        content = table(message.get("content"))
        if self._is_hidden(role, message, content):
            return
        metadata = table(message.get("metadata"))
        self.left_out[fields.FILES] += sum(map(_is_file, entries(metadata.get("attachments"))))
        references = entries(metadata.get("content_references"))
        said = readable(_said(content, self.left_out), references)
        if not said.strip():
            self.left_out[fields.EMPTY] += bool(said or not _has_more(content))
            return
        self._add(id, role, said, message)

    def _is_hidden(
        self, role: object, message: Mapping[str, Any], content: Mapping[str, Any]
    ) -> bool:
        metadata = table(message.get("metadata"))
        kind = content.get("content_type")
        if kind in REASONING:
            self.left_out[fields.REASONING] += 1
            return True
        hidden = (
            role not in ("user", "assistant", "tool")
            or kind in CONTEXT
            or metadata.get("is_visually_hidden_from_conversation") is True
            or message.get("weight") == 0
        )
        if hidden and _said(content, LeftOut()).strip():
            self.left_out[fields.HIDDEN] += 1
        return hidden

    def _add(self, id: str, role: object, said: str, message: Mapping[str, Any]) -> None:
        at = moment(message.get("create_time"))
        recipient = message.get("recipient")
        if role == "assistant":
            model = text(table(message.get("metadata")).get("model_slug")) or self.model
            if model:
                self.models[model] = None
        if role == "assistant" and isinstance(recipient, str) and recipient not in ("", "all"):
            self.call = name(id)
            calls = [_call(self.call, name(recipient), said)]
            new = NewMessage("assistant", "", "import", tool_calls=calls, said_at=at)
        elif role == "tool":
            new = NewMessage("tool", said, "import", tool_call_id=self.call, said_at=at)
            self.call = None
        else:
            self.call = None
            new = NewMessage("user" if role == "user" else "assistant", said, "import", said_at=at)
        self.messages.append(new)
        self.marks.append(name(id))


def _call(id: str, tool: str, said: str) -> dict[str, Any]:
    """A call in OpenAI's form; what was sent stays as it is where it is JSON."""
    try:
        whole = isinstance(json.loads(said), dict)
    except (ValueError, RecursionError):
        whole = False
    arguments = said if whole else json.dumps({"input": said}, ensure_ascii=False)
    return {"id": id, "type": "function", "function": {"name": tool, "arguments": arguments}}


def _said(content: Mapping[str, Any], left_out: LeftOut) -> str:
    """The text of a message's content, of whatever type it is."""
    if "parts" in content:
        return _of_parts(entries(content["parts"]), left_out)
    kind = content.get("content_type")
    if kind == "tether_quote":
        heads = (text(content.get(key)) for key in ("title", "url", "text"))
        return "\n".join(filter(None, heads))
    for key in ("text", "result", "content"):
        if isinstance(content.get(key), str):
            return str(content[key])
    if content and kind != "text":
        left_out[fields.OTHER] += 1
    return ""


def _of_parts(parts: Sequence[object], left_out: LeftOut) -> str:
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            said = text(part.get("text"))
            texts.append(said)
            kind = text(part.get("content_type"))
            if not said:
                left_out[_kind(kind)] += 1
    return "\n".join(filter(None, texts))


def _kind(content_type: str) -> str:
    if "image" in content_type:
        return fields.IMAGES
    if "audio" in content_type or "video" in content_type:
        return fields.SOUNDS
    return fields.OTHER


def _is_file(attachment: object) -> bool:
    """Whether an attachment is no picture, which is counted where it stands."""
    return not text(table(attachment).get("mime_type")).startswith("image/")


def _has_more(content: Mapping[str, Any]) -> bool:
    """Whether there was something in it that is counted by itself."""
    return any(isinstance(part, dict) for part in entries(content.get("parts")))
