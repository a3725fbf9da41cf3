"""Secrets behind a name that says what they are: `password: …`, `api_key=…`, `my PIN is …`."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked
from memory.privacy.names import Name, names
from memory.privacy.quoted import QUOTE, closes, quoted
from memory.privacy.values import (
    Found,
    is_code,
    is_key,
    is_password,
    is_pin,
    is_secret,
    is_short,
    stripped,
)

_MARKS = rf"(?:{QUOTE}|[*_)\]»”]){{0,4}}"
_FILLER = (
    r"(?:\s(?:for|to|of|on|für|zum|zur|vom|von|pour|du|de|del|para|do|da|voor|per|code|value|number)"
    r"\s?[^\n:=\"'<>|]{0,40}?)?(?:\s\([^()\n]{1,30}\))?"
)
_NAMELY = r"(?:is|was|will be|lautet|lauten|reads)"
_VERB = r"(?:ist|war|est|es|è|é|jest|är|er|on|это)"
_IT_IS = r"[?.,;]?\s{1,2}(?:it[’']?s|it is|that[’']?s|das ist|c[’']est|es ist)\b"
_TYPE = r"[&*'\w.\[\]<>|, ?]{1,40}?"
_PREFIX = (
    rf"(?:[“„«‘]\s?|[bBrRuUfFL@$]{{1,2}}(?={QUOTE})"
    rf"|(?P<made>[A-Za-z_][\w:.]{{0,40}}\()(?={QUOTE}))?"
)
_NOW = r"(?:\s(?:now|still|currently|jetzt|nun|ahora|agora|maintenant|désormais|ora|nu)\b)?"
_AFTER = re.compile(
    # What may stand between a name and its value; the value begins at its end.
    r"(?:s|\d{1,2}|[ _-]?(?:(?P<key>key)|prod|dev|test|live|staging|new|old|hash|base|value"
    r"|string))?"
    rf"(?:et|en|ni|em)?{_MARKS}{_FILLER}{_MARKS}(?:"
    # A type stands before what a name in code is set to, and what it is compared with.
    rf"(?P<typed>\s{{0,3}}:\s{{0,3}}{_TYPE}\s{{0,3}}=\s{{0,3}}(?={QUOTE}))"
    rf"|(?P<declared>\s[*\[\]]{{0,3}}(?:string|str|byte|char)\s{{0,3}}=\s{{0,3}}(?={QUOTE}))"
    rf"|(?P<compared>\s{{0,3}}[=!]==?\s{{0,3}}(?={QUOTE}))"
    # Beside the name stands another one for the value: environments, forms, variables, lists.
    r"|(?P<beside>[\"']?\s{1,3}--?(?:secret-)?(?:value|string|body|data)[ =]\s?"
    r"|(?:[^<>\n\w]{0,4}(?:type|name|id)=[^<>\n]{0,60}|[^<>\n\w]{0,2}(?:</\w{1,12})?>\s{0,20}<"
    r"|[ \t,]{0,4}\r?\n?\s{0,24}|\s?,\s{0,24}[\"']?(?:parameter)?|[ \t]{0,3}\{[^{}]{0,200}?\b)\s?"
    r"(?:\\{0,3}[\"'])?(?:value|default|string)(?:\\{0,3}[\"'])?(?:\s{0,3}[:=]\s{0,3}|>))"
    rf"|(?P<sign>[ \t]{{0,8}}(?::=|=>|->|[→:]|=(?!=)|(?<=\s)\||\|(?=\s)"
    rf"|(?<=[\w\"'])>(?=[^<>\n]{{1,300}}(?:</|<?\Z)))[ \t]{{0,8}}[*_]{{0,3}}[ \t]?"
    rf"(?P<line>\\?(?:[|>][+-]?[ \t]{{0,4}})?\r?\n[ \t]{{0,12}})?)"
    rf"|(?P<verb>(?:\s{{1,3}}(?:{_NAMELY}|(?P<weak>{_VERB})){_NOW}|{_IT_IS})\s?:?\s{{1,3}}"
    r"(?:\r?\n[ \t]{0,12})?)"
    r"|(?P<joined>\s?(?:は|是|为|為|는|은)\s?[:：]?\s?)"
    rf"|(?P<given>\s{{1,3}}(?:to|auf|heißt|sigue siendo|continua a ser|remains|stays)\s{{1,3}})"
    rf"|(?P<called>\s?[(,]\s{{0,12}}(?={QUOTE})))",
    re.IGNORECASE,
)
_NEXT = re.compile(rf"(?:s|[’']s)?{_MARKS}[ \t]{{1,2}}(?=\S)")
"""Where nothing says that a value stands: it has to look like a secret, as behind `_STRICT`."""
_MINE = re.compile(
    r"(?:mon|notre|mein|unser|mi|nuestra|minha|nossa|mia|nostra|mijn|ons|min|mitt|vår|moje|мой)"
    r"\s(?:[\w-]{1,15}\s)?\Z",
    re.IGNORECASE,
)
"""Who says whose password it is goes on to say which."""
_STRICT = ("compared", "called", "given")
_FAR = re.compile(r"(?:\s[\w’-]{1,15}){1,8}\s?:\s{1,2}[`\"'“„«‘]?\s?(?=\S)")
_FLAG = re.compile(r"[ \t]{1,3}|=")
_BEFORE_FLAG = re.compile(
    r"(?:^|[\s\"'`(])--?[a-z][a-z0-9-]{0,20}$|(?:^|[\s\"'`(])--$", re.IGNORECASE
)
_BARE = re.compile(r"(?:[^\s\"'`<>|&;\\“”„«»]+|[&;](?!\w{1,40}=)|\\(?![nrt]))+")
_BARE_SHORT = re.compile(r"[^\s\"'`<>|&;,]+")
_BARE_TOKEN = re.compile(r"[^\s\"'`<>|&;,(){}\[\]\\=]+={0,3}")
LONGEST_PASSWORD = 500
LONGEST_TOKEN = 4_000
"""Characters of a value without quotation marks."""
_OTHER_SCRIPT = re.compile(r"(?<=[!-~])[\u3001-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
"""Where a value ends in languages that put no space behind it."""
LOOKAHEAD = 3
"""Characters after a value that decide with it whether it is one."""


def find(looked: Looked) -> Iterator[Span]:
    """The secrets that are named in a text."""
    last: Span | None = None
    for name in names(looked):
        if last is not None and last.start <= name.start and name.end <= last.end:
            continue
        found = value_after(looked.text, name)
        if found is not None and found.end > found.start and _is_one(looked.text, name, found):
            last = Span(found.start, found.end, name.kind)
            yield last


def value_after(text: str, name: Name) -> Found | None:
    """The value that stands behind a name, however it is written."""
    flag = _FLAG.match(text, name.end)
    if flag and _BEFORE_FLAG.search(text, max(0, name.start - 30), name.start):
        return _value(text, name, flag.end(), Found(0, 0))
    after = _AFTER.match(text, name.end)
    if after is None:
        far = _FAR.match(text, name.end) if name.form in ("secret", "password") else None
        far = far or _NEXT.match(text, name.end)
        return _value(text, name, far.end(), Found(0, 0, strict=True)) if far else None
    sign = after["sign"]
    how = Found(
        0,
        0,
        sign=after["verb"] is None,
        line=bool(after["line"]),
        equals=sign is not None and sign.strip() == "=",
        strict=any(after[group] is not None for group in _STRICT)
        or (name.form == "password" and after["key"] is not None),
        weak=after["weak"] is not None
        and not _MINE.search(text, max(0, name.start - 30), name.start),
    )
    return _value(text, name, after.end(), how)


def _value(text: str, name: Name, at: int, how: Found) -> Found | None:
    prefix = _PREFIXED.match(text, at)
    if prefix is not None and prefix.end() > at:
        at = prefix.end()
        how = how._replace(strict=how.strict or prefix["made"] is not None)
    if (inside := quoted(text, at)) is not None:
        start, end = inside
        return None if closes(text, at) else how._replace(start=start, end=end, quoted=True)
    opened = name.start > 0 and text[name.start - 1] in "?&;"
    bare = _bare(name, opened=opened).match(text, at, at + _longest(name))
    if bare is None:
        return None
    value = bare[0]
    if other := _OTHER_SCRIPT.search(value):
        value = value[: other.start()]
    value = stripped(value)
    return how._replace(start=at, end=at + len(value), open=opened)


def _bare(name: Name, *, opened: bool) -> re.Pattern[str]:
    if name.kind != "passwords":
        return _BARE_TOKEN
    return _BARE_SHORT if opened else _BARE


def _longest(name: Name) -> int:
    return LONGEST_PASSWORD if name.kind == "passwords" else LONGEST_TOKEN


_PREFIXED = re.compile(_PREFIX)


def _is_one(text: str, name: Name, found: Found) -> bool:
    value = text[found.start : found.end]
    if name.form == "pin":
        return is_pin(value) or is_code(value)
    if name.form == "key":
        return is_key(value, found)
    if name.form == "secret":
        return is_secret(value, found)
    if name.form == "short" and not is_short(value, found, text[name.start : name.end].lower()):
        return False
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
        bare = _BARE.match(looked.text, found.start, found.start + LONGEST_TOKEN)
        last = max(found.end, bare.end() if bare and not found.quoted else 0)
        if last + LOOKAHEAD >= end:
            first = min(first, found.start)
    return first
