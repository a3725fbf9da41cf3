"""How often tools were called, how it went, and where the work happens. Pure."""

from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import call_seconds, count, short_number
from widgets.panes.ages import age
from widgets.panes.blocks import Keyed, plain
from widgets.panes.fitting import at_ends, line, padded, paragraph, thin_bar
from widgets.panes.view import PARTS, PaneView
from widgets.paths import below_home
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from memory.snapshot import Snapshot
    from memory.work_views import EnvironmentView, ToolStatsView

NO_CALLS = "No tool was called yet: here will stand how often each was, and how it went."
TOOL = "tool:"
LONGEST_NAME = 24
SHORTEST_BAR, LONGEST_BAR = 4, 24
SECONDS_CELLS = len("9.9 s")
MEGABYTES = 1_000


def tool_rows(snapshot: "Snapshot", width: int, now: datetime) -> PaneView:
    """A row a tool, the one called most first; then where the work happens."""
    stats, environment = snapshot.work.tools, snapshot.work.environment
    rows = stats_rows(stats, width) if stats.total else plain(paragraph(NO_CALLS, width))
    if environment is not None:
        rows += plain(environment_rows(environment, width, now))
    parts = [count(stats.total, "call")] if stats.total else []
    if stats.failures:
        parts.append(f"{stats.failures:,} failed")
    return PaneView(tuple(row for row, _ in rows), PARTS.join(parts), tuple(key for _, key in rows))


def has_calls(snapshot: "Snapshot") -> bool:
    """Whether a tool was ever called."""
    return snapshot.work.tools.total > 0


def stats_rows(stats: "ToolStatsView", width: int) -> list[Keyed]:
    """Name, calls as a thin bar and a figure, failures, seconds."""
    names = sorted(stats.by_tool, key=lambda name: (-stats.by_tool[name], name))
    most = max(stats.by_tool.values(), default=1)
    digits = len(f"{most:,}")
    longest = max((cell_len(one_line(name)) for name in names), default=0)
    cells = min(longest, LONGEST_NAME, max(6, width // 3))
    worst = max(stats.failures_by_tool.values(), default=0)
    failures = len(f" {worst:,} failed") if worst else 0
    rows: list[Keyed] = []
    for name in names:
        calls, failed = stats.by_tool[name], stats.failures_by_tool.get(name, 0)
        right = [Piece(f" {calls:>{digits},}")]
        if failures:
            told = f" {failed:,} failed" if failed else ""
            right.append(Piece(f"{told:>{failures}}", "lost"))
        seconds = call_seconds(stats.seconds_by_tool.get(name, 0.0))
        right.append(Piece(f" {seconds:>{SECONDS_CELLS}}", "dim"))
        rows.append((_tool(name, cells, calls / max(1, most), right, width), TOOL + name))
    return rows


def environment_rows(environment: "EnvironmentView", width: int, now: datetime) -> list[Row]:
    """Workspace, memory, disk, and when that was seen."""
    where = one_line(below_home(environment.workspace))
    parts = []
    if environment.memory_used_mb is not None:
        parts.append(f"memory {_memory(environment.memory_used_mb)}")
    if environment.disk_used_percent is not None:
        parts.append(f"disk {environment.disk_used_percent:.0f} %")
    rows = [Row((Piece(_end_of(where, width), "dim"),))] if where else []
    if parts:
        seen = [Piece(f"  {age(environment.at, now)}", "dim")]
        told = PARTS.join(parts)
        rows.append(line([], Piece(told, "dim"), seen, width, least=len(told)))
    return rows


def _tool(name: str, cells: int, share: float, right: list[Piece], width: int) -> Row:
    left = [Piece(f"{padded(name, cells)} ")]
    while len(right) > 1 and width - cells - 1 - _cells(right) < SHORTEST_BAR:
        right.pop()
    taken = _cells(right)
    room = width - cells - 1 - taken
    bar = thin_bar(share, min(room, LONGEST_BAR), "working") if room >= SHORTEST_BAR else []
    return at_ends([*left, *bar], right if taken < width else [], width)


def _cells(pieces: list[Piece]) -> int:
    return sum(cell_len(piece.text) for piece in pieces)


def _memory(megabytes: int) -> str:
    if megabytes < MEGABYTES:
        return f"{megabytes} MB"
    return f"{short_number(megabytes).removesuffix('k')} GB"


def _end_of(path: str, width: int) -> str:
    """The end of a path that is too long: it says more than the beginning."""
    if cell_len(path) <= width:
        return path
    kept = path[-max(1, width - 1) :]
    while cell_len(kept) > max(0, width - 1):
        kept = kept[1:]
    return f"…{kept}"
