"""What a value must look like to be a secret: names for secrets stand before much that is none."""

import re
from typing import NamedTuple

from memory.privacy.tokens import has_both, looks_random

SHORTEST_PASSWORD = 4
SHORTEST_SECRET = 12
WORDS_OF_PHRASE = 3
"""Characters, and words of a passphrase that is in quotation marks."""


class Found(NamedTuple):
    """Where a value stands behind a name, and how it is written."""

    start: int
    end: int
    quoted: bool = False
    sign: bool = True
    """A colon or an equals sign stands before it; else a verb."""
    line: bool = False
    """It begins on a line of its own."""
    equals: bool = False
    """An equals sign stands before it: what has letters alone is then a name in code."""
    open: bool = False
    """It is one of several in an address or a connection string."""


_NOT_SAID = frozenset(
    """
    none null nil true false undefined string str text int integer number boolean bool bytes
    char varchar any object optional required forbidden invalid valid empty missing unknown
    example password passwd passphrase passcode pass pwd secret token username user name login
    email mail passwort kennwort contraseña senha wachtwoord hasło input prompt field label
    placeholder self hidden masked redacted removed omitted yes no on off ok here there this
    that these those your my yourpassword your_password mypassword my_password new_password
    old_password the a an and or not too also only never always still now just already again
    often sometimes being been used sent asked stored saved set kept hashed encrypted salted
    plain weak strong good bad wrong right correct incorrect expired needed necessary visible
    different same safe secure insecure in at by to from of for with without as if so what where
    when which who how why one it its something anything nothing protected changed reset based
    managed generated shared lost forgotten
    """.split()  # noqa: SIM905 (a list of so many words is read better so)
)
_FORM = re.compile(r"(?:[a-z]+(?:ed|ing|able|ible)|\W+|[xX*.•●_#-]+)")
_PLACEHOLDER = re.compile(
    r"\[redacted|\(hidden|<|\$\{|\$\(|\{\{|\$[A-Za-z_]\w*$|%\w+%$|%[sd({]|\{\w*\}|\.\.\.|…"
    r"|(?:your|my|the|some|example|insert|enter|put)[-_ ]",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"[A-Za-z_][\w.]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z]+(?:_[A-Za-z]+)+$|[@&]?[A-Za-z]\w*::"
    r"|/|\w+://|\.{1,2}/|\(|\[|\{"
)
_SYMBOL = re.compile(r"[!@#$%^&*+?~=\u00a1-\uffff]|[^\w\s]\w")
_LINE_END = re.compile(r"[.,;!?)*_`\"'\\]{0,3}[ \t]*(?:\r?\n|\\n|\Z|[|<;&])|[.,;!?)][\s\"'`]")
_PIN = re.compile(r"\d{4,8}(?!\d)")
_TRAILING = re.compile(r"[.,;:!?)\]}*_\\]+\Z")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+\Z")
_HASH = re.compile(r"sha\d+[-:=]|\d+(?:px|em|ms|kb|mb|gb)?\Z", re.IGNORECASE)


def stripped(value: str) -> str:
    """A value without what ends the sentence or the bracket around it."""
    match = _TRAILING.search(value)
    if match is None:
        return value
    # One that ends a password (`Summer2024!`) stays with it where more of them do not follow.
    if match[0] in ("!", "?", "*") and len(value) > SHORTEST_PASSWORD:
        return value
    return value[: match.start()]


def is_pin(value: str) -> bool:
    """Whether it is a number as cards and telephones ask for it."""
    return _PIN.fullmatch(value) is not None


def is_secret(value: str) -> bool:
    """Whether it is a key or token: long, and no word, version or name with dashes."""
    if len(value) < SHORTEST_SECRET or _PLACEHOLDER.match(value) or _CODE.match(value):
        return False
    if _HASH.match(value) or _VERSION.match(value) or " " in value:
        return False
    return has_both(value) and looks_random(value)


def is_password(text: str, value: str, found: Found, *, loud: bool) -> bool:
    """Whether a value behind a name for a password is one.

    Args:
        text: The text.
        value: The value.
        found: Where it stands, and how it is written.
        loud: The name is in capitals, as in files of settings.
    """
    if len(value) < SHORTEST_PASSWORD or value.lower() in _NOT_SAID or _PLACEHOLDER.match(value):
        return False
    if found.quoted:
        return _quoted_password(value)
    if _FORM.fullmatch(value) or _CODE.match(value):
        return False
    return _is_strong(value) or (value.isalpha() and _is_said(text, value, found, loud=loud))


def _is_said(text: str, value: str, found: Found, *, loud: bool) -> bool:
    """Whether a word of letters alone is a password: by what stands around it."""
    if found.line:
        return False
    if found.equals:
        return loud or found.open
    plain = loud or found.open or not found.sign or value.islower()
    return plain and (found.open or _LINE_END.match(text, found.end) is not None)


def _quoted_password(value: str) -> bool:
    words = value.split()
    if len(words) > 1:
        # A sentence for people ("Enter your password") or a phrase; the latter has no capital.
        return (
            len(words) >= WORDS_OF_PHRASE and value.islower() and value.replace(" ", "").isalpha()
        )
    return not _FORM.fullmatch(value) or value.isalpha()


def _is_strong(value: str) -> bool:
    if value.isdecimal():
        return True
    if _VERSION.match(value):
        return False
    return has_both(value) or _SYMBOL.search(value) is not None
