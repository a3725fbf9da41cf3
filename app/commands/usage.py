"""A command line that asks for something that does not exist."""

from memory.errors import StrataError


class WrongUsage(StrataError):
    """Told like any failure, but with exit status 2."""
