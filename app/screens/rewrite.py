"""A summary is written anew: asked how, compared, and accepted or left (COMPACT-11)."""

import time
from collections.abc import Iterator
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import ItemGrid, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Button, Input, Static

from app.screens.question import Question
from app.screens.timeline_deeds import RewriteDeeds
from memory.errors import StrataError
from memory.parts import SummarySlot
from memory.rewriting import NAMES, Rewritten
from memory.snapshot import SummaryView
from widgets.figures import short_number, short_seconds
from widgets.panes.compared import compared, legend
from widgets.panes.pane import FRAME_ROWS as PANE_FRAME_ROWS
from widgets.panes.pane import Pane
from widgets.panes.summaries import made_by, model_name, span
from widgets.panes.view import PARTS, PaneView, clipped, wrapped
from widgets.plain import one_line, printable
from widgets.rows import EMPTY, Piece, Row

TICK_SECONDS = 1.0
FRAME_ROWS = 6
"""Rows of the window beside those of the comparison."""
LEAST_ROWS = 3
SAY = "What it is to say; empty for the usual wording"
MODEL = "Which model writes; empty for {}"
LEAVE = "Nothing has changed."
SAME = "The new summary says the same as the old one."
ACCEPT = "The old one holds until you put the new one in place."


class RewriteScreen(Question[str]):
    """Dismissed with a sentence where a summary was replaced, else with None.

    Args:
        short_term: The short-term summary in force.
        long_term: The long-term one.
        deeds: How one is written and accepted.
    """

    AUTO_FOCUS = "#rewrite-say"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "accept", "accept", priority=True, id="rewrite.accept"),
        Binding("escape", "leave", "leave it", priority=True, id="rewrite.leave"),
    ]
    DEFAULT_CSS = """
    RewriteScreen {
        & > VerticalScroll { width: 100; border: round $stratum-short-term; }
        & > .-compared { width: 94%; max-width: 170; }
        & Input { border: round $stratum-dim; background: $panel; padding: 0 1; }
        & Input:focus { border: round $stratum-short-term; background-tint: transparent; }
        & .-label { margin-bottom: 0; color: $stratum-dim; }
        & #pane-which { height: auto; margin-bottom: 1; border: none; background: $panel; }
        & #pane-which:focus { border: none; }
        & #pane-compared { height: auto; border: none; background: $panel; margin-bottom: 1; }
        & #pane-compared:focus { border: none; }
        & #rewrite-told { margin-bottom: 0; padding: 0 1; }
        & .-problem { color: $stratum-lost; }
        & #rewrite-result { display: none; height: auto; }
        & > .-compared #rewrite-ask { display: none; }
        & > .-compared #rewrite-result { display: block; }
        & #rewrite-ask { height: auto; }
        & > .-writing #rewrite-ask { display: none; }
    }
    """

    def __init__(
        self, short_term: SummaryView | None, long_term: SummaryView | None, deeds: RewriteDeeds
    ) -> None:
        super().__init__()
        both: tuple[tuple[SummarySlot, SummaryView | None], ...] = (
            ("short_term", short_term),
            ("long_term", long_term),
        )
        self._summaries = {slot: view for slot, view in both if view is not None}
        self._deeds = deeds
        self._preview: Rewritten | None = None
        self._since = 0.0
        self._accepting = False

    def compose(self) -> ComposeResult:
        """Which, how and who; then what came of it."""
        with VerticalScroll(can_focus=False):
            with Vertical(id="rewrite-ask"):
                yield Static("Write anew, from what it was made of:", classes="-label")
                yield Pane("which", "", "short-term", closable=False, steady=True)
                yield Static(SAY, classes="-label")
                yield Input(id="rewrite-say", select_on_focus=False)
                name = one_line(self._deeds.model)
                yield Static(Content(MODEL.format(name)), classes="-label")
                yield Input(id="rewrite-model", select_on_focus=False)
                with ItemGrid(min_column_width=13):
                    yield Button("Leave it", id="rewrite-no", compact=True)
                    yield Button("Write", id="rewrite-yes", compact=True)
            with Vertical(id="rewrite-result"):
                yield Pane("compared", "", "short-term", closable=False)
            yield Static(id="rewrite-told")

    def on_mount(self) -> None:
        """Offers the summaries there are."""
        self._which.show(self._offered)
        self._which.cursor = next(iter(self._summaries))
        self.set_interval(TICK_SECONDS, self._tick)

    def on_resize(self) -> None:
        """Gives the comparison the rows it needs, as far as there are."""
        self._fit()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Enter accepts once there is something to accept."""
        if action == "accept":
            return self._preview is not None and not self._preview.same
        return super().check_action(action, parameters)

    def key_words(self) -> Iterator[tuple[str, str]]:
        """Of the fields, then of what was written."""
        if isinstance(self.focused, Input):
            yield "tab", "next field"
            yield "⏎", "write"
        yield "rewrite.accept", "put it in place"
        yield "rewrite.leave", "leave it"

    # -- what the user does

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self._begin()

    @on(Pane.Opened)
    def _chosen(self, event: Pane.Opened) -> None:
        if event.pane == "which":
            self.query_one("#rewrite-say").focus()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "rewrite-yes":
            self._begin()
        else:
            self.dismiss(None)

    def action_leave(self) -> None:
        """Leaves the summary as it is, and the model where it is."""
        self.dismiss(None)

    def action_accept(self) -> None:
        """Puts the new version in place."""
        if self._preview is not None and not self._accepting:
            self._accepting = True
            self.run_worker(self._accept(self._preview), exclusive=True)

    # -- inside

    @property
    def _box(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)

    @property
    def _which(self) -> Pane:
        return self.query_one("#pane-which", Pane)

    @property
    def _compared(self) -> Pane:
        return self.query_one("#pane-compared", Pane)

    def _offered(self, width: int) -> PaneView:
        rows = []
        for slot, view in self._summaries.items():
            figures = PARTS.join(
                (
                    span(view.first, view.last),
                    f"v{view.version}",
                    f"{short_number(view.tokens)} tok",
                    made_by(view.by, view.model),
                )
            )
            name = NAMES[slot]
            told = clipped(f"  {figures}", width - len(name))
            rows.append(Row((Piece(name, name, "b"), Piece(told, "dim"))))
        return PaneView(tuple(rows), "", tuple(self._summaries))

    def _begin(self) -> None:
        slots = list(self._summaries)
        slot = next((slot for slot in slots if slot == self._which.cursor), slots[0])
        say = self.query_one("#rewrite-say", Input).value
        model = self.query_one("#rewrite-model", Input).value
        self._since = time.monotonic()
        self._box.add_class("-writing")
        self._tick()
        self.run_worker(self._write(slot, say, model), exclusive=True)

    async def _write(self, slot: SummarySlot, say: str, model: str) -> None:
        try:
            preview = await self._deeds.preview(slot, say, model)
        except StrataError as error:
            self._since = 0.0
            self._tell(str(error), problem=True)
            self._box.remove_class("-writing")
            # A field that is still hidden takes no focus.
            self.call_after_refresh(self.query_one(f"#rewrite-{'model' if model else 'say'}").focus)
            return
        self._since = 0.0
        self._preview = preview
        self._box.remove_class("-writing")
        self._box.add_class("-compared")
        self._compared.show(lambda width: PaneView(tuple(_comparison(preview, width))))
        self._tell(SAME if preview.same else ACCEPT)
        self._compared.focus()
        self.call_after_refresh(self._fit)

    async def _accept(self, preview: Rewritten) -> None:
        try:
            await self._deeds.accept(preview)
        except StrataError as error:
            self._accepting = False
            self._tell(str(error), problem=True)
        else:
            self.dismiss(f"The {NAMES[preview.slot]} summary was replaced; the log keeps both.")

    def _tick(self) -> None:
        """Says for how long it has been written."""
        if self._since:
            model = self.query_one("#rewrite-model", Input).value or self._deeds.model
            seconds = short_seconds(time.monotonic() - self._since)
            self._tell(f"{model_name(model)} is writing: {seconds}. {LEAVE}")

    def _tell(self, text: str, *, problem: bool = False) -> None:
        told = self.query_one("#rewrite-told", Static)
        told.update(Content(printable(text)))
        told.set_class(problem, "-problem")

    def _fit(self) -> None:
        if self._preview is not None:
            pane = self._compared
            rows = pane.wanted(pane.outer_size.width) - PANE_FRAME_ROWS
            pane.styles.height = max(LEAST_ROWS, min(rows, self.size.height - FRAME_ROWS))


def _comparison(preview: Rewritten, width: int) -> Iterator[Row]:
    """The old version and the new one, with what is worth knowing of both."""
    old, new = preview.replaces, preview.written
    name = NAMES[preview.slot]
    titles = (
        PARTS.join((f"now, v{old.version}", f"{old.tokens:,} tok", made_by(old.by, old.model))),
        PARTS.join(("anew", f"{new.tokens:,} tok", made_by(new.by, new.model))),
    )
    figures = f"  {span(old.first, old.last)}{PARTS}took {short_seconds(new.duration_s)}"
    room = width - len(name)
    yield Row((Piece(name, name, "b"), Piece(clipped(figures, room), "dim")))
    for failure in new.failures:
        yield from wrapped(f"Not accepted before: {one_line(failure)}", width, "note")
    yield EMPTY
    yield from compared(preview.before, preview.after, width, titles)
    yield EMPTY
    yield from legend(width)
