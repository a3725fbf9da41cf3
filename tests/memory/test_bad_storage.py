"""Storage that fails: one plain sentence each, and nothing overwritten."""

import asyncio
import os
import sqlite3
import sys
from asyncio.subprocess import PIPE
from pathlib import Path

import pytest

from memory.storage.failures import (
    DatabaseDamaged,
    DatabaseTooNew,
    DiskFailed,
    DiskFull,
    NotWritable,
    StorageError,
    explain,
)
from memory.storage.places import FILE_NAME
from memory.wish import Wish
from tests.memory.doubles import database_at, opened, say, words

ROOT = Path(__file__).parents[2]


def is_plain(error: StorageError) -> bool:
    """Whether the error speaks to a user: a sentence, a way out, nothing of Python's."""
    text = str(error)
    jargon = ("Traceback", "sqlite", "SQLITE", "Errno", "Error:", "exception", "{", "<")
    return text.endswith(".") and bool(error.next_step) and not any(word in text for word in jargon)


async def test_a_newer_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    """STORE-1: refuses newer ones with a clear message."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello.")
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = (tmp_path / FILE_NAME).read_bytes()

    with pytest.raises(DatabaseTooNew, match="newer Strata") as refused:
        async with opened(tmp_path):
            pass

    assert is_plain(refused.value)
    assert (tmp_path / FILE_NAME).read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
async def test_nobody_else_may_read_it(tmp_path: Path) -> None:
    """ALL-8, STORE-1: also in a folder that others may look into."""
    tmp_path.chmod(0o755)
    before = os.umask(0o022)
    try:
        async with opened(tmp_path) as memory:
            await say(memory, 1)
            for path in tmp_path.glob("strata.db*"):
                assert path.stat().st_mode & 0o077 == 0, path
    finally:
        os.umask(before)


@pytest.mark.parametrize(
    "content",
    [b"This is no database." * 100, b"\0" * 5_000, b"SQLite format 3\0" + b"\xff" * 4_080],
)
async def test_what_is_no_database_is_named_and_left_alone(tmp_path: Path, content: bytes) -> None:
    """STORE-4: the damaged file is never overwritten."""
    (tmp_path / FILE_NAME).write_bytes(content)

    with pytest.raises(DatabaseDamaged, match="is damaged") as refused:
        async with opened(tmp_path):
            pass

    assert is_plain(refused.value)
    assert str(tmp_path / FILE_NAME) in str(refused.value)
    assert (tmp_path / FILE_NAME).read_bytes() == content


async def test_a_damaged_page_is_a_sentence_and_not_a_traceback(tmp_path: Path) -> None:
    """STORE-4: damage inside the file shows when it is read."""
    async with opened(tmp_path, policy="none") as memory:
        await say(memory, 60, length=2_000)
    async with database_at(tmp_path) as database:
        await database.all("PRAGMA wal_checkpoint(TRUNCATE)")
    data = bytearray((tmp_path / FILE_NAME).read_bytes())
    assert len(data) > 20 * 4_096
    data[8 * 4_096 :] = b"\xa5" * (len(data) - 8 * 4_096)
    (tmp_path / FILE_NAME).write_bytes(bytes(data))

    with pytest.raises(StorageError) as refused:
        async with opened(tmp_path) as memory:
            await memory.messages(1, 60)

    assert is_plain(refused.value)
    assert isinstance(refused.value, DatabaseDamaged)


async def test_a_data_directory_that_is_a_file_is_named(tmp_path: Path) -> None:
    """ALL-2: the sentence names the path."""
    taken = tmp_path / "taken"
    taken.write_text("mine")

    with pytest.raises(NotWritable, match="can't be written") as refused:
        async with opened(taken):
            pass

    assert is_plain(refused.value)
    assert taken.read_text() == "mine"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a directory nobody can write")
async def test_a_data_directory_that_cannot_be_made_is_named() -> None:
    """ALL-2: a read-only disk, also for root."""
    with pytest.raises(NotWritable) as refused:
        async with opened(Path("/proc/strata")):
            pass

    assert is_plain(refused.value)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
async def test_a_directory_without_permission_is_named(tmp_path: Path) -> None:
    """ALL-2: the folder's permissions are the way out."""
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(NotWritable, match="permissions"):
            async with opened(tmp_path):
                pass
    finally:
        tmp_path.chmod(0o700)


async def test_a_full_disk_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """ALL-2, STORE-2: the message is refused, the session goes on when there is room."""
    async with opened(tmp_path) as memory:
        await say(memory, 5)
        database = memory._journal.database
        pages = (await database.all("PRAGMA page_count"))[0][0]
        await database.all(f"PRAGMA max_page_count = {pages + 4}")

        with pytest.raises(DiskFull, match="is full") as refused:
            await memory.add("user", "x" * 200_000)

        assert is_plain(refused.value)
        assert memory.state.messages == 5
        await database.all("PRAGMA max_page_count = 1000000")
        await memory.add("user", "Room again.")
        assert memory.state.messages == 6

    async with opened(tmp_path) as restarted:
        assert restarted.state.messages == 6


WRITES_UNTIL_FULL = """
import asyncio, resource, signal, sys
from memory.memory import Memory
from memory.errors import StrataError

async def main():
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    async with Memory.open(sys.argv[1], session="s") as memory:
        await memory.add("user", "acknowledged")
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
        try:
            for n in range(100):
                await memory.add("user", "y" * 20_000)
                print("added", flush=True)
        except StrataError as error:
            print("refused:", error, flush=True)

asyncio.run(main())
"""


@pytest.mark.skipif(os.name != "posix", reason="limits the size of files")
async def test_a_disk_that_refuses_to_write_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    """ALL-2, STORE-2: real failures of write(2), the closing of the session included."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", WRITES_UNTIL_FULL, str(tmp_path),
        env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=PIPE, stderr=PIPE,
    )  # fmt: skip
    async with asyncio.timeout(120):
        out, err = [text.decode() for text in await process.communicate()]

    assert process.returncode == 0, err
    assert "refused: The disk that holds" in out
    assert "Traceback" not in err
    added = out.count("added")
    async with opened(tmp_path, session="s") as memory:
        assert memory.state.messages == added + 1
        await memory.add("user", words(1))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OSError(28, "No space left on device", "/full/of/words"), DiskFull),
        (OSError(13, "Permission denied", "/home/full/readonly"), NotWritable),
        (OSError(30, "Read-only file system", "/x"), NotWritable),
    ],
)
def test_errors_are_told_apart_by_their_codes(error: OSError, kind: type[StorageError]) -> None:
    """ALL-2: a folder named `full` is not a full disk."""
    assert type(explain(error, Path("/home/full/strata.db"))) is kind


def test_an_input_output_error_names_the_disk() -> None:
    """ALL-2: what the disk reports is told, without its code."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR | (3 << 8)

    assert isinstance(explain(error, Path("x.db")), DiskFailed)


async def left_by_a_kill(directory: Path, kept: Path) -> None:
    """A data directory as a killed process leaves it: with a write-ahead log."""
    async with opened(directory, vault=False) as memory:
        await say(memory, 20, 4_000)
    async with opened(directory, session="other", vault=False) as memory:
        await memory.add("user", "said last")
        # By a process of its own: to close a file that is open here would give up its locks.
        await (await asyncio.create_subprocess_exec("cp", "-r", str(directory), str(kept))).wait()
    (kept / f"{FILE_NAME}-shm").unlink()


@pytest.fixture
async def killed(tmp_path: Path) -> Path:
    """Its path."""
    await left_by_a_kill(tmp_path / "data", tmp_path / "killed")
    return tmp_path / "killed"


async def test_a_file_cut_short_beside_a_log_is_left_alone(killed: Path) -> None:
    """STORE-4: SQLite would write the log into it when it is closed."""
    file = killed / FILE_NAME
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    before = every_file(killed)
    with pytest.raises(DatabaseDamaged, match="is damaged") as refused:
        async with database_at(killed):
            pass
    assert is_plain(refused.value)
    assert every_file(killed) == before


async def test_a_log_without_its_database_is_left_alone(killed: Path) -> None:
    """STORE-4: a new database would have SQLite remove what was written last."""
    (killed / FILE_NAME).unlink()
    before = every_file(killed)
    with pytest.raises(DatabaseDamaged, match=r"strata\.db is missing") as refused:
        async with database_at(killed):
            pass
    assert is_plain(refused.value)
    assert every_file(killed) == before


@pytest.mark.parametrize("damage", ["noise", "cut"])
async def test_a_damaged_log_is_kept(killed: Path, damage: str) -> None:
    """STORE-4, RECALL-7: once, until something is forgotten; what is sound of it still counts."""
    log = killed / f"{FILE_NAME}-wal"
    whole = log.read_bytes()
    damaged = os.urandom(len(whole)) if damage == "noise" else whole[: len(whole) // 2 + 99]
    log.write_bytes(damaged)
    async with opened(killed, vault=False) as memory:
        (copy,) = killed.glob("*.damaged-*")
        assert copy.read_bytes() == damaged
        assert memory.state.messages == 20
        async with opened(killed, session="third", vault=False):
            assert list(killed.glob("*.damaged-*")) == [copy]
        await memory.forgetting.carry_out(await memory.forgetting.plan("1"))
        assert not copy.exists()


async def test_a_sound_log_is_not_copied(killed: Path) -> None:
    """STORE-2: whoever was killed has lost nothing."""
    over = Wish(session="other", take_over=True)
    async with opened(killed, session=None, wish=over, vault=False) as memory:
        assert memory.state.messages == 1
        assert not list(killed.glob("*.damaged-*"))


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm"])
async def test_a_folder_in_its_place_is_named(tmp_path: Path, suffix: str) -> None:
    """STORE-4: each file of the database."""
    (tmp_path / f"{FILE_NAME}{suffix}").mkdir()
    with pytest.raises(NotWritable, match=f"{FILE_NAME}{suffix} is a folder") as refused:
        async with database_at(tmp_path):
            pass
    assert is_plain(refused.value)


def every_file(directory: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and not path.name.endswith("-shm")
    }
