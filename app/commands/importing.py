"""`strata import`: messages from a JSONL of role and content (STORE-6)."""

import argparse
import os
import sys
from pathlib import Path

from app.commands.output import note_line, print_json
from app.lab.recorded import RecordedMessage, read_jsonl
from app.paths import make_data_directory
from app.settings import Settings
from memory.answer import NewMessage
from memory.errors import StrataError
from memory.memory import Memory
from memory.wish import Wish
from widgets.figures import count


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Reads the whole file first, then adds its messages; returns the exit status."""
    messages = read_jsonl(_text(options.file), options.file)
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
        await memory.add_all([_new(message) for message in messages])
        name, total = memory.snapshot().session, memory.state.messages
    if options.json:
        print_json({"session": name, "imported": len(messages), "messages": total})
    else:
        note_line(f"Imported {count(len(messages), 'message')}; session {name} now has {total:,}.")
    return 0


def _new(message: RecordedMessage) -> NewMessage:
    return NewMessage(
        message.role,
        message.content,
        "import",
        tool_calls=message.tool_calls,
        tool_call_id=message.tool_call_id,
    )


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
