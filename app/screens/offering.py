"""What the composer offers to complete while a command is typed."""

from collections.abc import Sequence
from datetime import UTC, datetime

from app.chat.commands import COMMANDS
from app.chat.names import session_name
from app.host.catalogue import entries
from memory.storage.sessions import SessionInfo
from widgets.typed import CommandHint


def commands() -> list[CommandHint]:
    """All commands."""
    return [CommandHint(f"@{c.name}", c.usage, c.description) for c in COMMANDS.values()]


def values(sessions: Sequence[SessionInfo]) -> dict[str, list[str]]:
    """What can stand after a command.

    Args:
        sessions: All there are.
    """
    now = datetime.now(UTC)
    return {
        "@session": [session_name(s.title, s.id, now) for s in sessions if s.title],
        "@model": [entry.name for entry in entries() if entry.kind == "chat"],
    }
