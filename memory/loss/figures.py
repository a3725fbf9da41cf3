"""Numbers, dates and times, and the forms in which two of them are the same."""

import re
from collections.abc import Iterator

from memory.loss.found import Found
from memory.loss.wording import DIGIT_DATE, MONTHS, NUMBER, RELATIVE_DAY, UNIT_OF, WORD_DATE

YEAR = 4
THOUSANDS = 3
LONGEST_MARK = 3
"""Digits of a year, of a group of thousands, and at most of a number before a list's entry."""
_LIST_MARK = re.compile(r"(?:^|\n)[ \t]*$")
_JOINED = re.compile(r"[.,'’\u00a0\u202f]")
_SPLIT = re.compile(r"([0-9.,'’\u00a0\u202f]*[0-9])(.*)", re.DOTALL)
_ISO = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{1,2}):([0-9]{2}))?")
_CLOCK = re.compile(r"([0-9]{1,2})(?::([0-9]{2}))?(?::[0-9]{2})?\s?([ap]m)?", re.IGNORECASE)


def dates(text: str) -> Iterator[Found]:
    """Days, months with a day or year, years, times of the day, and weekdays."""
    found = [*_digit_dates(text), *_word_dates(text)]
    # Of two that overlap the longer one stands further left: `March 14, 2026` and `2026`.
    yield from sorted(found, key=lambda item: (item.start, -item.end))


def _digit_dates(text: str) -> Iterator[Found]:
    for match in DIGIT_DATE.finditer(text):
        start, end = match.span()
        if _stands_alone(text, start, end):
            yield Found("date", text[start:end], start, end)


def _word_dates(text: str) -> Iterator[Found]:
    for match in WORD_DATE.finditer(text):
        start, end = match.span()
        if start and (text[start - 1].isalnum() or text[start - 1] in "_-"):
            continue
        if before := RELATIVE_DAY.search(text, max(0, start - 8), start):
            start = before.start()
        yield Found("date", text[start:end], start, end)


def numbers(text: str) -> Iterator[Found]:
    """Numbers that say something: with a unit, or of more than one digit."""
    for match in NUMBER.finditer(text):
        start, end = match.span()
        found = match.group()
        if not _stands_alone(text, start, end):
            continue
        if _says_something(found) and not _is_list_mark(text, start, end):
            yield Found("number", found, start, end)


def number_key(text: str) -> tuple[str, str]:
    """Value and unit of a number, equal for equal numbers however they are written."""
    body, unit = text.strip(), ""
    if body and not body[0].isdigit():
        body, unit = body[1:].strip(), UNIT_OF.get(body[0], body[0])
    match = _SPLIT.match(body)
    if match is None:
        return body.casefold(), unit
    after = match.group(2).strip().casefold()
    return _value(match.group(1)), UNIT_OF.get(after, after) or unit


def date_keys(text: str) -> frozenset[str]:
    """The facts that a date states, such as day and year; equal for equal dates.

    A date stands in another one that states all of these.
    """
    if iso := _ISO.match(text):
        year, month, day, hour, minute = iso.groups()
        clock = {f"t{int(hour)}:{minute}"} if hour else set()
        return frozenset({f"y{year}", f"d{int(month)}-{int(day)}"} | clock)
    words = re.findall(r"[a-z]+|[0-9]+", text.casefold())
    months = [MONTHS[word] for word in words if word in MONTHS]
    if months:
        figures = [word for word in words if word.isdigit()]
        days = {f"d{months[0]}-{int(f)}" for f in figures if len(f) < YEAR} or {f"m{months[0]}"}
        return frozenset(days | {f"y{f}" for f in figures if len(f) == YEAR})
    if re.fullmatch(r"[12][0-9]{3}", text):
        return frozenset({f"y{text}"})
    if (clock_match := _CLOCK.fullmatch(text)) and not text.isdigit():
        hour, minute, half = clock_match.groups()
        return frozenset({f"t{_hours(int(hour), half)}:{minute or '00'}"})
    return frozenset(words)


def _hours(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % 12 + (12 if half.casefold() == "pm" else 0)


def _value(figures: str) -> str:
    """The digits with a point before decimals: a comma or apostrophe parts thousands."""
    groups = _JOINED.split(figures)
    marks = _JOINED.findall(figures)
    if not marks:
        return str(int(figures))
    whole, decimals = ("".join(groups[:-1]), groups[-1])
    if not _parts_decimals(marks, groups[1:]):
        whole, decimals = whole + decimals, ""
    decimals = decimals.rstrip("0")
    return f"{int(whole)}.{decimals}" if decimals else str(int(whole))


def _parts_decimals(marks: list[str], groups: list[str]) -> bool:
    """Whether the last of the marks between groups of digits stands before decimals."""
    if len(marks) == 1:
        return marks[0] == "." or len(groups[0]) != THOUSANDS
    return marks[-1] in ".," and marks[-1] != marks[0]


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether what is there is not a part of a longer word or figure."""
    if start and (text[start - 1].isalnum() or text[start - 1] in "_#"):
        return False
    joined = start > 1 and text[start - 1] in ".,:/-" and text[start - 2].isdigit()
    after = end < len(text) and (text[end].isalnum() or text[end] == "_")
    return not joined and not after


def _says_something(number: str) -> bool:
    digits = sum(map(str.isdigit, number))
    return digits > 1 or (digits == 1 and not number.isdigit())


def _is_list_mark(text: str, start: int, end: int) -> bool:
    if text[end : end + 1] not in (".", ")") or text[end + 1 : end + 2] not in (" ", ""):
        return False
    return (
        _LIST_MARK.search(text[max(0, start - 20) : start]) is not None
        and end - start <= LONGEST_MARK
    )
