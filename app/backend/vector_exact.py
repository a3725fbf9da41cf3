"""Vectors in memory, compared one by one: for whoever can't use Chroma, and while it is filled."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from app.backend.vector_protocol import Entries, Query

FIRST_ROOM = 256


class ExactVectors:
    """Vectors of length one with their ids and sessions. 100,000 of MiniLM take 150 MB.

    Args:
        dimensions: Numbers in a vector.
    """

    def __init__(self, dimensions: int) -> None:
        self._numpy: Any = importlib.import_module("numpy")
        self._rows: Any = self._numpy.zeros((FIRST_ROOM, dimensions), "<f4")
        self._codes: Any = self._numpy.zeros(FIRST_ROOM, "int32")
        self._ids: list[int] = []
        self._places: dict[int, int] = {}
        self._sessions: dict[str, int] = {}

    def ids(self) -> list[int]:
        """The ids that are here."""
        return list(self._ids)

    def add(self, entries: Entries) -> None:
        """Adds vectors; one whose id is here takes its place.

        Raises:
            ValueError: The vectors have other dimensions.
        """
        rows = self._numpy.frombuffer(entries.vectors, "<f4").reshape(len(entries.ids), -1)
        if rows.shape[1] != self._rows.shape[1] and entries.ids:
            raise ValueError("a vector has other dimensions")
        self._make_room(len(self._ids) + len(entries.ids))
        for number, session, row in zip(entries.ids, entries.sessions, rows, strict=True):
            place = self._places.setdefault(number, len(self._ids))
            if place == len(self._ids):
                self._ids.append(number)
            self._rows[place] = row
            self._codes[place] = self._sessions.setdefault(session, len(self._sessions))

    def remove(self, ids: Sequence[int]) -> None:
        """Removes vectors; the newest ones fill their places."""
        for number in ids:
            place = self._places.pop(number, None)
            if place is None:
                continue
            last = len(self._ids) - 1
            moved = self._ids.pop()
            if place != last:
                self._ids[place] = moved
                self._places[moved] = place
                self._rows[place] = self._rows[last]
                self._codes[place] = self._codes[last]
            self._rows[last] = 0

    def nearest(self, query: Query) -> list[tuple[int, float]]:
        """Ids with their cosine, nearest first.

        Raises:
            ValueError: The vector has other dimensions.
        """
        numpy, count = self._numpy, len(self._ids)
        cosines = self._rows[:count] @ numpy.frombuffer(query.vector, "<f4")
        places = numpy.arange(count)
        if query.sessions is not None:
            wanted = [self._sessions[name] for name in query.sessions if name in self._sessions]
            places = places[numpy.isin(self._codes[:count], wanted)]
            cosines = cosines[places]
        if len(places) > query.most:
            best = numpy.argpartition(-cosines, query.most - 1)[: query.most]
            places, cosines = places[best], cosines[best]
        order = numpy.argsort(-cosines, kind="stable")
        return [(self._ids[places[n]], float(cosines[n])) for n in order]

    def entries(self, ids: Sequence[int]) -> Entries:
        """What stands under some ids; those that are not here are left out."""
        known = [number for number in ids if number in self._places]
        places = [self._places[number] for number in known]
        names = list(self._sessions)
        sessions = [names[self._codes[place]] for place in places]
        return Entries(known, sessions, self._rows[places].tobytes() if places else b"")

    def _make_room(self, wanted: int) -> None:
        room = len(self._rows)
        if wanted <= room:
            return
        more = max(wanted, 2 * room) - room
        rows = self._numpy.zeros((more, self._rows.shape[1]), "<f4")
        self._rows = self._numpy.concatenate([self._rows, rows])
        self._codes = self._numpy.concatenate([self._codes, self._numpy.zeros(more, "int32")])
