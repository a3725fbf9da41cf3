"""Runs a planned folding: has the summaries written, outside any lock, and changes nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from memory import telemetry
from memory.compaction.keeping import naming
from memory.compaction.plan import FoldPlan, details_room, longest_summary, summary_room
from memory.compaction.rule import CHARS_PER_TOKEN
from memory.compaction.summariser import Summariser, Written
from memory.compaction.transcript import transcript_lines
from memory.loss.details import SEPARATOR, choose_details, split_details
from memory.parts import Role, SummaryRef, Thresholds
from memory.telling import told_of_summary
from memory.tokens import Tally

Progress = Callable[[str], None]
NAMED_PART = 3
"""Names of what was put aside may have this part of the details' room."""
EARLIER = "summary of what came before: "
"""Begins the line that stands for everything older in the source of a running summary."""


@dataclass(frozen=True, slots=True)
class NewSummary:
    """A summary that was written, with what stands word for word under it."""

    written: Written
    details: str = ""
    details_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Folded:
    """The summaries of a folding.

    `long_term` is None where nothing is older yet, or the old short-term summary becomes it as it
    is; `short_term` is None under a policy with one running summary.
    """

    short_term: NewSummary | None
    long_term: NewSummary | None

    @property
    def written(self) -> tuple[Written, ...]:
        """Everything that was written."""
        both = (self.short_term, self.long_term)
        return tuple(summary.written for summary in both if summary is not None)

    @property
    def failures(self) -> tuple[str, ...]:
        """Why attempts were not accepted."""
        return tuple(failure for written in self.written for failure in written.failures)

    @property
    def by(self) -> Literal["model", "rule"]:
        """`model` only if a model wrote everything that was written."""
        return "model" if all(entry.by == "model" for entry in self.written) else "rule"


@dataclass(frozen=True, slots=True)
class Writing:
    """With what summaries are written."""

    texts: Mapping[str, str]
    """The texts of the messages to fold and of the summaries in force."""
    tally: Tally
    thresholds: Thresholds
    summariser: Summariser
    progress: Progress


async def run_fold(plan: FoldPlan, writing: Writing) -> Folded:
    """Writes the summaries that the plan calls for.

    Raises:
        NoGain: No summary smaller than its source can be made.
    """
    if plan.policy.summaries == "one":
        writing.progress("running summary")
        return Folded(None, await _running(plan, writing))
    writing.progress("short-term summary")
    short_term = await _of_messages(plan, writing)
    if plan.long_term is None or plan.short_term is None:
        return Folded(short_term, None)
    writing.progress("long-term summary")
    return Folded(short_term, await _merged((plan.long_term, plan.short_term), plan, writing))


@telemetry.operation("memory.summarise.short_term", told_of_summary)
async def _of_messages(plan: FoldPlan, writing: Writing) -> NewSummary:
    lines = transcript_lines(plan.fold, writing.texts, writing.thresholds.receipt_chars)
    room = summary_room(plan.source_tokens, longest_summary(plan.policy, writing.thresholds))
    written = await writing.summariser.summarise(lines, plan.source_tokens, room)
    return await _with_details(written, plan, (), plan.source_tokens, writing)


@telemetry.operation("memory.summarise.long_term", told_of_summary)
async def _merged(parents: Sequence[SummaryRef], plan: FoldPlan, writing: Writing) -> NewSummary:
    source = sum(writing.tally.body(parent.body, parent.tokens * 4) for parent in parents)
    longest = longest_summary(plan.policy, writing.thresholds)
    texts = [writing.texts[parent.body] for parent in parents]
    written = await writing.summariser.merge(texts, source, min(longest, max(1, source - 1)))
    before = source + sum(parent.details_tokens for parent in parents)
    return await _with_details(written, None, parents, before, writing)


@telemetry.operation("memory.summarise.running", told_of_summary)
async def _running(plan: FoldPlan, writing: Writing) -> NewSummary:
    """One summary in the place of all before and of the messages that leave the window."""
    parents = [parent for parent in (plan.long_term, plan.short_term) if parent is not None]
    tally, thresholds = writing.tally, writing.thresholds
    earlier = [writing.texts[parent.body] for parent in parents]
    lines = transcript_lines(plan.fold, writing.texts, thresholds.receipt_chars)
    source = plan.source_tokens + sum(tally.body(p.body, p.tokens * 4) for p in parents)
    room = summary_room(source, longest_summary(plan.policy, thresholds))
    if plan.policy.appends:
        written = await writing.summariser.append(earlier, lines, source, room)
    else:
        before = [EARLIER + text for text in earlier]
        written = await writing.summariser.summarise([*before, *lines], source, room)
    before_tokens = source + sum(parent.details_tokens for parent in parents)
    return await _with_details(written, plan, parents, before_tokens, writing)


async def _with_details(
    written: Written,
    plan: FoldPlan | None,
    parents: Sequence[SummaryRef],
    source: int,
    writing: Writing,
) -> NewSummary:
    """The summary with what its source says word for word and it does not, where it still gains.

    Args:
        written: The summary.
        plan: The messages it stands for, where it stands for any that were not folded before.
        parents: The summaries that it replaces.
        source: Tokens of all of them.
        writing: With what it was written.
    """
    room = details_room(source, writing.thresholds, whole=plan is not None)
    if not room:
        return NewSummary(written)
    carried = [
        entry
        for parent in parents
        if parent.details is not None
        for entry in split_details(writing.texts[parent.details])
    ]
    fold = plan.fold if plan else ()
    roles: list[Role | None] = [ref.role for ref in fold]
    lines = [writing.texts[ref.body] for ref in fold]
    lines += [writing.texts[parent.body] for parent in parents]
    roles += [None for _ in parents]
    named = naming(plan.kept) if plan else []
    chars = room * CHARS_PER_TOKEN
    while named and len(SEPARATOR.join(named)) > chars // NAMED_PART:
        named = named[1:]
    chars -= len(SEPARATOR.join(named))
    chosen = choose_details(lines, roles, written.text, chars, carried)
    details = SEPARATOR.join(filter(None, [chosen, *named]))
    tokens = await writing.summariser.count(details) if details else 0
    if not details or written.tokens + tokens >= source:
        return NewSummary(written)
    return NewSummary(written, details, tokens)


def summary_ref(new: NewSummary, body: str, details: str | None, ref: SummaryRef) -> SummaryRef:
    """The reference to a new summary: `ref` with what was written."""
    written = new.written
    return replace(
        ref,
        body=body,
        by=written.by,
        model=written.model,
        duration_s=round(written.duration_s, 3),
        tokens=written.tokens,
        details=details if new.details else None,
        details_tokens=new.details_tokens,
    )
