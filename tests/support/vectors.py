"""A vector index without the rest of the backend, random vectors, and a Chroma server."""

import asyncio
import random
import socket
import struct
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from app.backend.errors import ModelFailure
from app.backend.index_folder import space_folder
from app.backend.protocol import BackendSettings, JsonObject
from app.backend.vector_client import VectorClient
from app.backend.vectors import Vectors
from memory.protocols import IndexEntry

DIMENSIONS = 16
SPACE = "default/all-minilm-l6-v2"


@dataclass
class Index:
    """A space, and what serves it in the backend."""

    data: Path
    client: VectorClient
    vectors: Vectors
    space: str = SPACE
    notes: list[str] = field(default_factory=list)
    now: list[float] = field(default_factory=lambda: [0.0])

    def of(self, space: str) -> "Index":
        """Another space of the same index."""
        other = replace(self, space=space, notes=[])
        self.client.on_note = other.notes.append
        return other

    @property
    def folder(self) -> Path:
        return space_folder(self.data, self.space)

    @property
    def kind(self) -> str | None:
        return self.client.kind

    async def known(self) -> frozenset[int]:
        return await self.client.known(self.space, DIMENSIONS)

    async def add(self, ids: Iterable[int], session: str = "") -> None:
        await self.client.add(self.space, entries(ids, session))

    async def remove(self, *ids: int) -> None:
        await self.client.remove(self.space, ids)

    async def nearest(
        self, number: int, most: int = 1, sessions: Sequence[str] | None = None
    ) -> list[int]:
        """The ids nearest to the vector that belongs to one."""
        found = await self.client.nearest(self.space, vector(number), most, sessions)
        return [each for each, _ in found]

    @property
    def pid(self) -> int:
        child = self.vectors._child
        assert child is not None
        return child.pid

    async def restart(self) -> None:
        """The backend begins anew; the client does not notice."""
        await self.end()
        self.vectors.__init__(self.vectors._settings, self.vectors._clock)  # type: ignore[misc]

    async def end(self) -> None:
        child = self.vectors._child
        if child is not None:
            await child.close()


@asynccontextmanager
async def index_of(data: Path, url: str | None = None) -> AsyncIterator[Index]:
    """An index below a data directory; its processes are ended with it."""
    now = [0.0]
    vectors = Vectors(BackendSettings(data, data, chroma_url=url), lambda: now[0])

    async def ask(body: JsonObject, seconds: float) -> JsonObject:
        try:
            async with asyncio.timeout(seconds):
                answer = await vectors.handlers[body["op"]](body, None)
        except TimeoutError:
            raise ModelFailure("Too late.", kind="timeout") from None
        result: JsonObject = answer["result"]
        return result

    client = VectorClient(ask)
    index = Index(data, client, vectors, now=now)
    client.on_note = index.notes.append
    try:
        yield index
    finally:
        await index.end()


def vector(seed: int, dimensions: int = DIMENSIONS) -> list[float]:
    """A direction of its own for each seed."""
    chance = random.Random(seed)
    numbers = [chance.gauss(0, 1) for _ in range(dimensions)]
    length = sum(number * number for number in numbers) ** 0.5
    return [number / length for number in numbers]


def entries(ids: Iterable[int], session: str = "") -> list[IndexEntry]:
    """A vector for each id; without a session they take turns in three."""
    return [
        IndexEntry(number, session or f"s{number % 3}", packed(vector(number))) for number in ids
    ]


def packed(numbers: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return int(chosen.getsockname()[1])


@contextmanager
def chroma_server(folder: Path, port: int) -> Iterator[str]:
    """A real Chroma server on this machine, which is killed at the end."""
    run = "import sys, chromadb_rust_bindings as c; c.cli(sys.argv)"
    options = ["run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", run, *options],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        while not _answers(f"{url}/api/v2/heartbeat"):
            assert process.poll() is None, "the Chroma server does not start"
        yield url
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=1) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False
