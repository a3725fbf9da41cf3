"""A widget of one line, drawn in pieces that each have an ink of the theme."""

from rich.text import Text
from textual.widget import Widget

Piece = tuple[str, str]
"""A piece of the line and its ink: the end of a component class, such as `dim`."""


class Line(Widget):
    """Draws `pieces`; what is too long is cut off. Text is never read as markup.

    A subclass has a component class `<PREFIX>--<ink>` for each ink.
    """

    PREFIX = "line"

    def pieces(self, width: int) -> list[Piece]:
        """What stands in the line.

        Args:
            width: Cells there are.
        """
        raise NotImplementedError

    @property
    def line(self) -> str:
        """What stands in the line, as text."""
        return "".join(text for text, _ in self.pieces(self.content_size.width))

    def render(self) -> Text:
        """The pieces in their colours."""
        line = Text(no_wrap=True, overflow="crop", end="")
        for text, ink in self.pieces(self.content_size.width):
            line.append(text, self.get_component_rich_style(f"{self.PREFIX}--{ink}"))
        return line
