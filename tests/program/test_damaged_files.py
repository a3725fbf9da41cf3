"""STORE-4: each file of the data directory is damaged; told, kept, and nothing else lost."""

import asyncio
import random
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memory.config import MemoryConfig
from memory.memory import Memory
from tests.support.program import Program, conversation
from tests.support.vectors import index_of

MESSAGES = 30
CONFIG = "[memory]\nkeep_recent_messages = 8\n"


def _truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2 + 1])


def _noise(path: Path) -> None:
    path.write_bytes(random.Random(path.name).randbytes(max(64, path.stat().st_size)))


def _a_folder(path: Path) -> None:
    path.rename(path.with_name(f"{path.name}.was"))
    path.mkdir()
    (path / "mine").write_text("mine")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "truncated": _truncated,
    "noise": _noise,
    "a folder": _a_folder,
    "removed": lambda path: path.unlink(),
}
FILES = (
    "config.toml",
    "strata.db",
    "strata.db-wal",
    "strata.db-shm",
    "index.lock",
    "index/*/chroma.sqlite3",
    "index/*/space.json",
    "log/strata.log",
    "log/backend.log",
    "vault/context/*.json",
    "vault/agents/*/*/summaries/longterm.md",
)
MADE_AGAIN = ("strata.db-shm", "index.lock")
"""Nothing that anybody said stands there, and SQLite or the system makes it again."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with files of all kinds, as a killed process leaves it."""
    data, copy = tmp_path_factory.mktemp("data"), tmp_path_factory.mktemp("sound")
    asyncio.run(_fill(data, copy))
    return copy


async def _fill(data: Path, copy: Path) -> None:
    config = MemoryConfig.from_values({"profile": "stress"})
    async with Memory.open(data, "talk", config=config) as memory:
        for message in conversation(MESSAGES):
            await memory.add(message["role"], message["content"])  # type: ignore[arg-type]
            await memory.settled()
    async with index_of(data) as index:
        await index.known()
        await index.add(range(40))
    (data / "log").mkdir(exist_ok=True)
    for name in ("strata.log", "backend.log"):
        (data / "log" / name).write_text("started\n")
    (data / "config.toml").write_text(CONFIG)
    async with Memory.open(data, "other", config=config) as memory:
        await memory.add("user", "said while there is a write-ahead log")
        # By another process: to close a file of the database here would give up its locks.
        command = ["cp", "-r", f"{data}/.", str(copy)]
        await asyncio.to_thread(subprocess.run, command, check=True)


def contents(folder: Path) -> set[bytes]:
    return {path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def talk(program: Program) -> int:
    """How many messages the session has that was there before."""
    return program.works("export", "--session", "talk").out.count("\n")


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("pattern", FILES)
def test_a_damaged_file(program: Program, sound: Path, pattern: str, damage: str) -> None:
    """STORE-4, ALL-2: what can go on does, what can't names the file; what was damaged is kept."""
    shutil.copytree(sound, program.data)
    (path,) = program.data.glob(pattern)
    original = path.read_bytes()
    DAMAGES[damage](path)
    left = b"mine" if path.is_dir() else path.read_bytes() if path.exists() else None
    ran = program.run("status", "--session", "talk")
    assert ran.status == 0 or path.name in ran.refused()
    if damage == "noise":
        assert "Traceback" not in str(program.run("doctor"))
    if pattern not in MADE_AGAIN and left is not None:
        assert left in contents(program.data)
    if not pattern.startswith("strata.db") or (pattern == "strata.db-wal" and path.is_file()):
        return  # what SQLite could read of a log stands in the database now
    if path.is_dir():
        shutil.rmtree(path)
    path.write_bytes(original)
    assert talk(program) == MESSAGES


@pytest.mark.parametrize("damage", ["truncated", "noise", "a folder"])
def test_writing_beside_damage(served: Program, sound: Path, damage: str) -> None:
    """STORE-4, STORE-3: an answer comes though all that stands beside the database is damaged."""
    shutil.copytree(sound, served.data)
    paths = [path for pattern in FILES[5:] for path in served.data.glob(pattern)]
    kept = []
    for path in paths:
        DAMAGES[damage](path)
        if path.is_file() and path.suffix != ".log":
            kept.append(path.read_bytes())
    ran = served.run("--session", "talk", "ask", "hello")
    assert (ran.status, bool(ran.out.strip())) == (0, True), ran
    assert talk(served) == MESSAGES + 2
    if damage == "noise":
        assert set(kept) <= contents(served.data)
