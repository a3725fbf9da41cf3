"""What of the found passages is brought to a turn, and why the others are not (RECALL-3, RECALL-4).

Pure.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory.facts.folding import Fact
from memory.facts.passages import ORIGINS
from memory.recall.corpus import Passage
from memory.recall.searching import Found
from memory.recall_events import RecalledText
from memory.storage.cutting import LONGEST
from memory.tokens import CHARS_PER_TOKEN, Tally, estimate

LINE_CHARS = 28
"""Characters around a passage in the prompt: who said it, its part of the line with the day."""
AROUND = 40
"""Tokens of what stands around all of them: headings, and that they are data."""
BEST_LEFT_OUT = 5
"""Passages that are told though they were left out: the pane shows why."""
LEAST_SHOWN = 60
"""Tokens of a long passage below which its beginning tells nothing."""
IN_PROMPT = "it is in the prompt already"
SAME_TEXT = "the same words stand in the prompt already"
WEAK = "it has too little to do with the message"
NO_ROOM = "the budget is used up"
ENOUGH = "better ones were found"

NEAR, NEAR_PERSONAL = 0.32, 0.18
"""The cosine that a passage which is near in meaning has at least, and where the message asks for
what user or assistant said. Of the turns that answer one of LoCoMo's questions 96 of 100 have the
first; the best of all turns has less for one in three questions about another talk, and for three
of four requests that call for no memory. In chats with an assistant, which answer in other words
and among much else, half of what answers has less, and nine of ten have the second."""
NAMED = 0.85
"""The share of the message's words, rare ones weighing most, that a passage has at least which has
nearly all of what is telling in it: a name, an address or a number, which mean little by
themselves."""
TOLD = 0.29
"""The share of the message's words, of those that stand anywhere, where nobody knows what it means;
what messages beside it have counts for `BESIDE` of what their part of the score is."""
BESIDE = 0.29


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is brought to a turn; tokens of the model that answers."""

    budget: int
    passage_tokens: int
    """Of one passage; of a longer one only the beginning stands."""
    passages: int
    facts: int
    meaning: bool = True
    """Whether the message was compared by meaning as well as by words."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the prompt shows anyhow."""

    session: str
    """The session's stream."""
    numbers: frozenset[int] = frozenset()
    """Messages of the session that stand word for word."""
    bodies: frozenset[str] = frozenset()
    texts: frozenset[str] = frozenset()


@dataclass(slots=True)
class Choice:
    """What is brought to a turn, best first."""

    facts: list[RecalledText] = field(default_factory=list)
    texts: list[RecalledText] = field(default_factory=list)
    left_out: list[RecalledText] = field(default_factory=list)


def choose(
    found: Sequence[Found],
    pinned: Sequence[Fact],
    standing: Standing,
    limits: Limits,
    tally: Tally,
) -> Choice:
    """Takes in what fits, best first, and says why the best of the rest is left out.

    Args:
        found: What a search found, best first.
        pinned: Facts that stand in every turn, found or not.
        standing: What the prompt shows anyhow.
        limits: How much may be brought.
        tally: Token counts.
    """
    choosing = _Choosing(standing, limits, tally)
    for fact in pinned:
        choosing.keep(fact)
    for one in found:
        choosing.consider(one)
    return choosing.choice


class _Choosing:
    def __init__(self, standing: Standing, limits: Limits, tally: Tally) -> None:
        self.choice = Choice()
        self._standing = standing
        self._limits = limits
        self._tally = tally
        self._room = limits.budget - AROUND
        self._words: set[tuple[str, ...]] = set()
        self._bodies = set(standing.bodies)

    def keep(self, fact: Fact) -> None:
        """Takes in a pinned fact, whatever it costs."""
        self._room -= self._tally.body(fact.body, fact.chars) + estimate(LINE_CHARS)
        self._bodies.add(fact.body)
        self.choice.facts.append(
            RecalledText(
                0, "fact", fact.body, fact.chars, "user", fact.valid_from, origin=ORIGINS[fact.by]
            )
        )

    def consider(self, found: Found) -> None:
        """Takes in a passage, or notes why not."""
        passage = found.passage
        shown, why_not = len(passage.text), self._why_not(found)
        if not why_not:
            shown = self._fitting(passage)
            why_not = "" if shown else NO_ROOM
        told = self._told(found, None if shown == len(passage.text) else shown, why_not)
        if why_not:
            if len(self.choice.left_out) < BEST_LEFT_OUT:
                self.choice.left_out.append(told)
            return
        self._note(passage)
        self._room -= self._tokens(passage, shown)
        self._list(passage).append(told)

    def _note(self, passage: Passage) -> None:
        self._words.add(passage.words)
        if is_whole(passage):
            self._bodies.add(passage.body)

    def _list(self, passage: Passage) -> list[RecalledText]:
        return self.choice.facts if passage.kind == "fact" else self.choice.texts

    def _why_not(self, found: Found) -> str:
        passage, limits = found.passage, self._limits
        if self._stands(passage):
            return IN_PROMPT
        if passage.words in self._words or passage.text in self._standing.texts:
            return SAME_TEXT
        if not is_relevant(found, limits.meaning):
            return WEAK
        most = limits.facts if passage.kind == "fact" else limits.passages
        return ENOUGH if len(self._list(passage)) >= most else ""

    def _stands(self, passage: Passage) -> bool:
        if passage.body in self._bodies:
            return True
        here = passage.session == self._standing.session
        return here and passage.kind == "message" and passage.number in self._standing.numbers

    def _fitting(self, passage: Passage) -> int:
        """Characters of it that fit; 0 for too few to tell anything."""
        whole = len(passage.text)
        room = min(self._room, self._limits.passage_tokens)
        if self._tokens(passage, whole) <= room:
            return whole
        if room < LEAST_SHOWN or passage.kind == "fact":
            return 0
        return min(whole, (room * CHARS_PER_TOKEN - LINE_CHARS) * whole // _bytes(passage.text))

    def _tokens(self, passage: Passage, shown: int) -> int:
        size = _bytes(passage.text[:shown])
        if shown == len(passage.text) and is_whole(passage):
            return self._tally.body(passage.body, size) + estimate(LINE_CHARS)
        return estimate(size + LINE_CHARS)

    def _told(self, found: Found, shown: int | None, why_not: str) -> RecalledText:
        passage = found.passage
        if shown is None and not is_whole(passage):
            shown = len(passage.text)
        return RecalledText(
            passage=passage.id,
            kind=passage.kind,
            body=passage.body,
            chars=passage.start + len(passage.text),
            role=passage.role,
            at=passage.at,
            session=passage.session,
            number=passage.number,
            origin=passage.origin,
            score=round(found.score, 2),
            parts={name: round(part, 2) for name, part in found.parts.items() if round(part, 2)},
            first=passage.start,
            shown=shown,
            elsewhere=passage.session not in ("", self._standing.session),
            why_not=why_not,
        )


def is_relevant(found: Found, meaning: bool) -> bool:
    """Whether a passage has to do with the message, whoever said it and whenever.

    Args:
        found: The passage with its score.
        meaning: Whether the message was compared by meaning as well as by words.
    """
    if meaning and found.passage.vector is not None:
        near_enough = NEAR_PERSONAL if found.personal else NEAR
        return found.cosine >= near_enough or found.share >= NAMED
    return found.coverage + BESIDE * found.parts.get("neighbours", 0.0) >= TOLD


def _bytes(text: str) -> int:
    """What an estimate goes by here: scripts other than Latin take more tokens a character."""
    return len(text.encode("utf-8", "replace"))


def is_whole(passage: Passage) -> bool:
    """Whether a passage is all of its text."""
    return passage.start == 0 and len(passage.text) <= LONGEST
