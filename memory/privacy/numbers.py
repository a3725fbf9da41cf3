"""Numbers of payment cards and bank accounts, known by their check digits."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked

_BREAK = r"(?:[ .-]|[ -]?\r?\n[ \t]{0,8})"
_CARD = re.compile(
    r"[2-6]\d{3}(?<![\w./-][2-6]\d{3})"
    rf"(?:(?:{_BREAK}\d{{4}}){{3}}(?:{_BREAK}\d{{3}})?|{_BREAK}\d{{6}}{_BREAK}\d{{4,5}}|\d{{10,15}})"
    r"(?![\w/]|[.-]\d)"
)
_ISSUERS = re.compile(
    # With the lengths of their numbers: Visa, Mastercard, American Express, Diners Club,
    # Discover, JCB, UnionPay, Maestro.
    r"4\d{15}(?:\d{3})?|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"
    r"|3[47]\d{13}|3(?:0[0-5]|095|[689]\d)\d{11}|6(?:011|4[4-9]\d|5\d\d)\d{12}(?:\d{3})?"
    r"|35(?:2[89]|[3-8]\d)\d{12}|62\d{14,17}|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{12}"
)
_SEPARATORS = re.compile(r"\D+")
_DOUBLED = str.maketrans("0123456789", "0246813579")
_IBAN_START = re.compile(
    r"\d\d(?<=[A-Za-z]{2}\d\d)(?:(?<![A-Za-z0-9][A-Za-z]{2}\d\d)|(?<=IBAN[A-Za-z]{2}\d\d))"
    r"(?=[ -]?[A-Za-z0-9]{4})"
)
_IBAN = re.compile(r"[A-Za-z]{2}\d\d(?:[ -]?(?:\r?\n[ \t]{0,8})?[A-Za-z0-9]){11,30}")
_SMALL = re.compile(r"[^ ]*(?: \d+)*")
SHORTEST_IBAN = 15
LONGEST_PLAIN = 16
"""Digits of a card's number in a row: what has more of them is mostly the number of a record."""


def find_cards(looked: Looked) -> Iterator[Span]:
    """The numbers of payment cards of a text."""
    for match in _CARD.finditer(looked.text):
        written = match[0]
        if written.count("\n") > 1 or ("\n" in written and not re.search(r"\d[ -]\d", written)):
            continue
        digits = _SEPARATORS.sub("", written)
        if len(digits) > LONGEST_PLAIN and digits == written:
            continue
        if _ISSUERS.fullmatch(digits) and _luhn(digits) and len(set(digits)) > 1:
            yield Span(*match.span(), "cards")


def _luhn(digits: str) -> bool:
    """Whether the last digit is the one that the others ask for (ISO/IEC 7812)."""
    doubled = digits[-2::-2].translate(_DOUBLED)
    return (sum(map(int, digits[::-2])) + sum(map(int, doubled))) % 10 == 0


def find_ibans(looked: Looked) -> Iterator[Span]:
    """The numbers of bank accounts of a text."""
    text, end = looked.text, 0
    for place in _IBAN_START.finditer(text):
        start = place.start() - 2
        match = _IBAN.match(text, start) if start >= end else None
        if match is None:
            continue
        length = _iban_length(match[0])
        if length:
            end = start + length
            yield Span(start, end, "ibans")


def _iban_length(written: str) -> int:
    """Characters of the number at the beginning of what may be one; 0 where there is none."""
    if " " in written.strip() and any(sign.islower() for sign in written[4:]):
        # Words would do as groups; nobody writes both small and in groups.
        written = _SMALL.findall(written)[0]
    ends = [match.end() for match in re.finditer(r"[A-Za-z0-9]", written)]
    compact = "".join(written[end - 1] for end in ends).upper()
    for length in range(SHORTEST_IBAN, len(compact) + 1):
        after = compact[length : length + 1]
        joined = length < len(ends) and ends[length] == ends[length - 1] + 1
        if (joined and after) or not _mod_97(compact[:length]):
            continue
        from stdnum import iban

        if iban.is_valid(compact[:length], check_country=False):
            return ends[length - 1]
    return 0


def _mod_97(number: str) -> bool:
    turned = number[4:] + number[:4]
    return int("".join(str(int(sign, 36)) for sign in turned)) % 97 == 1
