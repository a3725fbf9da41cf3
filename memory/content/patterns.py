"""Regular expressions that can't run away: looked for in time that only grows with the text.

Python's own engine tries one way after the other, and a pattern such as `(a+)+b` has more ways
than there is time for. Here all ways are followed at once, character by character, and what was
found out about a set of places is kept. Patterns are read by the parser of Python's own engine.
"""

import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from memory.errors import StrataError

LONGEST_PATTERN = 500
"""Characters of a pattern."""
MOST_PLACES = 1_000
"""Places that a pattern may have once its counted repeats are written out."""
MOST_WORK = 2_000_000
"""Places gone through in one search, about a second; what was found out before costs nothing."""
MOST_KEPT = 4_000
"""Steps that are kept; beyond, all are let go of and found out again."""
LONGEST_LINE = 20_000
"""Characters of a line that are looked through."""


class BadPattern(StrataError):
    """A pattern that can't be used."""

    def __init__(self, pattern: str, why: str) -> None:
        super().__init__(
            f"The pattern /{pattern[:60]}/ can't be used: {why}.", "Look for words instead."
        )


Around = tuple[str, str]
"""The characters before and after a place; empty at the ends of a line."""


@dataclass(slots=True)
class _Place:
    """A place in a pattern: it takes a character, passes on a condition, or leads on."""

    takes: Callable[[str], bool] | None = None
    passes: Callable[[Around], bool] | None = None
    leads: list["_Place"] = field(default_factory=list)


@dataclass(slots=True)
class _Set:
    """Places that a text may have led to."""

    places: frozenset[int]
    before: str
    """The character before, as far as conditions tell characters apart."""
    moves: dict[str, "_Set"] = field(default_factory=dict)


def compiled(pattern: str) -> Callable[[str], bool]:
    """Whether a line holds the pattern; upper and lower case are the same.

    Each call's work is bounded, whatever the pattern and whatever the lines.

    Raises:
        BadPattern: It is no regular expression, or looks back or around, or is too large. Also
            when it is used and takes too long.
    """
    return Search(pattern).matches


class Search:
    """A pattern as it is looked for in some lines."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._end = _Place()
        self._begin = _Builder(pattern).sequence(_parsed(pattern), self._end)
        self._ids: dict[int, _Place] = {}
        self._work = 0
        self._kept = 0
        self._sets: dict[tuple[frozenset[int], str], _Set] = {}
        self._found = _Set(frozenset(), "")

    def matches(self, line: str) -> bool:
        """Whether a line holds the pattern.

        Raises:
            BadPattern: It takes too long.
        """
        current = self._set((), "")
        for character in line[:LONGEST_LINE]:
            following = current.moves.get(character) or self._step(current, character)
            if following is self._found:
                return True
            current = following
        return self._step(current, "") is self._found

    def _step(self, current: _Set, character: str) -> _Set:
        following, seen = set[int](), set[int]()
        todo = [self._begin, *(self._ids[id] for id in current.places)]
        found = False
        while todo:
            place = todo.pop()
            if id(place) in seen:
                continue
            seen.add(id(place))
            found = found or place is self._end
            if place.takes is None:
                if place.passes is None or place.passes((current.before, character)):
                    todo += place.leads
            elif character and place.takes(character):
                following |= {self._id(after) for after in place.leads}
        self._spend(len(seen))
        result = self._found if found else self._set(following, _told_apart(character))
        current.moves[character] = result
        return result

    def _spend(self, places: int) -> None:
        self._work += places
        self._kept += 1
        if self._work > MOST_WORK:
            raise BadPattern(self._pattern, "it takes too long")
        if self._kept > MOST_KEPT:
            self._kept = 0
            for known in self._sets.values():
                known.moves.clear()
            self._sets.clear()

    def _set(self, places: Iterable[int], before: str) -> _Set:
        key = frozenset(places), before
        return self._sets.setdefault(key, _Set(*key))

    def _id(self, place: _Place) -> int:
        self._ids[id(place)] = place
        return id(place)


class _Builder:
    """Turns what Python's parser read into places."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._count = 0

    def sequence(self, items: Any, after: _Place) -> _Place:
        """The first place of items that follow each other and lead to `after`."""
        for kind, value in reversed(list(items)):
            after = self._one(kind, value, after)
        return after

    def _one(self, kind: Any, value: Any, after: _Place) -> _Place:
        if kind in (op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN):
            return self._new(_Place(takes=_taker(kind, value), leads=[after]))
        if kind is op.AT:
            return self._new(_Place(passes=self._condition(value), leads=[after]))
        if kind is op.BRANCH:
            ways = [self.sequence(way, after) for way in value[1]]
            return self._new(_Place(leads=ways))
        if kind is op.SUBPATTERN:
            return self.sequence(value[3], after)
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            least, most, items = value
            return self._repeat(least, most, items, after)
        raise BadPattern(self._pattern, "it looks back or around")

    def _repeat(self, least: int, most: int, items: Any, after: _Place) -> _Place:
        if least > MOST_PLACES or (most is not op.MAXREPEAT and most > MOST_PLACES):
            raise BadPattern(self._pattern, "it is too large")
        if most is op.MAXREPEAT:
            again = self._new(_Place(leads=[after]))
            again.leads.append(self.sequence(items, again))
            after = again
        else:
            end = after
            for _ in range(most - least):
                after = self._new(_Place(leads=[end, self.sequence(items, after)]))
        for _ in range(least):
            after = self._new(_Place(leads=[self.sequence(items, after)]))
        return after

    def _condition(self, where: Any) -> Callable[[Around], bool]:
        if where in (op.AT_BEGINNING, op.AT_BEGINNING_STRING):
            return lambda around: not around[0]
        if where in (op.AT_END, op.AT_END_STRING):
            return lambda around: not around[1]
        if where is op.AT_BOUNDARY:
            return lambda around: _is_word(around[0]) != _is_word(around[1])
        return lambda around: _is_word(around[0]) == _is_word(around[1])

    def _new(self, place: _Place) -> _Place:
        self._count += 1
        if self._count > MOST_PLACES:
            raise BadPattern(self._pattern, "it is too large")
        return place


@lru_cache(maxsize=32)
def _parsed(pattern: str) -> Any:
    if len(pattern) > LONGEST_PATTERN:
        raise BadPattern(pattern, "it is too long")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return parser.parse(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        raise BadPattern(pattern, f"it is no regular expression ({error})") from error


def _taker(kind: Any, value: Any) -> Callable[[str], bool]:
    if kind is op.ANY:
        return lambda character: True
    if kind is op.LITERAL:
        return _same(value)
    if kind is op.NOT_LITERAL:
        same = _same(value)
        return lambda character: not same(character)
    negated = bool(value) and value[0][0] is op.NEGATE
    members = [_member(*member) for member in value[negated:]]
    return lambda character: negated != any(holds(character) for holds in members)


def _member(kind: Any, value: Any) -> Callable[[str], bool]:
    """Whether a character belongs to one part of a set."""
    if kind is op.LITERAL:
        return _same(value)
    if kind is op.RANGE:
        low, high = value
        return lambda character: any(low <= ord(form) <= high for form in _forms(character))
    name = str(value)
    test = next(test for part, test in _CATEGORIES.items() if name.endswith(part))
    return (lambda character: not test(character)) if "_NOT_" in name else test


def _same(code: int) -> Callable[[str], bool]:
    forms = _forms(chr(code))
    return lambda character: character in forms


def _forms(character: str) -> frozenset[str]:
    """A character in both cases, where each is one character."""
    return frozenset(f for f in (character, character.lower(), character.upper()) if len(f) == 1)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _told_apart(character: str) -> str:
    """A character that stands for all that conditions can't tell from it."""
    return character and ("a" if _is_word(character) else " ")


_CATEGORIES: dict[str, Callable[[str], bool]] = {
    "DIGIT": str.isdecimal,
    "SPACE": str.isspace,
    "WORD": _is_word,
}
