"""The @command about memory files: which stand in the prompt, and what each costs (PROMPT-2)."""

from collections.abc import AsyncGenerator

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from memory.snapshot import FileView
from widgets.figures import count
from widgets.panes.files import NO_FILES
from widgets.paths import below_home
from widgets.plain import one_line

OFF = "Memory files are not read: memory_files is false under [memory]."


async def _files(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    await conversation.look_at_files()  # what should be known of them stands in the list
    files = conversation.memory.snapshot().files
    if files:
        yield Reported(files_told(files))
    else:
        yield Reported(NO_FILES if conversation.settings.memory.memory_files else OFF, "note")


def files_told(files: tuple[FileView, ...]) -> str:
    """A line a file: tokens, path, and what should be known of it; then what all of them take."""
    digits = max(len(f"{file.tokens:,}") for file in files)
    lines = [
        f"{file.tokens:>{digits},}  {one_line(below_home(file.path))}{_beside(file)}"
        for file in files
    ]
    tokens = sum(file.tokens for file in files)
    return "\n".join((*lines, f"{count(tokens, 'token')} of every prompt."))


def _beside(file: FileView) -> str:
    redacted = f"{count(file.redacted, 'secret')} replaced" if file.redacted else ""
    told = "; ".join(filter(None, (one_line(file.note), redacted)))
    return f" ({told})" if told else ""


FILE_COMMANDS = (Command("files", "", "the memory files, and what they cost", _files),)
