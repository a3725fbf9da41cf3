"""The panes in one column or two, sharing the height there is."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.layout import Layout
from textual.message import Message

from widgets.panes.aside import Aside, Out
from widgets.panes.layout import SharedColumns
from widgets.panes.pane import Pane
from widgets.panes.registry import PANES
from widgets.panes.shares import ROWS_OF_TWO
from widgets.panes.thin_bar import ThinBar
from widgets.panes.view import PaneKind, PaneView, wrapped
from widgets.scrollbar import thin_scrollbar

if TYPE_CHECKING:
    from memory.snapshot import Snapshot

AGES_SECONDS = 20.0
"""Between two looks at whether something has become older."""
LOW = 20
"""Rows below which other panes are not named."""
OPENING = "Memory is being opened."


class Panes(VerticalScroll, can_focus=False):
    """All panes, drawn from one snapshot; each can be shown, hidden and enlarged.

    Args:
        columns: Columns at first: 0 for out of sight, 1 or 2.
        kinds: The panes; those of the registry by default.
    """

    ALLOW_MAXIMIZE = False
    PANE: ClassVar[type[Pane]] = Pane
    """What each of them is."""
    DEFAULT_CSS = "Panes { background: $background; }" + thin_scrollbar("Panes")

    class Changed(Message):
        """Other panes are to be seen than before, or one is enlarged or no longer."""

        def __init__(self, visible: tuple[str, ...], enlarged: str | None) -> None:
            super().__init__()
            self.visible = visible
            self.enlarged = enlarged

    def __init__(self, columns: int = 1, kinds: Sequence[PaneKind] = PANES) -> None:
        super().__init__(id="panes")
        self._kinds = tuple(kinds)
        self._wishes: dict[str, bool] = {}
        """Which panes the user wants to see, or not to see; the others are as they are asked."""
        self._enlarged: str | None = None
        self._snapshot: Snapshot | None = None
        self._now: datetime | None = None
        self._layout = SharedColumns()
        self._layout.column_of = {kind.name: kind.column for kind in kinds}
        self._columns = columns
        self._all = False
        self.display = columns > 0
        self._layout.columns = max(1, columns)
        self._panes = {kind.name: self._made(kind) for kind in kinds}
        self._aside = Aside()
        self._aside.display = False
        self._told: tuple[tuple[str, ...], str | None] = self.visible_names, None

    @property
    def layout(self) -> Layout:
        """Places the panes."""
        return self._layout

    def compose(self) -> ComposeResult:
        """A pane of each kind."""
        for kind in self._in_order():
            yield self._panes[kind.name]
        yield self._aside

    def on_mount(self) -> None:
        """Gives the scrollbar its look, and keeps ages true while nothing happens."""
        self.vertical_scrollbar.renderer = ThinBar  # type: ignore[misc]
        self.set_interval(AGES_SECONDS, self._grow_older)

    def on_resize(self) -> None:
        """Shows as many panes as there is room for."""
        if self.visible_names != self._told[0]:
            self._apply()
        else:
            self._name_others()

    # -- what is shown

    def show(self, snapshot: "Snapshot", now: datetime | None = None) -> None:
        """Draws another snapshot in those panes where it looks different.

        Args:
            snapshot: Memory at a moment.
            now: The moment, where it is not the present.
        """
        before = self.visible_names
        self._snapshot, self._now = snapshot, now
        if self.visible_names != before:
            self._apply()
        else:
            self._name_others()
        for kind in self._kinds:
            if self._is_visible(kind.name):
                self._fill(kind)

    def pane(self, name: str) -> Pane:
        """A pane by its name, whether it is on the screen yet, still, or no more."""
        return self._panes[name]

    @property
    def names(self) -> tuple[str, ...]:
        """All panes, the most important first."""
        return tuple(kind.name for kind in self._kinds)

    @property
    def titles(self) -> tuple[tuple[str, str], ...]:
        """All panes by name and title."""
        return tuple((kind.name, kind.title) for kind in self._kinds)

    @property
    def visible_names(self) -> tuple[str, ...]:
        """Those that are not hidden, enlarged or not."""
        return tuple(kind.name for kind in self._kinds if self._is_wanted(kind))

    @property
    def enlarged(self) -> str | None:
        """The pane that has the whole room."""
        return self._enlarged

    # -- what can be done

    def arrange_columns(self, columns: int, *, all_asked: bool = False) -> None:
        """Puts the panes into 1 or 2 columns, or, with 0, out of sight.

        Args:
            columns: How many.
            all_asked: Whether all that have something to show stand there, however far down.
        """
        if (columns, all_asked) == (self._columns, self._all):
            return
        self._columns, self._all = columns, all_asked
        self.display = columns > 0
        if columns:
            self._layout.columns = columns
            places = {self._panes[kind.name].id: at for at, kind in enumerate(self._in_order())}
            self.sort_children(key=lambda child: places.get(child.id, len(places)))
            self._apply()

    def set_visible(self, name: str, visible: bool) -> None:
        """Shows or hides a pane."""
        if (name in self.visible_names) == visible:
            return
        self._wishes[name] = visible
        if not visible and self._enlarged == name:
            self._enlarged = None
        self._apply()

    def toggle(self, name: str) -> None:
        """Hides a pane that is shown, and the other way round."""
        self.set_visible(name, name not in self.visible_names)

    def show_all(self) -> None:
        """Shows again what was hidden, where there is something to show."""
        self._wishes = {name: wanted for name, wanted in self._wishes.items() if wanted}
        self._apply()

    def enlarge(self, name: str | None) -> None:
        """Gives one pane the whole room, or with None all of them their share again."""
        if name == self._enlarged:
            return
        self._enlarged = name
        if name is not None and name not in self.visible_names:
            self._wishes[name] = True
        self._apply()

    def focus_pane(self, name: str) -> None:
        """Makes a pane visible and gives it the keys."""
        if self._enlarged not in (None, name):
            self.enlarge(None)
        self.set_visible(name, visible=True)
        pane = self.pane(name)
        pane.focus(scroll_visible=False)
        # Once it has a place: it may have been hidden.
        self.call_after_refresh(pane.scroll_visible, animate=False)

    def on_aside_wanted(self, event: Aside.Wanted) -> None:
        """Brings a pane back."""
        event.stop()
        self.focus_pane(event.kind)

    def on_pane_hide_wanted(self, event: Pane.HideWanted) -> None:
        """Hides a pane; the next one gets its keys."""
        event.stop()
        names = self.visible_names
        place = names.index(event.pane.kind)
        following = [*names[place + 1 :], *names[:place][::-1]]
        had_focus = event.pane.has_focus
        self.set_visible(event.pane.kind, visible=False)
        if had_focus and following:
            self.pane(following[0]).focus()

    # -- inside

    def _made(self, kind: PaneKind) -> Pane:
        pane = self.PANE(kind.name, kind.title, kind.stratum)
        pane.show(_opening)
        pane.display = self._is_wanted(kind)
        return pane

    def _in_order(self) -> list[PaneKind]:
        """Column by column, as Tab goes."""
        if self._layout.columns == 1:
            return list(self._kinds)
        return sorted(self._kinds, key=lambda kind: kind.column)

    def _is_visible(self, name: str) -> bool:
        return name == self._enlarged if self._enlarged else name in self.visible_names

    def _is_wanted(self, kind: PaneKind) -> bool:
        """Whether a pane is to be seen unless another one is enlarged."""
        if kind.name in self._wishes:
            return self._wishes[kind.name]
        if kind.asked is None:
            return True
        if self._snapshot is None or not kind.asked(self._snapshot):
            return False
        return not kind.beside or self._has_room_for(kind)

    def _has_room_for(self, kind: PaneKind) -> bool:
        """Whether a pane that the others could do without has room with them."""
        if self._columns > 1 or self._all:
            return True
        before = self._kinds[: self._kinds.index(kind) + 1]
        panes = sum(self._has_something(other) for other in self._kinds if not other.beside) + sum(
            self._has_something(other) for other in before if other.beside
        )
        return panes * ROWS_OF_TWO <= 2 * (self.size.height - 1)

    def _has_something(self, kind: PaneKind) -> bool:
        return kind.asked is None or (self._snapshot is not None and kind.asked(self._snapshot))

    def _apply(self) -> None:
        for kind in self._kinds:
            pane, visible = self.pane(kind.name), self._is_visible(kind.name)
            pane.enlarged = visible and self._enlarged is not None
            if visible and not pane.display:
                self._fill(kind)
            pane.display = visible
        seen = self.visible_names
        self.refresh(layout=True)
        self._name_others()
        self._tell(seen)

    def _name_others(self) -> None:
        """Names the panes that are out of sight, once it is known which are."""
        self._aside.show(self._others())
        self.call_after_refresh(lambda: self._aside.show(self._others()))

    def _others(self) -> list[Out]:
        """The panes out of sight: those first that have something to show and no room."""
        if self.size.height < LOW or self._enlarged:
            return []
        seen = set(self.visible_names) - self._layout.beyond
        kinds = [kind for kind in self._kinds if kind.name not in seen]
        kinds.sort(key=lambda kind: (not self._has_something(kind), kind.beside))
        return [Out(kind.name, kind.title, self._has_something(kind)) for kind in kinds]

    def _tell(self, seen: tuple[str, ...]) -> None:
        """Says what is to be seen, where that is something else than before."""
        if (seen, self._enlarged) != self._told:
            self._told = seen, self._enlarged
            self.post_message(self.Changed(seen, self._enlarged))

    def _fill(self, kind: PaneKind) -> None:
        if self._snapshot is not None:
            now = self._now or datetime.now(UTC)
            self.pane(kind.name).show(partial(_laid, kind, self._snapshot, now))

    def _grow_older(self) -> None:
        if self._snapshot is not None and self._now is None and self.display:
            self.show(self._snapshot)


def _laid(kind: PaneKind, snapshot: "Snapshot", now: datetime, width: int) -> PaneView:
    return kind.rows(snapshot, width, now)


def _opening(width: int) -> PaneView:
    return PaneView(tuple(wrapped(OPENING, width, "dim")))
