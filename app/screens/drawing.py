"""Memory as it is now, drawn on the stage: core, gauge, panes, the first line."""

from collections.abc import Callable
from datetime import UTC, datetime

from app.chat.conversation import Conversation
from app.chat.names import session_name
from app.host.catalogue import is_embedded
from app.screens.awaited import Awaited
from app.screens.stage import Stage
from memory.snapshot import Snapshot

FRAME_SECONDS = 1 / 60
"""Between two drawings of what comes event by event: the terminal shows no more."""


class Drawing:
    """Draws memory when it is told to; nothing any more once it is closed.

    Args:
        stage: Where it is drawn.
        conversation: The open one.
        also: Who else shows memory.
        busy: Whether a turn goes on.
    """

    def __init__(
        self,
        stage: Stage,
        conversation: Conversation,
        also: Callable[[Snapshot], None],
        busy: Callable[[], bool],
    ) -> None:
        self._stage = stage
        self._conversation = conversation
        self._also = also
        self._due = False
        self._closed = False
        memory = conversation.memory
        self._awaited = Awaited(
            lambda: busy() and memory.awaits_recall,
            lambda: memory.searches,
            stage.sight.later,
            self.soon,
        )

    def soon(self) -> None:
        """Draws within a frame, however often it is asked to until then."""
        if not self._due:
            self._due = True
            self._stage.sight.later(FRAME_SECONDS, self._draw_due)

    def now(self) -> None:
        """Draws at once."""
        self._due = False
        if self._closed:
            return
        memory = self._conversation.memory
        snapshot = self._awaited.held(memory.snapshot())
        self._stage.sight.show(snapshot)
        self._also(snapshot)
        model, runs = self._answering(snapshot)
        self._stage.tell(
            session=session_name(snapshot.title, snapshot.session_id, datetime.now(UTC)),
            agent=snapshot.agent,
            policy=snapshot.policy,
            model=model.removeprefix("embedded/"),
            runs=runs,
        )

    async def settled(self) -> None:
        """Draws memory once what was said last is counted, which no event tells."""
        try:
            await self._conversation.memory.settled()
        finally:
            self._stage.state("compaction", "")
            self.now()

    def close(self) -> None:
        """Draws no more: another conversation may have the stage."""
        self._closed = True

    def _draw_due(self) -> None:
        if self._due:
            self.now()

    def _answering(self, snapshot: Snapshot) -> tuple[str, str]:
        """The model that answers, and where it runs; empty where that is not known."""
        conversation = self._conversation
        if conversation.undecided:
            return "", ""
        model = snapshot.model if conversation.memory.read_only else conversation.model
        info = conversation.info
        if info is not None and info.name == model:
            return info.name, info.runs
        return model or "", "on this machine" if model and is_embedded(model) else ""
