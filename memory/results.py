"""Tool results and pastes as they come: each is kept as a content item as well (CONT-1). Pure."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from memory.content.digests import item_type
from memory.content.handles import item_handle
from memory.content_events import ContentStored
from memory.events import Event, Message
from memory.parts import ContentItem, ItemType
from memory.privacy import Door
from memory.state import State


@dataclass(frozen=True, slots=True)
class KeptAs:
    """How a tool result or a paste stands in the content store."""

    source: str = ""
    """Where it came from; empty for the tool that was called."""
    type: ItemType | None = None
    """What it is; None for what the tool's name tells."""
    tags: tuple[str, ...] = ()
    cites: str | None = None
    """The item that it repeats, which then keeps it; None for a new one."""
    is_content: bool = True
    """Whether it is worth an item; what only says that something was done is not."""
    part: tuple[int, int] | None = None
    """The characters of the message that are kept; None for a tool result, which is kept whole."""


def with_items(
    messages: Sequence[Message], kept: Sequence[KeptAs], tools: Mapping[str, str], state: State
) -> list[Event]:
    """The events of new messages, followed by one with the items that keep their results.

    Args:
        messages: The messages.
        kept: For each how it is kept, if it is a tool's result.
        tools: The tools that were called, by the ids of the calls.
        state: The state that they are appended to.
    """
    said: list[Event] = []
    items: list[ContentItem] = []
    for message, how in zip(messages, kept, strict=True):
        ref = message.ref
        if (ref.role == "tool" and ref.chars and how.is_content) or how.part:
            item = how.cites
            if item is None:
                item = item_handle(state.content_items + len(items) + 1)
                items.append(_item(item, message, how, tools.get(ref.answers or "", "")))
            ref = replace(ref, item=item)
        said.append(replace(message, ref=ref))
    return [*said, ContentStored(tuple(items))] if items else said


def called_tools(
    state: State, texts: Mapping[str, str], call_ids: Collection[str], door: Door
) -> dict[str, str]:
    """The tools that calls of the window were made to, by the calls' ids."""
    names: dict[str, str] = {}
    wanted = set(call_ids)
    for ref in reversed(state.folding.verbatim):
        if wanted <= names.keys():
            break
        if ref.calls and wanted.intersection(ref.call_ids):
            for call in json.loads(texts[ref.calls]):
                names.setdefault(*name_of_call(call, door))
    return names


def name_of_call(call: Mapping[str, object], door: Door) -> tuple[str, str]:
    """The id of a call in OpenAI's form, and the tool that it calls, as they may be stored."""
    function = call.get("function")
    name = function.get("name") if isinstance(function, Mapping) else None
    return door.clean(str(call.get("id", ""))).text, door.clean(str(name or "")).text


def _item(id: str, message: Message, how: KeptAs, tool: str) -> ContentItem:
    ref, (start, end) = message.ref, how.part or (0, None)
    return ContentItem(
        id=id,
        type=how.type or item_type(tool),
        body=ref.body,
        start=start,
        end=end,
        chars=ref.chars if end is None else end - start,
        number=ref.number,
        source=how.source or tool,
        tags=how.tags,
    )
