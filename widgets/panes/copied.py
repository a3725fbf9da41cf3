"""What is copied where rows are marked: text without the breaks that only made it fit. Pure."""

from collections.abc import Sequence

from textual.selection import Selection

from widgets.rows import Row


def copied(rows: Sequence[Row], selection: Selection) -> str:
    """The marked text of rows, joined as it stood before it was broken into them."""
    joined: list[str] = []
    for number, row in enumerate(rows):
        span = selection.get_span(number)
        if span is None:
            continue
        start, end = span
        text = row.text[max(start, row.bare) : None if end == -1 else end]
        if joined:
            joined.append("\n" if row.glue is None else row.glue)
        joined.append(text.rstrip())
    return "".join(joined)
