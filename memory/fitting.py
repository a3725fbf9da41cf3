"""Fits the verbatim messages into a budget when no compaction has made room yet.

Deterministic, and for one prompt only: nothing of it is kept. Budget outranks recency (I2, I4),
so the order is: leave out the oldest, show large ones among the newest as head and tail,
leave out of the newest as well, and only then refuse. System messages and the newest question
always stand in full (COMPACT-14).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from memory.cuts import SafeCuts
from memory.parts import MessageRef
from memory.tokens import Tally

RECEIPT_TOKENS = 40
"""Room for the sentence that stands for what is left out, with the template's part."""
SMALLEST_EXCERPT = 400
"""Characters below which a shortened message tells nothing any more."""


@dataclass(frozen=True, slots=True)
class Fit:
    """What a prompt leaves out or shortens."""

    left_out: tuple[int, int] | None = None
    """Numbers of the run of messages that one receipt stands for (inclusive)."""
    shortened: tuple[int, ...] = ()
    """Numbers of the messages shown as head and tail."""
    excerpt_chars: int = SMALLEST_EXCERPT
    pinned: frozenset[int] = frozenset()
    """Numbers of the messages that stay in any case."""
    without_recall: bool = False
    """Whether what was recalled gives way to messages."""

    def omits(self, ref: MessageRef) -> bool:
        """Whether the message is among those left out."""
        if self.left_out is None or ref.role == "system" or ref.number in self.pinned:
            return False
        return self.left_out[0] <= ref.number <= self.left_out[1]


class NothingFits(Exception):
    """What may not be left out is larger than the room there is.

    Args:
        number: The largest message of it; None where there is none.
        tokens: Tokens of that message, or of all of them with the receipt if it alone would fit.
        together: Whether the latter is so.
        room: Tokens there are.
    """

    def __init__(self, number: int | None, tokens: int, room: int, *, together: bool) -> None:
        super().__init__(number, tokens, room, together)
        self.number = number
        self.tokens = tokens
        self.room = room
        self.together = together


def fit(  # noqa: PLR0913 (what a prompt is fitted by, given by keywords)
    messages: Sequence[MessageRef],
    tally: Tally,
    room: int,
    *,
    keep: int,
    receipt_chars: int,
    question_follows: bool = False,
    pinned: frozenset[int] = frozenset(),
    step: int = 0,
) -> Fit:
    """What must be left out or shortened so that the messages cost at most `room` tokens.

    Args:
        messages: The verbatim messages, oldest first.
        tally: Token counts.
        room: Tokens there are for them.
        keep: Newest messages to keep in the prompt as long as anything else can give way.
        receipt_chars: Longest excerpt of a shortened message, in characters.
        question_follows: The question is not among the messages but comes after them;
            else the newest user message is the question, and stands in full.
        pinned: Numbers of messages that stand in full like system messages.
        step: Tokens: what is left out ends where a multiple of it is reached, so that it stays
            the same over many requests; 0 for as little as possible.

    Raises:
        NothingFits: Nothing that may be left out makes room enough.
    """
    question = len(messages) if question_follows else _question(messages)
    run = _Run.of(messages, tally, question, pinned)
    if run.cost_from(0) <= room:
        return Fit(pinned=pinned)
    cuts = SafeCuts.of(messages)
    last = cuts.at_or_before(run.question)
    protected = min(last, cuts.at_or_before(max(0, len(messages) - keep)))
    early = [cut for cut in cuts.indices if 0 < cut <= protected and run.cost_from(cut) <= room]
    if early:
        return Fit(run.span(run.steady(early, step)), pinned=pinned)
    for cut in (i for i in cuts.indices if protected <= i <= last):
        for chars in _sizes(min(receipt_chars, room)):
            shortened = run.shorten(cut, chars, room)
            if shortened is not None:
                return Fit(run.span(cut), shortened, chars, pinned)
    raise run.refusal(last, room)


def excerpt_tokens(tokens: int, chars: int, shown: int) -> int:
    """Tokens of a text of which so many of its characters are shown, with the receipt."""
    return -(-tokens * shown // max(1, chars)) + RECEIPT_TOKENS


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of messages with what they cost."""

    messages: Sequence[MessageRef]
    texts: Sequence[int]
    """Tokens of each text, which may be shortened."""
    totals: Sequence[int]
    """Tokens of each message."""
    rest: Sequence[int]
    """At index i: the cost of the messages from i on, and of the system messages before."""
    question: int
    pinned: frozenset[int]

    @classmethod
    def of(
        cls,
        messages: Sequence[MessageRef],
        tally: Tally,
        question: int,
        pinned: frozenset[int],
    ) -> "_Run":
        texts = [tally.body(ref.body, ref.chars) for ref in messages]
        totals = [text + tally.around(ref) for text, ref in zip(texts, messages, strict=True)]
        may_go = (
            0 if ref.role == "system" or ref.number in pinned else total
            for ref, total in zip(messages, totals, strict=True)
        )
        everything = sum(totals)
        rest = [everything - gone for gone in accumulate(may_go, initial=0)]
        return cls(messages, texts, totals, rest, question, pinned)

    def cost_from(self, cut: int) -> int:
        """Tokens if what may go before the cut is left out, the receipt included."""
        return self.rest[cut] + (RECEIPT_TOKENS if cut else 0)

    def span(self, cut: int) -> tuple[int, int] | None:
        """Numbers of the messages before the cut."""
        return (self.messages[0].number, self.messages[cut - 1].number) if cut else None

    def shorten(self, cut: int, chars: int, room: int) -> tuple[int, ...] | None:
        """Numbers of the messages from the cut on to shorten, largest first; None if no use."""
        total = self.cost_from(cut)
        shortened: list[int] = []
        for index in self._by_size(range(cut, len(self.messages))):
            if total <= room:
                break
            ref = self.messages[index]
            if self._may_shrink(index) and ref.chars > 2 * chars:
                total += excerpt_tokens(self.texts[index], ref.chars, chars) - self.texts[index]
                shortened.append(ref.number)
        return tuple(sorted(shortened)) if total <= room else None

    def refusal(self, last: int, room: int) -> NothingFits:
        """The error that names what is too large."""
        stays = [i for i in range(len(self.messages)) if i >= last or not self._may_shrink(i)]
        if not stays:
            return NothingFits(None, 0, room, together=False)
        largest = self._by_size(stays)[0]
        together = self.totals[largest] <= room
        tokens = self.cost_from(last) if together else self.totals[largest]
        return NothingFits(self.messages[largest].number, tokens, room, together=together)

    def steady(self, cuts: Sequence[int], step: int) -> int:
        """The first of the cuts that reaches a multiple of `step`, else the first of them."""
        if not step:
            return cuts[0]
        least = (self.rest[0] - self.rest[cuts[0]]) // step
        reached = (cut for cut in cuts if (self.rest[0] - self.rest[cut]) // step > least)
        return next(reached, cuts[0])

    def _may_shrink(self, index: int) -> bool:
        ref = self.messages[index]
        return index != self.question and ref.role != "system" and ref.number not in self.pinned

    def _by_size(self, indices: Iterable[int]) -> list[int]:
        return sorted(indices, key=lambda i: self.totals[i], reverse=True)


def _sizes(longest: int) -> Iterator[int]:
    """Lengths of excerpts to try, ever shorter."""
    chars = max(SMALLEST_EXCERPT, longest)
    while chars > SMALLEST_EXCERPT:
        yield chars
        chars //= 2
    yield SMALLEST_EXCERPT


def _question(messages: Sequence[MessageRef]) -> int:
    """Index of the newest user message: it is what the model is asked."""
    asked = [i for i, message in enumerate(messages) if message.role == "user"]
    return asked[-1] if asked else max(0, len(messages) - 1)
