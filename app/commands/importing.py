"""`strata import`: messages from a JSONL, or a session from the vault's JSON (STORE-3, STORE-6)."""

import argparse
import os
import sys
from pathlib import Path

from app.commands.output import note_line, print_json
from app.lab.recorded import RecordedMessage, read_jsonl, whole_document
from app.paths import make_data_directory
from app.settings import Settings
from memory.errors import StrataError
from memory.memory import Memory
from memory.privacy import Door
from memory.restoring import SessionNotEmpty
from memory.storage.database import Database
from memory.storage.sessions import Sessions, UnknownSession
from memory.vault_reading import KeptSession, is_context, looks_like_context, read_context
from memory.wish import Wish
from widgets.figures import count


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Reads the whole file first, then imports what it holds; returns the exit status."""
    text = _text(options.file)
    document = whole_document(text)
    if is_context(document):
        return await _restore(settings, options, read_context(document, options.file))
    if document is None and looks_like_context(text):
        raise StrataError(
            f"{options.file} is a session of the vault, but it is damaged: it is not whole JSON.",
            "Nothing was imported. Restore a copy of it.",
        )
    return await _add(settings, options, read_jsonl(text, options.file))


async def _add(
    settings: Settings, options: argparse.Namespace, messages: list[RecordedMessage]
) -> int:
    """Adds messages to the named session, or to a new one named after the file."""
    if not messages:
        raise StrataError(f"{options.file} holds no messages.", "Nothing was imported.")
    make_data_directory(settings.paths.data.path)
    title = options.session or (None if options.file == "-" else Path(options.file).stem)
    wish = Wish(
        session=title,
        agent=options.agent or "default",
        fresh=options.session is None,
        passive=True,
        label=f"`strata import` of process {os.getpid()}",
    )
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        await memory.add_all([message.imported() for message in messages])
        name, total = memory.snapshot().session, memory.state.messages
    if options.json:
        print_json({"session": name, "imported": len(messages), "messages": total})
    else:
        note_line(f"Imported {count(len(messages), 'message')}; session {name} now has {total:,}.")
    return 0


async def _restore(settings: Settings, options: argparse.Namespace, kept: KeptSession) -> int:
    """Makes a session that goes on where the kept one had got."""
    make_data_directory(settings.paths.data.path)
    name = options.session or kept.strata.title or kept.session
    await _refuse_taken(settings, name)
    wish = Wish(
        session=name,
        agent=options.agent or kept.strata.agent,
        passive=True,
        label=f"`strata import` of process {os.getpid()}",
    )
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        await memory.restore(kept)
        name, total = memory.snapshot().session, memory.state.messages
    if options.json:
        print_json({"session": name, "imported": len(kept.window), "messages": total})
        return 0
    summed = f"summaries of {count(kept.covered, 'message')} and " if kept.covered else ""
    note_line(f"Restored session {name}: {summed}{count(len(kept.window), 'message')} in full.")
    return 0


async def _refuse_taken(settings: Settings, name: str) -> None:
    """Refuses a name under which something was said already; an empty session is taken over.

    Raises:
        SessionNotEmpty: There is such a session.
    """
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        session = await Sessions(database).find(name)
    except UnknownSession:
        return
    finally:
        await database.close()
    if session.messages:
        raise SessionNotEmpty(name)


def _text(file: str) -> str:
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise StrataError(
            f"{file} can't be read: {error.strerror}.", "Name another file."
        ) from error
    except UnicodeDecodeError as error:
        raise StrataError(
            f"{file} is not text in UTF-8 (byte {error.start}).", "Nothing was imported."
        ) from error
