"""Times as people and models write them: `2h`, `3d`, a date, a date with a time. Pure."""

import re
from datetime import UTC, datetime, timedelta

from memory.clock import format_time
from memory.errors import StrataError

_AGO = re.compile(r"(\d{1,6})\s*(s|sec|min|m|h|d|w)(?:\s*ago)?", re.IGNORECASE)
_SECONDS = {"s": 1, "sec": 1, "m": 60, "min": 60, "h": 3_600, "d": 86_400, "w": 604_800}


TimeRange = tuple[datetime | str | None, datetime | str | None]
"""From when on, and before when; None or an empty text where it is open."""


class NoMoment(StrataError):
    """A text that tells no time."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text[:40]!r} is no time.",
            "Write 30min, 2h, 3d, today, 2026-11-20 or 2026-11-20T14:00.",
        )


def moment(text: str, now: datetime) -> str:
    """The moment that is meant, as the log writes times; empty for an empty text.

    Args:
        text: How long ago, a date, or a date with a time. What names no zone is in that of `now`.
        now: The present, aware of its zone.

    Raises:
        NoMoment: It is none of these.
    """
    text = text.strip()
    if not text:
        return ""
    if text.lower() in ("today", "yesterday"):
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
        return format_time(midnight - timedelta(days=text.lower() == "yesterday"))
    try:
        if match := _AGO.fullmatch(text):
            return format_time(now - timedelta(seconds=int(match[1]) * _SECONDS[match[2].lower()]))
        read = datetime.fromisoformat(text)
        return format_time(read if read.tzinfo else read.replace(tzinfo=now.tzinfo or UTC))
    except (ValueError, OverflowError) as error:
        raise NoMoment(text) from error


def span(time_range: TimeRange, now: datetime) -> tuple[str, str]:
    """Both ends of a range of time, as the log writes times.

    Raises:
        NoMoment: One of them tells no time.
    """
    first, last = (
        moment(end.isoformat() if isinstance(end, datetime) else end or "", now)
        for end in time_range
    )
    return first, last
