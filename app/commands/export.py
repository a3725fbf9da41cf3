"""`strata export`: a session's messages as JSONL, as they were said (STORE-6)."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from app.commands.log import event_document
from app.commands.output import json_line, note_line
from app.commands.reading import reading
from app.settings import Settings
from memory.errors import StrataError
from memory.events import Message
from memory.memory import Memory
from widgets.figures import count

AT_ONCE = 500


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Writes the messages; returns the exit status."""
    async with reading(settings, options) as memory:
        lines = [json_line(document) async for document in _messages(memory)]
    text = "".join(f"{line}\n" for line in lines)
    if options.file == "-":
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.flush()
    else:
        _write(Path(options.file), text)
        note_line(f"Wrote {count(len(lines), 'message')} to {options.file}.")
    return 0


async def _messages(memory: Memory) -> Any:
    for first in range(1, memory.state.messages + 1, AT_ONCE):
        events = await memory.messages(first, first + AT_ONCE - 1)
        refs = [event.event.ref for event in events if isinstance(event.event, Message)]
        texts = await memory.texts([body for r in refs for body in (r.body, r.calls) if body])
        for recorded in events:
            document = event_document(recorded, texts, {})
            kept = ("role", "content", "tool_calls", "tool_call_id", "at", "number")
            yield {key: document[key] for key in kept if key in document}


def _write(path: Path, text: str) -> None:
    """Writes the file whole or not at all.

    Raises:
        StrataError: It can't be written.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StrataError(
            f"{path} can't be written: {error.strerror}.", "Choose another file."
        ) from error
