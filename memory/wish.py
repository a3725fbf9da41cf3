"""Which session to open, and how."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """Which session to open, and how."""

    session: str | None = None
    branch: str | None = None
    """One of the session's branches by its id; the one used last without it."""
    agent: str = "default"
    user: str | None = None
    owner: str | None = None
    """The id of the session for a task of which a new one is made."""
    create: bool = True
    """Make the session where there is none of the name."""
    fresh: bool = False
    """Make a new session in any case."""
    read_only: bool = False
    take_over: bool = False
    """Take the session from another process that holds it."""
    passive: bool = False
    """Compact nothing in the background."""
    label: str = "another program"
    """What this process is, told to others that want the session."""
