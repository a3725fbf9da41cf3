"""Numbers that a state gives a person.

Those with check digits are known by them; where one digit alone checks a plain row of digits, a
tenth of all order numbers would pass, so that such a number has to be named or written in its
usual groups. Those without check digits have to be named.
"""

import re
from collections.abc import Iterator
from importlib import import_module

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, compiled, places
from memory.privacy.national_names import NAMED

_END = r"(?![\w/]|[.-]\d)"
WRITTEN: tuple[tuple[str, str], ...] = (
    # How one is written, and what of python-stdnum checks it.
    (r"\d{3}\.\d{3}\.\d{3}-\d\d", "br.cpf"),
    (r"\d{1,2}\.\d{3}\.\d{3}-[\dkK]", "cl.rut"),
    (r"(?:2[03-7]|3[034])-\d{8}-\d", "ar.cuit"),
    (r"(?:\d\d)?\d{6}[-+]\d{4}", "se.personnummer"),
    (r"\d{6}[-+A-FU-Y]\d{3}[0-9A-Y]", "fi.hetu"),
    (r"\d{6}-\d{7}", "kr.rrn"),
    (r"\d{6}[ -]?\d{5}", "no.fodselsnummer"),
    (r"\d{8}-?[A-HJ-NP-TV-Z]", "es.dni"),
    (r"\d\d\.\d\d\.\d\d-\d{3}[.-]\d\d", "be.nn"),
    (r"756\.\d{4}\.\d{4}\.\d\d", "ch.ssn"),
    (r"\d{6}/\d{4}", "cz.rc"),
    (r"[2-9]\d{3}(?<!\d[ -]\d{4})([ -])\d{4}\1\d{4}(?![ -]\d{3})", "in_.aadhaar"),
    (r"\d\d \d{3} \d{3} \d{3}", "de.idnr"),
    (r"[12] ?\d\d ?\d\d ?\d[\dAB] ?\d{3} ?\d{3} ?\d\d", "fr.nir"),
    (r"[1-9]\d{16}[\dX]", "cn.ric"),
)
_DIGIT_FIRST = tuple((form + _END, check) for form, check in WRITTEN)
_ANY_FORM = "|".join(form for form, _ in _DIGIT_FIRST)
_NUMBER = re.compile(r"\d(?<![\w./#-]\d)(?=[\d. /-]{5})")
_LETTER_FIRST = re.compile(
    r"[A-Z](?<![\w/-][A-Z])(?:"
    r"(?P<nino>[A-Z] ?\d\d \d\d \d\d ?[A-D])"
    r"|(?P<nie>(?<=[XYZ])-?\d{7}-?[A-Z])"
    r"|(?P<cf>[A-Z]{5}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z])"
    r"|(?P<cf_spaced>[A-Z]\w [A-Z]{3} \d\d[A-EHLMPRST]\d\d [A-Z]\d{3}[A-Z])"
    rf"|(?P<curp>[A-Z]{{3}}\d{{6}}[HM][A-Z]{{5}}[0-9A-Z]\d)){_END}"
)
_CHECKED = (check for _, check in WRITTEN)
_LETTERED = {"nie": "es.nie", "cf": "it.codicefiscale", "cf_spaced": "", "curp": "mx.curp"}
_NAMED = tuple((names, rf"(?:{form}){_END}", check) for names, form, check in NAMED)
CHECKS = tuple(sorted({*_CHECKED, *_LETTERED.values(), *(check for *_, check in NAMED)} - {""}))
"""What of python-stdnum checks one."""
SHORT_NAME = 4
WITHIN = 45
"""Characters behind a name within which its number begins."""


def find(looked: Looked) -> Iterator[Span]:
    """The national ids of a text."""
    text = looked.text
    for place in _NUMBER.finditer(text):
        if not compiled(_ANY_FORM).match(text, place.start()):
            continue
        for form, check in _DIGIT_FIRST:
            match = compiled(form).match(text, place.start())
            if match is not None and _is_valid(match[0], check):
                yield Span(*match.span(), "national_ids")
                break
    for match in _LETTER_FIRST.finditer(text):
        if _is_lettered(match):
            yield Span(*match.span(), "national_ids")
    ascii_only = looked.low.isascii()
    for names, form, check in _NAMED:
        for name in names:
            if (name.isascii() or not ascii_only) and name in looked.low:
                yield from _behind(looked, name, compiled(form), check)


def _behind(looked: Looked, name: str, pattern: re.Pattern[str], check: str) -> Iterator[Span]:
    text = looked.text
    for at in places(looked.low, name):
        begin = at + len(name)
        if not _is_word(looked.low, at, begin):
            continue
        for start in _starts(text, begin):
            match = pattern.match(text, start)
            if match is None or not _TWO_DIGITS.search(match[0]):
                continue
            if not check or _is_valid(match[0], check):
                yield Span(*match.span(), "national_ids")
                break


def _is_word(low: str, at: int, end: int) -> bool:
    """Whether a name stands there: a short one is part of many words."""
    if at and low[at - 1].isalnum():
        return False
    return end - at > SHORT_NAME or not low[end - 1].isalnum() or not low[end : end + 1].isalpha()


_TWO_DIGITS = re.compile(r"\d\d")
_WORD = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9]")


def _starts(text: str, begin: int) -> Iterator[int]:
    """Where a number may begin behind a name: at words, up to the first digit."""
    for match in _WORD.finditer(text, begin, begin + WITHIN):
        yield match.start()
        if match[0].isdigit():
            return


def _is_lettered(match: re.Match[str]) -> bool:
    what = match.lastgroup or ""
    if what == "nino":
        return (
            re.match(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]", match[0])
            is not None
        )
    check = _LETTERED[what] or "it.codicefiscale"
    return _is_valid(match[0], check)


def _is_valid(number: str, check: str) -> bool:
    if len({sign for sign in number if sign.isdigit()}) <= 1:
        return False
    return bool(import_module(f"stdnum.{check}").is_valid(number.replace(" ", "").upper()))
