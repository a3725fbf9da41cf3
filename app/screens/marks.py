"""Compactions in the transcript: a mark for each, and a live one while one runs (VIEW-5)."""

from collections.abc import Callable

from app.screens.recorded import mark_of
from app.screens.stage import Stage
from memory import Memory
from memory.errors import StrataError
from memory.events import Event
from memory.snapshot import CompactionProgress
from memory.upkeep import Notice
from widgets.entries import LiveMarkEntry
from widgets.transcript import Block


class Marks:
    """Puts marks where they belong: before an answer that is on its way.

    Args:
        stage: Where they are shown.
        memory: The open session.
        live_answer: The answer that is on its way, if one is.
    """

    def __init__(
        self, stage: Stage, memory: Memory, live_answer: Callable[[], Block | None]
    ) -> None:
        self._stage = stage
        self._memory = memory
        self._live_answer = live_answer
        self._live: Block | None = None

    def begin(self) -> None:
        """Shows the compaction that runs, if one does, in a transcript that is shown anew."""
        self._live = None
        if (running := self._memory.snapshot().running) is not None:
            self._show_live(running)

    def recorded(self, event: Event) -> None:
        """Marks what a compaction has done."""
        if (mark := mark_of(event)) is not None:
            self._end_live()
            self._stage.transcript.add(mark, before=self._live_answer())

    def compaction(self, notice: Notice) -> None:
        """Shows how a compaction goes, and why it has failed."""
        if isinstance(notice, CompactionProgress):
            self._stage.state("compaction", f"folding: {notice.stage}")
            self._show_live(notice)
        else:
            self._stage.state("compaction", "")
            self._end_live()
        if isinstance(notice, StrataError) and not self._memory.read_only:
            self._stage.notice(str(notice), "problem")

    def _show_live(self, running: CompactionProgress) -> None:
        entry, transcript = LiveMarkEntry(f"folding: {running.stage}"), self._stage.transcript
        if self._live is None:
            self._live = transcript.add(entry, before=self._live_answer())
        else:
            transcript.replace(self._live, entry)

    def _end_live(self) -> None:
        if self._live is not None:
            self._stage.transcript.remove_entry(self._live)
            self._live = None
