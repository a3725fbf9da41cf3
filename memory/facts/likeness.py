"""Whether two facts say the same, contradict each other, or speak of different things. Pure.

By rules on words, numbers, names and denial, with the nearness of meaning as a further witness.
Ending what holds is worse than keeping two that quarrel, so a contradiction needs the same subject
and one value in the place of the other; what only looks like one is `unsure`.
"""

import re

from memory.facts.attributes import TOLD_BY_DENIAL, clashing
from memory.facts.claims import Claim, claim_of
from memory.facts.content import words_of
from memory.facts.denying import denies, is_negative, of_same
from memory.facts.figures import year_in
from memory.facts.foreign import compare_foreign, is_foreign
from memory.facts.groups import GENERIC, LIKES, OPPOSED, TIMES
from memory.facts.kinds import none_of_it
from memory.facts.values import Verdict, exclusive, other_value
from memory.facts.vocabulary import CALLED, CEASED, CHANGED, DISTINCT, LIGHT, NEGATIVE
from memory.words import index_words

NEAR = 0.86
"""Cosine from which facts with the same numbers, names and denial say the same, if nearly all of
their words are the same (of labelled pairs: nine in ten of the same, one in fifty of others)."""
NEAR_WITH_FIGURES = 0.72
"""The same where they share a figure, which little else does."""
NEAR_IN_OTHER_WORDS = 0.88
"""The same where each has words that the other has not; of two such facts without a figure nobody
can tell, as brother and sister are as near."""
SHARED = 0.4
"""Of all their words, as many stand in both."""
OVERLAP = 0.6
ROOT = 6
"""Letters by which words of one root are known, such as violin and violinist."""
_ORDERED = re.compile(r"\b(?:from|to|over|than|before|after)\b", re.IGNORECASE)


def compare(old: str, new: str, cosine: float | None = None) -> Verdict:
    """What a newer fact is to an older one.

    Args:
        old: The fact that is known.
        new: The one that was said later.
        cosine: How near they are in meaning, -1 to 1; None where nobody can tell.
    """
    if is_foreign(old) or is_foreign(new):
        return compare_foreign(old, new)
    one, other = claim_of(old), claim_of(new)
    if index_words(one.text) == index_words(other.text) and not _was_and_is(one, other):
        return "different" if _opposed(one, other) else "same"
    by_attribute = _by_attribute(one, other)
    if by_attribute is not None:
        return by_attribute
    if _says_the_same(one, other, cosine):
        return "same"
    return _quarrel(one, other)


def _by_attribute(one: Claim, other: Claim) -> Verdict | None:
    """What two values of the same attribute are to each other; None where none is shared."""
    if any(claim.once or claim.limited for claim in (one, other)):
        return None
    if "" < _latest(other) < _latest(one):
        return None  # what is told later was so earlier
    shared = [
        name
        for name, value in one.attributes.items()
        if name in other.attributes and other.attributes[name].who == value.who
        if name in TOLD_BY_DENIAL or not (is_negative(one) or is_negative(other))
    ]
    pairs = [(name, one.attributes[name], other.attributes[name]) for name in shared]
    if any(clashing(*pair, changed=other.changed) for pair in pairs):
        return "contradicts"
    same = [name for name, mine, theirs in pairs if mine.value == theirs.value]
    if same and _agree(one, other, denied=TOLD_BY_DENIAL.isdisjoint(same)):
        known = frozenset[str]().union(*(one.attributes[n].value for n in same), one.core)
        return "same" if _rest(other, known) == frozenset() else None
    return None


def _latest(claim: Claim) -> str:
    """The latest year that is named."""
    return max(map(year_in, claim.numbers), default="")


def _rest(claim: Claim, known: frozenset[str]) -> frozenset[str]:
    return claim.core - claim.subject - known - _FRAME


_FRAME = frozenset(
    index_words(
        "live reside base home flat house apartment married marry spouse name call locate meat eat "
        "vegetarian commute ride bike write written implement code"
    )
)
"""Words by which an attribute is told."""


def _says_the_same(one: Claim, other: Claim, cosine: float | None) -> bool:
    if not _agree(one, other) or not _same_names(one, other) or _told_apart(one, other):
        return False
    named = CALLED if one.names else frozenset()
    if one.core - named == other.core - named and one.core | one.numbers:
        passed_over = LIGHT | CHANGED | NEGATIVE | CEASED | named
        return one.verb == other.verb or bool((one.words ^ other.words) <= passed_over)
    if cosine is None or not _of_one_subject(one, other):
        return False
    if one.numbers and cosine >= NEAR_IN_OTHER_WORDS:
        mine, theirs = _roots(one.core), _roots(other.core)
        return len(mine & theirs) >= SHARED * len(mine | theirs)
    return cosine >= (NEAR_WITH_FIGURES if one.numbers else NEAR) and _nearly_all(one, other)


def _told_apart(one: Claim, other: Claim) -> bool:
    """Whether something tells that they can't say the same, however alike they are."""
    if (
        exclusive(one, other)
        or _opposed(one, other)
        or ("home" in one.attributes) != ("home" in other.attributes)
    ):
        return True
    return _turned_round(one, other) or _done_differently(one, other)


def _opposed(one: Claim, other: Claim) -> bool:
    """Whether one has a small word and the other its opposite."""
    mine, theirs = (set(claim.text.lower().split()) for claim in (one, other))
    apart = mine - theirs, theirs - mine
    return any(a in apart[0] and b in apart[1] for pair in OPPOSED for a, b in (pair, pair[::-1]))


def _agree(one: Claim, other: Claim, *, denied: bool = True) -> bool:
    """Whether figures, denial and time of both are the same, and both are wishes or neither is."""
    if one.numbers != other.numbers or (denied and is_negative(one) != is_negative(other)):
        return False
    if one.limited != other.limited:
        return False
    if _was_and_is(one, other):
        return False
    wished = one.wish == other.wish or one.norm or other.norm
    return one.once == other.once and (wished or {one.verb, other.verb} == {"like", "prefer"})


def _was_and_is(one: Claim, other: Claim) -> bool:
    """Whether one tells what somebody did and the other what they do: they may do it no longer."""
    perfect = any(re.search(r"\b(?:has|have)\b", claim.text) for claim in (one, other))
    return one.stative != other.stative and one.verb == other.verb and not perfect


def _turned_round(one: Claim, other: Claim) -> bool:
    """Whether who does it to whom is the other way round, or what is put before what."""
    people = one.names | other.names | {"user"}
    acting, acted = one.subject & people, other.subject & people
    if one.verb == other.verb and acting and acted and not acting & acted:
        return one.verb not in ("call", "") and acting <= other.words and acted <= one.words
    if not (_ORDERED.search(one.text) and _ORDERED.search(other.text)):
        return False
    shared = one.core & other.core
    mine, theirs = ([w for w in words_of(claim.text) if w in shared] for claim in (one, other))
    return one.verb == other.verb and mine != theirs and sorted(mine) == sorted(theirs)


def _done_differently(one: Claim, other: Claim) -> bool:
    """Whether each is of another one of the light verbs that mean something: live and work."""
    if bool(one.words & LIKES) != bool(other.words & LIKES) and not (one.norm or other.norm):
        return True
    for work, rest in ((one, other), (other, one)):
        if "work" in work.words - rest.words and " as " not in work.text:
            return "job" not in rest.words
    mine, theirs = one.words & DISTINCT, other.words & DISTINCT
    return bool(mine - theirs) and bool(theirs - mine)


def _of_one_subject(one: Claim, other: Claim) -> bool:
    """Whether neither speaks of somebody or something that the other does not name."""
    mine, theirs = (claim.subject - LIGHT - GENERIC for claim in (one, other))
    return not mine or not theirs or (mine <= other.core and theirs <= one.core)


def _nearly_all(one: Claim, other: Claim) -> bool:
    """Whether the words of one stand in the other, which has few more."""
    mine, theirs = _roots(one.core), _roots(other.core)
    enough = len(mine & theirs) >= OVERLAP * max(len(mine), len(theirs))
    return enough and (mine <= theirs or theirs <= mine)


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:ROOT] for word in words)


def _quarrel(one: Claim, other: Claim) -> Verdict:
    """Whether the newer claim takes the place of the older one."""
    if none_of_it(one, other):
        return "contradicts"
    if _of_other_times(one, other):
        return "different"
    if denies(one, other):
        return "contradicts"
    return "different" if _turned_round(one, other) else _replaced(one, other)


def _of_other_times(one: Claim, other: Claim) -> bool:
    """Whether one tells how things were, are for a while, or should be, and the other not."""
    if one.once or other.once or (one.wish != other.wish and not other.ceased):
        return True
    return one.limited != other.limited and not other.changed


def _replaced(one: Claim, other: Claim) -> Verdict:
    """Whether the newer claim tells a value in the place of the older one's."""
    left = one.core - one.subject - other.replaced - other.core - TIMES - {one.verb}
    left -= one.tail if one.verb == "use" else frozenset()
    if other.replaced and other.replaced <= one.core - one.subject and not is_negative(one):
        days = other.replaced <= TIMES and one.verb != other.verb
        instead = other.subject <= one.subject and not days and not left
        return "contradicts" if instead else "different"
    if not of_same(one, other):
        return "different"
    if not (one.stative and (other.stative or other.changed)):
        return "different"
    return other_value(one, other)


def _same_names(one: Claim, other: Claim) -> bool:
    mine, theirs = one.names & one.subject, other.names & other.subject
    if mine and theirs and mine != theirs:
        return False
    return one.names - other.words == frozenset() and other.names - one.words == frozenset()
