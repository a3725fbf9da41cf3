"""How long ago something was, for people. Pure."""

from datetime import datetime

from widgets.figures import clock

MINUTE, HOUR, DAY = 60, 3_600, 86_400


def age(at: str, now: datetime) -> str:
    """A time of the log: just now, 3 min ago, 2 h ago, then the date.

    Args:
        at: ISO 8601.
        now: The present.
    """
    seconds = (now - datetime.fromisoformat(at)).total_seconds()
    if seconds < MINUTE:
        return "just now"
    if seconds < HOUR:
        return f"{seconds // MINUTE:.0f} min ago"
    return f"{seconds // HOUR:.0f} h ago" if seconds < DAY else clock(at, now)
