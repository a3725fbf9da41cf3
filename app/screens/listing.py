"""How a long list over the chat looks: a filter above it, both in a frame."""

from typing import TypeVar

from textual.screen import ModalScreen

Answer = TypeVar("Answer")


class Listing(ModalScreen[Answer]):
    """An `Input` with the id `filter`, and a list, in a `Vertical`."""

    AUTO_FOCUS = "#filter"
    DEFAULT_CSS = """
    Listing {
        & > Vertical {
            max-width: 100%;
            height: 100%;
            padding: 0 1;
            background: $panel;
            border: round $stratum-dim;
            border-title-color: $foreground;
            border-subtitle-color: $stratum-dim;
        }
        & Input, & Input:focus {
            height: 1;
            margin: 0 0 1 0;
            padding: 0;
            border: none;
            background: $panel;
            background-tint: transparent;
            color: $foreground;
        }
    }
    """
