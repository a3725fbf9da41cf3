"""Keys and tokens whose form tells what they are, as their issuers publish it."""

import re
from collections.abc import Iterator
from typing import cast

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, compiled, places

_ANY = r"[A-Za-z0-9_-]"
_WORD = r"[A-Za-z0-9]"
_HEX = r"[0-9a-f]"
LONGEST = 4_000
"""Characters of the longest token: signed ones carry texts."""

FORMS: tuple[tuple[str, str], ...] = (
    # What it begins with, and what follows then.
    ("sk-", rf"{_ANY}{{20,300}}"),
    ("sk_live_", rf"{_WORD}{{16,300}}"),
    ("sk_test_", rf"{_WORD}{{16,300}}"),
    ("rk_live_", rf"{_WORD}{{16,300}}"),
    ("rk_test_", rf"{_WORD}{{16,300}}"),
    ("pk_live_", rf"{_WORD}{{16,300}}"),
    ("pk_test_", rf"{_WORD}{{16,300}}"),
    ("whsec_", r"[A-Za-z0-9+/=]{20,300}"),
    ("AKIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("AIza", rf"{_ANY}{{35}}"),
    ("GOCSPX-", rf"{_ANY}{{20,60}}"),
    ("ya29.", r"[A-Za-z0-9_.-]{20,2000}"),
    ("1//0", rf"{_ANY}{{30,300}}"),
    *((f"gh{letter}_", rf"{_WORD}{{36,300}}") for letter in "pousr"),
    ("github_pat_", r"[A-Za-z0-9_]{22,300}"),
    *((f"gl{what}-", rf"{_ANY}{{20,300}}") for what in ("pat", "dt", "rt", "cbt", "ptt", "soat")),
    *((f"xox{letter}-", r"[A-Za-z0-9-]{10,300}") for letter in "abeprs"),
    ("xapp-", r"[A-Za-z0-9-]{20,300}"),
    ("hooks.slack.com/", r"(?:services|workflows)/[A-Za-z0-9/_-]{20,300}"),
    ("discord.com/api/webhooks/", rf"\d{{10,25}}/{_ANY}{{40,200}}"),
    ("discordapp.com/api/webhooks/", rf"\d{{10,25}}/{_ANY}{{40,200}}"),
    ("hf_", rf"{_WORD}{{30,300}}"),
    ("gsk_", rf"{_WORD}{{40,300}}"),
    ("npm_", rf"{_WORD}{{36}}"),
    ("pypi-", rf"{_ANY}{{50,1000}}"),
    ("SG.", rf"{_ANY}{{16,64}}\.{_ANY}{{16,128}}"),
    ("SK", rf"{_HEX}{{32}}(?![A-Za-z0-9])"),
    ("AC", rf"{_HEX}{{32}}(?![A-Za-z0-9])"),
    ("key-", rf"{_HEX}{{32}}(?![A-Za-z0-9])"),
    ("dapi", rf"{_HEX}{{32}}(?![A-Za-z0-9])"),
    *((f"do{letter}_v1_", rf"{_HEX}{{64}}") for letter in "por"),
    *((f"shp{what}_", r"[0-9a-fA-F]{32}") for what in ("at", "ca", "pa", "ss")),
    ("sq0atp-", rf"{_ANY}{{22,60}}"),
    ("sq0csp-", rf"{_ANY}{{22,60}}"),
    ("lin_api_", rf"{_WORD}{{32,60}}"),
    ("secret_", rf"{_WORD}{{43}}(?![A-Za-z0-9])"),
    ("ntn_", rf"{_WORD}{{40,60}}"),
    ("ATATT3", r"[A-Za-z0-9_=-]{60,300}"),
    ("hvs.", rf"{_ANY}{{24,300}}"),
    ("dp.pt.", rf"{_WORD}{{40,60}}"),
    ("PMAK-", r"[0-9a-f-]{40,80}"),
    ("glsa_", r"[A-Za-z0-9_]{32,60}"),
    ("r8_", rf"{_WORD}{{37}}"),
    ("pplx-", rf"{_WORD}{{40,60}}"),
    ("xai-", rf"{_WORD}{{60,100}}"),
    ("tvly-", rf"{_ANY}{{20,60}}"),
    ("pcsk_", r"[A-Za-z0-9_]{40,100}"),
    ("sbp_", rf"{_HEX}{{40}}"),
    ("sb_secret_", rf"{_ANY}{{20,60}}"),
    ("figd_", rf"{_ANY}{{30,60}}"),
    ("dckr_pat_", rf"{_ANY}{{20,60}}"),
    ("NRAK-", r"[A-Z0-9]{27}"),
    ("sntrys_", r"[A-Za-z0-9_=+/]{40,300}"),
    ("pscale_tkn_", r"[A-Za-z0-9_.-]{32,64}"),
    ("eyJ", rf"{_ANY}{{10,{LONGEST}}}\.eyJ{_ANY}{{10,{LONGEST}}}\.{_ANY}{{10,1000}}"),
)
_SIGN = re.compile(r"[-_./:]|$")
_BY_SIGN: dict[str, list[tuple[str, str]]] = {}
"""The forms by the first sign of their beginning: a text without it has none of them."""
for _start, _form in FORMS:
    _sign = cast(re.Match[str], _SIGN.search(_start))[0]
    _BY_SIGN.setdefault(_sign, []).append((_start, re.escape(_start) + _form))
_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_INNER: tuple[tuple[str, re.Pattern[str], int], ...] = (
    # Known by what stands inside; with the characters that stand before it.
    (":AA", re.compile(rf"(?<![A-Za-z0-9])\d{{8,10}}:AA{_ANY}{{32,36}}"), 10),
    ("8Q~", re.compile(r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{31,37}"), 3),
)
LONGEST_WORD = 16
"""Characters; what has more without a dash is no word of a name."""
SHORTEST_BOT = 58
"""Characters of the shortest token of a Discord bot."""
_DISCORD = re.compile(rf"[MNO](?<!{_ANY}[MNO]){_ANY}{{23,27}}\.{_ANY}{{6}}\.{_ANY}{{27,40}}")
_HEADERS = re.compile(
    # Of a request: who shows the token is let in.
    r"(?:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:\w{2,20}\s{1,3})?"
    r"|bearer\s{1,3})((?!\[redacted)[A-Za-z0-9._~+/=-]{12,4000})",
    re.IGNORECASE,
)
_REST = re.compile(r"[ \t]{0,8}\r?\n[ \t]{0,8}([A-Za-z0-9_-]{8,300})(?![A-Za-z0-9_.-])")
_LONGEST_START = max(len(start) for start, _ in FORMS)
_LAST = re.compile(r"(?<![A-Za-z0-9])[A-Za-z0-9][A-Za-z0-9_./-]*\Z")
_TOKEN_START = "|".join(sorted((re.escape(start) for start, _ in FORMS), key=len, reverse=True))


def find(looked: Looked) -> Iterator[Span]:
    """The tokens of a text."""
    text = looked.text
    for sign, forms in _BY_SIGN.items():
        for start, form in forms if sign in text else ():
            if start in text:
                yield from _beginning(text, start, compiled(form))
    yield from _elsewhere(text)
    for name in ("bearer", "authorization"):
        for at in places(looked.low, name):
            match = _HEADERS.match(text, at)
            if match is not None and has_both(match[1]):
                yield Span(*match.span(1), "api_keys")


def _elsewhere(text: str) -> Iterator[Span]:
    """Tokens that are not known by how they begin."""
    for inner, pattern, before in _INNER:
        for at in places(text, inner):
            if match := pattern.search(text, max(0, at - before), at + 400):
                yield Span(*match.span(), "api_keys")
    if "." in text and len(text) >= SHORTEST_BOT:
        for match in _DISCORD.finditer(text):
            if looks_random(match[0]):
                yield Span(*match.span(), "api_keys")


def _beginning(text: str, start: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    at = text.find(start)
    while at >= 0:
        match = None if at and text[at - 1] in _BEFORE else pattern.match(text, at)
        end = match.end() if match else at + len(start)
        if match is None or _is_name(match[0][len(start) :]):
            at = text.find(start, end)
            continue
        # A terminal breaks a long key at its edge; what goes on there looks like the key.
        rest = _REST.match(text, end)
        if rest is not None and looks_random(rest[1]):
            end = rest.end(1)
        yield Span(at, end, "api_keys")
        at = text.find(start, end)


def _is_name(rest: str) -> bool:
    """Whether it is words with dashes: `sk-loading-spinner-container`."""
    pieces = re.split("[-_]", rest)
    return len(pieces) > 1 and not has_both(rest) and max(map(len, pieces)) < LONGEST_WORD


def held(text: str, begin: int) -> int:
    """Where what may become a token begins in the last word of an arriving text.

    Args:
        text: The text.
        begin: Where its last word begins.
    """
    match = compiled(_TOKEN_START).search(text, begin)
    if match is not None:
        return match.start()
    last = _LAST.search(text, max(begin, len(text) - _LONGEST_START))
    growing = last is not None and any(start.startswith(last[0]) for start, _ in FORMS)
    return last.start() if last is not None and last[0] and growing else len(text)


def has_both(value: str) -> bool:
    """Whether there are letters and digits in it: what has no digit is a name with dashes."""
    return _DIGIT.search(value) is not None and _LETTER.search(value) is not None


def looks_random(value: str) -> bool:
    """Whether it is no word, number or version that people would write."""
    return any(
        len(piece) >= 6 and has_both(piece) and not _COUNTED.fullmatch(piece)  # noqa: PLR2004
        for piece in _PIECES.split(value)
    )


_DIGIT = re.compile(r"\d")
_LETTER = re.compile(r"[A-Za-z]")
_PIECES = re.compile(r"[-_./=~]+")
_COUNTED = re.compile(r"[A-Za-z]+\d{1,4}|\d+[a-z]{1,3}|\d{4,}T\d+Z?")
"""`sha256`, `chapter12`, `120px`, a time: a word or number with a unit."""
