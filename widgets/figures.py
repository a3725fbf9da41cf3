"""How figures and times are put for people. Pure."""

from datetime import datetime, tzinfo

THOUSAND = 1_000
HUNDRED = 100


def short_number(number: int) -> str:
    """A figure in at most five characters: 812, 3.9k, 128k, 1.2M."""
    if number < THOUSAND:
        return str(number)
    value, unit = number / THOUSAND, "k"
    if round(value) >= THOUSAND:
        value, unit = value / THOUSAND, "M"
    return f"{value:.1f}{unit}" if round(value, 1) < HUNDRED else f"{value:.0f}{unit}"


def short_seconds(seconds: float) -> str:
    """A duration: 1.9 s, 42 s, 3 min."""
    if seconds < 10:  # noqa: PLR2004 (below ten, a tenth tells)
        return f"{seconds:.1f} s"
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"  # noqa: PLR2004


def call_seconds(seconds: float) -> str:
    """A duration that may be very short: 0.02 s, 0.4 s, 12 s."""
    return f"{max(seconds, 0.01):.2f} s" if seconds < 0.1 else short_seconds(seconds)  # noqa: PLR2004


def short_size(size: int) -> str:
    """Bytes: 812 B, 4.1 kB, 158 kB, 1.2 MB."""
    if size < THOUSAND:
        return f"{size} B"
    number = short_number(size)
    return f"{number[:-1]} {number[-1]}B"


def count(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun: 1 message, 2 messages."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def short_count(number: int, noun: str) -> str:
    """A figure of at most five characters with its noun: 1 character, 3.9k characters."""
    return f"{short_number(number)} {noun if number == 1 else f'{noun}s'}"


def token_rate(tokens: int, seconds: float) -> str:
    """How fast tokens came: 31 tokens/s, 1 token/s, 0.5 tokens/s."""
    rate = tokens / seconds
    return f"{count(round(rate), 'token')}/s" if rate >= 1 else f"{rate:.1f} tokens/s"


def clock(at: str, now: datetime, zone: tzinfo | None = None) -> str:
    """A UTC time of the log as a person reads it: 14:02, 21 Nov 14:02, 21 Nov 2025 14:02.

    Args:
        at: ISO 8601.
        now: The present, which decides how much of the date is told.
        zone: Where the person is; the machine's own by default.
    """
    then = datetime.fromisoformat(at).astimezone(zone)
    today = now.astimezone(zone)
    time = f"{then:%H:%M}"
    if then.date() == today.date():
        return time
    date = f"{then.day} {then:%b}" + (f" {then.year}" if then.year != today.year else "")
    return f"{date} {time}"
