"""All regions of the chat on one screen, wired to the themes as the application does."""

from collections.abc import Sequence
from pathlib import Path

from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter

from app.themes import Themes
from tests.support.snapshots import snapshot_of, summary, talk
from themes import strata
from widgets.composer import Composer
from widgets.core.core import Core
from widgets.entries import MarkEntry, MessageEntry, NoticeEntry
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes
from widgets.status_line import StatusLine, StatusView
from widgets.transcript import Transcript

TALK = talk(130, [900, 1400] * 7)
SNAPSHOT = snapshot_of(
    TALK,
    sections={"system": 900, "files": 1200, "facts": 700, "recalled": 1200},
    short_term=summary(66, 129, 1800, 2),
    long_term=summary(1, 65, 1500, 2),
)
ANSWER = (
    "Two were dropped:\n\n1. **Saldanha**, no pets, and `Biscuit` comes with you.\n"
    "2. *Alvalade*, see [the notes](https://example.org).\n\n"
    "```python\n# what is left\nrent = 1100 if dog else 900\nprint('ask', rent)\n```\n"
)


class Dressed(App[None]):
    """The regions of the chat."""

    CSS = """
    #conversation { width: 1fr; }
    Core { width: 18; }
    Panes { width: 38; }
    """

    def __init__(self, folder: Path, theme: str = "default") -> None:
        super().__init__()
        self.themes = Themes(self, folder)
        self.themes.show(theme)

    @property
    def few_hues(self) -> bool:
        return self.themes.few_hues

    def get_line_filters(self) -> Sequence[LineFilter]:
        return (*super().get_line_filters(), *self.themes.filters)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.variables_for(self.current_theme)

    def compose(self) -> ComposeResult:
        yield StatusLine(
            StatusView("flat in Lisbon", "default", "cascade", "qwen2.5-1.5b", "here", "ready")
        )
        with Horizontal():
            with Vertical(id="conversation"):
                yield Transcript()
                yield Gauge()
                yield Composer("Write a message; @ lists the commands")
            yield Core(animate=False)
            yield Panes(1)
        yield HintLine((("ctrl+q", "quit"), ("f9", "theme")))

    def on_resize(self) -> None:
        for widget in (self.query_one(Core), self.query_one(Panes)):
            widget.display = self.size.width >= 100

    def on_mount(self) -> None:
        self.query_one(Transcript).show(
            [
                MessageEntry(140, "you", "Which flats did we drop, and why?", ("14:02",)),
                MessageEntry(141, "strata", ANSWER, ("14:02", "1.9 s")),
                MarkEntry("folded 66–129 into the short-term summary", "c1"),
                NoticeEntry("A note of Strata's own.", "note"),
                NoticeEntry("Something did not work. Try again.", "problem"),
                MessageEntry(142, "tool", "a file", ("14:03",)),
            ]
        )
        self.query_one(Core).show(SNAPSHOT)
        self.query_one(Gauge).show(SNAPSHOT)
        self.query_one(Panes).show(SNAPSHOT)
