"""Whether one claim says that it is not so, or no longer, and another one that it is. Pure."""

import re

from memory.facts.claims import Claim
from memory.facts.groups import MARRIED, ONE_VALUED, PEOPLE
from memory.facts.vocabulary import CHANGED, GONE, LIGHT, LIKING, OWNING

_ONE_OF_MANY = re.compile(r"\b(?:sold|lost|left|dropped) (?:an?|some|2|3)\b")


def denies(one: Claim, other: Claim) -> bool:
    """Whether one says that it is not so, or no longer so, and the other that it is."""
    if is_negative(one) == is_negative(other):
        return False
    no, yes = (one, other) if is_negative(one) else (other, one)
    if no.ceased and no is one:
        return False  # what had ended may have begun again, or be another one
    if no.ceased:
        return _ends(no, yes)
    said = _objects(no) <= _objects(yes) and no.numbers <= yes.numbers
    return said and bool(_objects(no)) and of_same(one, other) and _same_doing(no, yes)


def _ends(no: Claim, yes: Claim) -> bool:
    """Whether what is over is what the other tells: a divorce ends a marriage, not a friendship."""
    over = _objects(no)
    if not over or not over <= _objects(yes) | yes.words or _ONE_OF_MANY.search(no.text):
        return False
    if "divorc" in no.words and not yes.words & MARRIED:
        return False
    others = yes.subject - {"user"} - over
    if others & (PEOPLE | yes.names) and not over & yes.names:
        return False
    whole = no.words & (GONE | {"divorc"}) or over - no.subject
    return bool(whole) and yes.stative and (of_same(no, yes) or no.subject - {"user"} <= yes.words)


def _objects(claim: Claim) -> frozenset[str]:
    """What a claim is about, beside whom and the verb."""
    left = claim.core - claim.subject - LIKING - OWNING if not claim.ceased else claim.core - OWNING
    return left or claim.core - claim.subject


def _same_doing(one: Claim, other: Claim) -> bool:
    if one.verb == other.verb or one.verb in one.core & other.core:
        return True
    verbs = {one.verb, other.verb}
    if any(verbs <= group for group in (LIKING, OWNING)):
        return True
    return _objects(one) == _objects(other) and bool(verbs & LIGHT) and "like" not in verbs


def is_negative(claim: Claim) -> bool:
    """Whether it says that something is not so, or no longer so."""
    return claim.denied or claim.ceased


def of_same(one: Claim, other: Claim) -> bool:
    """Whether two claims are about the same person or thing."""
    apart = (one.subject ^ other.subject) - CHANGED
    return not apart or (one.core == other.core and apart <= ONE_VALUED)
