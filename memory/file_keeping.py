"""Records which memory files stand in the prompts of an open session (PROMPT-2)."""

from collections.abc import Sequence
from dataclasses import replace

from memory import telemetry
from memory.budget import largest_below
from memory.config import MemoryConfig
from memory.events import Event
from memory.file_events import FileRef, MemoryFilesRead
from memory.files import NOTICE_TOKENS, FoundFile, Limit, ShownFile, let_in, shares, shortened
from memory.ids import new_id
from memory.journal import Journal
from memory.privacy import Cleaned
from memory.project_context import file_tokens
from memory.state import State
from memory.tokens import Tally, count_texts, estimate
from memory.upkeep import Upkeep


class FileKeeping:
    """Puts memory files into the prompt, and lets go of those that are gone.

    Args:
        journal: The session.
        config: How much of them may stand in it.
        upkeep: Who counts, and knows the window.
    """

    def __init__(self, journal: Journal, config: MemoryConfig, upkeep: Upkeep) -> None:
        self._journal = journal
        self._config = config
        self._upkeep = upkeep
        self._door = journal.door
        self._used: tuple[object, ...] = ()
        """What was looked at last, with all that decides what is shown of it."""

    async def use(self, found: Sequence[FoundFile]) -> MemoryFilesRead | None:
        """Has every prompt from here on carry these files, and no others.

        Returns:
            What was recorded; None where nothing is different.

        Raises:
            ReadOnly, StorageError: It was not recorded; the files of before stay.
        """
        counter = self._upkeep.counting.counter
        used = (tuple(found), self._room(), counter.tokenizer if counter else None)
        if used == self._used:
            return None
        recorded = await self._record(found)
        self._used = used
        if recorded is not None:
            self._upkeep.start()
        return recorded

    # -- inside

    @telemetry.operation("memory.use_files")
    async def _record(self, found: Sequence[FoundFile]) -> MemoryFilesRead | None:
        shown = await self._fitted(
            [let_in(file, self._door, self._config.memory_file_chars) for file in found]
        )

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            known = {ref.path: ref for ref in state.files}
            bodies: dict[str, Cleaned] = {}
            refs = tuple(self._ref(file, known.get(file.found.path), bodies) for file in shown)
            if refs == state.files:
                return None
            return [MemoryFilesRead(refs)], bodies

        recorded = await self._journal.append(make)
        event = recorded[0].event if recorded else None
        return event if isinstance(event, MemoryFilesRead) else None

    def _ref(self, file: ShownFile, known: FileRef | None, bodies: dict[str, Cleaned]) -> FileRef:
        """The file by reference; one that says the same as before is the same."""
        found = file.found
        ref = FileRef(
            path=found.path,
            size=found.size,
            cut=file.cut,
            changed=found.changed,
            note=file.note,
            redacted=file.redacted,
        )
        if file.text is None:
            same = known is not None and known.body is None and known.note == ref.note
            return known if known is not None and same else ref
        cleaned = self._door.clean(file.text)
        if known is not None and self._journal.texts.get(known.body or "") == cleaned.text:
            ref = replace(ref, body=known.body, chars=known.chars)
            return known if _says_the_same(ref, known) else ref
        body = new_id()
        bodies[body] = cleaned
        self._journal.note(*([file.passed] if file.passed else []))
        return replace(ref, body=body, chars=len(cleaned.text))

    async def _fitted(self, files: list[ShownFile]) -> list[ShownFile]:
        """The files, the largest of them cut where all together would take too much."""
        texts = [file.text or "" for file in files]
        room = self._room()
        if sum(len(text.encode()) for text in texts) <= room:
            return files  # no token is shorter than a byte
        frames = [_frame_tokens(file, first=place == 0) for place, file in enumerate(files)]
        tokens = await self._count(texts)
        given = shares(tokens, room - sum(frames))
        limit = Limit("memory_files_share", self._config.memory_files_share)
        return [
            file if wants <= has else shortened(file, _chars(file, wants, has), limit)
            for file, wants, has in zip(files, tokens, given, strict=True)
        ]

    async def _count(self, texts: Sequence[str]) -> Sequence[int]:
        counter = self._upkeep.counting.counter
        if counter is None:
            # By bytes: scripts other than Latin take more tokens than characters / 4.
            return [estimate(len(text.encode())) for text in texts]
        return await count_texts(counter, texts)

    def _room(self) -> int:
        """Tokens that all files together may have, by our count."""
        budget = self._upkeep.budget()
        return largest_below(round(self._config.memory_files_share * budget.window), budget.spare)


def _says_the_same(ref: FileRef, known: FileRef) -> bool:
    """Whether a file of the same text is as it was, though it may have been written anew."""
    return ref == replace(known, changed=ref.changed, size=ref.size)


def _chars(file: ShownFile, wants: int, has: int) -> int:
    """How many characters of a file have so many tokens, where all of it has `wants`."""
    return len(file.text or "") * max(0, has - NOTICE_TOKENS) // wants


def _frame_tokens(file: ShownFile, *, first: bool) -> int:
    if file.text is None:
        return 0
    return file_tokens(FileRef(file.found.path), Tally(), first=first)
