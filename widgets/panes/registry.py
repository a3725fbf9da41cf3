"""The panes there are, in their order: a new one is a module of its own and a line here."""

from widgets.panes.summaries import long_term_rows, short_term_rows
from widgets.panes.timeline import timeline_rows
from widgets.panes.view import PaneKind
from widgets.panes.window import window_rows

PANES: tuple[PaneKind, ...] = (
    PaneKind("long_term", "long-term", "long-term", long_term_rows),
    PaneKind("short_term", "short-term", "short-term", short_term_rows),
    PaneKind("window", "window", "model", window_rows, column=1),
    PaneKind("timeline", "compactions", "dim", timeline_rows),
)
"""The most important first: where there is little room, the last ones are out of sight."""
