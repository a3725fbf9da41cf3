"""How a question over another screen looks: sentences, buttons, and the keys in the frame."""

from collections.abc import Iterator
from typing import ClassVar, TypeVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen, Screen

from widgets.key_names import key_label

Answer = TypeVar("Answer")


class Question(ModalScreen[Answer]):
    """Buttons side by side where they fit; the arrow keys go from one to the next."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    Question {
        align: center middle;
        background: $background 70%;
        & > VerticalScroll {
            width: 64;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 0 2;
            scrollbar-size-vertical: 1;
            background: $panel;
            border: round $stratum-warning;
            border-subtitle-color: $stratum-dim;
        }
        & Static { margin-bottom: 1; color: $foreground; }
        & ItemGrid { height: auto; grid-gutter: 0 1; }
        & Button { width: 100%; background: $background; color: $foreground; }
        & Button:focus {
            background: $stratum-short-term;
            background-tint: transparent;
            color: $background;
            text-style: bold !important;
        }
    }
    """

    def on_mount(self) -> None:
        """Shows the keys, and follows them as they change with the focus."""
        self.bindings_updated_signal.subscribe(self, self._show_keys)

    def key_words(self) -> Iterator[tuple[str, str]]:
        """What the keys do: the id of an action, or a key as it is; and a word."""
        yield from ()

    def _show_keys(self, _: Screen[object]) -> None:
        held: dict[str, list[str]] = {}
        for active in self.active_bindings.values():
            held.setdefault(active.binding.id or "", []).append(key_label(active.binding.key))
        told = [
            f"{', '.join(held.get(action, [action]))} {word}"
            for action, word in self.key_words()
            if "." not in action or action in held
        ]
        self.query_one(VerticalScroll).border_subtitle = Content(" · ".join(told))
