"""What the user has always allowed, to the letter, and whether a text can be seen as it is."""

import unicodedata

from app.tools.tool import Desk, Permission

_SEEN_CONTROLS = "\n\t"

# Characters that take no room or look like a space, though their category does not say so.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0"
    + "".join(map(chr, range(0xFE00, 0xFE10)))
    + "".join(map(chr, range(0xE0100, 0xE01F0)))
)
# Control, format (which turn the reading direction or hide), halves of characters, private,
# unassigned, and the separators of lines and paragraphs.
_UNSEEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))


class Permissions:
    """What was answered with "always", for as long as Strata runs.

    A permission covers only what is equal to it in every character: nothing is trimmed, folded,
    expanded or compared by its beginning.
    """

    def __init__(self) -> None:
        self._always: set[tuple[str, str, str, str]] = set()

    def covers(self, session: str, permission: Permission) -> bool:
        """Whether exactly this was always allowed in the session."""
        return _key(session, permission) in self._always

    def remember(self, session: str, permission: Permission) -> None:
        """Allows exactly this in the session from here on."""
        self._always.add(_key(session, permission))


async def allowed(permission: Permission, desk: Desk, permissions: Permissions) -> bool:
    """Whether something may be done: it always may, or the user is asked now.

    Args:
        permission: What would be done.
        desk: Who asks.
        permissions: What was always allowed; grows by an answer "always".
    """
    session = desk.memory.info.id
    if permissions.covers(session, permission):
        return True
    verdict = await desk.ask(permission)
    if verdict == "always":
        permissions.remember(session, permission)
    return verdict in ("once", "always")


def unseen(text: str) -> str:
    """The characters of a text that nobody can see, such as `U+202E U+200B`; empty without any.

    Who is asked about a text with such characters would not approve what is done.
    """
    found = dict.fromkeys(char for char in text if _is_unseen(char))
    return " ".join(f"U+{ord(char):04X}" for char in found)


def _is_unseen(char: str) -> bool:
    if " " <= char <= "~" or char in _SEEN_CONTROLS:
        return False
    category = unicodedata.category(char)
    return category in _UNSEEN_CATEGORIES or category == "Zs" or char in _BLANK


def _key(session: str, permission: Permission) -> tuple[str, str, str, str]:
    return session, permission.tool, permission.subject, permission.where
