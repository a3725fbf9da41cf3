"""Secrets behind a name that says what they are: `password: …`, `api_key=…`, `my PIN is …`."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from memory.privacy.kinds import Kind, Span
from memory.privacy.looked import Looked, places
from memory.privacy.values import Found, is_password, is_pin, is_secret, stripped

PASSWORD_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pass phrase",
    "pwd",
    "_pass",
    "-pass",
    '"pass"',
    "passwort",
    "kennwort",
    "mot de passe",
    "contraseña",
    "contrasena",
    "palabra de paso",
    "senha",
    "palavra-passe",
    "wachtwoord",
    "hasło",
    "lösenord",
    "salasana",
    "adgangskode",
    "passord",
    "heslo",
    "jelszó",
    "şifre",
    "parola",
    "пароль",
    "パスワード",
    "密码",
    "密碼",
    "비밀번호",
)
SECRET_NAMES = (
    "api key",
    "api_key",
    "api-key",
    "apikey",
    "secret",
    "token",
    "access key",
    "access_key",
    "access-key",
    "accesskey",
    "account_key",
    "accountkey",
    "auth_key",
    "auth-key",
    "authkey",
    "encryption_key",
    "encryption key",
    "encryptionkey",
    "signing_key",
    "signing key",
    "master_key",
    "masterkey",
    "private_key",
    "subscription-key",
    "subscription_key",
    "subscription key",
    "license_key",
    "credential",
    "_authtoken",
)
PIN_NAMES = ("pin",)

_QUOTE = r"(?:\\{0,3}[\"'`])"
_MARKS = rf"(?:{_QUOTE}|[*_)\]»”]){{0,4}}"
_FILLER = (
    r"(?:\s(?:for|to|of|on|für|zum|zur|vom|von|pour|du|de|del|para|do|da|voor|per|code|value|number)"
    r"\s?[^\n:=\"'<>|]{0,40}?)?(?:\s?\([^()\n]{1,30}\))?"
)
_VERB = r"(?:is|was|ist|lautet|war|est|es|è|é|jest|är|er|on|это)"
_AFTER = re.compile(
    # What may stand between a name and its value; the value begins at its end.
    rf"(?:s|\d{{1,2}}|_?(?:prod|dev|test|live|staging|new|old|key|hash))?{_MARKS}{_FILLER}{_MARKS}"
    rf"(?:(?P<sign>[ \t]{{0,8}}(?::=|=>|->|[→=:|]|(?<=\w)>)[ \t]{{0,8}}[*_]{{0,3}}[ \t]?"
    rf"(?P<line>\\?\r?\n[ \t]{{0,12}})?)"
    rf"|(?P<verb>\s{{1,3}}{_VERB}\s?:?\s{{1,3}}(?:\r?\n[ \t]{{0,12}})?))",
    re.IGNORECASE,
)
_FLAG = re.compile(r"[ \t]{1,3}|=")
_BEFORE_FLAG = re.compile(
    r"(?:^|[\s\"'`(])--?[a-z][a-z0-9-]{0,20}$|(?:^|[\s\"'`(])--$", re.IGNORECASE
)
_QUOTED = re.compile(rf"({_QUOTE})([^\n\"'`]{{1,300}}?)\1")
_OPEN = re.compile(rf"{_QUOTE}[^\n\"'`]{{0,300}}\Z")
_BARE = re.compile(r"(?:(?![&;]\w{1,40}=)[^\s\"'`<>|]){1,500}")
_BARE_SHORT = re.compile(r"[^\s\"'`<>|&;,]{1,500}")
LOOKAHEAD = 3
"""Characters after a value that decide with it whether it is one."""


class Name(NamedTuple):
    """Where a name for a secret stands."""

    start: int
    end: int
    kind: Kind
    is_pin: bool = False


def find(looked: Looked) -> Iterator[Span]:
    """The secrets that are named in a text."""
    for name in names(looked):
        found = value_after(looked.text, name)
        if found is not None and found.end > found.start and _is_one(looked.text, name, found):
            yield Span(found.start, found.end, name.kind)


def names(looked: Looked, begin: int = 0) -> Iterator[Name]:
    """The names for secrets in a text, from a place on."""
    low, ascii_only = looked.low, looked.low.isascii()
    for kind, several in _NAMES:
        for word in several:
            if (ascii_only and not word.isascii()) or word not in low:
                continue
            for at in places(low, word):
                if at >= begin and _stands_alone(low, at, word):
                    yield Name(at, at + len(word), kind, several is PIN_NAMES)


_NAMES: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    ("passwords", PASSWORD_NAMES),
    ("api_keys", SECRET_NAMES),
    ("passwords", PIN_NAMES),
)


def _stands_alone(low: str, at: int, word: str) -> bool:
    """A short name is part of many words: `spin`, `opinion`."""
    if word not in PIN_NAMES:
        return True
    before = low[at - 1] if at else " "
    return not (before.isalnum() or before in "-_")


def value_after(text: str, name: Name) -> Found | None:
    """The value that stands behind a name, however it is written."""
    after = _AFTER.match(text, name.end)
    how = Found(0, 0)
    if after is None:
        flag = _FLAG.match(text, name.end)
        if flag is None or not _BEFORE_FLAG.search(text, max(0, name.start - 30), name.start):
            return None
        at = flag.end()
    else:
        at, sign = after.end(), after["sign"]
        equals = sign is not None and sign.strip() == "="
        how = Found(0, 0, sign=sign is not None, line=bool(after["line"]), equals=equals)
    return _value(text, name, at, how)


def _value(text: str, name: Name, at: int, how: Found) -> Found | None:
    quoted = _QUOTED.match(text, at)
    if quoted is not None:
        start, end = quoted.span(2)
        return how._replace(start=start, end=end, quoted=True)
    if _OPEN.match(text, at):
        return how._replace(start=at + 1, end=len(text), quoted=True)
    before = text[name.start - 1] if name.start else ""
    pattern = _BARE_SHORT if before in "?&;" and before else _BARE
    bare = pattern.match(text, at)
    if bare is None:
        return None
    value = stripped(bare[0])
    return how._replace(start=at, end=at + len(value), open=pattern is _BARE_SHORT)


def _is_one(text: str, name: Name, found: Found) -> bool:
    value = text[found.start : found.end]
    if name.is_pin:
        return is_pin(value)
    if name.kind == "api_keys":
        return is_secret(value)
    return is_password(text, value, found, loud=text[name.start : name.end].isupper())


def held(looked: Looked, begin: int) -> int:
    """Where a named secret may be growing at the end of an arriving text.

    Args:
        looked: The text.
        begin: From where on names are looked for.
    """
    end = len(looked.text)
    first = end
    for name in names(looked, begin):
        found = value_after(looked.text, name)
        if found is None:
            continue
        bare = _BARE.match(looked.text, found.start)
        last = max(found.end, bare.end() if bare and not found.quoted else 0)
        if last + LOOKAHEAD >= end:
            first = min(first, found.start)
    return first


def is_name(name: str) -> Kind | None:
    """What a value is of which only the name tells it, as in `{"password": …}`."""
    low = name.lower()
    if any(low.endswith(word.strip('"')) for word in PASSWORD_NAMES) or low in ("pass", "pin"):
        return "passwords"
    return "api_keys" if any(low.endswith(word) for word in SECRET_NAMES) else None
