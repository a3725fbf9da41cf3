"""Dates in what is asked, and words that tell a time. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache

from memory.sought import Sought
from memory.words import index_words

MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
UNIT_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}

_MONTH = "(?P<month>" + "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS) + r"|sept)\b\.?"
_DAY = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_WRITTEN = (
    re.compile(rf"\b{_YEAR}-(?P<number>[01]\d)-(?P<day>[0-3]\d)\b"),
    re.compile(rf"\b{_DAY}(?: of)? {_MONTH}(?:,? {_YEAR})?"),
    re.compile(rf"\b{_MONTH} {_DAY}\b(?!\d)(?:,? {_YEAR})?"),
    re.compile(rf"\b{_MONTH},? {_YEAR}\b"),
    # Without a day or a year beside it, "may" and "march" are verbs as well.
    re.compile(rf"\b(?:in|during|since|last|this|early|late|mid|of) {_MONTH}"),
    re.compile(rf"\b{_YEAR}\b"),
)
_AGO = re.compile(
    r"\b(?P<count>\d{1,3}|a|an|one|two|three|four|five|six) (?P<unit>day|week|month|year)s? ago\b"
)
_PAST = re.compile(r"\b(?P<which>last|past|this|previous) (?P<unit>week|weekend|month|year)\b")
_WEEKDAY = re.compile(rf"\b(?:last|on|this past|previous) (?P<name>{'|'.join(DAYS)})\b")
_NEAR = re.compile(r"\b(?P<name>today|tonight|yesterday)\b")

_TIME_WORDS = """
yesterday today tonight tomorrow last next past ago week weekend month year day morning afternoon
evening night recently soon earlier later since until during spring summer autumn fall winter
"""
_YEAR_IN = re.compile(r"\b(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True)
class Span:
    """Days that are asked about, both included; without a year they recur in every year."""

    first: date
    last: date
    yearly: bool = False

    def days_off(self, day: date) -> int:
        """Days from the span to a day; 0 within it, negative before it."""
        if self.yearly:
            moved = [self._in_year(day.year + by).days_off(day) for by in (-1, 0, 1)]
            return min(moved, key=abs)
        if day < self.first:
            return (day - self.first).days
        return max((day - self.last).days, 0)

    def _in_year(self, year: int) -> "Span":
        first = _day(year, self.first.month, self.first.day)
        return Span(first, first + (self.last - self.first))


def day_of(at: str) -> date | None:
    """The day of a time (ISO 8601), or None where it is none."""
    return _day_named(at[:10])


@lru_cache
def _day_named(name: str) -> date | None:
    try:
        return date.fromisoformat(name)
    except ValueError:
        return None


def spans_in(text: str, now: datetime | None) -> tuple[Span, ...]:
    """The days that a question names.

    Args:
        text: The question.
        now: What "last week" is relative to; without it such words name nothing.
    """
    text = text.lower()
    spans: list[Span] = []
    for form in _WRITTEN:
        for match in form.finditer(text):
            spans += _written(match)
        text = form.sub(" ; ", text)
    if now is not None:
        spans += _relative(text, now.astimezone(UTC).date())
    return tuple(dict.fromkeys(spans))


def tells_time(text: str) -> bool:
    """Whether a text says when something was or will be."""
    return _YEAR_IN.search(text) is not None or _time_words().any_in(text)


@cache
def _time_words() -> Sought:
    named = (*DAYS, *(name for name in MONTHS if name != "may"))
    return Sought(index_words(" ".join((_TIME_WORDS, *named))))


def _written(match: re.Match[str]) -> Iterator[Span]:
    """The span of a date that is written out; nothing where there is no such day."""
    parts = match.groupdict()
    year = int(parts.get("year") or 0)
    month = int(parts.get("number") or 0) or _month(parts.get("month"))
    day = int(parts.get("day") or 0)
    try:
        if day:
            first = last = date(year or 2000, month, day)
        elif month:
            first = date(year or 2000, month, 1)
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        else:
            first, last = date(year, 1, 1), date(year, 12, 31)
    except ValueError:
        return
    yield Span(first, last, yearly=not year)


def _relative(text: str, today: date) -> Iterator[Span]:
    for match in _AGO.finditer(text):
        count = int(match["count"]) if match["count"].isdigit() else NUMBERS[match["count"]]
        unit = UNIT_DAYS[match["unit"]]
        middle = _before(today, count * unit)
        yield Span(_before(middle, unit // 2), middle + timedelta(days=unit // 2))
    for match in _PAST.finditer(text):
        days = UNIT_DAYS["week" if match["unit"] == "weekend" else match["unit"]]
        reach = days if match["which"] == "this" else 2 * days
        yield Span(_before(today, reach), today)
    for match in _WEEKDAY.finditer(text):
        back = (today.weekday() - DAYS.index(match["name"])) % 7 or 7
        yield Span(_before(today, back), _before(today, back))
    for match in _NEAR.finditer(text):
        day = _before(today, match["name"] == "yesterday")
        yield Span(day, day)


def _before(day: date, days: int) -> date:
    return date.fromordinal(max(day.toordinal() - days, 1))


def _month(name: str | None) -> int:
    if name is None:
        return 0
    return next(at for at, month in enumerate(MONTHS, start=1) if month[:3] == name[:3])


def _day(year: int, month: int, day: int) -> date:
    """A day of a year; in a year without a 29 February the day before it."""
    year = min(max(year, date.min.year), date.max.year - 1)
    try:
        return date(year, month, day)
    except ValueError:
        return date(year, month, day - 1)
