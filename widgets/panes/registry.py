"""The panes there are, in their order: a new one is a module of its own and a line here."""

from widgets.panes.content import content_rows, has_items
from widgets.panes.facts import fact_rows, has_facts
from widgets.panes.files import file_rows, has_files
from widgets.panes.goals import goal_rows, has_work
from widgets.panes.recalled import may_recall, recalled_rows
from widgets.panes.steps import has_steps, step_rows
from widgets.panes.summaries import long_term_rows, short_term_rows
from widgets.panes.timeline import timeline_rows
from widgets.panes.tools import has_calls, tool_rows
from widgets.panes.view import PaneKind
from widgets.panes.window import window_rows

PANES: tuple[PaneKind, ...] = (
    PaneKind("long_term", "long-term", "long-term", long_term_rows),
    PaneKind("short_term", "short-term", "short-term", short_term_rows),
    PaneKind("window", "window", "model", window_rows, column=1),
    PaneKind("working", "goals", "working", goal_rows, asked=has_work),
    PaneKind("recalled", "recalled", "recalled", recalled_rows, column=1, asked=may_recall),
    PaneKind("facts", "facts", "facts", fact_rows, asked=has_facts),
    PaneKind("steps", "steps", "working", step_rows, column=1, asked=has_steps, beside=True),
    PaneKind("files", "files", "files", file_rows, asked=has_files, beside=True),
    PaneKind("content", "content", "recalled", content_rows, 1, has_items, beside=True),
    PaneKind("tools", "tools", "working", tool_rows, column=1, asked=has_calls, beside=True),
    PaneKind("timeline", "compactions", "dim", timeline_rows),
)
"""The most important first: where there is little room, the last ones are out of sight."""
