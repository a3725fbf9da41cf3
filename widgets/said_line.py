"""One sentence above the keys: what a screen has to say of what was done, or could not be."""

from textual.content import Content
from textual.widgets import Static

from widgets.plain import printable


class SaidLine(Static):
    """Takes no room while there is nothing to say."""

    DEFAULT_CSS = """
    SaidLine {
        display: none;
        height: auto;
        padding: 0 1;
        color: $stratum-warning;
        &.-said { display: block; }
    }
    """

    def say(self, text: str) -> None:
        """Says a sentence of any origin; empty for none."""
        self.update(Content(printable(text)))
        self.set_class(bool(text), "-said")
