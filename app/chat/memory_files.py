"""The memory files of a conversation: looked for, put into the prompt, told of (PROMPT-2)."""

import asyncio

from app.chat.file_finding import EVERYBODYS, OWN, finders
from app.chat.file_watching import Watch
from app.settings import Settings
from memory.file_events import FileRef, MemoryFilesRead
from memory.files import FoundFile
from memory.memory import Memory
from widgets.paths import below_home


class MemoryFiles:
    """Keeps a session's prompt as the memory files are.

    Args:
        memory: The session.
        settings: Whether they are wanted, and where the workspace is.
    """

    def __init__(self, memory: Memory, settings: Settings) -> None:
        self._memory = memory
        self._watch = _watch_of(settings)
        self._found: tuple[FoundFile, ...] = ()
        self._turn = asyncio.Lock()
        self._told: set[tuple[str, str]] = set()
        self._notes: dict[str, str] = {}

    async def refresh(self) -> bool:
        """Looks at the files, and records what has changed; whether anything has.

        Raises:
            StorageError: It could not be recorded; the files of before stay.
        """
        async with self._turn:
            if self._memory.read_only:
                return False
            self._found = await self._watch.look() if self._watch is not None else ()
            event = await self._memory.use_files(self._found)
        if event is not None:
            self._note(event)
        return event is not None

    async def give(self, memory: Memory) -> None:
        """Puts the same files into the prompts of a helper's session."""
        await memory.use_files(self._found)

    def take_notes(self) -> list[str]:
        """What the user should know and was not told yet; a sentence each."""
        notes, self._notes = self._notes, {}
        return [f"{below_home(path)} {note}." for path, note in notes.items()]

    def _note(self, event: MemoryFilesRead) -> None:
        self._notes = {ref.path: ref.note for ref in event.files if self._is_new(ref)}
        for ref in event.files:
            self._told.add((ref.path, _what(ref.note)))

    def _is_new(self, ref: FileRef) -> bool:
        """Whether something should be said of a file that was not said before, or not yet."""
        waits = ref.path in self._notes
        return bool(ref.note) and (waits or (ref.path, _what(ref.note)) not in self._told)


def _what(note: str) -> str:
    """What a note says, without the figures: those of a file that grows are not news."""
    return " ".join(note.split()[:2])


def _watch_of(settings: Settings) -> Watch | None:
    if not settings.memory.memory_files:
        return None
    workspace = settings.tools.workspace
    names = (str(workspace) if workspace else "The working directory", OWN, EVERYBODYS)
    looking = finders(settings.tools, settings.memory.memory_file_chars)
    return Watch([(name, finder.look) for name, finder in zip(names, looking, strict=True)])
