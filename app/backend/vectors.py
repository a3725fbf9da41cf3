"""The vector index of the backend: Chroma where it can be had, else vectors in memory.

A space that is opened gets a name for what it holds, `made`. Each request says which it expects:
where the space was begun anew meanwhile, nothing is done, and whoever asks has to open it again and
to add what is missing. So nothing here has to know the database.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from app.backend.chroma_process import ChromaProcess, IndexTrouble
from app.backend.credentials import find_key
from app.backend.errors import ModelFailure
from app.backend.index_folder import (
    FOLDER,
    kept_aside,
    remove,
    remove_all,
    space_folder,
    space_folders,
)
from app.backend.protocol import BackendSettings, JsonObject
from app.backend.safelog import LOGGER
from app.backend.vector_exact import ExactVectors
from app.backend.vector_protocol import (
    CHANGED,
    Entries,
    IndexKind,
    Opened,
    Query,
)
from memory.storage.header import is_encrypted

TOKEN = "STRATA_CHROMA_TOKEN"  # noqa: S105 (its name, in the environment and in the keyring)

OPEN_S = 90.0
"""Chroma's import on a busy machine takes some seconds, reading 100,000 vectors four."""

SERVER_S = 30.0
"""A server is reached or not; what is left is Chroma's import."""

WORK_S = 30.0
"""For anything else: what takes longer hangs. A removal reads all vectors of its space."""

FIRST_REST_S = 2.0
LONGEST_REST_S = 300.0
"""How long vectors in memory stand in for an index that failed; twice as long each time."""

HELD_REST_S = 30.0
"""How often it is looked whether the process that has the index has gone."""

STEADY_S = 600.0
"""A crash or a failure that lies back so far counts no more."""

MOST_TROUBLES = 3
"""So many, or one while a space is opened, and it counts as damaged though it looks sound."""

ENDED = frozenset({"gone", "hung"})
"""Troubles after which there is no process any more."""

Handler = Callable[[JsonObject, Any], Coroutine[Any, Any, JsonObject]]


@dataclass(slots=True)
class _Rest:
    """How long an index that failed is left alone."""

    lasts: float = 0.0
    """Seconds."""
    until: float = 0.0

    def fail(self, now: float) -> None:
        self.lasts = min(2 * self.lasts or FIRST_REST_S, LONGEST_REST_S)
        self.until = now + self.lasts

    def over(self, now: float) -> bool:
        return now >= self.until


@dataclass(slots=True)
class _Space:
    """A space that is open."""

    dimensions: int
    made: str
    kind: IndexKind
    exact: ExactVectors | None = None


@dataclass(slots=True)
class _Crashes:
    """Which spaces may be what ends Chroma's process, or what it fails at."""

    times: dict[str, list[float]] = field(default_factory=dict)

    def note(self, space: str, now: float, *, opening: bool) -> None:
        recent = [at for at in self.times.get(space, []) if now - at < STEADY_S]
        self.times[space] = recent + [now] * (MOST_TROUBLES if opening else 1)

    def suspects(self, space: str) -> bool:
        return len(self.times.get(space, ())) >= MOST_TROUBLES


class Vectors:
    """Carries out the requests about vectors.

    Args:
        settings: The configuration.
        clock: Seconds that pass.
    """

    def __init__(
        self, settings: BackendSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._spaces: dict[str, _Space] = {}
        self._child: ChromaProcess | None = None
        self._opening = asyncio.Lock()
        self._rest = _Rest()
        self._crashes = _Crashes()
        self._told: set[str] = set()
        self._probe: asyncio.Task[None] | None = None
        self._sealed = False
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="vectors")

    @property
    def handlers(self) -> dict[str, Handler]:
        """How the requests about vectors are carried out, by name."""
        return {
            "index_open": self._open_request,
            "index_add": self._add,
            "index_nearest": self._nearest,
            "index_remove": self._remove,
        }

    async def _open_request(self, message: JsonObject, _emit: object) -> JsonObject:
        opened = await self._open(message["space"], message["dimensions"])
        return _result(asdict(opened))

    async def _add(self, message: JsonObject, _emit: object) -> JsonObject:
        space = await self._expected(message)
        if space is None:
            return _result({CHANGED: True})
        if space.exact is not None:
            await self._in_thread(space.exact.add, Entries.from_json(message["entries"]))
        else:
            await self._ask("add", message["space"], {"entries": message["entries"]})
        return _result({})

    async def _nearest(self, message: JsonObject, _emit: object) -> JsonObject:
        space = await self._expected(message)
        if space is None:
            return _result({CHANGED: True})
        if space.exact is not None:
            query = Query.from_json(message["query"])
            return _result({"found": await self._in_thread(space.exact.nearest, query)})
        body = {"query": message["query"]}
        return _result({"found": await self._ask("nearest", message["space"], body)})

    async def _remove(self, message: JsonObject, _emit: object) -> JsonObject:
        space = await self._expected(message)
        if space is None:
            return _result({CHANGED: True})
        if space.exact is not None:
            await self._in_thread(space.exact.remove, message["ids"])
            await self._remove_from_disk(message["space"])
        else:
            await self._ask("remove", message["space"], {"ids": message["ids"]})
        await self._remove_unused()
        return _result({})

    async def _remove_unused(self) -> None:
        """Removes folders that nobody has open here: of another embedder, of an agent that is gone.

        They may hold the same passages; one that is still wanted is filled anew.

        Raises:
            ModelFailure: One can't be removed.
        """
        data = self._settings.data_dir
        used = {space_folder(data, name) for name in self._spaces}
        unused = [path for path in space_folders(data) if path not in used]
        await self._removed_from_disk(unused)

    async def _remove_from_disk(self, name: str) -> None:
        """Removes what the disk has of a space that is kept in memory here.

        Another process may have it open: it sees that the folder has gone, and fills a new one.

        Raises:
            ModelFailure: It can't be removed.
        """
        data = self._settings.data_dir
        await self._removed_from_disk((space_folder(data, name), *kept_aside(data, name)))

    async def _removed_from_disk(self, paths: Sequence[Path]) -> None:
        data = self._settings.data_dir
        try:
            for path in paths:
                await asyncio.to_thread(remove, path)
        except OSError as error:
            LOGGER.warning("vectors could not be removed", exc_info=error)
            raise ModelFailure(
                f"Removed vectors may still stand in {data / FOLDER}: {error.strerror}.",
                "Delete that folder; it is made again from the database.",
                kind="index",
            ) from error

    async def _expected(self, message: JsonObject) -> _Space | None:
        """The space that a request means; None where it was begun anew."""
        name = message["space"]
        self._look_again()
        if self._child is not None and not self._child.alive:
            self._forget_chroma()
        if name not in self._spaces:
            await self._open(name, message["dimensions"])
        space = self._spaces.get(name)
        return space if space is not None and space.made == message["made"] else None

    async def _open(self, name: str, dimensions: int) -> Opened:
        """Opens a space where it can be had now."""
        async with self._opening:
            if not self._sealed and await asyncio.to_thread(is_encrypted, self._settings.data_dir):
                await self._seal()
            if not self._wants_chroma():
                return self._kept_in_memory(name, dimensions)
            try:
                return await self._in_chroma(name, dimensions)
            except IndexTrouble as trouble:
                return self._in_memory(name, dimensions, self._stand_in(trouble))

    def _wants_chroma(self) -> bool:
        return not self._sealed and self._rest.over(self._clock())

    async def _in_chroma(self, name: str, dimensions: int) -> Opened:
        """Opens a space in Chroma; what ends its process is put aside at the second try.

        Raises:
            IndexTrouble: It can't be had.
        """
        try:
            answer = await self._open_in_child(name, dimensions)
        except IndexTrouble as trouble:
            if trouble.why not in ENDED or not self._crashes.suspects(name):
                raise
            answer = await self._open_in_child(name, dimensions)
        kind: IndexKind = "chroma" if self._settings.chroma_url is None else "server"
        self._spaces[name] = _Space(dimensions, answer["made"], kind)
        self._rest = _Rest()
        note = f"{answer['note']} It is made again from the database." if answer["note"] else ""
        if note:
            LOGGER.warning(note)
        return Opened(kind, answer["made"], answer["ids"], note)

    async def _open_in_child(self, name: str, dimensions: int) -> Any:
        child = await self._running()
        body = {
            "space": name,
            "dimensions": dimensions,
            "suspect": self._crashes.suspects(name),
        }
        try:
            answer = await child.ask("open", body, OPEN_S)
        except IndexTrouble as trouble:
            self._after(name, trouble, opening=True)
            raise
        if body["suspect"]:
            self._crashes.times.pop(name, None)
        return answer

    async def _running(self) -> ChromaProcess:
        """The process, started if there is none.

        Raises:
            IndexTrouble: There can be none now.
        """
        if self._child is not None and self._child.alive:
            return self._child
        self._forget_chroma()
        settings = self._settings
        token = await find_key([TOKEN]) if settings.chroma_url is not None else None
        child = await ChromaProcess.start()
        longest_s = OPEN_S if settings.chroma_url is None else SERVER_S
        try:
            await child.configure(
                settings.data_dir, settings.chroma_url, token, longest_s=longest_s
            )
        except BaseException:
            await child.close()
            raise
        self._child = child
        return child

    async def _ask(self, op: str, name: str, body: JsonObject) -> Any:
        """Asks Chroma's process.

        Raises:
            ModelFailure: It could not be done.
        """
        child = self._child
        try:
            if child is None:
                raise IndexTrouble("gone")
            return await child.ask(op, {"space": name, **body}, WORK_S)
        except IndexTrouble as trouble:
            self._after(name, trouble, opening=False)
            raise ModelFailure(
                f"The vector index {_what_happened(trouble)}.",
                "It is opened again by itself; the database holds everything.",
                kind="index",
                retryable=True,
            ) from trouble

    def _after(self, name: str, trouble: IndexTrouble, *, opening: bool) -> None:
        """Draws the conclusions from a failure: the space is opened again before it is used."""
        LOGGER.warning("the vector index %s", _what_happened(trouble))
        self._spaces.pop(name, None)
        if trouble.why in ENDED:
            self._forget_chroma()
        if trouble.why in {*ENDED, "failed"}:
            self._crashes.note(name, self._clock(), opening=opening)

    def _forget_chroma(self) -> None:
        self._spaces = {name: one for name, one in self._spaces.items() if one.exact is not None}

    def _kept_in_memory(self, name: str, dimensions: int) -> Opened:
        known = self._spaces.get(name)
        if known is None or known.exact is None or known.dimensions != dimensions:
            return self._in_memory(name, dimensions)
        return Opened(known.kind, known.made, known.exact.ids())

    def _in_memory(self, name: str, dimensions: int, note: str = "") -> Opened:
        space = _Space(dimensions, uuid.uuid4().hex, "memory", ExactVectors(dimensions))
        self._spaces[name] = space
        return Opened(space.kind, space.made, (), note)

    def _stand_in(self, trouble: IndexTrouble) -> str:
        """Lets memory stand in for a while; what the user should know of it, told once."""
        now = self._clock()
        if trouble.why == "held":
            self._rest = _Rest(until=now + HELD_REST_S)
            return ""
        self._rest.fail(now)
        url = self._settings.chroma_url
        if url is None:
            what = f"The vector index {_what_happened(trouble)}."
        else:
            what = (
                f"The Chroma server at {urlsplit(url).netloc.rpartition('@')[2]} does not answer."
            )
        note = f"{what} Until it works, vectors are kept in memory."
        if note in self._told:
            return ""
        self._told.add(note)
        LOGGER.warning(note)
        return note

    def _look_again(self) -> None:
        """Begins to look whether Chroma can be had again, where its rest is over."""
        stands_in = any(space.exact is not None for space in self._spaces.values())
        probing = self._probe is not None and not self._probe.done()
        if stands_in and not probing and self._wants_chroma():
            self._probe = asyncio.create_task(self._try_again(), name="vector-index-again")

    async def _try_again(self) -> None:
        async with self._opening:
            try:
                await self._running()
            except IndexTrouble as trouble:
                self._stand_in(trouble)
                return
            self._spaces = {name: one for name, one in self._spaces.items() if one.exact is None}

    async def _seal(self) -> None:
        """Keeps all vectors in memory from here on, and removes those on the disk."""
        self._sealed = True
        if self._child is not None:
            await self._child.close()
        self._forget_chroma()
        try:
            await asyncio.to_thread(remove_all, self._settings.data_dir)
        except OSError as error:
            LOGGER.warning("the vector index could not be removed", exc_info=error)

    async def _in_thread(self, work: Callable[..., Any], *args: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *args)


def _what_happened(trouble: IndexTrouble) -> str:
    reason = f" ({trouble.reason})" if trouble.reason else ""
    told = {
        "lost": "was removed",
        "gone": "stopped unexpectedly",
        "hung": "did not answer in time",
        "held": "is used by another Strata",
    }
    return told.get(trouble.why, "can't be used") + reason


def _result(values: JsonObject) -> JsonObject:
    return {"event": "done", "result": values}
