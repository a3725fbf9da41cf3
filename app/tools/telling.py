"""Words that results of several tools are made of."""

_UNITS = ("B", "kB", "MB", "GB", "TB")
_THOUSAND = 1_000


def size_told(count: int) -> str:
    """Bytes in at most three figures: 812 B, 3.9 kB, 128 kB."""
    value, unit = float(count), 0
    while round(value) >= _THOUSAND and unit + 1 < len(_UNITS):
        value, unit = value / _THOUSAND, unit + 1
    return f"{value:.3g} {_UNITS[unit]}"


def counted(count: int, one: str, several: str = "") -> str:
    """A number with what is counted: 1 file, 3 files."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"


def enumerated(names: list[str], most: int = 8) -> str:
    """Names in a row, and how many more there are."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
