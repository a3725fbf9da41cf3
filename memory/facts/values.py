"""Whether a newer claim tells another value of something that has one at a time. Pure."""

import re
from dataclasses import dataclass
from typing import Literal

from memory.facts.claims import Claim
from memory.facts.figures import clash
from memory.facts.groups import (
    APART,
    COLOURS,
    DAYS,
    ENGINES,
    EVENTS,
    EXCLUSIVE,
    LANGUAGES,
    MANY,
    MANY_VALUED,
    OF_ONE_THING,
    ONE_AT_A_TIME,
    ONE_VALUED,
    THINGS,
    TIMES,
    UNITS,
    USING,
)
from memory.facts.vocabulary import LIGHT

Verdict = Literal["same", "contradicts", "unsure", "different"]
"""What a newer fact is to an older one; `unsure` where it may contradict it."""

_INDEFINITE = re.compile(
    r" (?:has|have|booked|there is) (?:an? )?(?:\w+ )?(?:meeting|appointment|call|"
    r"interview|flight|class|lesson|exam|reservation|table|ticket)\b"
)
_TOLD = re.compile(
    r" is(?: now)?(?: (from|in|at|with|on|for|to|by|of|not|(?!called\b)[a-z]+(?:ed|ing)))?(?= |$)"
)
"""By what little word a value is told, or none."""
_SOME = re.compile(r" (?:has|have|possesses|keeps) an? ")
_EVERY = re.compile(r"\bevery (?:hour|day|week|month|year)\b")
_FOR = re.compile(r"\b(?:for|as)\b")
_REGULAR = re.compile(r"\b(?:every|each|\w+days)\b", re.IGNORECASE)


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
        told = [_TOLD.search(claim.text) for claim in (self.one, self.other)]
        if not all(told) or len({match[1] for match in told if match}) > 1:
            return False  # a name, and where somebody is from
        return bool(self.one.subject & ONE_VALUED & self.common)


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
    """Whether the claims name two values of which one holds at a time, or that are two things."""
    return any(_apart(one, other, group) for group in (*_groups(one, other), *OF_ONE_THING, *APART))


def _groups(one: Claim, other: Claim) -> list[frozenset[str]]:
    """The groups of which one word holds at a time in what these claims tell."""
    groups = [*EXCLUSIVE]
    if {one.verb, other.verb} == {"written"} or "answer" in one.words & other.words:
        groups.append(LANGUAGES)
    if all(_EVERY.search(claim.text) for claim in (one, other)):
        groups.append(UNITS)
    if all(
        claim.wish or claim.verb == "prefer" or " is " in f" {claim.text} "
        for claim in (one, other)
    ):
        groups += OF_ONE_THING
    return groups


def _apart(one: Claim, other: Claim, group: frozenset[str]) -> bool:
    held, now = one.words & group, other.words & group
    return bool(held and now) and not held & now


def _figures(pair: _Pair) -> Verdict | None:
    """Other figures where all words are the same."""
    one, other = pair.one, pair.other
    if one.numbers == other.numbers or not one.numbers or not other.numbers:
        return None
    if _upgraded(pair):
        return "contradicts"
    if pair.mine or pair.theirs or not (pair.common or one.subject - {"user"}):
        return None if pair.one_valued else "different"
    if one.verb in MANY_VALUED and one.names - one.subject:
        return "different"
    clashing = clash(one.numbers, other.numbers) and not _one_of_some(pair)
    return "contradicts" if clashing else "unsure"


def _upgraded(pair: _Pair) -> bool:
    """Whether the newer claim tells the new version of what the older one names."""
    one, other = pair.one, pair.other
    named = bool(one.names) and one.names == other.names
    using = one.verb in USING and not pair.mine - USING and not pair.theirs - USING
    return named and using and other.changed and clash(one.numbers, other.numbers)


def _one_of_some(pair: _Pair) -> bool:
    """Whether both tell of "a meeting at 9", or of May, beside which there may be another."""
    months = any(number.startswith("00-") for number in pair.one.numbers ^ pair.other.numbers)
    if months and not pair.one.subject - pair.one.names - {"user"}:
        return True
    return not pair.other.changed and all(
        _INDEFINITE.search(claim.text) for claim in (pair.one, pair.other)
    )


def _exclusive_words(pair: _Pair) -> Verdict | None:
    if pair.one.denied != pair.other.denied:
        return None
    for group in _groups(pair.one, pair.other):
        mine, theirs = pair.mine - group, pair.theirs - group
        most = 0 if group & TIMES else 1
        few = not (mine and theirs) and len(mine) + len(theirs) <= most
        if few and _apart(pair.one, pair.other, group):
            return "contradicts"
    return None


def _nothing_else(pair: _Pair) -> Verdict | None:
    return None if pair.mine and pair.theirs else "different"


def _value_of_noun(pair: _Pair) -> Verdict | None:
    """Two names, or two other words, or figures: a name and a colour may both be true."""
    if not pair.one_valued:
        return None
    one, other = pair.one, pair.other
    named = bool(one.names & pair.mine), bool(other.names & pair.theirs)
    numbered = any(named) and one.numbers and other.numbers
    if one.subject & THINGS and not all(named) and not numbered:
        alike = any(pair.mine <= group and pair.theirs <= group for group in (COLOURS, ENGINES))
        return "contradicts" if alike else "different"
    both = named[0] == named[1] or bool(one.numbers and other.numbers)
    return "contradicts" if both else "different"


def _call(pair: _Pair) -> Verdict | None:
    """Another name of the same thing; of cats there may be two."""
    names = pair.mine <= pair.one.names and pair.theirs <= pair.other.names
    if "call" not in pair.common or not names:
        return None
    some = _SOME.search(pair.other.text) or pair.common & MANY
    return "unsure" if some else "contradicts"


def _days(pair: _Pair) -> Verdict | None:
    """Another day, of a meeting or of what was moved to it; else it may be both."""
    if not (pair.mine <= DAYS and pair.theirs <= DAYS):
        return None
    once = bool(pair.one.subject & EVENTS or "due" in pair.common) and not any(
        _REGULAR.search(claim.text) for claim in (pair.one, pair.other)
    )
    return "contradicts" if pair.other.changed or once else "unsure"


def _with_one_tail(pair: _Pair) -> Verdict:
    """What differs is wanted, or done, for the same: "tabs for code", then "spaces for code"."""
    one, other = pair.one, pair.other
    if not pair.same_verb or one.tail != other.tail or one.denied or other.denied:
        return "different"
    preferred = one.verb == "prefer" and _FOR.search(one.text) is not None
    settled = preferred or one.verb in ONE_AT_A_TIME or (other.changed and one.verb in USING)
    if one.tail - LIGHT and settled:
        return "contradicts"
    return "unsure" if other.changed else "different"
