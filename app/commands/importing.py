"""`strata import`: exports of chats, JSONL, sessions of the vault (STORE-3, STORE-6)."""

import argparse
import asyncio
import os
from collections.abc import Sequence
from pathlib import Path

from app.commands.import_list import list_chats, list_kept, list_messages
from app.commands.output import Notes, note_line, print_json
from app.paths import make_data_directory
from app.settings import Settings
from app.transfer.files import Part, parts_of
from app.transfer.learning import learn
from app.transfer.messages import RecordedMessage, read_messages, whole_document
from app.transfer.own import KeptFact
from app.transfer.taking import (
    FORMATS,
    Report,
    Selection,
    are_chats,
    found_in,
    take_all,
)
from memory.errors import StrataError
from memory.importing import Importing
from memory.memory import Memory
from memory.privacy import Door
from memory.restoring import SessionNotEmpty
from memory.storage.database import Database
from memory.storage.sessions import Sessions, UnknownSession
from memory.vault_reading import KeptSession, is_context, looks_like_context, read_context
from memory.wish import Wish
from widgets.figures import count


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Imports what a file holds; returns the exit status."""
    parts = parts_of(options.file)
    wanted = options.format
    if wanted in FORMATS or (wanted is None and await are_chats(parts)):
        return await _take(settings, options, parts)
    return await _messages(settings, options, "".join(parts[0].chunks()))


async def _take(settings: Settings, options: argparse.Namespace, parts: Sequence[Part]) -> int:
    """Makes a session of each conversation of an export."""
    selection = Selection(options.format, tuple(options.only or ()), options.session)
    make_data_directory(settings.paths.data.path)
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    notes = Notes()
    label = f"`strata import` of process {os.getpid()}"
    try:
        importing = Importing(database, options.agent or "default", settings.memory, label)
        if options.list:
            return await list_chats(importing, found_in(parts, selection), json=options.json)
        report = await take_all(
            importing,
            parts,
            selection,
            tell=lambda report: notes.show(f"{count(report.conversations, 'conversation')} …"),
            learn=lambda session, facts: _learn(settings, session, facts),
        )
    except asyncio.CancelledError:
        note_line("Interrupted. What was imported so far stays; import it again for the rest.")
        raise
    finally:
        notes.clear()
        await database.close()
    return _told(report, options)


def _told(report: Report, options: argparse.Namespace) -> int:
    if not report.conversations:
        named = " of this name" if options.only else ""
        raise StrataError(f"{options.file} holds no conversation{named}.", "Nothing was imported.")
    if report.failures == report.conversations:
        first = report.failed[0]
        raise StrataError(f"Nothing was imported. {first.title}: {first.why}")
    if options.json:
        print_json(report.document())
    else:
        for line in report.lines():
            note_line(line)
    return 1 if report.broken_off else 0


async def _learn(settings: Settings, session: str, facts: Sequence[KeptFact]) -> None:
    """Takes over what was learned in a session."""
    wish = Wish(session=session, create=False, passive=True, label="`strata import`")
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        for problem in await learn(memory.facts, facts):
            note_line(f"A fact was left out. {problem}")


async def _messages(settings: Settings, options: argparse.Namespace, text: str) -> int:
    """Adds messages to a session, or restores one of the vault."""
    document = whole_document(text)
    if is_context(document):
        kept = read_context(document, options.file)
        if options.list:
            return list_kept(kept, json=options.json)
        return await _restore(settings, options, kept)
    if document is None and looks_like_context(text):
        raise StrataError(
            f"{options.file} is a session of the vault, but it is damaged: it is not whole JSON.",
            "Nothing was imported. Restore a copy of it.",
        )
    messages = read_messages(document, text, options.file)
    if not messages:
        raise StrataError(f"{options.file} holds no messages.", "Nothing was imported.")
    title = options.session or (None if options.file == "-" else Path(options.file).stem)
    if options.list:
        return list_messages(title or "standard input", messages, json=options.json)
    return await _add(settings, options, title, messages)


async def _add(
    settings: Settings,
    options: argparse.Namespace,
    title: str | None,
    messages: list[RecordedMessage],
) -> int:
    """Adds messages to the named session, or to a new one named after the file."""
    make_data_directory(settings.paths.data.path)
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
