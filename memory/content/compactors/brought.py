"""Compactors that packages bring, by an entry point named after a type or a tool."""

import logging
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from memory.content.compactors.built_in import compact
from memory.content.compactors.sketch import About, Compact
from memory.content.telling import one_line
from memory.errors import StrataError

LOGGER = logging.getLogger("strata.memory")
GROUP = "strata.compactors"
"""The group of entry points in which a package names its compactors."""


class BrokenCompactor(StrataError):
    """A compactor that a package brings can't be used; Strata's own one stands in."""

    def __init__(self, name: str, why: str) -> None:
        super().__init__(
            f"The compactor for {name!r} can't be used: {why}. Strata's own one stands in.",
            "Mend or remove the package that brings it.",
        )


def compactor_for(about: About) -> Compact:
    """Who digests such a text: a package's compactor for its tool or its type, or Strata's own."""
    for name in (about.tool, about.type):
        if name in _entries():
            return _guarded(name)
    return compact


def load(name: str) -> Compact:
    """The compactor that a package brings for a tool or a type.

    Raises:
        BrokenCompactor: It can't be loaded, or is nothing that can be called.
    """
    try:
        loaded = _entries()[name].load()
    except Exception as error:
        raise BrokenCompactor(name, f"it fails to load ({type(error).__name__})") from error
    if not callable(loaded):
        raise BrokenCompactor(name, "its entry point names nothing that can be called")
    return cast(Compact, loaded)


def names() -> tuple[str, ...]:
    """The tools and types for which packages bring a compactor."""
    return tuple(sorted(_entries()))


def forget() -> None:
    """Looks for packages anew from here on."""
    _entries.cache_clear()
    _guarded.cache_clear()


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


@cache
def _guarded(name: str) -> Compact:
    """A package's compactor that can neither fail nor say more than there is room for."""
    try:
        theirs = load(name)
    except BrokenCompactor as error:
        LOGGER.warning("%s", error)
        return compact

    def guarded(text: str, about: About) -> str:
        try:
            said: object = theirs(text, about)
        except Exception as error:  # noqa: BLE001 (what others wrote may fail in any way)
            LOGGER.warning("%s", BrokenCompactor(name, f"it failed ({type(error).__name__})"))
            return compact(text, about)
        if not isinstance(said, str) or not said.strip():
            LOGGER.warning("%s", BrokenCompactor(name, "it gave no text"))
            return compact(text, about)
        return one_line(said)[: about.chars]

    return guarded
