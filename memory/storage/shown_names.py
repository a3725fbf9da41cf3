"""Which sessions a name may mean that is none of the kept titles and ids. Pure."""

from collections.abc import Sequence
from datetime import datetime, tzinfo
from typing import Protocol, TypeVar


class Session(Protocol):
    """What is known of a session."""

    @property
    def title(self) -> str | None:
        """Its title, if it has one."""
        ...

    @property
    def started_at(self) -> str:
        """When it began: ISO 8601, UTC."""
        ...


Named = TypeVar("Named", bound=Session)


def titled(sessions: Sequence[Named], name: str) -> list[Named]:
    """Those with this title, whatever is large and small in it."""
    wanted = name.casefold()
    return [one for one in sessions if one.title and one.title.casefold() == wanted]


def begun(
    sessions: Sequence[Named], name: str, now: datetime, zone: tzinfo | None = None
) -> list[Named]:
    """Those without a title that lists show under this name: `session of 21 Nov 18:57`.

    Args:
        sessions: All there are.
        name: What somebody read in a list.
        now: The present: of today's only the time is shown.
        zone: Where the person is; the machine's own by default.
    """
    wanted = name.casefold()
    today = now.astimezone(zone)
    return [
        one
        for one in sessions
        if not one.title and wanted in _shown(datetime.fromisoformat(one.started_at), today, zone)
    ]


def _shown(started: datetime, today: datetime, zone: tzinfo | None) -> set[str]:
    then = started.astimezone(zone)
    day = f"{then.day} {then:%b}"
    shown = {f"{day} {then:%H:%M}", f"{day} {then.year} {then:%H:%M}"}
    if then.date() == today.date():
        shown.add(f"{then:%H:%M}")
    return {f"session of {moment}".casefold() for moment in shown}
