"""Passwords without a name: in web addresses, connection strings and command lines."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Kind, Span
from memory.privacy.looked import Looked, compiled, places
from memory.privacy.values import SHORTEST_PASSWORD

_USER_IN_ADDRESS = re.compile(r"://[^\s/@:\"'<>`]{0,128}:([^\s/\"'<>`]{1,256})@")
_PLACEHOLDER = re.compile(
    r"\[redacted|<|\$|\{|%[A-Za-z_]|\*+$|[xX]+$|\.+$|(?:your[-_]?)?(?:pass|password|passwd|pwd|pw|secret|token)$",
    re.IGNORECASE,
)
LINE = 300
"""Characters after a command within which its options stand."""
_VALUE = r"(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"'|;&]{1,200}))"
_REST = rf"[^\n|;&]{{0,{LINE}}}?"
COMMANDS: tuple[tuple[str, str], ...] = (
    ("mysql", rf"mysql\w{{0,12}}\b{_REST}\s-p(?!\s){_VALUE}"),
    ("mariadb", rf"mariadb[\w-]{{0,12}}\b{_REST}\s-p(?!\s){_VALUE}"),
    ("sshpass", rf"sshpass\s+-p\s*{_VALUE}"),
    (
        "curl",
        rf"curl\b{_REST}\s(?:-u|--user|--proxy-user)[ =]?['\"]?[^\s:'\"]{{1,100}}:{_VALUE}",
    ),
    ("wget", rf"wget\b{_REST}\s--(?:http-|ftp-)?password[ =]{_VALUE}"),
    ("docker login", rf"docker login\b{_REST}\s-p\s*{_VALUE}"),
    ("podman login", rf"podman login\b{_REST}\s-p\s*{_VALUE}"),
    ("redis-cli", rf"redis-cli\b{_REST}\s-a\s*{_VALUE}"),
    ("mongo", rf"mongo\w{{0,8}}\b{_REST}\s-p\s*{_VALUE}"),
    ("7z", rf"7za?\b{_REST}\s-p{_VALUE}"),
    ("zip", rf"zip\b{_REST}\s-P\s*{_VALUE}"),
    ("smbclient", rf"smbclient\b{_REST}\s-U\s*['\"]?[^\s%'\"]{{1,100}}%{_VALUE}"),
    ("-pass", r"-pass(?:in|out)?\s+['\"]?pass:([^\s'\"]{1,200})"),
    ("ldap", rf"ldap\w{{3,10}}\b{_REST}\s-w\s*{_VALUE}"),
    ("htpasswd", rf"htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:\S+\s+){{1,2}}{_VALUE}(?=\s|$)"),
    ("net use", rf"net use\b{_REST}\s/user:\S+\s+{_VALUE}"),
)
_QUERY_SECRET = re.compile(
    r"[?&](?:sig|signature|x-amz-signature|key)=([A-Za-z0-9%+/=_-]{24,400})", re.IGNORECASE
)
_QUERY_NAMES = ("?sig=", "&sig=", "signature=", "?key=", "&key=")


def find(looked: Looked) -> Iterator[Span]:
    """The passwords and signed keys that stand in addresses and commands."""
    text = looked.text
    for at in places(text, "://"):
        match = _USER_IN_ADDRESS.match(text, at)
        if match is not None and not _PLACEHOLDER.match(match[1]):
            yield Span(*match.span(1), "passwords")
    yield from _signatures(looked)
    for word, form in COMMANDS:
        for at in places(text, word):
            match = compiled(form).match(text, at)
            if match is not None and (span := _group(match)) is not None:
                yield span


def _signatures(looked: Looked) -> Iterator[Span]:
    kind: Kind = "api_keys"
    for name in _QUERY_NAMES:
        for at in places(looked.low, name):
            # `signature=` stands behind a sign of its own and perhaps a prefix.
            begin = max(
                looked.text.rfind("?", max(0, at - 8), at + 1),
                looked.text.rfind("&", max(0, at - 8), at + 1),
            )
            match = _QUERY_SECRET.match(looked.text, begin) if begin >= 0 else None
            if match is not None and re.search(r"\d", match[1]):
                yield Span(*match.span(1), kind)


def _group(match: re.Match[str]) -> Span | None:
    for number in range(1, (match.lastindex or 0) + 1):
        value = match[number]
        if value and len(value) >= SHORTEST_PASSWORD - 1 and not _PLACEHOLDER.match(value):
            return Span(*match.span(number), "passwords")
    return None


def held(text: str, begin: int) -> int:
    """Where a password in a command or an address may be growing at the end of a text.

    Args:
        text: The arriving text.
        begin: From where on is looked.
    """
    end = len(text)
    line = max(begin, text.rfind("\n", begin) + 1, end - LINE)
    if any(word in text[line:] for word, _ in COMMANDS):
        return _last_option(text, line)
    address = text.rfind("://", begin)
    if address >= 0 and not re.search(r"[\s/\"'<>`]", text[address + 3 :]):
        return address
    return end


def _last_option(text: str, line: int) -> int:
    """Where the last two words of a command begin: an option, and what it is given."""
    words = [match.start() for match in re.finditer(r"\S+", text[line:])][-3:]
    return line + words[0] if words else len(text)
