"""Fits the verbatim messages into a budget when no compaction has made room yet.

Deterministic, and for one prompt only: nothing of it is kept. Budget outranks recency (I2, I4),
so the order is: leave out the oldest, show large ones among the newest as head and tail,
leave out of the newest as well, and only then refuse.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from memory.cuts import SafeCuts
from memory.events import MessageRef

RECEIPT_TOKENS = 32
"""Room for the sentence that stands for the messages left out."""
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

    def omits(self, number: int) -> bool:
        """Whether the message is among those left out."""
        return self.left_out is not None and self.left_out[0] <= number <= self.left_out[1]


class NothingFits(Exception):
    """Even the newest message alone is larger than the room there is."""

    def __init__(self, number: int | None, tokens: int, room: int) -> None:
        super().__init__(number, tokens, room)
        self.number = number
        self.tokens = tokens
        self.room = room


def fit(
    messages: Sequence[MessageRef],
    costs: Sequence[int],
    room: int,
    *,
    keep: int,
    receipt_chars: int,
    question_follows: bool = False,
) -> Fit:
    """What must be left out or shortened so that the messages cost at most `room` tokens.

    Args:
        messages: The verbatim messages, oldest first.
        costs: Tokens of each.
        room: Tokens there are for them.
        keep: Newest messages to keep in the prompt as long as anything else can give way.
        receipt_chars: Longest excerpt of a shortened message, in characters.
        question_follows: The question is not among the messages but comes after them;
            else the newest user message is the question, and stands in full.

    Raises:
        NothingFits: Nothing that may be left out makes room enough.
    """
    rest = _suffix_sums(costs)
    if rest[0] <= room:
        return Fit()
    cuts = SafeCuts.of(messages)
    protected = cuts.at_or_before(max(0, len(messages) - keep))
    for cut in cuts.indices:
        if 0 < cut <= protected and rest[cut] + RECEIPT_TOKENS <= room:
            return Fit(_span(messages, cut))
    question = len(messages) if question_follows else _newest_question(messages)
    last_cut = cuts.at_or_before(question)
    chars = max(SMALLEST_EXCERPT, min(receipt_chars, room))
    for cut in (i for i in cuts.indices if protected <= i <= last_cut):
        shortened = _shorten(
            messages, costs, room - (RECEIPT_TOKENS if cut else 0), cut, question, chars
        )
        if shortened is not None:
            span = _span(messages, cut) if cut else None
            return Fit(span, shortened, chars)
    largest = max(range(last_cut, len(messages)), key=lambda i: costs[i], default=None)
    if largest is None:
        raise NothingFits(None, 0, room)
    raise NothingFits(messages[largest].number, costs[largest], room)


def excerpt_tokens(cost: int, chars: int, shown: int) -> int:
    """Tokens of a message of which so many of its characters are shown, with the receipt."""
    return -(-cost * shown // max(1, chars)) + RECEIPT_TOKENS


def _shorten(
    messages: Sequence[MessageRef],
    costs: Sequence[int],
    room: int,
    cut: int,
    question: int,
    chars: int,
) -> tuple[int, ...] | None:
    """Numbers of the messages from `cut` on to shorten, largest first; None if it is no use."""
    total = sum(costs[cut:])
    shortened: list[int] = []
    for index in sorted(range(cut, len(messages)), key=lambda i: costs[i], reverse=True):
        if total <= room:
            break
        if index != question and messages[index].chars > 2 * chars:
            total += excerpt_tokens(costs[index], messages[index].chars, chars) - costs[index]
            shortened.append(messages[index].number)
    return tuple(sorted(shortened)) if total <= room else None


def _newest_question(messages: Sequence[MessageRef]) -> int:
    """Index of the newest user message: it is what the model is asked."""
    asked = [i for i, message in enumerate(messages) if message.role == "user"]
    return asked[-1] if asked else len(messages) - 1


def _suffix_sums(costs: Sequence[int]) -> list[int]:
    """At index i: the sum of the costs from i on."""
    return [*accumulate(reversed(costs), initial=0)][::-1]


def _span(messages: Sequence[MessageRef], cut: int) -> tuple[int, int]:
    return messages[0].number, messages[cut - 1].number
