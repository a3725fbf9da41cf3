"""@export and @import: conversations that go out and come in (STORE-6)."""

import os
from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from app.chat.reading_in import path_of
from memory.errors import StrataError
from widgets.paths import below_home
from widgets.plain import one_line


async def _export(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    from app.transfer import sending  # rarely needed

    memory = conversation.memory
    word, _, rest = argument.partition(" ")
    named = next((one for one in sending.FORMATS if one == word.lower()), None)
    name = rest if named else argument
    format = named or (sending.format_of(name) if name.strip() else "markdown")
    path = _target(name, sending.file_name(memory.info.name, format))
    try:
        await sending.write(path, await sending.exported(memory, format), force=False)
    except sending.NotWritten as error:
        raise StrataError(error.sentence, "Name another file: @export FORMAT FILE.") from error
    yield Reported(f"Wrote the session to {one_line(below_home(str(path)))}.")


async def _import(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    from app.transfer.files import parts_of
    from app.transfer.own import KeptFact
    from app.transfer.taking import Selection, are_chats, take_all

    if not argument:
        yield Reported("Name a file: @import FILE. It may be a zip, too.", "note")
        return
    parts = parts_of(str(_path(argument)))
    if not await are_chats(parts):
        raise StrataError(
            "That is no export of ChatGPT, Claude or Strata.",
            "`strata import` takes messages of a JSONL, and files of the vault.",
        )
    yield Reported("Importing. You can go on meanwhile; leaving Strata ends it.", "note")

    async def learn(session: str, facts: Sequence[KeptFact]) -> None:
        from app.transfer.learning import learn

        await learn(conversation.memory.facts, facts)

    importing = conversation.memory.importing(f"@import in process {os.getpid()}")
    report = await take_all(importing, parts, Selection(), learn=learn)
    yield Reported("\n".join([*report.lines(), "@sessions lists them."]))


def _target(name: str, otherwise: str) -> Path:
    """Where a file is to be written: in the working directory, unless another folder is named."""
    path = _path(name) if name.strip() else Path()
    return path / otherwise if not name.strip() or path.is_dir() else path


def _path(text: str) -> Path:
    try:
        return Path.cwd() / path_of(text)
    except (OSError, ValueError, RuntimeError) as error:
        raise StrataError("That can't be the path of a file.", "Check the name.") from error


TRANSFER_COMMANDS = (
    Command("export", "[FORMAT] [FILE]", "write the session: markdown, json or jsonl", _export),
    Command("import", "FILE", "chats of ChatGPT, Claude or Strata, each as a session", _import),
)
