"""A comparison of policies as people read it: a table, and a plot for each. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len

from memory.views import TurnPoint
from widgets.figures import count, short_number
from widgets.plot import PlotView, legend, plot_rows, totals

GAP = "  "
PLOT_WIDTH, PLOT_HEIGHT = 78, 12
UNKNOWN = "–"
HEADS = (
    "policy",
    "requests",
    "prompt",
    "of full",
    "largest",
    "shared",
    "again",
    "compactions",
    "kept",
    "retr.",
    "lost",
    "recall",
    "cost",
    "time",
)
NOTES = (
    "of full: of what the full history had come to each time",
    "shared: of the prompts, what the request before began with; again: the rest, a request",
    "kept, retr., lost: names, figures and conditions of what was compacted; retr.: by a receipt",
)


def comparison_lines(document: Mapping[str, Any]) -> list[str]:
    """What `compare` prints."""
    said = count(document["messages"], "message")
    window = f"window of {document['context_window']:,} tokens"
    policies = document["policies"]
    lines = [f"{document['file']}: {said}, {window}", ""]
    lines += table([HEADS, *map(_cells, policies)])
    lines += ["", *NOTES]
    for entry in policies:
        lines += ["", *_plotted(entry)]
    return lines


def table(rows: Sequence[Sequence[str]]) -> list[str]:
    """Rows of cells as lines, the first column to the left, figures to the right."""
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        GAP.join(
            cell + " " * (width - cell_len(cell)) if place == 0 else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def _cells(entry: Mapping[str, Any]) -> tuple[str, ...]:
    sums, loss = entry["totals"], entry["loss"]
    return (
        entry["policy"],
        f"{sums['requests']:,}",
        short_number(sums["prompt_tokens"]),
        _percent(sums["share_of_full_history"]),
        short_number(sums["largest_prompt"]),
        _percent(sums["shared_prefix_share"]),
        short_number(round(sums["sent_again_per_request"])),
        str(len(entry["compactions"])),
        _percent(loss["kept_share"]),
        _percent(loss["retrievable_share"]),
        _percent(loss["lost_share"]),
        _percent(entry["evidence_recall"]),
        UNKNOWN if entry["cost"] is None else f"${entry['cost']:.2f}",
        f"{sums['seconds']:.1f} s",
    )


def _percent(share: float | None) -> str:
    return UNKNOWN if share is None else f"{share * 100:.0f} %"


def _plotted(entry: Mapping[str, Any]) -> list[str]:
    """The plot of one policy."""
    points = [
        TurnPoint(n, row["message"], row["prompt_tokens"], row["full_history_tokens"])
        for n, row in enumerate(entry["requests"], start=1)
    ]
    if not points:
        return []
    fallen = [compaction["message"] for compaction in entry["compactions"]]
    places = {
        next((at for at, point in enumerate(points) if point.message >= message), len(points) - 1)
        for message in fallen
    }
    view = PlotView(points, tuple(sorted(places)))
    rows = plot_rows(view, PLOT_WIDTH, PLOT_HEIGHT)
    drawn = [row.text.rstrip() for row in rows]
    return [f"{entry['policy']}: {totals(view)}", legend(view).text, *drawn]
