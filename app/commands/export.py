"""`strata export`: sessions as JSON, JSONL or Markdown (STORE-6)."""

import argparse
import os
import sys
from pathlib import Path

from app.commands.output import note_line
from app.commands.reading import reading
from app.commands.usage import WrongUsage
from app.settings import Settings
from app.transfer.sending import (
    Format,
    NotWritten,
    assert_free,
    exported,
    file_names,
    format_of,
    write,
)
from memory.errors import StrataError
from memory.memory import Memory
from memory.privacy import Door
from memory.storage.database import Database
from memory.storage.sessions import SessionInfo, Sessions
from memory.wish import Wish
from widgets.figures import count

STDOUT = "-"


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Writes what was said; returns the exit status."""
    if options.out is not None and options.file != STDOUT:
        raise WrongUsage("FILE and --out FILE are the same.", "Give one of them.")
    target: str = options.out or options.file
    format: Format = options.format or format_of(target)
    if options.all:
        return await _all(settings, options, target, format)
    if target != STDOUT:
        assert_free(Path(target), force=options.force)
    async with reading(settings, options) as memory:
        text, messages = await exported(memory, format), memory.state.messages
    if target == STDOUT:
        _print(text)
        return 0
    await write(Path(target), text, force=options.force)
    note_line(f"Wrote {count(messages, 'message')} to {target}.")
    return 0


async def _all(settings: Settings, options: argparse.Namespace, target: str, format: Format) -> int:
    """Writes every session into a file of its own, below a folder; JSON fits in one text."""
    sessions = await _sessions(settings, options.agent)
    if target == STDOUT:
        if format != "json":
            raise WrongUsage(
                "Several sessions need a folder.", "Name one, or choose --format json."
            )
        _print("[\n")
        for place, session in enumerate(sessions):
            _print((",\n" if place else "") + await _text(settings, session, "json"))
        _print("]\n")
        return 0
    folder = Path(target)
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise NotWritten(
            f"{folder} can't be made: {error.strerror}.", "Choose another folder."
        ) from error
    names = file_names(sessions, format)
    for name in names:
        assert_free(folder / name, force=options.force)
    for session, name in zip(sessions, names, strict=True):
        await write(folder / name, await _text(settings, session, format), force=options.force)
    note_line(f"Wrote {count(len(sessions), 'session')} to {folder}{os.sep}.")
    return 0


async def _sessions(settings: Settings, agent: str | None) -> list[SessionInfo]:
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        sessions = await Sessions(database).list(agent)
    finally:
        await database.close()
    if not sessions:
        raise StrataError("There is no session yet.", "Nothing was written.")
    return sessions


async def _text(settings: Settings, session: SessionInfo, format: Format) -> str:
    wish = Wish(session=session.id, agent=session.agent, create=False, read_only=True)
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        return await exported(memory, format)


def _print(text: str) -> None:
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.flush()
