"""A session as it leaves Strata: as JSON, JSONL or Markdown, into a file or a folder."""

import asyncio
import errno
import json
import unicodedata
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from app.transfer import own
from app.transfer.json_text import json_text
from app.transfer.markdown import markdown
from memory import telemetry
from memory.errors import StrataError
from memory.events import Message, Recorded
from memory.memory import Memory
from memory.storage.sessions import SessionInfo
from memory.storage.whole_files import write_whole
from memory.vault_names import readable_name, safe_name
from memory.vault_work import task_entry, work_entry

AT_ONCE = 500
Format = Literal["json", "jsonl", "markdown"]
ENDINGS: dict[str, Format] = {".json": "json", ".md": "markdown", ".markdown": "markdown"}
FILE_ENDINGS: dict[Format, str] = {"json": ".json", "jsonl": ".jsonl", "markdown": ".md"}
MOST_OF_TITLE = 40
"""Characters of a title beside which a date and an id have room in the name of a file."""
FORMATS: tuple[Format, ...] = ("json", "jsonl", "markdown")


class NotWritten(StrataError):
    """A file is not written; names it."""


def format_of(file: str) -> Format:
    """The format that a file's name tells; JSONL for any other."""
    return ENDINGS.get(Path(file).suffix.lower(), "jsonl")


@telemetry.operation("memory.export", lambda text: {"characters": len(text)})
async def exported(memory: Memory, format: Format, *, facts: bool = True) -> str:
    """The text of a session.

    Args:
        memory: The session.
        format: As what.
        facts: With the facts that were learned in it.

    Raises:
        StorageError: The database refused.
    """
    if format == "jsonl":
        return "".join([line + "\n" async for line in jsonl(memory)])
    document = await session_document(memory, facts=facts)
    if format == "markdown":
        return await asyncio.to_thread(markdown, document)
    return await asyncio.to_thread(_pretty, document)


async def jsonl(memory: Memory) -> AsyncIterator[str]:
    """The messages of a session, each a line of JSON."""
    async for message in _messages(memory):
        yield json_text(message)


async def session_document(memory: Memory, *, facts: bool = True) -> dict[str, Any]:
    """A session with all that was said in it, and what is known of it.

    Args:
        memory: The session.
        facts: With the facts that were learned in it.

    Raises:
        StorageError: The database refused.
    """
    state, work = memory.state, memory.state.work
    wanted = [pin.body for pin in state.pins]
    texts = await memory.texts(wanted)
    kept = memory.texts_at_hand
    return {
        own.KEY: own.VERSION,
        "session": memory.info.id,
        "title": state.title,
        "agent": memory.info.agent,
        "started_at": memory.info.started_at,
        "models": [state.model.name] if state.model else [],
        "messages": [message async for message in _messages(memory)],
        "pins": [
            {"text": texts.get(pin.body, ""), "number": pin.number, "whole": pin.whole}
            for pin in state.pins
        ],
        "summaries": [entry async for entry in _summaries(memory)],
        "work": work_entry(work, kept),
        "tasks": [task_entry(task, kept) for task in work.tasks],
        "facts": await _facts(memory) if facts else [],
    }


async def _messages(memory: Memory) -> AsyncIterator[dict[str, Any]]:
    for first in range(1, memory.state.messages + 1, AT_ONCE):
        events = await memory.messages(first, first + AT_ONCE - 1)
        refs = [event.event.ref for event in events if isinstance(event.event, Message)]
        texts = await memory.texts([body for r in refs for body in (r.body, r.calls) if body])
        for recorded in events:
            if isinstance(recorded.event, Message):
                yield _message(recorded, recorded.event, texts)


def _message(recorded: Recorded, event: Message, texts: Mapping[str, str]) -> dict[str, Any]:
    ref = event.ref
    document: dict[str, Any] = {
        "at": event.said_at or recorded.at,
        "role": ref.role,
        "content": texts.get(ref.body, ""),
        "number": ref.number,
    }
    if ref.calls and (calls := _calls(texts.get(ref.calls, ""))):
        document["tool_calls"] = calls
    if ref.answers:
        document["tool_call_id"] = ref.answers
    if ref.interrupted:
        document["interrupted"] = True
    return document


def _calls(text: str) -> list[Any]:
    """The calls of a message; none where they were forgotten."""
    try:
        calls = json.loads(text)
    except ValueError:
        return []
    return calls if isinstance(calls, list) else []


async def _summaries(memory: Memory) -> AsyncIterator[dict[str, Any]]:
    folding = memory.state.folding
    held = {summary.body for summary in (folding.short_term, folding.long_term) if summary}
    for version in await memory.rewriting.versions():
        yield {
            "slot": version.slot,
            "from": version.ref.first,
            "to": version.ref.last,
            "version": version.ref.version,
            "by": version.ref.by,
            "model": version.ref.model,
            "time": version.ref.made_at,
            "in_force": version.ref.body in held,
            "text": version.text,
        }


async def _facts(memory: Memory) -> list[dict[str, Any]]:
    facts = memory.facts
    await facts.refresh()
    here = facts.here().session
    return [
        {
            "text": fact.text,
            "valid_from": fact.valid_from,
            "importance": fact.importance,
            "pinned": fact.pinned,
        }
        for fact in facts.live()
        if any(source.session == here for source in fact.sources) or not fact.sources
    ]


def _pretty(document: Mapping[str, Any]) -> str:
    return json_text(document, indent=1) + "\n"


def assert_free(path: Path, *, force: bool) -> None:
    """Refuses to write over a file, before anything has been done.

    Raises:
        NotWritten: There is one.
    """
    if path.is_dir():
        raise NotWritten(f"{path} is a folder.", "Name a file in it.")
    if not force and path.exists():
        raise NotWritten(f"{path} is there already.", "--force writes over it.")


async def write(path: Path, text: str, *, force: bool) -> None:
    """Writes a file whole or not at all, readable by its owner only.

    Raises:
        NotWritten: There is one already, or it can't be written.
    """
    assert_free(path, force=force)
    try:
        if not path.parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, "There is no such folder")
        data = text.encode("utf-8", "backslashreplace")
        await asyncio.to_thread(write_whole, path, data, instead=True)
    except OSError as error:
        raise NotWritten(
            f"{path} can't be written: {error.strerror}.", "Choose another file."
        ) from error


def file_name(title: str, format: Format) -> str:
    """What the file of a session is called."""
    return (readable_name(title) or "session") + FILE_ENDINGS[format]


def file_names(sessions: Sequence[SessionInfo], format: Format) -> list[str]:
    """What the files of sessions are called in one folder; no two the same, on any disk.

    Titles that repeat are told apart by when the session began, else by its id.
    """
    ways: tuple[Callable[[SessionInfo], str], ...] = (
        lambda session: session.title or _began(session),
        lambda session: f"{(session.title or '')[:MOST_OF_TITLE]} ({_began(session)})",
        lambda session: f"{(session.title or '')[:MOST_OF_TITLE]} ({session.id})",
    )
    names: dict[str, str] = {}
    left = list(sessions)
    for way in ways:
        made = {session.id: file_name(way(session), format) for session in left}
        alike = Counter(_folded(name) for name in [*made.values(), *names.values()])
        names |= {id: name for id, name in made.items() if alike[_folded(name)] == 1}
        left = [session for session in left if session.id not in names]
    names |= {session.id: safe_name(session.id) + FILE_ENDINGS[format] for session in left}
    return [names[session.id] for session in sessions]


def _began(session: SessionInfo) -> str:
    return session.started_at[:19].replace("T", " ").replace(":", ".")


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name.casefold())
