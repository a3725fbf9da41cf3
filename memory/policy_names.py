"""Which policies there are: those of Strata and those that packages bring by an entry point."""

from functools import cache
from importlib.metadata import entry_points

BUILT_IN = ("cascade", "rolling", "buffer", "window", "none")
GROUP = "strata.policies"
"""The group of entry points in which a package names its policies."""


@cache
def names() -> tuple[str, ...]:
    """The names of all policies, Strata's own first."""
    others = sorted({entry.name for entry in entry_points(group=GROUP)} - set(BUILT_IN))
    return (*BUILT_IN, *others)


def is_known(name: str) -> bool:
    """Whether there is a policy of the name; looks for others only where it is none of Strata's."""
    return name in BUILT_IN or name in names()


def unknown(name: str) -> tuple[str, str]:
    """What is said where there is no policy of the name: the sentence, and those there are."""
    return f"There is no policy {name!r}.", f"There are {', '.join(names())}."
