"""Numbers, dates and times of a fact in one form each, and whether two of them clash. Pure.

"5 pm" is 17, as is "17:00": of a whole hour only the hour is left, so that "at 9" meets "9:00".
"""

import re
from functools import partial

from memory.facts.vocabulary import NUMBERS, ORDINALS
from memory.loss.wording import MONTHS

_ABROAD = (
    ("januar", "janvier", "enero", "janeiro"),
    ("februar", "février", "fevrier", "febrero", "fevereiro"),
    ("märz", "maerz", "mars", "marzo", "março", "marco"),
    ("avril", "abril"),
    ("mai", "mayo", "maio"),
    ("juni", "juin", "junio", "junho"),
    ("juli", "juillet", "julio", "julho"),
    ("août", "aout", "agosto"),
    ("septembre", "septiembre", "setembro"),
    ("oktober", "octobre", "octubre", "outubro"),
    ("novembre", "noviembre", "novembro"),
    ("dezember", "décembre", "decembre", "diciembre", "dezembro"),
)
_MONTHS = MONTHS | {name: n for n, names in enumerate(_ABROAD, start=1) for name in names}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
_DATES = tuple(
    (re.compile(rf"\b{form}", re.IGNORECASE), order)
    for form, order in (
        (rf"{_DAY}\.?(?: of| de)? ({_MONTH})\b\.?,?(?: de)? (\d{{4}})\b", "dmy"),
        (rf"({_MONTH})\.? {_DAY},? (\d{{4}})\b", "mdy"),
        (rf"({_MONTH})\.?(?: de)? (\d{{4}})\b", "my"),
        (rf"{_DAY}\.?(?: of| de)? ({_MONTH})\b", "dm"),
        (rf"({_MONTH}) {_DAY}(?![\d:])\b", "md"),
        (r"(\d{1,2})\.(\d{1,2})\.(\d{4})\b", "dmy"),
        (r"(?<=\bon )(\d{1,2})\.(\d{1,2})\.(?!\d)", "dm"),
        (r"(?<=\bam )(\d{1,2})\.(\d{1,2})\.(?!\d)", "dm"),
        (r"(?<=\bbis )(\d{1,2})\.(\d{1,2})\.(?!\d)", "dm"),
    )
)
_CLOCK = r"(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?"
_TIMES = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_CLOCK} ?(?P<half>[ap])\.?m\b\.?(?! \d)",
        rf"\b{_CLOCK} (?:o'clock )?in the (?P<half>morning|evening|afternoon)",
        rf"\b{_CLOCK} ?(?:uhr|o'clock|horas|heures)\b",
        r"\b(?P<hour>\d{1,2}) ?h ?(?P<minute>\d{2})?\b(?! (?:a|per)\b)",
        r"(?<![\d:.T])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?![\d:])",
    )
)
_SPELLED = re.compile(
    rf"\b(?:(?P<tens>twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[- ]"
    rf"(?P<unit>one|two|three|four|five|six|seven|eight|nine)"
    rf"|(?P<word>{'|'.join([*NUMBERS, *ORDINALS])}))\b",
    re.IGNORECASE,
)
_PLAINER = (
    (re.compile(r"(?<=\d),(?=\d{3}\b)"), ""),
    (re.compile(r"(?<=\d)\.(?=\d{3}(?: ?(?:euros?\b|eur\b|€|dollars?\b)))", re.IGNORECASE), ""),
    (re.compile(r"\b(\d+)k\b"), r"\g<1>000"),
    (re.compile(r"(\d) ?€|€ ?(\d+)"), r"\1\2 euros"),
    (re.compile(r"\$ ?(\d+)"), r"\1 dollars"),
    (re.compile(r"(?<=\d) ?%"), " percent"),
    (re.compile(r"(?<=\d)(?=(?:gb|mb|tb|kg|km|cm|mm|mg|ms|min)\b)", re.IGNORECASE), " "),
    (re.compile(r"\bv(?=\d)"), ""),
    (re.compile(r"\b(\d+)x\b"), r"\1 times"),
    (re.compile(r"\b([12])[.,](\d\d) ?m\b"), r"\1\2 cm"),
    (re.compile(r"\b(?:a|one) hundred\b", re.IGNORECASE), "100"),
    (re.compile(r"\b(?:a|one) thousand\b", re.IGNORECASE), "1000"),
    (re.compile(r"\bhalf a dozen\b", re.IGNORECASE), "6"),
    (re.compile(r"\ba dozen\b", re.IGNORECASE), "12"),
    (re.compile(r"\btwice\b", re.IGNORECASE), "2 times"),
    (re.compile(r"\bonce (?=a|per|every)\b", re.IGNORECASE), "1 times "),
    (re.compile(r"\bat (?:noon|midday)\b", re.IGNORECASE), "at 12"),
    (re.compile(r"\bat midnight\b", re.IGNORECASE), "at 0"),
)
_AFTER = (
    (re.compile(r"\bhalf past (\d{1,2})\b", re.IGNORECASE), r"\1:30"),
    (re.compile(r"\bquarter past (\d{1,2})\b", re.IGNORECASE), r"\1:15"),
    (re.compile(r"\b(\d+) hundred\b"), r"\g<1>00"),
    (re.compile(r"\b(\d+) thousand\b"), r"\g<1>000"),
)
NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*")
DAY_HOURS, NOON, HOUR_MINUTES, MONTHS_A_YEAR = 24, 12, 60, 12
_YEAR = re.compile(r"(?:19|20)\d{2}")
_MONTH_ALONE = re.compile(rf"\b(?:[Ii]n|[Uu]ntil) ({'|'.join(MONTHS)})\b(?! \d)", re.IGNORECASE)
_DATE = re.compile(r"(?:\d{4}-)?\d{2}-\d{2}|\d{4}-\d{2}")


def in_digits(text: str) -> str:
    """A text whose numbers, dates and times stand in one form each."""
    for pattern, order in _DATES:
        text = pattern.sub(partial(_date, order), text)
    for spelled, form in _PLAINER:
        text = spelled.sub(form, text)
    text = _SPELLED.sub(_digits, text)
    for spelled, form in _AFTER:
        text = spelled.sub(form, text)
    for pattern in _TIMES:
        text = pattern.sub(_time, text)
    return text


def clash(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether some figures tell other values of the same kind: two dates, two versions.

    One that only says it more exactly, such as 3.12.1 and 3.12, or a day and its year, does not.
    """
    mine, theirs = sorted(one - other), sorted(other - one)
    if not mine or len(mine) != len(theirs):
        return False
    kinds = [[_kind(number) for number in numbers] for numbers in (mine, theirs)]
    if not any("date" in kind for kind in kinds):
        kinds = [["count" if kind == "year" else kind for kind in of] for of in kinds]
    if sorted(kinds[0]) != sorted(kinds[1]):
        return False
    return not any(_within(a, b) or _within(b, a) for a in mine for b in theirs)


def months_in(text: str) -> frozenset[str]:
    """The months of a text that stand without day and year, as "00-05"."""
    return frozenset(f"00-{MONTHS[found[1].lower()]:02}" for found in _MONTH_ALONE.finditer(text))


def is_date(number: str) -> bool:
    """Whether it is a day, a month of a year, or a year."""
    return _kind(number) in ("date", "year")


def year_in(number: str) -> str:
    """The year of a date that names one, or a number that may be one; else nothing."""
    return number[:4] if is_date(number) and _YEAR.match(number) else ""


def _kind(number: str) -> str:
    if _DATE.fullmatch(number):
        return "date"
    if _YEAR.fullmatch(number):
        return "year"
    if ":" in number:
        return "count"  # a time, as the whole hours are
    return "version" if number.count(".") > 1 else "count"


def _within(part: str, whole: str) -> bool:
    """Whether one figure is the other, said less exactly."""
    if part.startswith("00-"):
        return whole.startswith(f"{part[3:]}-") or whole[4:7] == part[2:]
    if not whole.startswith(part) and not whole.endswith(part):
        return False
    cut = whole.removeprefix(part) if whole.startswith(part) else whole.removesuffix(part)
    return cut[:1] in ".-" or cut[-1:] == "-"


def _digits(match: re.Match[str]) -> str:
    if match["tens"]:
        return str(int(NUMBERS[match["tens"].lower()]) + int(NUMBERS[match["unit"].lower()]))
    word = match["word"].lower()
    if word == "one":
        return match[0]  # mostly a pronoun
    return NUMBERS.get(word) or ORDINALS[word]


def _time(match: re.Match[str]) -> str:
    hour, parts = int(match["hour"]), match.groupdict()
    half, minute = (parts.get("half") or "").lower(), int(parts.get("minute") or 0)
    if hour > DAY_HOURS or minute >= HOUR_MINUTES:
        return match[0]
    if half in ("p", "evening", "afternoon") and hour < NOON:
        hour += 12
    if half in ("a", "morning") and hour == NOON:
        hour = 0
    return f"{hour}:{minute:02}" if minute else f"{hour}"


def _date(order: str, match: re.Match[str]) -> str:
    parts = dict(zip(order, match.groups(), strict=True))
    name = parts["m"].lower()
    month = int(name) if name.isdecimal() else _MONTHS[name]
    if not 1 <= month <= MONTHS_A_YEAR:
        return match[0]
    day = f"-{int(parts['d']):02}" if "d" in parts else ""
    year = parts.get("y")
    return f"{year}-{month:02}{day}" if year else f"{month:02}{day}"
