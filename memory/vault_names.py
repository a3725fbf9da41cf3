"""Names in the vault that every file system takes, whatever a session or an agent is called. Pure.

A plain name stays as it is. What some file system refuses stands as `%` and two hexadecimal digits
a byte, as in web addresses. Names that a file system could take for one another (by letters' case,
by Unicode's forms) or that are too long end in `~` and a digest, and so differ.
"""

import hashlib
import re
import unicodedata
from pathlib import PurePosixPath

LONGEST = 120
"""Bytes of a name in UTF-8. Encrypted file systems take 143, and an ending follows."""
DIGEST_DIGITS = 16

CONTEXT = "context"
AGENTS = "agents"
SUMMARIES = "summaries"

_MARK = "~"
_REFUSED = frozenset('<>:"/\\|?*%' + _MARK)
_UNSHOWN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Categories of what is not to be seen, or means something else elsewhere."""
_DEVICES = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(?:\.|\Z)", re.IGNORECASE
)
"""What Windows takes for a device, whatever follows the dot."""
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", re.IGNORECASE)
"""The time in a session's id: its capitals are always capitals."""
_UNIT = re.compile("%[0-9A-F]{2}|.", re.DOTALL)


def context_path(session: str) -> PurePosixPath:
    """Where a session's JSON lies in the vault."""
    return PurePosixPath(CONTEXT, f"{safe_name(session)}.json")


def session_folder(agent: str, session: str) -> PurePosixPath:
    """The folder that holds everything else of a session."""
    return PurePosixPath(AGENTS, safe_name(agent), safe_name(session))


def summaries_folder(agent: str, session: str) -> PurePosixPath:
    """Where a session's summaries lie in the vault."""
    return session_folder(agent, session) / SUMMARIES


def safe_name(name: str) -> str:
    """The name as the name of a file or folder; different names stay different everywhere."""
    text = unicodedata.normalize("NFC", name)
    units = [_escaped(character) if _is_refused(character) else character for character in text]
    if units and units[0] in (".", " "):
        units[0] = _escaped(units[0])
    if units and units[-1] in (".", " "):
        units[-1] = _escaped(units[-1])
    if _DEVICES.match(text):
        units[0] = _escaped(text[0])
    escaped = "".join(units)
    if escaped and _stands_alone(name) and len(escaped.encode()) <= LONGEST:
        return escaped
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_DIGITS]
    return f"{_cut(escaped, LONGEST - DIGEST_DIGITS - len(_MARK))}{_MARK}{digest}"


def readable_name(name: str) -> str:
    """The name as a person reads it in a folder; other names can become the same one."""
    text = unicodedata.normalize("NFC", name)
    shown = "".join(" " if _is_refused(character) else character for character in text)
    kept = _cut(" ".join(shown.split()), LONGEST).strip(". ")
    return f"_{kept}" if _DEVICES.match(kept) else kept


def _is_refused(character: str) -> bool:
    return character in _REFUSED or unicodedata.category(character) in _UNSHOWN


def _escaped(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "surrogatepass"))


def _stands_alone(name: str) -> bool:
    """Whether no file system takes the name for another one that stands alone as well."""
    if not unicodedata.is_normalized("NFC", name):
        return False
    if any(time != time.upper() for time in _TIME.findall(name)):
        return False
    rest = _TIME.sub("", name)
    return all(
        unicodedata.normalize("NFC", form.casefold()) == rest for form in (rest, rest.upper())
    )


def _cut(escaped: str, most: int) -> str:
    """The beginning in at most so many bytes, without half an escape at its end."""
    kept, size = [], 0
    for unit in _UNIT.findall(escaped):
        size += len(unit.encode())
        if size > most:
            break
        kept.append(unit)
    return "".join(kept)
