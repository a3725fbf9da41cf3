"""Days that are told by the day on which somebody speaks, as dates. Pure; English."""

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from memory.facts.vocabulary import COUNTED

Resolve = Callable[[re.Match[str], date], str | None]
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
NUMBERS = {**{word: int(digits) for word, digits in COUNTED.items()}, "a": 1, "an": 1}
WEEK = 7
_COUNT = r"(?P<count>\d{1,3}|an?|" + "|".join(NUMBERS) + ")"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_DAY = "|".join(WEEKDAYS)


def dated(text: str, day: date) -> str:
    """A text in which "yesterday", "two weeks ago" or "next month" say which day that was.

    Args:
        text: What somebody said, or what was made of it.
        day: The day on which they said it.
    """
    for pattern, resolve in _RULES:
        text = pattern.sub(partial(_resolved, resolve, day), text)
    return " ".join(text.split())


def _resolved(resolve: Resolve, day: date, match: re.Match[str]) -> str:
    return resolve(match, day) or match[0]


def _pattern(form: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:on |in )?{form}\b", re.IGNORECASE)


def _days(days: int) -> Callable[[re.Match[str], date], str]:
    return lambda match, day: f"on {day + timedelta(days)}"


def _ago(match: re.Match[str], day: date) -> str:
    return _moved(match, day, -1)


def _ahead(match: re.Match[str], day: date) -> str:
    return _moved(match, day, 1)


def _moved(match: re.Match[str], day: date, sign: int) -> str:
    count, unit = match["count"].lower(), match["unit"].lower()
    number = int(count) if count.isdecimal() else NUMBERS[count]
    return _unit(day, unit, sign * number)


def _unit(day: date, unit: str, number: int) -> str:
    if unit == "day":
        return f"on {day + timedelta(number)}"
    if unit == "week":
        return f"around {day + timedelta(WEEK * number)}"
    if unit == "month":
        months = day.year * 12 + day.month - 1 + number
        return f"in {months // 12}-{months % 12 + 1:02}"
    return f"in {day.year + number}"


def _period(match: re.Match[str], day: date) -> str:
    which, unit = match["which"].lower(), match["unit"].lower()
    number = {"last": -1, "this": 0, "next": 1}[which]
    if unit == "week":
        monday = day - timedelta(day.weekday()) + timedelta(WEEK * number)
        return f"in the week of {monday}"
    return _unit(day, unit, number)


def _weekday(match: re.Match[str], day: date) -> str | None:
    wanted = WEEKDAYS.index(match["day"].lower())
    away = (wanted - day.weekday()) % WEEK
    if match["which"].lower() == "last":
        return f"on {day + timedelta(away - WEEK)}"
    # "Next Friday" said on a Tuesday is this week's to some and the other week's to others.
    return f"on {day + timedelta(away)}" if match["which"].lower() == "this" else None


_RULES: tuple[tuple[re.Pattern[str], Resolve], ...] = (
    (_pattern("the day before yesterday"), _days(-2)),
    (_pattern("the day after tomorrow"), _days(2)),
    (_pattern("(?:yesterday|last night)(?: morning| evening| afternoon| night)?"), _days(-1)),
    (_pattern("tomorrow(?: morning| evening| afternoon| night)?"), _days(1)),
    (_pattern("(?:today|tonight|this (?:morning|evening|afternoon))"), _days(0)),
    (_pattern(rf"{_COUNT} {_UNIT} ago"), _ago),
    (re.compile(rf"\bin {_COUNT} {_UNIT}(?: from now)?\b(?! of\b)", re.IGNORECASE), _ahead),
    (_pattern(rf"(?P<which>last|this|next) {_UNIT}(?!end)"), _period),
    (_pattern(rf"(?P<which>last|this|next) (?P<day>{_DAY})"), _weekday),
)
