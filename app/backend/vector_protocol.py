"""What the processes say to each other of vectors."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

IndexKind = Literal["chroma", "server", "memory"]
"""An index on this disk, one on a server, or one that is searched exactly and kept by no one."""

ADD_AT_ONCE = 128
"""Vectors that are added in one go: of MiniLM a frame of 270 kB. A search behind it waits 50 ms."""

CHANGED = "changed"
"""The space was begun anew since it was opened: what it holds has to be asked for again."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A space of the index.

    Args:
        kind: Where it is.
        made: Names what it holds; another name means that it was begun anew.
        ids: The ids it holds.
        note: What the user should know, or nothing.
    """

    kind: IndexKind
    made: str
    ids: Sequence[int] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Entries:
    """Vectors with their ids and sessions, in one order."""

    ids: Sequence[int]
    sessions: Sequence[str]
    vectors: bytes
    """4-byte floats, little-endian, one vector after the other."""

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON."""
        vectors = base64.b64encode(self.vectors).decode("ascii")
        return {"ids": list(self.ids), "sessions": list(self.sessions), "vectors": vectors}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Entries:
        """Reads what `to_json` wrote.

        Raises:
            ValueError: The lists don't fit each other.
        """
        made = cls(data["ids"], data["sessions"], base64.b64decode(data["vectors"]))
        if len(made.sessions) != len(made.ids) or len(made.vectors) % (4 * len(made.ids) or 1):
            raise ValueError("ids, sessions and vectors differ in length")
        return made


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for: a vector as in `Entries`, how many, and in which sessions."""

    vector: bytes
    most: int
    sessions: Sequence[str] | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields as JSON."""
        vector = base64.b64encode(self.vector).decode("ascii")
        sessions = None if self.sessions is None else list(self.sessions)
        return {"vector": vector, "most": self.most, "sessions": sessions}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Query:
        """Reads what `to_json` wrote."""
        return cls(base64.b64decode(data["vector"]), data["most"], data["sessions"])
