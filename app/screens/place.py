"""A message that a screen leads to, in this session or another."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A message and where it stands."""

    number: int
    branch: str = ""
    """The branch it was said in; empty for the one that is open."""
    name: str = ""
    """What a person calls its session."""
