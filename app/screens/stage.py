"""The widgets of the chat screen as those see them who speak through them."""

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from textual.screen import Screen

from app.keys import FOOTER
from widgets.composer import Composer
from widgets.entries import NoticeEntry, Tone
from widgets.hint_line import HintLine, Key
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.screens.sight import Sight
    from widgets.permit import Permit
    from widgets.player_line import PlayerLine

Answer = TypeVar("Answer")
Choice = Literal["read-only", "take-over", "quit"]
Source = Literal["memory", "turn", "compaction", "model"]
"""Who says what is going on; the first that says something is heard."""
SOURCES: tuple[Source, ...] = ("memory", "turn", "compaction", "model")

KEYS: tuple[Key, ...] = (*FOOTER, ("@", "commands"))
CHANGING = frozenset({"transcript.edit", "transcript.again", "transcript.fork", "transcript.pin"})
"""What can't be done in a session that is only read; whoever tries is told so."""
READING_KEYS: tuple[Key, ...] = (
    ("chat.reopen", "take over"),
    *(key for key in FOOTER if key[0] not in CHANGING),
)
FROZEN_KEYS = READING_KEYS[1:]
"""The same where nobody can write to it."""
STUCK_KEYS: tuple[Key, ...] = (("chat.reopen", "try again"), ("app.quit", "quit"))


class House(Protocol):
    """The screen itself, as far as a conversation needs it."""

    async def ask(self, screen: Screen[Answer]) -> Answer | None:
        """Shows another screen and returns what it ends with."""

    def put_on_clipboard(self, text: str, what: str) -> None:
        """Copies a text and says so."""

    def say_shortly(self, text: str) -> None:
        """Says something that need not stay."""

    def refresh_bindings(self) -> None:
        """Looks anew at which keys hold."""

    def show_permit(self, permit: "Permit") -> None:
        """Shows a question above the composer."""

    def put_away_permit(self, permit: "Permit") -> None:
        """Takes it away."""

    def choose_theme(self, name: str | None) -> None:
        """Shows another theme, or lets the user choose one."""

    def show_player(self, line: "PlayerLine") -> None:
        """Puts a player in the composer's place."""

    def put_away_player(self, line: "PlayerLine") -> None:
        """Lets the user write again."""

    def is_covered(self) -> bool:
        """Whether another screen lies over this one."""


@dataclass(slots=True)
class Stage:
    """Where a conversation is shown."""

    transcript: Transcript
    composer: Composer
    status: StatusLine
    hints: HintLine
    sight: "Sight"
    house: House
    _states: dict[Source, tuple[str, bool]] = field(default_factory=dict)

    def notice(self, text: str, tone: Tone = "plain", heading: str = "") -> None:
        """Adds a report, a note or a problem to the transcript."""
        self.transcript.add(NoticeEntry(text, tone, heading))

    def tell(self, **changes: Any) -> None:
        """Changes what the status line says of session and model."""
        self.status.show(replace(self.status.view, **changes))

    def state(self, source: Source, text: str, *, working: bool = True) -> None:
        """Changes what goes on in one place.

        Args:
            source: The place.
            text: What goes on there; empty for nothing.
            working: Whether it goes on by itself.
        """
        self._states[source] = (text, working)
        states = [self._states[s] for s in SOURCES if s in self._states]
        shown, busy = next((state for state in states if state[0]), ("ready", False))
        if shown != self.status.view.state:
            self.house.refresh_bindings()
        self.tell(state=shown, working=busy)
