"""Runs a planned cascade: asks for the summaries, outside any lock, and changes nothing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from memory.compaction.plan import CascadePlan, summary_room
from memory.compaction.summariser import Summariser, Written
from memory.compaction.transcript import transcript_lines
from memory.events import Thresholds
from memory.tokens import Tally

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Cascaded:
    """The summaries of a cascade.

    `long_term` is None where nothing is older yet, or the old short-term summary becomes it as is.
    """

    short_term: Written
    long_term: Written | None

    @property
    def failures(self) -> tuple[str, ...]:
        """Why attempts at either were not accepted."""
        return self.short_term.failures + (self.long_term.failures if self.long_term else ())

    @property
    def by(self) -> Literal["model", "rule"]:
        """`model` only if a model wrote everything that was written."""
        written = [self.short_term, *([self.long_term] if self.long_term else [])]
        return "model" if all(entry.by == "model" for entry in written) else "rule"


async def run_cascade(
    plan: CascadePlan,
    texts: Mapping[str, str],
    tally: Tally,
    thresholds: Thresholds,
    summariser: Summariser,
    progress: Progress,
) -> Cascaded:
    """Writes the summaries that the plan calls for.

    Args:
        plan: What to fold.
        texts: The texts of the messages to fold and of the summaries in force.
        tally: Token counts.
        thresholds: The lengths in force.
        summariser: Who writes.
        progress: Told what is being written.

    Raises:
        NoGain: No summary smaller than its source can be made.
    """
    progress("short-term summary")
    lines = transcript_lines(plan.fold, texts, thresholds.receipt_chars)
    short_term = await summariser.summarise(
        lines, plan.source_tokens, summary_room(plan.source_tokens, thresholds)
    )
    if plan.long_term is None or plan.short_term is None:
        return Cascaded(short_term, None)
    progress("long-term summary")
    parents = (plan.long_term, plan.short_term)
    source = sum(tally.body(parent.body, parent.tokens * 4) for parent in parents)
    room = min(thresholds.summary_tokens, max(1, source - 1))
    long_term = await summariser.merge([texts[p.body] for p in parents], source, room)
    return Cascaded(short_term, long_term)
