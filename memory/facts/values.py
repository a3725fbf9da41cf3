"""Whether a newer claim tells another value of something that has one at a time. Pure."""

from dataclasses import dataclass
from typing import Literal

from memory.facts.claims import Claim
from memory.facts.vocabulary import (
    DAYS,
    EXCLUSIVE,
    LANGUAGES,
    MANY,
    MANY_VALUED,
    ONE_AT_A_TIME,
    ONE_VALUED,
)

Verdict = Literal["same", "contradicts", "unsure", "different"]
"""What a newer fact is to an older one; `unsure` where it may contradict it."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two claims about one thing, and the words in which they differ."""

    one: Claim
    other: Claim
    mine: frozenset[str]
    theirs: frozenset[str]
    common: frozenset[str]

    @property
    def same_verb(self) -> bool:
        return self.one.verb == self.other.verb

    @property
    def one_valued(self) -> bool:
        """Whether both tell the value of a noun of which there is one: "the boss is …"."""
        copulas = all(" is " in f" {claim.text} " for claim in (self.one, self.other))
        return copulas and bool(self.one.subject & ONE_VALUED & self.common)


def other_value(one: Claim, other: Claim) -> Verdict:
    """What a newer claim of the same subject is to an older one.

    Args:
        one: The older one, which tells how things are.
        other: The newer one.
    """
    pair = _Pair(one, other, one.core - other.core, other.core - one.core, one.core & other.core)
    for rule in (_figures, _exclusive_words, _nothing_else, _value_of_noun, _call, _days):
        verdict = rule(pair)
        if verdict is not None:
            return verdict
    return _with_one_tail(pair)


def exclusive(one: Claim, other: Claim) -> bool:
    """Whether the claims name two values of which one holds at a time."""
    written = {one.verb, other.verb} == {"written"}
    groups = (*EXCLUSIVE, LANGUAGES) if written else EXCLUSIVE
    for group in groups:
        held, now = one.words & group, other.words & group
        if held and now and not held & now:
            return True
    return False


def _figures(pair: _Pair) -> Verdict | None:
    """Other figures where all words are the same."""
    one, other = pair.one, pair.other
    if one.numbers == other.numbers or not one.numbers or not other.numbers:
        return None
    if not pair.mine and not pair.theirs and (pair.common or one.subject - {"user"}):
        return "different" if one.verb in MANY_VALUED and one.names else "contradicts"
    return None if pair.one_valued else "different"


def _exclusive_words(pair: _Pair) -> Verdict | None:
    apart = len(pair.mine) <= 1 and len(pair.theirs) <= 1
    return "contradicts" if apart and exclusive(pair.one, pair.other) else None


def _nothing_else(pair: _Pair) -> Verdict | None:
    return None if pair.mine and pair.theirs else "different"


def _value_of_noun(pair: _Pair) -> Verdict | None:
    """Two names, or two other words, or figures: a name and a colour may both be true."""
    if not pair.one_valued:
        return None
    one, other = pair.one, pair.other
    both = bool(one.names & pair.mine) == bool(other.names & pair.theirs)
    return "contradicts" if both or (one.numbers and other.numbers) else "different"


def _call(pair: _Pair) -> Verdict | None:
    """Another name of the same thing; of cats there may be two."""
    names = pair.mine <= pair.one.names and pair.theirs <= pair.other.names
    if "call" not in pair.common or not names:
        return None
    return "unsure" if pair.common & MANY else "contradicts"


def _days(pair: _Pair) -> Verdict | None:
    if not (pair.mine <= DAYS and pair.theirs <= DAYS):
        return None
    return "contradicts" if pair.other.changed else "unsure"


def _with_one_tail(pair: _Pair) -> Verdict:
    """What differs is wanted, or done, for the same: "tabs for code", then "spaces for code"."""
    one, other = pair.one, pair.other
    if not pair.same_verb or one.tail != other.tail:
        return "different"
    if one.tail and (one.wish or one.verb in ONE_AT_A_TIME):
        return "contradicts"
    return "unsure" if other.changed else "different"
