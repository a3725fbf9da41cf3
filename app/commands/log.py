"""`strata log`: the events of a session, one a line."""

import argparse
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from app.commands.reading import reading
from app.settings import Settings
from memory.content_events import ContentDigested
from memory.events import Event, Message, Pinned, Recorded, SystemPromptSet, ToolsOffered
from memory.file_events import MemoryFilesRead
from memory.tokens import estimate
from memory.work_events import EnvironmentSeen, GoalEnded, GoalReopened, ToolExecuted
from memory.work_parts import Text
from widgets.plain import printable

AT_ONCE = 500
"""Events read and printed in one go, so that a long log takes little memory."""
SHOWN_CHARS = 100


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Prints the events; returns the exit status."""
    async with reading(settings, options) as memory:
        after = options.after
        while events := await memory.log(after, after + AT_ONCE):
            bodies = list(_bodies(events))
            texts = await memory.texts(bodies)
            counts = await memory.token_counts(bodies)
            for recorded in events:
                document = event_document(recorded, texts, counts)
                print(json.dumps(document) if options.json else printable(_line(document)))
            after = events[-1].n
    return 0


def event_document(
    recorded: Recorded, texts: Mapping[str, str], counts: Mapping[str, int]
) -> dict[str, Any]:
    """An event as `log --json` prints it."""
    event = recorded.event
    head: dict[str, Any] = {"n": recorded.n, "at": recorded.at, "kind": event.KIND}
    if isinstance(event, Message):
        ref = event.ref
        head |= {
            "role": ref.role,
            "content": texts.get(ref.body, ""),
            "number": ref.number,
            "tokens": counts.get(ref.body, estimate(ref.chars)),
            "origin": event.origin,
            "interrupted": ref.interrupted,
            "redacted": event.redacted,
            "kinds": dict(event.kinds),
        }
        if ref.calls:
            head["tool_calls"] = json.loads(texts.get(ref.calls, "[]"))
        if ref.answers:
            head["tool_call_id"] = ref.answers
        if event.said_at:
            head["said_at"] = event.said_at
        return head
    if isinstance(event, SystemPromptSet):
        return head | {"content": texts.get(event.body, "")}
    if isinstance(event, ContentDigested | Pinned | ToolsOffered):
        return head | asdict(event) | {"content": texts.get(event.body or "", "")}
    if isinstance(event, MemoryFilesRead):
        files = [asdict(ref) | {"content": texts.get(ref.body or "", "")} for ref in event.files]
        return head | {"files": files}
    text = _text_of(event)
    content = {} if text is None else {"content": texts.get(text.body, "")}
    return head | asdict(event) | content


def _bodies(events: Iterable[Recorded]) -> Iterable[str]:
    for recorded in events:
        match recorded.event:
            case Message(ref=ref):
                yield from filter(None, (ref.body, ref.calls))
            case (
                SystemPromptSet(body=body)
                | ContentDigested(body=body)
                | Pinned(body=body)
                | ToolsOffered(body=body)
            ):
                yield from filter(None, (body,))
            case MemoryFilesRead(files=files):
                yield from (ref.body for ref in files if ref.body is not None)
            case event if (text := _text_of(event)) is not None:
                yield text.body


def _text_of(event: Event) -> Text | None:
    """The text that an event about goals, tasks or tools is about, where it names one."""
    if isinstance(event, ToolExecuted):
        return event.result
    if isinstance(event, GoalEnded):
        return event.record
    if isinstance(event, EnvironmentSeen):
        return event.workspace
    if isinstance(event, GoalReopened):
        return event.goal.text
    text = getattr(event, "text", None)
    return text if isinstance(text, Text) else None


def _line(document: dict[str, Any]) -> str:
    at = document["at"][:19].replace("T", " ")
    head = f"{document['n']:>6}  {at}  {document['kind']:<18}"
    if document["kind"] == Message.KIND:
        text = " ".join(document["content"].split())
        return f"{head} {document['number']:>5} {document['role']:<9} {text[:SHOWN_CHARS]}"
    rest = {key: value for key, value in document.items() if key not in ("n", "at", "kind")}
    return f"{head} {json.dumps(rest, ensure_ascii=False)[:SHOWN_CHARS]}"
