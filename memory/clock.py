"""Time as the log writes it."""

from datetime import UTC, datetime


def utc_now() -> str:
    """The present as ISO 8601 in UTC with milliseconds and `Z`."""
    return format_time(datetime.now(UTC))


def format_time(moment: datetime) -> str:
    """An aware moment as ISO 8601 in UTC with milliseconds and `Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_time(text: str) -> datetime:
    """The moment that `format_time` wrote.

    Raises:
        ValueError: The text is not such a time.
    """
    return datetime.fromisoformat(text)
