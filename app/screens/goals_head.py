"""The line above the goals screen."""

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len

from widgets.figures import count, short_number
from widgets.line import Line, Piece
from widgets.panes.goals import cap_level
from widgets.panes.task_rows import done_of, progress_of
from widgets.panes.view import PARTS

if TYPE_CHECKING:
    from memory.work_views import WorkView

INKS = {"": "dim", "note": "near", "lost": "over"}


class GoalsHead(Line):
    """How far the goal is, how much its memory takes, how many goals have ended."""

    PREFIX = "goals"
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "goals--name",
        "goals--figure",
        "goals--dim",
        "goals--near",
        "goals--over",
    }
    DEFAULT_CSS = """
    GoalsHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        & > .goals--name { color: $stratum-working; text-style: bold; }
        & > .goals--figure { color: $foreground; }
        & > .goals--dim { color: $stratum-dim; }
        & > .goals--near { color: $stratum-warning; }
        & > .goals--over { color: $stratum-lost; }
    }
    """
    work: "WorkView | None" = None

    def show(self, work: "WorkView") -> None:
        """Tells of another moment."""
        self.work = work
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """Progress left, tokens against their caps right."""
        work = self.work
        if work is None:
            return [("Goals", "name")]
        left: list[Piece] = [("Goals  ", "name"), (_progress(work), "figure")]
        tokens = f"{short_number(work.tokens)} of {short_number(work.cap)} tokens"
        ended = f"ended goals {short_number(work.archived_tokens)}"
        ended += f" of {short_number(work.archived_cap)}"
        level = INKS[cap_level(work)]
        room = width - sum(cell_len(text) for text, _ in left)
        for right in (PARTS.join((tokens, ended)), tokens):
            if cell_len(right) + 1 < room:
                return [*left, (" " * (room - cell_len(right)), "dim"), (right, level)]
        return left


def _progress(work: "WorkView") -> str:
    if work.tasks:
        done, whole = done_of(work)
        percent = f"{progress_of(work):.0%}".replace("%", " %")
        return f"{percent}{PARTS}{done:,} of {count(whole, 'task')} done"
    return "no tasks" if work.goal else "none is active"
