"""The Timeline screen: every compaction, and what each did (VIEW-3)."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.events import Resize
from textual.screen import Screen
from textual.widgets import Static

from app.chat.names import session_name
from app.screens.asking import Asking
from app.screens.compactions import redoable
from app.screens.timeline_detail import detail_bodies, detail_rows, detail_title
from app.screens.timeline_head import TimelineHead
from app.screens.timeline_questions import redo_question, undo_question
from app.screens.timeline_rows import list_rows
from memory.errors import StrataError
from memory.history import CompactionRecord
from memory.snapshot import Snapshot
from widgets.hint_line import HintLine, Key
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView
from widgets.plain import printable

Texts = Callable[[Sequence[str]], Awaitable[dict[str, str]]]
WIDE = 110
"""Columns from which a compaction opens beside the list and not below it."""
KEYS: tuple[Key, ...] = (
    ("pane.up pane.down", "choose"),
    ("pane.open", "open"),
    ("timeline.undo", "undo"),
    ("timeline.redo", "redo"),
    ("timeline.back", "back"),
)
GONE = "This text is no longer there."
READ_ONLY = "This session is open read-only: nothing can be taken back here."


class TimelineScreen(Screen[None]):
    """Lists compactions and opens them; knows no memory, only what it is given.

    Args:
        records: Every compaction of the session, oldest first.
        snapshot: Memory as it is.
        texts: Reads texts by body.
        undo: Takes back the compaction with an id, and all after it.
        redo: Lets the compaction undone last hold again.
        selected: The compaction to open at once.
    """

    AUTO_FOCUS = "#pane-compactions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", id="timeline.back"),
        Binding("u", "undo", "undo", id="timeline.undo"),
        Binding("r", "redo", "redo", id="timeline.redo"),
    ]
    DEFAULT_CSS = """
    TimelineScreen {
        background: $background;
        & > #timeline-body { height: 1fr; layout: vertical; }
        & #pane-compactions { height: 1fr; }
        & #pane-opened { display: none; height: 1fr; }
        &.-opened #pane-opened { display: block; }
        &.-opened #pane-compactions { height: auto; max-height: 40%; }
        &.-wide > #timeline-body { layout: horizontal; }
        &.-wide #pane-compactions { width: 1fr; height: 1fr; max-height: 100%; }
        &.-wide #pane-opened { width: 1fr; }
        &.-wide.-filled #pane-opened { display: block; }
        & > #timeline-said { display: none; height: auto; padding: 0 1; color: $stratum-warning; }
        &.-said > #timeline-said { display: block; }
    }
    """

    def __init__(
        self,
        records: Sequence[CompactionRecord],
        snapshot: Snapshot,
        texts: Texts,
        undo: Callable[[str], Awaitable[None]],
        redo: Callable[[], Awaitable[None]],
        selected: str | None = None,
    ) -> None:
        super().__init__()
        self._records = tuple(records)
        self._snapshot = snapshot
        self._read = texts
        self._do_undo = undo
        self._do_redo = redo
        self._selected = selected or None
        self._opened = bool(selected)
        self._texts: dict[str, str] = {}

    def compose(self) -> ComposeResult:
        """The list, what is opened, and the keys."""
        yield TimelineHead()
        with Container(id="timeline-body"):
            yield Pane("compactions", "compactions", "dim", closable=False, steady=True)
            yield Pane("opened", "", "short-term", closable=False)
        yield Static(id="timeline-said")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows what it was given."""
        self.update(self._records, self._snapshot)
        if self._selected is not None:
            self._list.mark(self._selected)

    def on_resize(self, event: Resize) -> None:
        """Opens beside the list where there is room."""
        self.set_class(event.size.width >= WIDE, "-wide")

    def update(self, records: Sequence[CompactionRecord], snapshot: Snapshot) -> None:
        """Shows memory as it has become; what is selected stays.

        Args:
            records: Every compaction, oldest first.
            snapshot: Memory as it is.
        """
        self._records, self._snapshot = tuple(records), snapshot
        if self._record is None:
            self._selected = records[-1].event.id if records else None
        self.set_class(bool(records), "-filled")
        self.query_one(HintLine).show(keys=KEYS if records else KEYS[-1:])
        name = session_name(snapshot.title, snapshot.session_id, datetime.now(UTC))
        self.query_one(TimelineHead).show(records, name)
        self._list.show(self._list_view)
        if self._list.cursor is None:
            self._list.cursor = self._selected
        self._show_selected()

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "compactions":
            self._select(event.key)

    @on(Pane.Opened)
    def _open(self, event: Pane.Opened) -> None:
        self._select(event.key)
        self._opened = True
        self._show_selected()
        self._detail.focus()

    def action_back(self) -> None:
        """Closes what is open, then the screen."""
        if self._detail.has_focus:
            self._opened = False
            self._show_selected()
            self._list.focus()
        else:
            self.dismiss()

    def action_undo(self) -> None:
        """Takes back the selected compaction and all after it, once confirmed."""
        record = self._record
        if self._snapshot.read_only:
            self._say(READ_ONLY)
        elif record is None:
            self._say("There is no compaction to undo.")
        elif record.undone:
            self._say("This one is undone already; r lets the one undone last hold again.")
        else:
            question = undo_question(record, self._records)
            at = record.event.message
            self._ask(
                Asking(*question, yes="Take back"),
                lambda: self._do_undo(record.event.id),
                f"Taken back: the compaction at message {at:,}. r lets it hold again.",
            )

    def action_redo(self) -> None:
        """Lets the compaction undone last hold again, once confirmed."""
        record = redoable(self._records)
        if self._snapshot.read_only:
            self._say(READ_ONLY)
        elif record is None:
            self._say("There is no compaction to redo.")
        else:
            at = record.event.message
            self._ask(
                Asking(*redo_question(record), yes="Redo"),
                self._do_redo,
                f"The compaction at message {at:,} holds again.",
            )

    # -- inside

    @property
    def _list(self) -> Pane:
        return self.query_one("#pane-compactions", Pane)

    @property
    def _detail(self) -> Pane:
        return self.query_one("#pane-opened", Pane)

    @property
    def _record(self) -> CompactionRecord | None:
        return next((r for r in self._records if r.event.id == self._selected), None)

    def _list_view(self, width: int) -> PaneView:
        return list_rows(self._records, self._snapshot, width, datetime.now(UTC))

    def _select(self, key: str) -> None:
        if key != self._selected:
            self._selected = key
            self._say("")
            self._show_selected()
            self._detail.scroll_home(animate=False)

    def _show_selected(self) -> None:
        record = self._record
        self.set_class(self._opened and record is not None, "-opened")
        if record is None:
            return
        self._detail.name_it(detail_title(record))
        records = self._records

        def lay(width: int) -> PaneView:
            return detail_rows(record, records, self._texts, width, datetime.now(UTC))

        self._detail.show(lay)
        missing = [body for body in detail_bodies(record, records) if body not in self._texts]
        if missing:
            self.run_worker(self._read_texts(missing), group="texts", exclusive=True)

    async def _read_texts(self, bodies: Sequence[str]) -> None:
        try:
            found = await self._read(bodies)
        except StrataError as error:
            self._say(str(error))
            return
        self._texts.update({**dict.fromkeys(bodies, GONE), **found})
        self._show_selected()

    def _ask(self, question: Asking, do: Callable[[], Awaitable[None]], done: str) -> None:
        async def ask_and_do() -> None:
            if not await self.app.push_screen_wait(question):
                return
            try:
                await do()
            except StrataError as error:
                self._say(str(error))
            else:
                self._say(done)

        self._say("")
        self.run_worker(ask_and_do(), group="ask", exclusive=True)

    def _say(self, text: str) -> None:
        """Says one sentence above the keys; empty for none."""
        self.query_one("#timeline-said", Static).update(Content(printable(text)))
        self.set_class(bool(text), "-said")
