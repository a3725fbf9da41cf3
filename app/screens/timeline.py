"""The Timeline screen: every compaction, and what each did (VIEW-3)."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.events import Resize
from textual.screen import Screen

from app.chat.names import session_name
from app.screens.asking import Asking
from app.screens.standing import stands
from app.screens.timeline_deeds import TimelineDeeds
from app.screens.timeline_detail import READING, detail_rows, detail_title
from app.screens.timeline_head import TimelineHead
from app.screens.timeline_heat import heat_strip
from app.screens.timeline_loss import OPENED_AT_FIRST, item_of
from app.screens.timeline_opened import OpenedPane
from app.screens.timeline_questions import redo_question, undo_question
from app.screens.timeline_rows import list_rows
from memory.errors import StrataError
from memory.history import CompactionRecord
from memory.snapshot import Snapshot
from memory.versions import SummaryVersion
from memory.views import CompactionView
from widgets.hint_line import HintLine, Key
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView, wrapped
from widgets.plain import one_line
from widgets.said_line import SaidLine

WIDE = 110
"""Columns from which what is chosen in the list shows beside it."""
ROOMY = 150
"""Columns from which the list stays beside what is opened."""
KEYS: tuple[Key, ...] = (
    ("pane.up pane.down", "choose"),
    ("pane.open", "open"),
    ("timeline.pin", "pin"),
    ("timeline.undo", "undo"),
    ("timeline.redo", "redo"),
    ("timeline.rewrite", "rewrite"),
    ("timeline.back", "back"),
)
READ_ONLY = "This session is open read-only: nothing can be changed here."


class TimelineScreen(Screen[None]):
    """Lists compactions and opens them; knows no memory, only what it is given.

    Args:
        records: Every compaction of the session, oldest first.
        snapshot: Memory as it is.
        deeds: What can be read and done.
        selected: The compaction to open at once.
    """

    AUTO_FOCUS = "#pane-compactions"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", "back", id="timeline.back"),
        Binding("u", "undo", "undo", id="timeline.undo"),
        Binding("r", "redo", "redo", id="timeline.redo"),
        Binding("w", "rewrite", "rewrite", id="timeline.rewrite"),
        Binding("p", "pin", "pin", id="timeline.pin"),
    ]
    DEFAULT_CSS = """
    TimelineScreen {
        background: $background;
        & > #timeline-body { height: 1fr; layout: vertical; }
        & #pane-compactions { height: 1fr; }
        & #pane-opened { display: none; height: 1fr; }
        &.-opened #pane-opened { display: block; }
        &.-opened #pane-compactions { display: none; }
        &.-wide > #timeline-body { layout: horizontal; }
        &.-wide #pane-compactions { width: 1fr; }
        &.-wide #pane-opened { width: 1fr; }
        &.-wide.-filled #pane-opened { display: block; }
        &.-roomy.-opened #pane-compactions { display: block; width: 2fr; }
        &.-roomy.-opened #pane-opened { width: 5fr; }
    }
    """

    def __init__(
        self,
        records: Sequence[CompactionRecord],
        snapshot: Snapshot,
        deeds: TimelineDeeds,
        selected: str | None = None,
    ) -> None:
        super().__init__()
        self._records = tuple(records)
        self._snapshot = snapshot
        self._deeds = deeds
        self._selected = selected or None
        self._opened = bool(selected)
        self._views: dict[str, CompactionView] = {}
        self._versions: Sequence[SummaryVersion] = ()
        self._unfolded = OPENED_AT_FIRST
        self._read_at = -1

    def compose(self) -> ComposeResult:
        """The list, what is opened, and the keys."""
        yield TimelineHead()
        with Container(id="timeline-body"):
            yield Pane("compactions", "compactions", "dim", closable=False, steady=True)
            yield OpenedPane(self._told_at)
        yield SaidLine(id="timeline-said")
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Shows what it was given."""
        self.update(self._records, self._snapshot)
        if self._selected is not None:
            self._list.mark(self._selected)
        if self._opened:
            self._detail.focus()

    def on_resize(self, event: Resize) -> None:
        """Opens beside the list where there is room."""
        self.set_class(event.size.width >= WIDE, "-wide")
        self.set_class(event.size.width >= ROOMY, "-roomy")

    def update(self, records: Sequence[CompactionRecord], snapshot: Snapshot) -> None:
        """Shows memory as it has become; what is selected stays.

        Args:
            records: Every compaction, oldest first.
            snapshot: Memory as it is.
        """
        self._records, self._snapshot = tuple(records), snapshot
        if not stands(self):
            return
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
        if snapshot.n != self._read_at:
            self._read()

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "compactions":
            self._select(event.key)
        else:
            self._say("")

    @on(Pane.Opened)
    def _open(self, event: Pane.Opened) -> None:
        if event.pane == "compactions":
            self._select(event.key)
            self._opened = True
            self._show_selected()
            self._detail.focus()
        else:
            self._unfolded ^= {event.key}
            self._show_selected()

    @on(OpenedPane.Pointed)
    def _pointed(self, event: OpenedPane.Pointed) -> None:
        self.query_one(HintLine).show(hint=event.text)

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
                lambda: self._deeds.undo(record.event.id),
                f"Taken back: the compaction at message {at:,}. r lets it hold again.",
            )

    def action_redo(self) -> None:
        """Lets the compaction undone last hold again, once confirmed."""
        wanted = self._snapshot.redoable
        record = next((r for r in self._records if r.event.id == wanted), None)
        if self._snapshot.read_only:
            self._say(READ_ONLY)
        elif record is None:
            self._say("There is no compaction to redo.")
        else:
            at = record.event.message
            self._ask(
                Asking(*redo_question(record), yes="Redo"),
                self._deeds.redo,
                f"The compaction at message {at:,} holds again.",
            )

    def action_pin(self) -> None:
        """Keeps the sentence of the chosen item in the prompt."""
        view = self._view
        item = item_of(self._detail.cursor, view.items) if view is not None else None
        if self._snapshot.read_only:
            self._say(READ_ONLY)
        elif item is None or not self._detail.has_focus:
            self._say("Choose an item of the loss report first; its sentence is what is pinned.")
        else:
            said = f"Pinned: “{one_line(item.sentence or item.text)}” @pins lists what is pinned."
            self._do(lambda: self._deeds.pin(item.sentence or item.text, item.number), said)

    def action_rewrite(self) -> None:
        """Has one of the summaries in force written anew."""
        snapshot = self._snapshot
        if snapshot.read_only:
            self._say(READ_ONLY)
        elif snapshot.short_term is None and snapshot.long_term is None:
            self._say("There is no summary yet that could be written anew.")
        else:
            from app.screens.rewrite import RewriteScreen

            screen = RewriteScreen(snapshot.short_term, snapshot.long_term, self._deeds.rewrite)
            self.app.push_screen(screen, lambda said: self._say(said or ""))

    # -- inside

    @property
    def _list(self) -> Pane:
        return self.query_one("#pane-compactions", Pane)

    @property
    def _detail(self) -> OpenedPane:
        return self.query_one(OpenedPane)

    @property
    def _record(self) -> CompactionRecord | None:
        return next((r for r in self._records if r.event.id == self._selected), None)

    @property
    def _view(self) -> CompactionView | None:
        return self._views.get(self._selected or "")

    def _list_view(self, width: int) -> PaneView:
        return list_rows(self._records, self._snapshot, width, datetime.now(UTC))

    def _select(self, key: str) -> None:
        if key != self._selected:
            self._selected, self._unfolded = key, OPENED_AT_FIRST
            self._say("")
            self._show_selected()
            self._detail.mark(None)
            self._detail.scroll_home(animate=False)
            self._read()

    def _show_selected(self) -> None:
        record = self._record
        self.set_class(self._opened and record is not None, "-opened")
        if record is not None:
            self._detail.name_it(detail_title(record.event.message))
            self._detail.show(self._detail_view(record, self._view))

    def _detail_view(
        self, record: CompactionRecord, view: CompactionView | None
    ) -> Callable[[int], PaneView]:
        pinned = frozenset(one_line(pin.text) for pin in self._snapshot.pins)
        versions, unfolded = self._versions, self._unfolded

        def lay(width: int) -> PaneView:
            if view is None:
                return PaneView(tuple(wrapped(READING, width, "dim")))
            now = datetime.now(UTC)
            return detail_rows(view, record.event, versions, pinned, unfolded, width, now)

        return lay

    def _told_at(self, key: str | None, column: int) -> str:
        """What a cell of the heat strip stands for."""
        view = self._view
        if view is None or key is None:
            return ""
        strip = heat_strip(view.represented, self._detail.text_width)
        return next((row.told_at(column) for row in strip if row.key == key), "")

    def _read(self) -> None:
        self._read_at = self._snapshot.n
        if self._selected is not None:
            self.run_worker(self._read_view(self._selected), group="view", exclusive=True)

    async def _read_view(self, compaction: str) -> None:
        try:
            view = await self._deeds.view(compaction)
            self._versions = await self._deeds.versions()
        except StrataError as error:
            self._say(str(error))
            return
        # What is chosen next is read anew: memory may have gone on.
        self._views = {**self._views, compaction: view}
        self._show_selected()

    def _ask(self, question: Asking, do: Callable[[], Awaitable[None]], done: str) -> None:
        async def ask_and_do() -> None:
            if await self.app.push_screen_wait(question):
                await self._done(do, done)

        self._say("")
        self.run_worker(ask_and_do(), group="ask", exclusive=True)

    def _do(self, do: Callable[[], Awaitable[None]], done: str) -> None:
        self.run_worker(self._done(do, done), group="do", exclusive=True)

    async def _done(self, do: Callable[[], Awaitable[None]], done: str) -> None:
        try:
            await do()
        except StrataError as error:
            self._say(str(error))
        else:
            self._say(done)

    def _say(self, text: str) -> None:
        """Says one sentence above the keys; empty for none."""
        self.query_one(SaidLine).say(text)
