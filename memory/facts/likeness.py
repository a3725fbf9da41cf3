"""Whether two facts say the same, contradict each other, or speak of different things. Pure.

By rules on words, numbers, names and denial, with the nearness of meaning as a further witness.
Ending what holds is worse than keeping two that quarrel, so a contradiction needs the same subject
and one value in the place of the other; what only looks like one is `unsure`.
"""

from memory.facts.claims import Claim, claim_of
from memory.facts.content import plain
from memory.facts.values import Verdict, exclusive, other_value
from memory.facts.vocabulary import CEASED, CHANGED, LIGHT, LIKING, NEGATIVE, OWNING
from memory.words import index_words

FAR = 0.45
"""Cosine below which two facts are about different things (of labelled contradictions the lowest
has .48)."""
NEAR = 0.86
"""Cosine from which facts with the same numbers, names and denial say the same, if nearly all of
their words are the same (of labelled pairs: nine in ten of the same, one in fifty of others)."""
OVERLAP = 0.6
ROOT = 6
"""Letters by which words of one root are known, such as violin and violinist."""


def compare(old: str, new: str, cosine: float | None = None) -> Verdict:
    """What a newer fact is to an older one.

    Args:
        old: The fact that is known.
        new: The one that was said later.
        cosine: How near they are in meaning, -1 to 1; None where nobody can tell.
    """
    if index_words(plain(old)) == index_words(plain(new)):
        return "same"
    if cosine is not None and cosine < FAR:
        return "different"
    one, other = claim_of(old), claim_of(new)
    if _says_the_same(one, other, cosine):
        return "same"
    if one.once or other.once or (one.wish != other.wish and not other.ceased):
        return "different"
    return _quarrel(one, other)


def _says_the_same(one: Claim, other: Claim, cosine: float | None) -> bool:
    if one.home and other.home and _agree(one, other):
        return one.home == other.home and _of_same(one, other)
    if not _agree(one, other) or exclusive(one, other) or not _same_names(one, other):
        return False
    if one.core == other.core and one.core | one.numbers:
        passed_over = LIGHT | CHANGED | NEGATIVE | CEASED
        return one.verb == other.verb or bool((one.words ^ other.words) <= passed_over)
    return cosine is not None and cosine >= NEAR and _nearly_all(one, other)


def _agree(one: Claim, other: Claim) -> bool:
    """Whether figures, denial and time of both are the same, and both are wishes or neither is."""
    if one.numbers != other.numbers or _negative(one) != _negative(other):
        return False
    return one.once == other.once and (one.wish == other.wish or one.norm or other.norm)


def _nearly_all(one: Claim, other: Claim) -> bool:
    """Whether the words of one stand in the other, which has few more."""
    mine, theirs = _roots(one.core), _roots(other.core)
    enough = len(mine & theirs) >= OVERLAP * max(len(mine), len(theirs))
    return enough and (mine <= theirs or theirs <= mine)


def _roots(words: frozenset[str]) -> frozenset[str]:
    return frozenset(word[:ROOT] for word in words)


def _quarrel(one: Claim, other: Claim) -> Verdict:
    """Whether the newer claim takes the place of the older one."""
    if _denies(one, other):
        return "contradicts"
    if not _of_same(one, other):
        return "different"
    if other.replaced and other.replaced <= one.words and not _negative(one):
        return "contradicts"
    for of_one, of_other in ((one.home, other.home), (one.job, other.job), (one.age, other.age)):
        if of_one and of_other:
            return "contradicts" if of_one != of_other else "different"
    if not (one.stative and (other.stative or other.changed)):
        return "different"
    return other_value(one, other)


def _denies(one: Claim, other: Claim) -> bool:
    """Whether one says that it is not so, or no longer so, and the other that it is."""
    if _negative(one) == _negative(other):
        return False
    no, yes = (one, other) if _negative(one) else (other, one)
    if no.ceased and no is one:
        return False  # what had ended may have begun again, or be another one
    denied = _objects(no)
    if not denied or not denied <= _objects(yes) | (yes.words if no.ceased else frozenset()):
        return False
    if not no.numbers <= yes.numbers and not no.ceased:
        return False
    if no.ceased:
        return yes.stative and (_of_same(one, other) or no.subject - {"user"} <= yes.words)
    return _of_same(one, other) and _same_doing(no, yes)


def _objects(claim: Claim) -> frozenset[str]:
    """What a claim is about, beside whom and the verb."""
    left = claim.core - claim.subject - LIKING - OWNING if not claim.ceased else claim.core - OWNING
    return left or claim.core - claim.subject


def _same_doing(one: Claim, other: Claim) -> bool:
    if one.verb == other.verb or one.verb in one.core & other.core:
        return True
    return any({one.verb, other.verb} <= group for group in (LIKING, OWNING)) or bool(
        _objects(one) == _objects(other) and {one.verb, other.verb} & LIGHT
    )


def _negative(claim: Claim) -> bool:
    return claim.denied or claim.ceased


def _of_same(one: Claim, other: Claim) -> bool:
    """Whether two claims are about the same person or thing."""
    return one.subject == other.subject


def _same_names(one: Claim, other: Claim) -> bool:
    mine, theirs = one.names & one.subject, other.names & other.subject
    if mine and theirs and mine != theirs:
        return False
    return one.names - other.words == frozenset() and other.names - one.words == frozenset()
