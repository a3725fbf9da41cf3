"""Passwords without a name: in web addresses, connection strings and command lines."""

import re
from collections.abc import Iterator

from memory.privacy.kinds import Kind, Span
from memory.privacy.looked import Looked, by_stem, compiled, places
from memory.privacy.tokens import looks_random
from memory.privacy.values import SHORTEST_PASSWORD

_USER_IN_ADDRESS = re.compile(r"://[^\s/@:\"'<>`]{0,128}:([^\s/\"'<>`]{2,256})@")
_PLACEHOLDER = re.compile(
    r"\[redacted|<|\$|\{|%[A-Za-z_]|\*+$|[xX]+$|\.+$|(?:your[-_]?)?(?:pass|password|passwd|pwd|pw|secret|token)$",
    re.IGNORECASE,
)
LINE = 300
"""Characters after a command within which its options stand."""
_VALUE = r"(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})'|([^\s\"'|;&]{1,200}))"
_REST = rf"[^\n|;&]{{0,{LINE}}}?"
_QUOTED = r"(?:\"([^\"\n]{1,200})\"|'([^'\n]{1,200})')"
_TOLD = (
    r"(?:\"(?=[a-z]*[^a-z\"])(?![A-Za-z]+\d{1,2}\")([^\"\n]{1,200})\""
    r"|'(?=[a-z]*[^a-z'])(?![A-Za-z]+\d{1,2}')([^'\n]{1,200})')"
)
_GIVEN = r"(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[\w.$]{1,60})"
_SECOND = rf"\(\s{{0,20}}{_GIVEN}\s?,\s{{0,20}}(?:\w{{1,20}}=)?{_TOLD}"
_THIRD = rf"\(\s{{0,20}}{_GIVEN}\s?,\s{{0,20}}{_GIVEN}\s?,\s{{0,20}}(?:\w{{1,20}}=)?{_TOLD}"
_READS = "(?:docker|podman|helm|gh|az)"
COMMANDS: tuple[tuple[str, str], ...] = (
    # A word in small letters, and what stands from there on.
    ("mysql", rf"mysql\w{{0,12}}\b{_REST}\s-p(?!\s){_VALUE}"),
    ("mariadb", rf"mariadb[\w-]{{0,12}}\b{_REST}\s-p(?!\s){_VALUE}"),
    ("sshpass", rf"sshpass\s+-p\s*{_VALUE}"),
    (
        "curl",
        rf"curl\b{_REST}\s(?:-u|--user|--proxy-user)[ =]?['\"]?[^\s:'\"]{{1,100}}:{_VALUE}",
    ),
    ("http", rf"https?\s{_REST}\s(?:-a|--auth)[ =]['\"]?[^\s:'\"]{{1,100}}:{_VALUE}"),
    ("wget", rf"wget\b{_REST}\s--(?:http-|ftp-)?password[ =]{_VALUE}"),
    ("docker login", rf"docker login\b{_REST}\s-p\s*{_VALUE}"),
    ("podman login", rf"podman login\b{_REST}\s-p\s*{_VALUE}"),
    ("helm", rf"helm\s{_REST}\s-p\s{_VALUE}"),
    ("az login", rf"az login\b{_REST}\s-p\s*{_VALUE}"),
    ("redis-cli", rf"redis-cli\b{_REST}\s-a\s*{_VALUE}"),
    ("requirepass", rf"requirepass\s+{_VALUE}"),
    ("masterauth", rf"masterauth\s+{_VALUE}"),
    ("mongo", rf"mongo\w{{0,8}}\b{_REST}\s-p\s*{_VALUE}"),
    ("sqlcmd", rf"sqlcmd\b{_REST}\s-P\s*{_VALUE}"),
    ("bcp", rf"bcp\b{_REST}\s-P\s*{_VALUE}"),
    ("sqlplus", r"sqlplus\s(?:-\w{1,8}\s)*['\"]?[\w$#]{1,40}/([^@\s'\"]{3,100})"),
    ("oracle:", r"oracle:(?:thin|oci):[\w$#]{1,40}/([^@\s'\"]{3,100})@"),
    ("isql", rf"isql\b{_REST}\s-P\s*{_VALUE}"),
    ("cqlsh", rf"cqlsh\b{_REST}\s-p\s*{_VALUE}"),
    ("7z", rf"7za?\b{_REST}\s-p{_VALUE}"),
    ("zip", rf"zip\b{_REST}\s-P\s*{_VALUE}"),
    ("smbclient", rf"smbclient\b{_REST}\s-U\s*['\"]?[^\s%'\"]{{1,100}}%{_VALUE}"),
    ("-pass", r"-pass(?:in|out)?\s+['\"]?pass:([^\s'\"]{1,200})"),
    ("openssl", rf"openssl enc\b{_REST}\s-[kK]\s+{_VALUE}"),
    ("ldap", rf"ldap\w{{3,10}}\b{_REST}\s-w\s*{_VALUE}"),
    ("mosquitto", rf"mosquitto_\w{{2,4}}\b{_REST}\s-P\s*{_VALUE}"),
    ("rabbitmqctl", rf"rabbitmqctl\s+(?:add_user|change_password)\s+\S+\s+{_VALUE}"),
    ("htpasswd", rf"htpasswd\s+-[a-zA-Z]*b[a-zA-Z]*\s+(?:\S+\s+){{1,2}}{_VALUE}(?=\s|$)"),
    ("net use", rf"net use\b{_REST}\s/user:\S+\s+{_VALUE}"),
    ("net user", rf"net user\s+(?!/)\S+\s+(?![/*]){_VALUE}"),
    ("cmdkey", rf"cmdkey\b{_REST}\s/pass:{_VALUE}"),
    ("freerdp", rf"freerdp\b{_REST}\s/p:{_VALUE}"),
    ("plink", rf"plink\b{_REST}\s-pw\s{_VALUE}"),
    ("pscp", rf"pscp\b{_REST}\s-pw\s{_VALUE}"),
    ("lftp", rf"lftp\b{_REST}\s-u\s*['\"]?[^\s,'\"]{{1,100}},{_VALUE}"),
    ("ipmitool", rf"ipmitool\b{_REST}\s-P\s*{_VALUE}"),
    ("snmp", rf"snmp\w{{3,10}}\b{_REST}\s-[AX]\s*{_VALUE}"),
    ("keychain", rf"keychain\b{_REST}\s-p\s+{_VALUE}"),
    ("-generic-password", rf"-generic-password\b{_REST}\s-w\s+{_VALUE}"),
    ("wandb login", rf"wandb login\s+(?!-){_VALUE}"),
    ("cargo login", rf"cargo login\s+(?!-){_VALUE}"),
    ("vault login", rf"vault login\s+(?!-){_VALUE}"),
    (
        "echo",
        r"echo\s+(?:-n\s+)?['\"]?[\w.-]{1,40}:([^\s'\"|]{3,100})['\"]?\s*\|\s*(?:sudo\s+)?chpasswd",
    ),
    (
        "echo",
        (
            rf"echo\s+(?:-n\s+)?{_VALUE}\s*\|\s*(?:sudo\s+(?:-\w\s+)?-S|kinit|passwd"
            rf"|{_READS}\s[^\n|]{{0,200}}(?:stdin|with-token))"
        ),
    ),
    ("printf", rf"printf\s+(?:['\"]%s(?:\\n)?['\"]\s+)?{_VALUE}\s*\|\s*(?:sudo\s+-S|docker\s)"),
    ("identified ", rf"(?i:identified\s+(?:with\s+[\w']{{1,40}}\s+)?(?:by|as)\s+){_QUOTED}"),
    (
        "machine ",
        rf"machine\s+\S{{1,200}}\s+(?:login|user)\s+\S{{1,200}}\s+(?:password|passwd)\s+{_VALUE}",
    ),
    ("wifi:", r"(?i:wifi:)(?:[^;\n]{0,80};){0,4}?P:((?:\\.|[^;\\\n]){4,100});"),
    ("getconnection(", rf"(?i:getconnection){_THIRD}"),
    ("pdo(", rf"(?i:pdo){_THIRD}"),
    ("mysqli", rf"(?i:mysqli(?:_connect)?){_THIRD}"),
    ("mysql_connect(", rf"(?i:mysql_connect){_THIRD}"),
    ("auth=(", rf"auth={_SECOND}"),
    ("auth = (", rf"auth = {_SECOND}"),
    ("auth(", rf"(?i:auth){_SECOND}"),
    ("authentication(", rf"(?i:authentication){_SECOND}"),
    ("credential(", rf"(?i:credential){_SECOND}"),
    ("credentials(", rf"(?i:credentials){_SECOND}"),
    (".login(", rf"(?i:\.login){_SECOND}"),
    (".authenticate(", rf"(?i:\.authenticate){_SECOND}"),
    (".connect(", rf"(?i:\.connect){_THIRD}"),
)
_FORMS: dict[str, list[str]] = {}
for _word, _form in COMMANDS:
    _FORMS.setdefault(_word, []).append(_form)
_BY_STEM = by_stem(_FORMS, ("login", "sql", "pass", "auth", "credential", "net use", "keychain"))
_PAIR_NAMES = (
    "credential",
    "creds",
    "login",
    "log in",
    "logon",
    "sign in",
    "zugang",
    "anmeldedaten",
    "identifiants",
    "credenciales",
    "credenciais",
    "credenziali",
    "inloggegevens",
)
_SIGN = r"[^\s:/=,;()\[\]{}<>\"'`|]"
_PAIR = re.compile(
    # `(admin / hunter2!)`, `root:toor-4711` behind a word for both.
    r"\w{0,10}[^\n]{0,40}?(?<![\w:/.@-])[\w.@+-]{2,40}(?:\s/\s|:\s?)"
    rf"((?={_SIGN}{{0,40}}[a-z])(?={_SIGN}{{0,40}}\d)(?={_SIGN}{{0,40}}(?![a-z0-9]){_SIGN})"
    rf"{_SIGN}{{6,60}})"
)
_HASHED = re.compile(
    r"\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|argon2(?:id|i|d)|pbkdf2-sha\d{1,3}|scrypt)\$[./A-Za-z0-9$,=+-]{20,200}"
    r"|\{S?SHA\d{0,3}\}[A-Za-z0-9+/=]{20,200}|pbkdf2_sha\d{1,3}\$\d+\$[^\s\"']{20,200}"
)
"""Passwords as they are kept: who has one of these can try words on it as long as they like."""
_PGPASS = re.compile(
    r"^[\w.*-]{1,100}:(?:\d{4,5}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:(\S{4,100})$", re.MULTILINE
)
_BEFORE_HOST = re.compile(r"[\"'`\s=][\w.-]{1,60}:([^\s\"'`]{3,100})\Z")
NEAR = 100
_BARE_LOGIN = re.compile(
    # `user:password@host`, without what addresses begin with.
    r"(?<![\w/:.])[\w.-]{2,40}:((?=[^\s:]{0,60}[a-z])(?=[^\s:]{0,60}[A-Z])(?=[^\s:]{0,60}\d)"
    r"[^\s:@/\"'<>`]{6,60})\Z"
)
_HOST = re.compile(
    r"(?:localhost|(?!sha\d)[A-Za-z][\w-]*(?:\.[\w-]+)*\.[a-z]{2,10})(?![\w.-])|[a-z][\w.-]*:\d{2,5}\b"
)
_TOKEN_IN_ADDRESS = re.compile(r"://([A-Za-z0-9_-]{20,300})(?::[\w-]{0,40})?@")
_QUERY_SECRET = re.compile(
    r"[?&](?:sig|signature|x-amz-signature|key|code|appid|app_id|auth)=([A-Za-z0-9%+/=_.-]{24,400})",
    re.IGNORECASE,
)
_QUERY_NAMES = (
    *(
        f"{sign}{name}="
        for name in ("sig", "key", "code", "appid", "app_id", "auth")
        for sign in "?&"
    ),
    "signature=",
)


def find(looked: Looked) -> Iterator[Span]:
    """The passwords and signed keys that stand in addresses and commands."""
    text = looked.text
    yield from _in_addresses(text)
    yield from _signatures(looked)
    for stem, words in _BY_STEM.items():
        for word in words if stem in looked.low else ():
            for form in _FORMS[word]:
                yield from _given(looked, word, form)
    for word in _PAIR_NAMES:
        for at in places(looked.low, word):
            if (match := _PAIR.match(text, at)) and not _PLACEHOLDER.match(match[1]):
                yield Span(*match.span(1), "passwords")
    if "$" in text or "{S" in text:
        yield from (Span(*match.span(), "passwords") for match in _HASHED.finditer(text))
    if "pgpass" in text or ":5432:" in text or ":*:" in text:
        yield from (Span(*match.span(1), "passwords") for match in _PGPASS.finditer(text))


def _given(looked: Looked, word: str, form: str) -> Iterator[Span]:
    """What a command is given behind its word."""
    for at in places(looked.low, word):
        match = compiled(form).match(looked.text, at)
        if match is not None and (span := _group(match)) is not None:
            yield span


def _in_addresses(text: str) -> Iterator[Span]:
    for at in places(text, "://"):
        token = _TOKEN_IN_ADDRESS.match(text, at)
        if token is not None and looks_random(token[1]):
            yield Span(*token.span(1), "api_keys")
        match = _USER_IN_ADDRESS.match(text, at)
        if match is not None and not _PLACEHOLDER.match(match[1]):
            yield Span(*match.span(1), "passwords")
    for at in places(text, "@"):
        match = _BARE_LOGIN.search(text, max(0, at - NEAR), at)
        if match is not None and _HOST.match(text, at + 1):
            yield Span(*match.span(1), "passwords")
    for sign in ("@tcp(", "@unix("):
        for at in places(text, sign):
            match = _BEFORE_HOST.search(text, max(0, at - LINE), at)
            if match is not None and not _PLACEHOLDER.match(match[1]):
                yield Span(*match.span(1), "passwords")


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
            if match is not None and looks_random(match[1]):
                yield Span(*match.span(1), kind)


def _group(match: re.Match[str]) -> Span | None:
    for number in range(1, (match.lastindex or 0) + 1):
        value = match[number]
        if value and len(value) >= SHORTEST_PASSWORD - 1 and not _PLACEHOLDER.match(value):
            return Span(*match.span(number), "passwords")
    return None


_SAID = re.compile(r"\b(?:echo|printf)\s")
"""What is written for another command: the last one of the line tells whether it was a password."""


def held(text: str, begin: int) -> int:
    """Where a password in a command or an address may be growing at the end of a text.

    Args:
        text: The arriving text.
        begin: From where on is looked.
    """
    end = len(text)
    line = max(begin, text.rfind("\n", begin) + 1, end - LINE)
    low = text[line:].lower()
    if said := _SAID.search(low):
        return line + said.start()
    if any(word in low for word, _ in COMMANDS):
        return _last_option(text, line)
    address = text.rfind("://", begin)
    if address >= 0 and not re.search(r"[\s/\"'<>`]", text[address + 3 :]):
        return address
    return end


def _last_option(text: str, line: int) -> int:
    """Where the last two words of a command begin: an option, and what it is given."""
    words = [match.start() for match in re.finditer(r"\S+", text[line:])][-3:]
    return line + words[0] if words else len(text)
