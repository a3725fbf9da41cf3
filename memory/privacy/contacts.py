"""E-mail addresses, phone numbers and IP addresses; all three only where they are switched on."""

import re
from collections.abc import Iterator
from ipaddress import IPv6Address, ip_address

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, places

LONGEST_LOCAL = 64
"""Characters before the @ (RFC 5321)."""
_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]{1,64}\Z")
_LOCAL_EDGE = re.compile(r"^[^\w+]+")
_DOMAIN = re.compile(r"@(?!\dx\.)(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}(?![\w-])")
_INTERNATIONAL = re.compile(
    r"(?:\+(?! )|\b00(?=[1-9]))[ ()./-]{0,3}\d(?:[ ()./-]{0,3}\d){6,14}(?!\d)"
)
_NATIONAL = re.compile(
    # Behind two signs of a dump (`7f 45`) stand more of them, and no number to call.
    r"[(\d](?<![\w.,/:-][(\d])(?<!\b\d[0-9a-f] .)(?<!\b[a-f]\d .)"
    r"\d(?:[ ()./-]{0,3}\d){4,14}(?![\w]|[.,:-]\d)"
)
_DATE = re.compile(r"\d{1,2}[./-]\d{1,2}[./-]\d{2,4}(?!\d)|\d{4}[./-]\d\d[./-]\d\d(?!\d)")
_FOUR = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?![\w-]|\.\d)")
_SIX = re.compile(r"[23][0-9A-Fa-f]{3}(?<![\w:.][23][0-9A-Fa-f]{3}):[0-9A-Fa-f:]{2,35}(?![\w:])")
_VERSION = re.compile(
    r"(?:version|release|build|\bver|\bv|==|>=|<=|~=|\^)[\s.:\"'=]{0,3}\Z", re.IGNORECASE
)


def find_emails(looked: Looked) -> Iterator[Span]:
    """The e-mail addresses of a text."""
    text = looked.text
    for at in places(text, "@"):
        domain = _DOMAIN.match(text, at)
        local = _LOCAL.search(text[max(0, at - LONGEST_LOCAL) : at]) if domain else None
        if domain is None or local is None:
            continue
        name = _LOCAL_EDGE.sub("", local[0])
        # `git@host:path` is where a repository lies.
        if name and not (name == "git" and text[domain.end() : domain.end() + 1] in (":", "/")):
            yield Span(at - len(name), domain.end(), "emails")


def find_phones(looked: Looked, region: str) -> Iterator[Span]:
    """The phone numbers of a text: international ones, and those of a country as it writes them.

    Args:
        looked: The text.
        region: The country, as `DE`; empty for none.
    """
    text = looked.text
    for match in _INTERNATIONAL.finditer(text):
        if end := _phone_length(match[0], ""):
            yield Span(match.start(), match.start() + end, "phones")
    for match in _NATIONAL.finditer(text) if region else ():
        if _DATE.match(match[0]):
            continue
        if end := _phone_length(match[0], region):
            yield Span(match.start(), match.start() + end, "phones")


def _phone_length(written: str, region: str) -> int:
    """Characters of the phone number at the beginning of what may be one; 0 where there is none."""
    import phonenumbers

    # What follows a number may be another one, or a year.
    ends = [
        len(written),
        *(match.start() for match in reversed(list(re.finditer(r"[ ./-]+", written)))),
    ]
    for end in ends[:4]:
        number = written[:end].rstrip(" ()./-")
        plain = f"+{number[2:]}" if not region and number.startswith("00") else number
        try:
            parsed = phonenumbers.parse(plain, region or None)
        except phonenumbers.NumberParseException:
            continue
        valid = (
            phonenumbers.is_valid_number(parsed)
            if region
            else phonenumbers.is_possible_number(parsed)
        )
        if valid:
            return len(number)
    return 0


def find_addresses(looked: Looked) -> Iterator[Span]:
    """The IP addresses of a text that lead somewhere: not private or reserved ones, no versions."""
    text = looked.text
    for pattern in (_FOUR, _SIX):
        for match in pattern.finditer(text):
            start, written = match.start(), match[0].rstrip(":")
            apart = start == 0 or not (text[start - 1].isalnum() or text[start - 1] in "_.-")
            named = _VERSION.search(text, max(0, start - 12), start)
            if apart and not named and _is_public(written):
                yield Span(start, start + len(written), "ip_addresses")


def _is_public(written: str) -> bool:
    try:
        address = ip_address(written)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped.is_global
    return address.is_global and not address.is_multicast
