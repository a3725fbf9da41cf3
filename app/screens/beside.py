"""What stands beside the conversation: core, gauge and panes, by the room there is.

They come once memory has been loaded; until then the screen keeps their place.
"""

from textual.containers import Vertical
from textual.screen import Screen
from textual.widget import Widget

from app.screens.room import LOW, room_for
from app.screens.sight import Sight
from widgets.composer import Composer
from widgets.core.core import Core
from widgets.gauge import Gauge
from widgets.hint_line import HintLine
from widgets.panes.column import Panes
from widgets.panes.pane import Pane
from widgets.transcript import Transcript

NO_PANE = "This layer has no pane."


class Beside:
    """Places core, gauge and panes on a screen, as columns or as a drawer.

    Args:
        screen: With the conversation in `#talk`, and the keys in the last line.
        home: What has the keys when nothing beside the conversation has; the composer by default.
        parts: Core, gauge and panes, where they are not the usual ones.
        foot: Rows at the lower end that a drawer leaves in sight.
    """

    def __init__(
        self,
        screen: Screen[None],
        home: Widget | None = None,
        parts: tuple[Core, Gauge, Panes] | None = None,
        foot: int = 1,
    ) -> None:
        self._screen = screen
        self._given_home = home
        self._foot = foot
        self._wanted = True
        self._drawer = False
        self._room = room_for(0)
        self.core, self.gauge, self.panes = parts or (Core(), Gauge(), Panes(0))
        hints = screen.query_one(HintLine)
        self.sight = Sight(self.core, self.gauge, self.panes, hints, screen.set_timer)

    async def come(self) -> None:
        """Puts everything in its place, which was kept free."""
        screen = self._screen
        with screen.app.batch_update():
            await screen.mount(self.core, self.panes, after=self._talk)
            await self._talk.mount(self.gauge, after=screen.query_one(Transcript))
            self._talk.styles.margin = 0
            screen.query_one(Transcript).styles.margin = 0
            self.fit(*screen.app.size)

    def fit(self, width: int, height: int) -> None:
        """Takes the room there is.

        Args:
            width: Columns of the terminal.
            height: Its rows.
        """
        self._room = room = room_for(width)
        roomy = room.core > 0
        self._drawer = self._drawer and not roomy
        self.core.display = roomy
        self.core.styles.width = max(1, room.core)
        self.gauge.display = not roomy and height >= LOW
        self.panes.styles.layer = "room" if roomy else "drawer"
        self.panes.styles.dock = "none" if roomy else "right"
        # A drawer leaves the first line in sight, and what stands at the lower end.
        self.panes.styles.margin = (0, 1, 0, 0) if roomy else (1, 0)
        self.panes.styles.height = "1fr" if roomy else max(1, height - 1 - self._foot)
        self.arrange()
        self.sight.moved()

    def arrange(self) -> None:
        """Shows the panes where there is room for them and they are wanted."""
        shown = self._wanted if self._roomy else self._drawer
        width: int | str = self._room.panes
        if self.panes.enlarged is not None:
            width = "1.5fr" if self._roomy else "100%"
        self.panes.styles.width = width
        columns = self._room.columns if shown else 0
        # A drawer is looked through: what has no room in it stands below.
        self.panes.arrange_columns(columns, all_asked=not self._roomy)
        focused = self._screen.focused
        if isinstance(focused, Core | Pane) and focused not in self.parts:
            self._home.focus()

    @property
    def parts(self) -> list[Widget]:
        """What can have the keys, in order."""
        return [part for part in (self.core, *self._in_sight) if part.display]

    @property
    def covers(self) -> bool:
        """Whether a drawer lies over the conversation."""
        return self._drawer

    def show(self) -> None:
        """Shows the panes."""
        if self._roomy:
            self._wanted = True
        else:
            self._drawer = True
        self.arrange()

    def toggle(self) -> None:
        """Shows all panes, hidden ones too, or puts them away; a drawer gets the keys."""
        if self._roomy:
            self._wanted = not self._wanted
        else:
            self._drawer = not self._drawer
        self.arrange()
        if self._drawer or (self._roomy and self._wanted):
            self.panes.show_all()
        if self._drawer and self._in_sight:
            self._in_sight[0].focus()
        elif self._screen.focused is None:
            self._home.focus()

    def close_drawer(self) -> None:
        """Puts a drawer away; the keys go back to the composer."""
        if self._drawer:
            self._drawer = False
            self.arrange()
            self._home.focus()

    def enlarge(self) -> None:
        """Gives the pane that has the keys more room, or makes it small again."""
        focused = self._screen.focused
        seen = self.panes.visible_names or self.panes.names
        first = focused.kind if isinstance(focused, Pane) else seen[0]
        wanted = None if self.panes.enlarged else first
        self.show()
        self.panes.enlarge(wanted)
        if wanted is not None:
            self.panes.focus_pane(wanted)

    def open_layer(self, stratum: str, message: int | None) -> None:
        """Shows the pane of a layer of the core, at a message of it."""
        if stratum not in self.panes.names:
            self._screen.query_one(HintLine).say(NO_PANE)
            return
        self.show()
        self.panes.focus_pane(stratum)
        if message is not None:
            self.panes.pane(stratum).mark(str(message))

    def changed(self, visible: tuple[str, ...]) -> None:
        """Makes room for an enlarged pane; without any pane the conversation has all of it."""
        self.arrange()
        if not visible:
            self._wanted = self._drawer = False
            self.arrange()
            self.panes.show_all()
            self._home.focus()

    # -- inside

    @property
    def _roomy(self) -> bool:
        return self._room.core > 0

    @property
    def _talk(self) -> Vertical:
        return self._screen.query_one("#talk", Vertical)

    @property
    def _home(self) -> Widget:
        return self._given_home or self._screen.query_one(Composer)

    @property
    def _in_sight(self) -> list[Pane]:
        return [pane for pane in self.panes.query(Pane) if self.panes.display and pane.display]
