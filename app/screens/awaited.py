"""What was recalled for the turn before stays in sight until it is known what comes in its place.

A search takes from some milliseconds to seconds; what is drawn meanwhile must not go and come back.
"""

import time
from collections.abc import Callable
from dataclasses import replace

from memory.snapshot import Snapshot

NOTE_SECONDS = 0.6
"""After so long a search is told of: one that is over sooner needs no word."""
FOUND = ("facts", "recalled")
"""Sections of a prompt that a search brings."""


class Awaited:
    """Holds what was recalled last while memory is searched.

    Args:
        due: Whether a turn goes on for whose message memory is still to be searched.
        searches: Whether it is being searched.
        later: Calls something after so many seconds.
        draw: Draws memory once more.
    """

    def __init__(
        self,
        due: Callable[[], bool],
        searches: Callable[[], bool],
        later: Callable[[float, Callable[[], None]], object],
        draw: Callable[[], None],
    ) -> None:
        self._due = due
        self._searches = searches
        self._later = later
        self._draw = draw
        self._last: Snapshot | None = None
        self._since: float | None = None

    def held(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot as it is to be drawn: with what was recalled before, as long as it holds."""
        if not self._due():
            self._last, self._since = snapshot, None
            return snapshot
        now = time.monotonic()
        if self._since is None:
            self._since = now
            self._later(NOTE_SECONDS, self._draw)
        searching = self._searches() and now - self._since >= NOTE_SECONDS
        return replace(_with_found_of(self._last, snapshot), searching=searching)


def _with_found_of(before: Snapshot | None, snapshot: Snapshot) -> Snapshot:
    """A snapshot with what was recalled in another one, and the room that takes."""
    if before is None:
        return snapshot
    context = snapshot.context
    standing = {name: before.context.sections.get(name, 0) for name in FOUND}
    more = sum(standing.values()) - sum(context.sections.get(name, 0) for name in FOUND)
    context = replace(context, used=context.used + more, sections={**context.sections, **standing})
    return replace(snapshot, recalled=before.recalled, context=context)
