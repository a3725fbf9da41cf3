"""What somebody has none of, and what of it another fact tells them to have. Pure; English.

Who has no pets has no cat; who eats no meat eats no ham, and who is vegan eats no cheese.
"""

import re
from dataclasses import dataclass

from memory.facts.claims import Claim
from memory.facts.content import words_of
from memory.facts.groups import KINDS
from memory.facts.vocabulary import CALLED, LIKING, OWNING, stems

_DIETS = {
    "vegan": frozenset({"meat", "fish", "dairi", "egg"}),
    "vegetarian": frozenset({"meat", "fish"}),
    "pescatarian": frozenset({"meat"}),
}
_HAVING = re.compile(
    r" (?:now )?(?:has|have|owns?|keeps?|got|adopted|bought|has adopted|has bought|has got|had) "
)
_TAKING = re.compile(r" (?:now )?(?:eats?|drinks?|consumes?)\b")
_MEALS = re.compile(r" (?:has|have) .*\b(?:breakfast|lunch|dinner|supper|evening|meal)\b")
_NO_THING = re.compile(r" (?:has|have) (?:no|not now)(?: an?| any)? (\w+)$")
_REPLACED = re.compile(
    r"\b(?:vegan|vegetarian|plant|veggie|tofu|oat|soy|soya|almond|free|alcoholfree|non|decaf)\b",
    re.IGNORECASE,
)
_ALLERGY = stems("allergic")
_TAKEN = frozenset({"meat", "fish", "dairi", "egg", "alcohol", "caffein"})
_ANYTHING = stems("anything")


@dataclass(frozen=True, slots=True)
class _Told:
    """Kinds of things that a fact tells somebody to have, or to have none of."""

    who: frozenset[str]
    kinds: frozenset[str]


def kinds_of(claim: Claim) -> frozenset[str]:
    """The kinds of which a fact may speak, by which it is found."""
    diets = frozenset[str]().union(*(_DIETS.get(word, frozenset()) for word in claim.words))
    return diets | _named(claim.words) | (_ALLERGY & claim.words)


def none_of_it(one: Claim, other: Claim) -> bool:
    """Whether one tells that there is none of what the other tells to be there."""
    for no, yes in ((one, other), (other, one)):
        if yes.denied or yes.ceased or yes.wish or yes.once or no.wish or no.once:
            continue
        excluded, had = _excluded(no), _had(yes)
        if excluded.who == had.who and excluded.kinds & had.kinds:
            return True
    return False


def _excluded(claim: Claim) -> _Told:
    if not claim.denied:
        diets = (_DIETS.get(word, frozenset()) for word in claim.words if not claim.ceased)
        stated = claim.verb in _DIETS or " is " in f"{claim.text} "
        return _Told(claim.subject, frozenset[str]().union(*diets) if stated else frozenset())
    left = claim.core - claim.subject - LIKING - OWNING
    left = left - {claim.verb} or left
    if _ALLERGY & claim.words and (_ANYTHING & claim.words or "no allerg" in claim.text):
        return _Told(claim.subject, _ALLERGY)
    thing = _NO_THING.search(claim.text)
    if claim.numbers or len(left) != 1 or not set(words_of(claim.text)[-2:]) & left:
        return _Told(claim.subject, frozenset())  # "no meat on Fridays" is not none at all
    return _Told(claim.subject, (left & KINDS.keys()) | (_each(left) if thing else frozenset()))


def _had(claim: Claim) -> _Told:
    said = f" {claim.text} "
    things = claim.core - claim.subject
    things = things - {claim.verb} or things
    if _ALLERGY & claim.words:
        return _Told(claim.subject, _ALLERGY if things else frozenset())
    if _TAKING.search(said) or _MEALS.search(said):
        replaced = _REPLACED.search(said) is not None
        return _Told(claim.subject, frozenset() if replaced else _named(things) & _TAKEN)
    things -= claim.names | CALLED
    if "user" in claim.subject and len(claim.subject) > 1 and claim.stative:
        things = claim.subject - {"user"} - claim.names
        return _Told(frozenset({"user"}), _one_thing(things))
    return _Told(claim.subject, _one_thing(things) if _HAVING.search(said) else frozenset())


def _one_thing(things: frozenset[str]) -> frozenset[str]:
    """Of one thing alone it and its kind: a dog's lead is no dog."""
    return _each(things) | (_named(things) - _TAKEN) if len(things) == 1 else frozenset()


def _each(things: frozenset[str]) -> frozenset[str]:
    """Of one thing alone itself: what has more words may be of another kind."""
    return frozenset({f"a {word}" for word in things}) if len(things) == 1 else frozenset()


def _named(words: frozenset[str]) -> frozenset[str]:
    return frozenset(kind for kind, members in KINDS.items() if words & members)
