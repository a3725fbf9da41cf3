"""What is copied: the text of an entry, or that of the rows it was drawn in. Pure."""

from collections.abc import Sequence

from widgets.entries import CallEntry, Entry, LiveEntry, NoticeEntry
from widgets.rows import Row

_QUIET = " ▎"


def plain_text(rows: Sequence[Row]) -> str:
    """The text of rows: joined as it was before it was broken, without what is only drawn.

    Rows that are drawn throughout, such as a rule, are left out; so an indentation and the bar of
    a quote go, while an empty line inside a quote stays.
    """
    parts: list[str] = []
    for row in rows:
        text = row.text
        if text and row.bare >= len(text) and text.strip(_QUIET):
            continue
        if parts:
            parts.append("\n" if row.glue is None else row.glue)
        parts.append(text[row.bare :])
    return "".join(parts)


def source_text(entry: Entry) -> str:
    """What is copied where the whole entry is."""
    match entry:
        case CallEntry():
            from widgets.calls import call_text  # rarely needed

            return call_text(entry)
        case NoticeEntry():
            return f"{entry.heading}\n{entry.text}" if entry.heading else entry.text
        case LiveEntry():
            return ""
        case _:
            return entry.text
