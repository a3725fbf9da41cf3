"""What a session is at a moment: ids, ranges and counts, never bodies."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory.agent_events import HelpingBegun
from memory.breaker import Breaker
from memory.carried import Carried
from memory.events import ModelChosen, ToolsOffered
from memory.file_events import FileRef
from memory.parts import Edit, MessageRef, SummaryRef, Thresholds, TitledBy, Usage
from memory.recall_events import Recalled
from memory.work import Work


@dataclass(frozen=True, slots=True)
class Folding:
    """Which messages stand verbatim and which summaries stand for the others."""

    long_term: SummaryRef | None = None
    short_term: SummaryRef | None = None
    verbatim: tuple[MessageRef, ...] = ()
    pinned: tuple[MessageRef, ...] = ()
    last_cascade: int = 0
    """Newest message when the last cascade was planned; 0 before the first."""
    edits: tuple[Edit, ...] = ()
    """What stands in the place of verbatim messages, by their numbers."""

    @property
    def question(self) -> MessageRef | None:
        """The newest message of the user that no summary covers; None where there is none."""
        return next((ref for ref in reversed(self.verbatim) if ref.role == "user"), None)

    @property
    def verbatim_from(self) -> int | None:
        """Number of the oldest message that no summary covers; None where there is none."""
        return self.verbatim[0].number if self.verbatim else None


@dataclass(frozen=True, slots=True)
class Pin:
    """A text that stays word for word."""

    id: str
    body: str
    chars: int
    number: int | None
    whole: bool
    """Whether it is the whole message of that number."""


@dataclass(frozen=True, slots=True)
class State:
    """What a session is at a moment."""

    n: int = 0
    agent: str = ""
    user: str = ""
    title: str | None = None
    titled_by: TitledBy | None = None
    """Who chose the title; None where there is none."""
    started_at: str | None = None
    system: str | None = None
    """Body of the system prompt."""
    system_chars: int = 0
    model: ModelChosen | None = None
    thresholds: Thresholds | None = None
    policy_chosen: bool = False
    """Whether the user chose the policy inside the session."""
    messages: int = 0
    before_log: int = 0
    """Oldest messages that are not in this log, since the session was restored."""
    folding: Folding = field(default_factory=Folding)
    compactions: int = 0
    short_versions: int = 0
    long_versions: int = 0
    undone: tuple[str, ...] = ()
    """Compactions that can be redone, the next one last."""
    automatic_waits: bool = False
    """After an undo: until a manual compaction, or until the limit is reached."""
    breaker: Breaker = field(default_factory=Breaker)
    usage: Usage = field(default_factory=Usage)
    requests: int = 0
    ratio: float = 1.0
    """The provider's count of prompts over ours, learned."""
    reading_speed: float | None = None
    """Tokens a second that the model reads before it answers, learned; None while nobody knows."""
    cache_hits: int = 0
    cache_misses: int = 0
    pins: tuple[Pin, ...] = ()
    redacted: tuple[tuple[str, int], ...] = ()
    """How many secrets of which kind were replaced in what was stored."""
    content_items: int = 0
    """The last item's number."""
    content_chars: int = 0
    cleared_items: int = 0
    """Numbers up to it of which no item is listed, or no longer."""
    cleared_chars: int = 0
    last_compaction: int = 0
    """Newest message when the last compaction of any kind was planned."""
    tools: ToolsOffered | None = None
    """The tools that requests offer; None where there are none."""
    files: tuple[FileRef, ...] = ()
    """The memory files that prompts carry, and those that could not be read."""
    carried: Carried = field(default_factory=Carried)
    """Which tool results the model has been shown in full."""
    helping: HelpingBegun | None = None
    """Whom a helper's session works for; None in a session of the user's own."""
    learned_window: int | None = None
    """Tokens that the model's provider said it takes when it refused a request."""
    work: Work = field(default_factory=Work)
    """Goals, tasks, executions, steps."""
    recalled: Recalled | None = None
    """What long-term memory brought to the present turn."""

    @property
    def pinned_numbers(self) -> frozenset[int]:
        """Messages that the user pinned."""
        return frozenset(pin.number for pin in self.pins if pin.whole and pin.number is not None)

    @property
    def rules(self) -> Thresholds:
        """The thresholds in force.

        Raises:
            LookupError: The log has not come to them; no open session is in that state.
        """
        if self.thresholds is None:
            raise LookupError("no thresholds have been recorded")
        return self.thresholds


def with_edits(folding: Folding, edits: Sequence[Edit]) -> Folding:
    """The folding once these edits hold; one of the same message takes the older one's place."""
    by_number = {edit.number: edit for edit in (*folding.edits, *edits)}
    first = folding.verbatim_from or 0
    standing = tuple(by_number[n] for n in sorted(by_number) if n >= first)
    return replace(folding, edits=standing)


def refold(
    folding: Folding,
    verbatim_from: int,
    *,
    long_term: SummaryRef | None,
    short_term: SummaryRef | None,
    pinned: tuple[MessageRef, ...],
    last_cascade: int,
    edits: tuple[Edit, ...] = (),
) -> Folding:
    """The folding once messages before `verbatim_from` are covered by the given summaries.

    `edits` come to those there are; one of the same message takes the older one's place.
    """
    verbatim = tuple(ref for ref in folding.verbatim if ref.number >= verbatim_from)
    folded = Folding(long_term, short_term, verbatim, pinned, last_cascade, folding.edits)
    standing = with_edits(folded, edits).edits
    return replace(folded, edits=tuple(edit for edit in standing if edit.number >= verbatim_from))
