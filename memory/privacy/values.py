"""What a value must look like to be a secret: names for secrets stand before much that is none."""

import re
from typing import NamedTuple

from memory.privacy.tokens import has_both, looks_random

SHORTEST_PASSWORD = 4
SHORTEST_SECRET = 12
SHORTEST_KEY = 16
SHORTEST_BARE = 20
"""Characters of a key that no sign parts from its name."""
SHORTEST_STRICT = 6
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
    strict: bool = False
    """Nothing says that a value stands there: it has to look like a secret."""
    weak: bool = False
    """A verb stands before it behind which languages put what a password is like."""


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
    managed generated shared lost forgotten changeme change_me changeit replaceme replace_me
    todo tbd fixme foo bar foobar test testing dummy sample default fake redacted_password
    function return void let const var new await async import from class public private
    option options flag flags argument arguments parameter parameters prompts variable setting
    unset blank n/a admin_password user_password
    unsicher sicher schwach stark lang kurz korrekt bekannt gesetzt
    incorrecte invalide faux expiré oublié requis obligatoire faible incorrecta incorrecto inválida
    inválido segura insegura débil fuerte obligatoria requerida caducada errónea sbagliata errata
    corretta scaduta debole sicura errada incorreta expirada obrigatória fraca forte
    verlopen onjuist fout juist verkeerd vereist vergeten
    falsch richtig geheim ungültig vergessen abgelaufen erforderlich leer
    """.split()  # noqa: SIM905 (a list of so many words is read better so)
)
_FORM = re.compile(r"(?:[a-z]+(?:ed|ing|able|ible)|\W+|[xX*.•●_#-]+)")
_PLACEHOLDER = re.compile(
    r"\[redacted|\(hidden|<|\$\{|\$\(|\{\{|#\{|\$[A-Za-z_]\w*$|%\w+%$|%[sd({]|\{\w*\}|\.\.\.|…"
    r"|(?:your|my|the|some|example|insert|enter|put)[-_ ]|![A-Za-z]+\Z",
    re.IGNORECASE,
)
_PATH = re.compile(r"(?:~|\.{1,2})?(?:/[\w.@-]+){2,}$|~/|\w+://|[A-Z]:\\")
_PLACE = re.compile(r"(?:urn|arn):|[A-Z]\w*\[|/|\w+://|\.{1,2}/|~/|\(|\[|\{")
_CODE = re.compile(
    r"[A-Za-z_$][\w.$]*[(\[]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$|[A-Za-z]+(?:_[A-Za-z]+)+$"
    r"|[@&*]{0,2}'?[A-Za-z]\w*::|[@&*]{1,2}'?[A-Za-z_][\w.]*\W*$"
    # Code whose blanks were taken away: `b.password,c=null`, `1};return`, `e||t`, `!0,n=1`.
    r"|[A-Za-z_$][\w$]*(?:\.[\w$]+)+[,;)}\]]|[\w$.]+(?:\|\||&&|\?\?|\?[\w.()]+:|=>)|!?[\w$]+[)}\]]+[,;)}(\]]"
    r"|[=:]|(?:urn|arn):|[^\s]{0,80}(?:=\(|=>|\)\(|\),\w|\);)|![01](?:[,;)}]|$)|[\w$.]+[,;][\w$.]+[=:(]"
    r"|[A-Z][A-Za-z]+-[A-Z][A-Za-z]+$|/|\w+://|\.{1,2}/|\(|\[|\{"
)
_OF_CLASS = re.compile(r"\A\w+(?:Key|Token|Secret|Password)\Z")
_CLASS = re.compile(r"[a-z]*(?:[A-Z]+[a-z]*\d{0,4}){2,}")
_HOLE = re.compile(r"\{[A-Za-z_][\w.]*(?:[(!:\[][^{}\s]{0,60})?\}")
"""Where a template is filled in."""
_NAMING = re.compile(
    # Words with dashes one of which says what it is about.
    r"(?=.*(?:pass|user|login|token|secret|field|input|label|error|hint))"
    r"[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)+",
    re.IGNORECASE,
)
_TERM = re.compile(
    r"[A-Z]{2,}[-_]?\d[\w-]*|[A-Z]{0,3}[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{1,3}|\d+[a-z]{1,3}|[\w-]+\.[a-z]{1,4}"
)
"""`SHA-256`, `OAuth2`, `user1`, `64bit`, `key2.pem`: words with a number, and files."""
_DOTTED = re.compile(r"(?=.*[A-Z])\w+(?:\.\w+)+\d(?<!\.\d)")
_CASED = re.compile(r"(?=.*[a-z])(?=.*\d)(?=.*(?:[A-Z]|[^\w\s]))")
_RANDOM = re.compile(
    r"[0-9a-fA-F]{32,}|(?=\D*\d+\D+\d|\D*\d{3})(?=.*[A-Za-z])[A-Za-z0-9+/_=-]{16,}"
)
_SYMBOL = re.compile(r"[!@#$%^&*+?~=\u00a1-\uffff]|[^\w\s]\w")
_LINE_END = re.compile(r"[.,;!?)*_`\"'\\]{0,3}[ \t]*(?:\r?\n|\\n|\Z|[|<;&])|[.,;!?)][\s\"'`]")
_PIN = re.compile(r"\d{4,8}(?!\d)")
_CODES = re.compile(r"(?=\D*\d)(?=[^A-Za-z]*[A-Za-z])[A-Za-z0-9]{3,10}(?:-[A-Za-z0-9]{3,10}){1,4}")
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


def is_code(value: str) -> bool:
    """Whether it is a code in groups, as services give them for the day a telephone is lost."""
    return _CODES.fullmatch(value) is not None


def is_secret(value: str, found: Found) -> bool:
    """Whether it is a key or token: long, and no word, version or name with dashes."""
    shortest = SHORTEST_BARE if found.strict else SHORTEST_SECRET
    code = _PLACE if found.quoted else _CODE
    if len(value) < shortest or _PLACEHOLDER.match(value) or code.match(value):
        return False
    if _HASH.match(value) or _VERSION.match(value) or _is_class(value) or _HOLE.search(value):
        return False
    if " " in value:
        return found.quoted and _is_noise(value)
    return has_both(value) and looks_random(value)


def _is_class(value: str) -> bool:
    """Whether it is a name of words that begin with capitals: `V1SecretProjection`."""
    if _OF_CLASS.search(value) is not None:
        return True
    few = sum(sign.isupper() for sign in value) * 4 <= len(value)
    return few and _CLASS.fullmatch(value) is not None


def is_short(value: str, found: Found, name: str) -> bool:
    """Whether it is no word of a sentence, as `pass` and `clave` stand in many."""
    return has_both(value) and "=" not in value and not (found.strict and name == "pass")


def is_key(value: str, found: Found) -> bool:
    """Whether what a `…_key` is set to opens something: nobody could read it as a word."""
    if len(value) < SHORTEST_KEY or (found.strict and not found.quoted) or not found.sign:
        return False
    return is_secret(value, found) and (_is_noise(value) or _RANDOM.fullmatch(value) is not None)


def _is_noise(value: str) -> bool:
    """Whether it is a long row of whatever a keyboard has, as programs make salts."""
    letters = sum(sign.isalpha() or sign == " " for sign in value)
    return len(value) >= 2 * SHORTEST_KEY and letters < 0.8 * len(value) and value.count(" ") < 8  # noqa: PLR2004


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
        return _is_quoted(value, found)
    if _FORM.fullmatch(value) or (_CODE.match(value) and not _is_dotted(value, found)):
        return False
    if found.strict:
        cased = "=" not in value and _CASED.search(value) is not None
        return cased and _is_plainly_strong(value)
    said = value.isalpha() and not found.weak and _is_said(text, value, found, loud=loud)
    return said or _is_strong(value)


def _is_quoted(value: str, found: Found) -> bool:
    if _HOLE.search(value):
        return False
    if found.strict:
        return _is_plainly_strong(value)
    return not _PATH.match(value) and _quoted_password(value.strip())


def _is_said(text: str, value: str, found: Found, *, loud: bool) -> bool:
    """Whether a word of letters alone is a password: by what stands around it."""
    if found.line or (found.sign and not found.open and text[found.start - 1] in ":|>"):
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
    return value.isalpha() or not (_FORM.fullmatch(value) or _NAMING.fullmatch(value))


def _is_dotted(value: str, found: Found) -> bool:
    """Whether it is words with dots and a number that no equals sign makes a name in code."""
    return not found.equals and not found.strict and _DOTTED.fullmatch(value) is not None


def _is_plainly_strong(value: str) -> bool:
    """Whether it looks like a password where nothing says that one stands there."""
    plain = " " in value or _TERM.fullmatch(value) or len(value) < SHORTEST_STRICT
    return not plain and has_both(value) and not _VERSION.match(value)


def _is_strong(value: str) -> bool:
    if value.isdecimal():
        return True
    if _VERSION.match(value):
        return False
    return has_both(value) or _SYMBOL.search(value) is not None
