"""Texts with and without secrets, and how well a door tells them apart.

The texts lie in files beside this one, a line of `~~~` between two. `⟦kind:…⟧` is what must be
replaced. What stands between the marks of `_MADE` is made up anew here, as `alnum:36`, so that no
file holds what looks like a live key;
`@DE` on a line of its own before a text is the country whose phone numbers are known.
"""

import random
import re
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from memory.privacy import KINDS, LABELS, Door, Kind

HERE = Path(__file__).parent
SHORT = 4
"""Characters of a secret in a row that may stay: they tell nothing."""
SHORT_KINDS: dict[str, Kind] = {
    "key": "private_keys",
    "api": "api_keys",
    "pw": "passwords",
    "card": "cards",
    "iban": "ibans",
    "nat": "national_ids",
    "mail": "emails",
    "tel": "phones",
    "ip": "ip_addresses",
}
_UPPER, _LOWER, _DIGITS = string.ascii_uppercase, string.ascii_lowercase, string.digits
_SIGNS = {
    "alnum": _UPPER + _LOWER + _DIGITS,
    "letters": _UPPER + _LOWER,
    "lower": _LOWER + _DIGITS,
    "upper": _UPPER + _DIGITS,
    "upper32": _UPPER + "234567",
    "base32": _UPPER + "234567",
    "digits": _DIGITS,
    "hex": "0123456789abcdef",
    "HEX": "0123456789ABCDEF",
    "b64": _UPPER + _LOWER + _DIGITS + "+/",
    "url": _UPPER + _LOWER + _DIGITS + "_-",
    "bech": "qpzry9x8gf2tvdw0s3jn54khce6mua7l",
    "BECH": "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
    "pw": _UPPER + _LOWER + _DIGITS + "!#%*+.-_?",
    "pgpw": _UPPER + _LOWER + _DIGITS + "!#%*+.-_?",
    "wp": _UPPER + _LOWER + _DIGITS + "!#%*+.-_?{}[]()|^~;:,<> ",
    "dj": _LOWER + _DIGITS + "!@#%^&*(-_=+)",
}
_MADE = re.compile(r"‹(\w+)(?::([^›]*))?›")
_SECRET = re.compile(r"⟦(\w+):(.*?)⟧", re.DOTALL)
_MARKER = re.compile(r"\[redacted: ([^\]]+)\]")
_KIND_OF = {label: kind for kind, label in LABELS.items()}


class Secret(NamedTuple):
    """What must be replaced: characters of a text."""

    start: int
    end: int
    kind: Kind


@dataclass(frozen=True)
class Case:
    """A text and the secrets in it."""

    text: str
    secrets: tuple[Secret, ...] = ()
    region: str = ""


@dataclass
class Score:
    """What a door did with a set of texts."""

    planted: Counter[Kind] = field(default_factory=Counter)
    kept: list[tuple[Kind, str, str]] = field(default_factory=list)
    """Secrets that stayed: their kind, what stayed, and the text as it would be stored."""
    taken: list[tuple[Kind, str, str]] = field(default_factory=list)
    """What was replaced and is none."""
    replaced: Counter[Kind] = field(default_factory=Counter)

    def recall(self, kind: Kind) -> float:
        """Share of the planted secrets of a kind of which nothing stayed."""
        missed = sum(1 for missed, *_ in self.kept if missed == kind)
        return 1 - missed / self.planted[kind] if self.planted[kind] else 1.0

    def precision(self, kind: Kind) -> float:
        """Share of what was replaced as a kind that was planted, as whatever kind."""
        wrong = sum(1 for taken, *_ in self.taken if taken == kind)
        return 1 - wrong / self.replaced[kind] if self.replaced[kind] else 1.0


def cases(name: str) -> list[Case]:
    """The texts of a file.

    Args:
        name: Its name without the ending.
    """
    whole = (HERE / f"{name}.txt").read_text(encoding="utf-8")
    parts = re.split(r"^~~~\n", whole, flags=re.MULTILINE)
    return [_case(part.rstrip("\n"), number) for number, part in enumerate(parts)]


def measured(several: list[Case]) -> Score:
    """How a door with every kind on does with texts."""
    score = Score()
    for case in several:
        cleaned = Door(KINDS, case.region).clean(case.text).text
        gone = list(_gone(case.text, cleaned))
        score.planted.update(secret.kind for secret in case.secrets)
        score.replaced.update(span.kind for span in gone)
        for secret in case.secrets:
            if left := _left(case.text, secret, gone):
                score.kept.append((secret.kind, left, cleaned))
        for span in gone:
            if not any(span.start < one.end and one.start < span.end for one in case.secrets):
                score.taken.append((span.kind, case.text[span.start : span.end], cleaned))
    return score


def _case(written: str, number: int) -> Case:
    region = ""
    if match := re.match(r"@([A-Z]{2})\n", written):
        region, written = match[1], written[match.end() :]
    chance = random.Random(number)
    written = _MADE.sub(lambda match: _made(chance, match[1], match[2] or ""), written)
    parts: list[str] = []
    secrets: list[Secret] = []
    at = length = 0
    for match in _SECRET.finditer(written):
        before = written[at : match.start()]
        start = length + len(before)
        length = start + len(match[2])
        parts += (before, match[2])
        secrets.append(Secret(start, length, SHORT_KINDS[match[1]]))
        at = match.end()
    return Case("".join([*parts, written[at:]]), tuple(secrets), region)


def _made(chance: random.Random, what: str, form: str) -> str:
    if what in ("begin", "end"):
        return f"-----{what.upper()} {form}-----"
    if what == "jwt":
        lengths = (30, 80, 43)
        begin = ("eyJ", "eyJ", "")
        return ".".join(b + _signs(chance, "url", n) for b, n in zip(begin, lengths, strict=True))
    if what == "card":
        return _card(chance, *form.split(":"))
    made = _signs(chance, what, int(form))
    # What people choose has a letter and a digit, and neither begins nor ends with a stop.
    return f"k{made[1:-1]}7" if what in ("pw", "pgpw", "alnum", "lower", "dj") else made


def _signs(chance: random.Random, what: str, number: int) -> str:
    return "".join(chance.choices(_SIGNS[what], k=number))


def _card(chance: random.Random, issuer: str, length: str, between: str) -> str:
    digits = issuer + _signs(chance, "digits", int(length) - len(issuer) - 1)
    doubled = [int(sign) * (2 if place % 2 == 0 else 1) for place, sign in enumerate(digits[::-1])]
    digits += str(-sum(n - 9 if n > 9 else n for n in doubled) % 10)
    if between == "amex":
        return f"{digits[:4]} {digits[4:10]} {digits[10:]}"
    sign = "\u00a0" if between == "nbsp" else between
    return sign.join(digits[place : place + 4] for place in range(0, len(digits), 4))


def _gone(text: str, cleaned: str) -> Iterator[Secret]:
    """The characters of a text that markers stand for: what stayed is looked for in its order."""
    at, begin = 0, 0
    kind: Kind | None = None
    for match in [*_MARKER.finditer(cleaned), None]:
        stayed = cleaned[begin : match.start() if match else len(cleaned)]
        if match is not None and text.startswith(match[0], at + len(stayed)):
            continue
        place = at if kind is None else text.find(stayed, at) if match else len(text) - len(stayed)
        if kind is not None:
            yield Secret(at, place, kind)
        at = place + len(stayed)
        if match is not None:
            kind, begin = _KIND_OF[match[1]], match.end()


def _left(text: str, secret: Secret, gone: list[Secret]) -> str:
    """The longest run of a secret's characters that stayed, if it tells anything."""
    stays = [
        not any(span.start <= place < span.end for span in gone)
        for place in range(secret.start, secret.end)
    ]
    run = longest = 0
    end = secret.start
    for place, stay in enumerate(stays, secret.start):
        run = run + 1 if stay else 0
        if run > longest:
            longest, end = run, place + 1
    short = min(SHORT, secret.end - secret.start)
    return text[end - longest : end] if longest >= short else ""
