"""Keys and tokens whose form tells what they are, as their issuers publish it."""

import re
from collections.abc import Iterator
from typing import cast

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked, compiled, places
from memory.privacy.token_forms import ANY, FORMS, INNER

_SIGN = re.compile(r"[-_./:]|$")
_BY_SIGN: dict[str, list[tuple[str, str]]] = {}
"""The forms by the first sign of their beginning: a text without it has none of them."""
for _start, _form in FORMS:
    _sign = cast(re.Match[str], _SIGN.search(_start))[0]
    _begun = re.escape(_start)
    _whole = (
        # A word begins there: behind `\\n` and `%3D` in what was escaped as well.
        rf"{_begun}(?:(?<![A-Za-z0-9]{_begun})|(?<=\\[nrt]{_begun})|(?<=%[0-9A-F]{{2}}{_begun})"
        rf"|(?<=\\u[0-9A-Fa-f]{{4}}{_begun})){_form}"
    )
    _BY_SIGN.setdefault(_sign, []).append((_start, _whole))
LONGEST_WORD = 16
"""Characters; what has more without a dash is no word of a name."""
SHORTEST_BOT = 58
"""Characters of the shortest token of a Discord bot."""
_DISCORD = re.compile(rf"[MNO](?<!{ANY}[MNO]){ANY}{{23,27}}\.{ANY}{{6}}\.{ANY}{{27,40}}")
_HEADERS = re.compile(
    # Of a request: who shows the token is let in.
    r"(?:authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:[\w-]{2,20}\s{1,3})?+"
    r"|(?:bearer|ssws)\s{1,3})((?!\[redacted|[A-Za-z]{3,20}=[^=\s])[A-Za-z0-9._~+/=%-]{12,4000})",
    re.IGNORECASE,
)
_WORDS = re.compile(r"[a-z]+\d{0,2}(?:[_-][a-z]+\d{0,2})+")
_SHOWN = ("bearer", "authorization", "ssws ")
_SIGNED = re.compile(r"(?<=[\s,])(?:signature|response)=\"?([0-9a-f]{32,128})", re.IGNORECASE)
"""What a request is signed with in its header, behind the names of those who signed."""
SIGNED_WITHIN = 600
_COOKIES = re.compile(
    r"cookie2?[\"']?\s?[:=]\s{0,3}[\"']?((?:[^\r\n\"']|(?<==)\"){1,4000})", re.IGNORECASE
)
_COOKIE = re.compile(
    r"(?<![\w.-])[\w.-]{0,40}?(?:sess|sid|auth|token|jwt|csrf|xsrf|remember|login|identity)[\w.-]{0,40}"
    r"=\"?([A-Za-z0-9._~+/%|:-]{16,4000})",
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
    yield from _in_headers(looked)


def _in_headers(looked: Looked) -> Iterator[Span]:
    text = looked.text
    for name in _SHOWN:
        for at in places(looked.low, name):
            match = _HEADERS.match(text, at)
            if match is not None and has_both(match[1]) and not _WORDS.fullmatch(match[1]):
                yield Span(*match.span(1), "api_keys")
            signed = _SIGNED.search(text, at, at + SIGNED_WITHIN)
            if name == "authorization" and signed is not None:
                yield Span(*signed.span(1), "api_keys")
    end = 0
    for at in places(looked.low, "cookie"):
        cookies = _COOKIES.match(text, at) if at >= end else None
        if cookies is not None:
            end = cookies.end()
            for match in _COOKIE.finditer(text, *cookies.span(1)):
                if has_both(match[1]):
                    yield Span(*match.span(1), "api_keys")


def _elsewhere(text: str) -> Iterator[Span]:
    """Tokens that are not known by how they begin."""
    for inner, form, before in INNER:
        for at in places(text, inner):
            if match := compiled(form).search(text, max(0, at - before), at + 400):
                yield Span(*match.span(), "api_keys")
    if "." in text and len(text) >= SHORTEST_BOT:
        for match in _DISCORD.finditer(text):
            if looks_random(match[0]):
                yield Span(*match.span(), "api_keys")


def _beginning(text: str, start: str, pattern: re.Pattern[str]) -> Iterator[Span]:
    for match in pattern.finditer(text):
        if _is_name(match[0][len(start) :]):
            continue
        # A terminal breaks a long key at its edge; what goes on there looks like the key.
        rest = _REST.match(text, match.end())
        end = rest.end(1) if rest is not None and looks_random(rest[1]) else match.end()
        yield Span(match.start(), end, "api_keys")


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
