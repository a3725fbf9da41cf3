"""What is seen of memory: core, gauge, panes, and the figure at the end of the key line.

All of it is drawn from one snapshot, with what is being typed and answered on top of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from widgets.core.core import Core
from widgets.core.view import core_view
from widgets.core.words import figures_text
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes

if TYPE_CHECKING:
    from datetime import datetime

    from memory.snapshot import Snapshot

GROWS_SECONDS = 0.2
"""Between two drawings of what is being typed or answered."""
INKS = {"figure": "text", "near": "warning", "over": "lost"}
"""How full the prompt is, in the inks of the key line."""


@dataclass(slots=True)
class Sight:
    """Draws memory; each widget redraws only what looks different."""

    core: Core
    gauge: Gauge
    panes: Panes
    hints: HintLine
    later: Callable[[float, Callable[[], None]], object]
    """Calls something after so many seconds."""
    snapshot: "Snapshot | None" = None
    _draft: int = 0
    _answer: int = 0
    _waiting: bool = False

    def show(self, snapshot: "Snapshot | None", then: "datetime | None" = None) -> None:
        """Draws memory as it is now, or as it was `then`; None while none is open."""
        before, self.snapshot = self.snapshot, snapshot
        if snapshot is not None and before is not None and snapshot.messages > before.messages:
            self._settle(snapshot, snapshot.messages - before.messages)
        self._draw()
        if snapshot is not None:
            self.panes.show(snapshot, then)

    def drafted(self, characters: int) -> None:
        """So much is being typed."""
        self._draft = _tokens(characters)
        self._draw_soon()

    def answered(self, characters: int) -> None:
        """So much of the answer has come."""
        self._answer = _tokens(characters)
        self._draw_soon()

    def moved(self) -> None:
        """Core, gauge or panes have come or gone: the figures stand where the others do not."""
        if self.snapshot is not None:
            self._draw()

    def _settle(self, snapshot: "Snapshot", more: int) -> None:
        """What was on its way is a message now, which the snapshot has."""
        roles = {message.role for message in snapshot.window[-more:]}
        if "user" in roles:
            self._draft = 0
        if roles != {"user"}:
            self._answer = 0

    def _draw_soon(self) -> None:
        """Draws what grows a few times a second.

        Drawn with every key and every piece of an answer, it would have Textual draw all between
        the core and the text anew each time.
        """
        if not self._waiting:
            self._waiting = True
            self.later(GROWS_SECONDS, self._draw)

    def _draw(self) -> None:
        self._waiting = False
        more = {"draft_tokens": self._draft, "answer_tokens": self._answer}
        self.gauge.show(self.snapshot, **more)
        self.core.show(self.snapshot, **more)
        view = core_view(self.snapshot, **more) if self.snapshot is not None else None
        figures = figures_text(view) if view is not None and self.core.display else ()
        self.hints.show(right=[(text, INKS[ink]) for text, ink in figures])


def _tokens(characters: int) -> int:
    from memory.tokens import estimate  # after the first paint

    return estimate(characters)
