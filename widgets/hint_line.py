"""The last line: the keys that hold now, or what is worth knowing while one types."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple

from rich.cells import cell_len, set_cell_size
from textual.binding import ActiveBinding
from textual.events import Click
from textual.screen import Screen
from textual.timer import Timer

from widgets.key_names import key_label
from widgets.line import Line, Piece
from widgets.plain import printable

Key = tuple[str, str]
"""The id of an action, or several with blanks between them, or a key as it is; and a word."""
BETWEEN = 2
"""Cells between two keys."""
LEAST = 30
"""Cells that the keys need before anything stands at the right end."""
SAID_SECONDS = 3.0
"""How long a short note stays."""


class Spot(NamedTuple):
    """A key in the line."""

    start: int
    label: str
    word: str
    action: str
    """The id of what it does; empty for what is only said."""

    @property
    def end(self) -> int:
        """The cell after it."""
        return self.start + cell_len(self.label) + 1 + cell_len(self.word)


def spots(wanted: Sequence[Key], bound: Mapping[str, str], width: int) -> list[Spot]:
    """The keys that hold and fit, in their order; what comes last is left out first.

    Args:
        wanted: What would be shown if there were room, the most important first.
        bound: The key of each action that holds now.
        width: Cells there are.
    """
    found: list[Spot] = []
    start = 0
    for ids, word in wanted:
        actions = [action for action in ids.split() if action in bound]
        if "." in ids and not actions:
            continue
        label = "".join(key_label(bound[action]) for action in actions) or ids
        spot = Spot(start, label, word, actions[0] if actions else "")
        if spot.end > width:
            break
        found.append(spot)
        start = spot.end + BETWEEN
    return found


class HintLine(Line):
    """Shows one line: a hint, else what is being done, else a standing note, else the keys."""

    PREFIX = "hint"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"hint--{ink}" for ink in ("key", "does", "hint", "note", "text", "good", "warning", "lost")
    }
    DEFAULT_CSS = """
    HintLine {
        height: 1;
        padding: 0 1;
        background: $panel;
        color: $stratum-dim;
        & > .hint--key { color: $foreground; text-style: bold; }
        & > .hint--does { color: $stratum-dim; }
        & > .hint--hint { color: $stratum-short-term; }
        & > .hint--note { color: $stratum-warning; }
        & > .hint--text { color: $foreground; }
        & > .hint--good { color: $stratum-model; }
        & > .hint--warning { color: $stratum-warning; }
        & > .hint--lost { color: $stratum-lost; }
    }
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__(id="hints")
        self.keys = tuple(keys)
        self.first: tuple[Key, ...] = ()
        """Keys that hold for now, before the others."""
        self.hint = ""
        self.note = ""
        self.doing = ""
        """What the user is in the middle of, and how it ends."""
        self.right: tuple[Piece, ...] = ()
        """What stands at the right end, whatever stands at the left."""
        self._said = ""
        self._saying: Timer | None = None
        self._words: Mapping[str, str] = {}
        self._held: dict[str, ActiveBinding] | None = None

    def show(
        self,
        *,
        keys: Sequence[Key] | None = None,
        first: Sequence[Key] | None = None,
        hint: str | None = None,
        note: str | None = None,
        doing: str | None = None,
        right: Sequence[Piece] | None = None,
    ) -> None:
        """Changes what is given."""
        before = self.keys, self.first, self.hint, self.note, self.doing, self.right
        self.keys = self.keys if keys is None else tuple(keys)
        self.first = self.first if first is None else tuple(first)
        self.hint = self.hint if hint is None else _flat(hint)
        self.note = self.note if note is None else _flat(note)
        self.doing = self.doing if doing is None else _flat(doing)
        self.right = self.right if right is None else tuple(right)
        if (self.keys, self.first, self.hint, self.note, self.doing, self.right) != before:
            self.refresh()

    def say_otherwise(self, words: Mapping[str, str]) -> None:
        """Calls what some actions do by other words, by their ids, as it is where the keys are."""
        if words != self._words:
            self._words = words
            self.refresh()

    def say(self, text: str) -> None:
        """Says something that need not stay."""
        self.show(hint=text)
        self._said = self.hint
        if self._saying is not None:
            self._saying.stop()
        self._saying = self.set_timer(SAID_SECONDS, self._unsay)

    def point(self, text: str) -> None:
        """Says what is worth knowing now; where that is nothing, a short note stays its time."""
        if text or self.hint != self._said:
            self.show(hint=text)

    def pieces(self, width: int) -> list[Piece]:
        """The hint, the note, or as many keys as there is room for; then the right end."""
        room = self._room(width)
        left = self._left(room)
        if room == width:
            return left
        gap = room + BETWEEN - sum(cell_len(text) for text, _ in left)
        return [*left, (" " * gap, "does"), *self.right]

    def on_mount(self) -> None:
        """Follows the keys as they change with the focus, with what goes on and what lies over."""
        self.screen.bindings_updated_signal.subscribe(self, self._changed)
        self.app.screen_change_signal.subscribe(self, self._changed)

    async def on_click(self, event: Click) -> None:
        """Does what the key that is clicked does."""
        x = event.get_content_offset_capture(self).x
        shown = (
            []
            if self.hint or self.doing or self.note
            else self._spots(self._room(self.content_size.width))
        )
        for spot in shown:
            held = self._holding.get(spot.action)
            if spot.start <= x < spot.end and held is not None:
                await self.app.run_action(held.binding.action, held.node)

    # -- inside

    def _unsay(self) -> None:
        """Takes a short note away, unless another hint has taken its place."""
        if self.hint == self._said:
            self.show(hint="")

    def _room(self, width: int) -> int:
        """Cells for the left end: all of them where the right end finds no room."""
        length = sum(cell_len(text) for text, _ in self.right)
        return width if not length or width < LEAST + length else width - length - BETWEEN

    @property
    def _holding(self) -> dict[str, ActiveBinding]:
        """What each action that holds is bound to; the first of its keys counts."""
        if self._held is None:
            self._held = {}
            for active in self.screen.active_bindings.values():
                if active.binding.id and active.enabled:
                    self._held.setdefault(active.binding.id, active)
        return self._held

    def _changed(self, _: Screen[object]) -> None:
        self._held = None
        self.refresh()

    def _spots(self, width: int) -> list[Spot]:
        if not self.screen.is_active:
            return []  # a question lies over this screen: its keys hold, and none of these
        bound = {action: held.binding.key for action, held in self._holding.items()}
        wanted = [(ids, self._words.get(ids, word)) for ids, word in (*self.first, *self.keys)]
        return spots(wanted, bound, width)

    def _left(self, width: int) -> list[Piece]:
        if said := self.hint or self.doing or self.note:
            ink = "hint" if self.hint or self.doing else "note"
            return [(said if cell_len(said) <= width else set_cell_size(said, width), ink)]
        pieces: list[Piece] = []
        end = 0
        for spot in self._spots(width):
            pieces += [(" " * (spot.start - end), "does"), (f"{spot.label} ", "key")]
            pieces.append((spot.word, "does"))
            end = spot.end
        return [piece for piece in pieces if piece[0]]


def _flat(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")
