"""The words that say that a secret stands behind them, and where they stand in a text."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memory.privacy.kinds import Kind
from memory.privacy.looked import Looked, by_stem, places

Form = Literal["password", "short", "secret", "pin", "key"]
"""What is expected behind a name: `key` is what many keys are that open nothing, `short` a word."""

PASSWORD_NAMES = (
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "pass phrase",
    "pwd",
    "_pass",
    "-pass",
    "storepass",
    "keypass",
    "bindpw",
    "convertto-securestring",
    '"pass"',
    "'pass'",
    "passwort",
    "kennwort",
    "mot de passe",
    "motdepasse",
    "contraseña",
    "contrasena",
    "contrasenya",
    "palabra de paso",
    "senha",
    "palavra-passe",
    "parola d'ordine",
    "parola chiave",
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
SHORT_PASSWORD_NAMES = ("pass", "pw", "psk", "mdp", "clave", "passwords")
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
    "account key",
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
    "master key",
    "subscription-key",
    "subscription_key",
    "subscription key",
    "license_key",
    "license key",
    "credential",
    "_authtoken",
    '"auth"',
    "_salt",
    "phpsessid",
    "jsessionid",
    "api-schlüssel",
    "clé api",
    "clé d'api",
    "clé d’api",
    "clé secrète",
    "clave de api",
    "clave api",
    "clave secreta",
    "clave de acceso",
    "chave de api",
    "chave da api",
    "chave api",
    "chave secreta",
    "chiave api",
    "chiave segreta",
    "api-sleutel",
    "klucz api",
    "api-nyckel",
    "jeton",
    "geheimschlüssel",
    "ключ api",
    "api-ключ",
    "токен",
    "apiキー",
    "トークン",
    "api密钥",
    "api 密钥",
    "令牌",
    "密钥",
)
PRIVATE_NAMES = (
    "private key",
    "private_key",
    "privatekey",
    "private-key",
    "presharedkey",
    "preshared_key",
    "preshared key",
)
PIN_NAMES = ("pin", "otp", "tan")
CODE_NAMES = (
    "verification code",
    "security code",
    "one-time code",
    "one-time password",
    "one time code",
    "2fa code",
    "backup code",
    "recovery code",
    "bestätigungscode",
    "einmalcode",
    "sicherheitscode",
    "code de vérification",
    "código de verificación",
    "código de seguridad",
    "código de verificação",
    "código de segurança",
)
KEY_NAMES = ("_key", "-key")
_NO_SECRET = re.compile(
    # What these keys are for is to find something; and who has a public one has nothing.
    r"(?:public|pub|cache|primary|foreign|partition|sort|idempotency|object|storage|file|row|host"
    r"|index|hash|lookup|dedupe?|translation|i18n|unique|group|routing|message|query|build|commit"
    r"|project|issue|event|redis|s3|memo|item|map|answer|registry|bucket|shard|cert|locale|label"
    r"|lock|record|entity|node|task|job|page|surrogate|natural|composite|known[_-]host"
    r")s?[_-]?\Z",
    re.IGNORECASE,
)
_PAGES = re.compile(
    # Tokens that say where a list goes on.
    r"(?:next|page|pagination|continuation|sync|starting|previous|prev|cursor|request)[_-]?\Z"
)
_CAMEL = re.compile(r"[a-z:]Key(?=[\"']?\]?\s{0,3}[:=])")


class Name(NamedTuple):
    """Where a name for a secret stands."""

    start: int
    end: int
    kind: Kind
    form: Form


_NAMES: tuple[tuple[Kind, Form, bool, tuple[str, ...]], ...] = (
    # Their kind, what is expected, and whether they are names only where they stand alone.
    ("passwords", "password", False, PASSWORD_NAMES),
    ("passwords", "short", True, SHORT_PASSWORD_NAMES),
    ("private_keys", "secret", False, PRIVATE_NAMES),
    ("api_keys", "secret", False, SECRET_NAMES),
    ("passwords", "pin", True, PIN_NAMES),
    ("passwords", "pin", False, CODE_NAMES),
    ("api_keys", "key", False, KEY_NAMES),
)


_STEMS = ("pass", "token", "secret", "access", "key", "code", "clave", "chave")
_BY_STEM = tuple(
    (kind, form, alone, stem, several)
    for kind, form, alone, words in _NAMES
    for stem, several in by_stem(words, _STEMS).items()
)


def _words_in(low: str, begin: int) -> Iterator[tuple[Kind, Form, bool, str]]:
    """The names that a text may have from a place on."""
    ascii_only = low.isascii()
    there: dict[str, bool] = {}
    for kind, form, alone, stem, several in _BY_STEM:
        if ascii_only and not stem.isascii():
            continue
        if stem not in there:
            there[stem] = low.find(stem, begin) >= 0
        if there[stem]:
            yield from ((kind, form, alone, word) for word in several)


def names(looked: Looked, begin: int = 0) -> Iterator[Name]:
    """The names for secrets in a text, from a place on."""
    low = looked.low
    for kind, form, alone, word in _words_in(low, begin):
        for at in places(low, word, begin):
            end = at + len(word)
            if (alone and not _stands_alone(low, at, end)) or _is_other(low, at, word, form):
                continue
            yield Name(at, end, kind, form)
    if "Key" in looked.text:
        yield from _camel(looked.text, begin)


def _is_other(low: str, at: int, word: str, form: Form) -> bool:
    """Whether it is the name of a key or token that opens nothing."""
    if form == "key":
        return _NO_SECRET.search(low, max(0, at - 20), at) is not None
    if word == "private key":
        # The header of a key, which `keys` looks for.
        return low[at - 1 : at] == " " and low.startswith("-----", at + len(word))
    if word == "secret":
        # `arn:…:secret:name` is where one lies.
        return low[at - 1 : at] == ":"
    return word == "token" and _PAGES.search(low, max(0, at - 20), at) is not None


def _camel(text: str, begin: int) -> Iterator[Name]:
    for match in _CAMEL.finditer(text, begin):
        if not _NO_SECRET.search(text, max(0, match.start() - 20), match.start() + 1):
            yield Name(match.start() + 1, match.end(), "api_keys", "key")


def _stands_alone(low: str, at: int, end: int) -> bool:
    """A short name is part of many words: `spin`, `opinion`."""
    before, after = low[at - 1] if at else " ", low[end : end + 1]
    return not (before.isalnum() or before in "-_") and not (after.isalnum() or after == "_")


def is_name(name: str) -> Kind | None:
    """What a value is of which only the name tells it, as in `{"password": …}`."""
    low = name.lower()
    if low in (*SHORT_PASSWORD_NAMES, *PIN_NAMES):
        return "passwords"
    if any(low.endswith(word.strip("\"'")) for word in PASSWORD_NAMES):
        return "passwords"
    if any(low.endswith(word) for word in PRIVATE_NAMES):
        return "private_keys"
    if any(low.endswith(word.strip('"')) for word in SECRET_NAMES):
        return "api_keys"
    return None
