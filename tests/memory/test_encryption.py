"""RECALL-7: encryption at rest: nothing readable in any file, and nothing lost on the way."""

import asyncio
import errno
import json
import os
import sqlite3
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from app.encryption import changing
from app.encryption.opening import KEYRING, unlock_by_keyring
from memory import Key
from memory.memory import Memory
from memory.storage import keys, sealing, wrapping
from memory.storage.database import Database
from memory.storage.failures import (
    DatabaseDamaged,
    DatabaseTooNew,
    DiskFull,
    Locked,
    NotEncrypted,
    StorageError,
    WrongKey,
)
from memory.storage.glance import glance
from memory.storage.header import is_encrypted
from memory.storage.inspection import inspect, look_at_pages
from memory.storage.key_file import KeyFileDamaged, read_slots
from memory.storage.places import FILE_NAME, KEY_FILE_NAME
from memory.wish import Wish
from tests.memory.doubles import database_at, every_byte, opened, say

ROOT = Path(__file__).parents[2]
PLANTED = "Falcon-1"
"""Stands in every conversation of `say`."""
KEY = Key.random()
OTHER = Key.random()


@pytest.fixture(autouse=True)
def _nothing_given(tmp_path: Path) -> Iterator[None]:
    yield
    keys.give_up_key(tmp_path)


async def talk(directory: Path, count: int = 6, key: Key | None = None) -> None:
    async with Memory.open(directory, "s", key=key) as memory:
        await say(memory, count)


async def encrypted(directory: Path) -> None:
    """An encrypted directory with six messages; its key is given."""
    await talk(directory)
    sealing.encrypt(directory, keys.fresh(KEY))


def lock_up(directory: Path) -> None:
    """As another process finds it."""
    keys.give_up_key(directory)


def plain_files(directory: Path, *words: str) -> list[str]:
    return [
        path.name
        for path in directory.rglob("*")
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


async def test_a_directory_that_begins_encrypted(tmp_path: Path) -> None:
    """RECALL-7: from the first byte on, with the session open and after it."""
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        await say(memory, 20)
        assert plain_files(tmp_path, PLANTED, "SQLite format 3", "CREATE TABLE") == []
    assert plain_files(tmp_path, PLANTED, "SQLite format 3", "CREATE TABLE") == []
    assert not (tmp_path / "vault").exists()
    assert is_encrypted(tmp_path)

    lock_up(tmp_path)
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        assert memory.state.messages == 20


async def test_encrypting_leaves_nothing_readable(tmp_path: Path) -> None:
    """RECALL-7: database, log beside it, vault and index; all that was said is still there."""
    await talk(tmp_path, 140)
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "data.bin").write_bytes(PLANTED.encode())
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "mcp-files.log.1").write_bytes(PLANTED.encode())
    assert "strata.db" in plain_files(tmp_path, PLANTED)
    assert (tmp_path / "vault").is_dir()

    sealing.encrypt(tmp_path, keys.fresh(KEY))

    assert plain_files(tmp_path, PLANTED, "Ada", "CREATE TABLE") == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["key.json", "log", "strata.db"]
    async with opened(tmp_path, session="s") as memory:
        assert memory.state.messages == 140
        await say(memory, 30)
        assert plain_files(tmp_path, PLANTED) == []
    assert plain_files(tmp_path, PLANTED) == []


async def test_decrypting_brings_all_of_it_back(tmp_path: Path) -> None:
    """RECALL-7: by the standard library's SQLite, and without a key."""
    await encrypted(tmp_path)
    sealing.decrypt(tmp_path)

    assert not (tmp_path / KEY_FILE_NAME).exists()
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    async with opened(tmp_path, session="s") as memory:
        assert memory.state.messages == 6


async def test_another_key_opens_and_the_old_one_does_not(tmp_path: Path) -> None:
    """RECALL-7: the database is written anew under it."""
    await encrypted(tmp_path)
    before = (tmp_path / FILE_NAME).read_bytes()[:16]
    sealing.renew(tmp_path, keys.fresh(OTHER))
    lock_up(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes()[:16] != before
    assert len(read_slots(tmp_path)) == 1
    with pytest.raises(WrongKey, match="does not open"):
        keys.unlock(tmp_path, KEY)
    async with Memory.open(tmp_path, "s", key=OTHER) as memory:
        assert memory.state.messages == 6
    assert plain_files(tmp_path, PLANTED) == []


async def test_a_passphrase_that_is_changed(tmp_path: Path) -> None:
    """RECALL-7: another one leads to the same key; the database is not written."""
    await talk(tmp_path)
    sealing.encrypt(tmp_path, keys.fresh(Key.passphrase("a cold harbour")))
    before = (tmp_path / FILE_NAME).read_bytes()
    data = keys.given_key(tmp_path)
    sealing.rewrap(tmp_path, keys.fresh(Key.passphrase("an old lighthouse"), data))
    lock_up(tmp_path)

    assert (tmp_path / FILE_NAME).read_bytes() == before
    with pytest.raises(WrongKey) as refused:
        keys.unlock(tmp_path, Key.passphrase("a cold harbour"))
    assert "harbour" not in str(refused.value)
    keys.unlock(tmp_path, Key.passphrase("an old lighthouse"))
    assert data.secret.hex() not in (tmp_path / KEY_FILE_NAME).read_text()
    async with opened(tmp_path, session="s") as memory:
        assert memory.state.messages == 6


def test_letters_composed_in_another_way_are_the_same_passphrase() -> None:
    """RECALL-7: what one keyboard sends as one character, another sends as two."""
    secret = os.urandom(32)
    wrapped = wrapping.wrap(secret, unicodedata.normalize("NFC", "Zürich 1234"), 2**10)
    assert wrapping.unwrap(wrapped, unicodedata.normalize("NFD", "Zürich 1234")) == secret
    assert wrapping.unwrap(wrapped, "Zurich 1234") is None


async def test_without_its_key(tmp_path: Path) -> None:
    """RECALL-7: a clear refusal, whichever way it is opened, and nothing is changed."""
    await encrypted(tmp_path)
    lock_up(tmp_path)
    before = every_byte(tmp_path)

    with pytest.raises(Locked, match="is encrypted"):
        async with opened(tmp_path):
            pass
    with pytest.raises(WrongKey):
        async with Memory.open(tmp_path, key=OTHER):
            pass
    with pytest.raises(Locked), inspect(tmp_path / FILE_NAME):
        pass
    assert glance(tmp_path, Wish()) is None
    assert every_byte(tmp_path) == before


async def test_a_key_for_what_is_plain(tmp_path: Path) -> None:
    """RECALL-7: who gives a key counts on it."""
    await talk(tmp_path)
    with pytest.raises(NotEncrypted, match="is not encrypted"):
        async with Memory.open(tmp_path, key=KEY):
            pass


async def test_the_database_is_put_aside_for_a_while(tmp_path: Path) -> None:
    """RECALL-7: a new one does not begin plain where the key was kept; the old one still opens."""
    await encrypted(tmp_path)
    lock_up(tmp_path)
    kept = (tmp_path / FILE_NAME).read_bytes()
    (tmp_path / FILE_NAME).unlink()
    with pytest.raises(Locked):
        async with opened(tmp_path):
            pass
    await talk(tmp_path, 2, KEY)
    assert is_encrypted(tmp_path)
    (tmp_path / FILE_NAME).write_bytes(kept)
    lock_up(tmp_path)
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        assert memory.state.messages == 6


async def test_two_open_it_at_once(tmp_path: Path) -> None:
    """STORE-5, RECALL-7: they see what each other writes; nobody can change the key meanwhile."""
    await encrypted(tmp_path)
    async with opened(tmp_path, session="s") as memory, database_at(tmp_path) as second:
        await memory.add("user", "The tide turns at noon.")
        assert (await second.one("SELECT max(messages) FROM branch")) == (7,)
        for change in (
            "sealing.decrypt(d)",
            "sealing.renew(d, keys.fresh(Key.random()))",
        ):
            ran = in_another_process(tmp_path, change)
            assert "InUse" in ran, ran
            assert "another program" in ran or "Close it there" in ran
        assert plain_files(tmp_path, "tide turns") == []
        await memory.add("user", "And again at six.")


def in_another_process(directory: Path, work: str) -> str:
    secret = KEY.secret
    assert secret is not None
    code = (
        "import sys; from pathlib import Path\n"
        "from memory.storage import keys, sealing\n"
        "from memory.storage.keys import Key\n"
        "d = Path(sys.argv[1]); keys.unlock(d, Key(secret=bytes.fromhex(sys.stdin.read())))\n"
        f"try:\n    {work}\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(directory)],
        input=secret.hex(),
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=60,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


async def test_who_is_in_it_is_named(tmp_path: Path) -> None:
    """RECALL-7: whoever has to be closed first."""
    wish = Wish(session="s", label=f"the chat of process {os.getpid()}")
    await encrypted(tmp_path)
    async with opened(tmp_path, session="s", wish=wish):
        assert wish.label in in_another_process(tmp_path, "sealing.decrypt(d)")


async def test_a_second_copy_needs_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RECALL-7, ALL-2: looked at before anything is begun."""
    await talk(tmp_path)
    monkeypatch.setattr("memory.storage.converting.SPARE_BYTES", 10**18)
    with pytest.raises(DiskFull, match="no room"):
        sealing.encrypt(tmp_path, keys.fresh(KEY))
    assert not is_encrypted(tmp_path)


async def test_damage_is_told_from_a_wrong_key(tmp_path: Path) -> None:
    """RECALL-7, STORE-4: the right key, and a page that is no longer what was written."""
    await talk(tmp_path)
    sealing.encrypt(tmp_path, keys.fresh(KEY))
    sound = (tmp_path / FILE_NAME).read_bytes()
    for first, last in ((0, 8), (100, 200), (5 * 4096, len(sound) - 4096)):
        lock_up(tmp_path)
        data = bytearray(sound)
        data[first:last] = os.urandom(last - first)
        (tmp_path / FILE_NAME).write_bytes(data)
        with pytest.raises(StorageError, match="is damaged") as refused:
            async with Memory.open(tmp_path, "s", key=KEY) as memory:
                await memory.messages(1, 6)
        assert isinstance(refused.value, DatabaseDamaged), first
        assert (tmp_path / FILE_NAME).read_bytes() == data


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff\x00", b'{"databases": [{"opens": "passphrase"}]}', b"[[[["]
)
async def test_a_damaged_key_file(tmp_path: Path, content: bytes) -> None:
    """RECALL-7, STORE-4: named, and left alone; a key of the keyring opens without it."""
    await encrypted(tmp_path)
    lock_up(tmp_path)
    (tmp_path / KEY_FILE_NAME).write_bytes(content)
    with pytest.raises(KeyFileDamaged, match=r"key\.json is damaged"):
        async with opened(tmp_path):
            pass
    assert (tmp_path / KEY_FILE_NAME).read_bytes() == content


async def test_a_missing_key_file(tmp_path: Path) -> None:
    """RECALL-7: bytes open it all the same; a passphrase leads nowhere without it."""
    await encrypted(tmp_path)
    lock_up(tmp_path)
    (tmp_path / KEY_FILE_NAME).unlink()
    with pytest.raises(DatabaseDamaged, match=r"key\.json is missing"):
        async with opened(tmp_path):
            pass
    with pytest.raises(DatabaseDamaged, match=r"key\.json is missing"):
        keys.unlock(tmp_path, Key.passphrase("whatever it was"))
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        assert memory.state.messages == 6


async def test_a_key_file_of_another_directory(tmp_path: Path) -> None:
    """RECALL-7: said before anybody is asked for a passphrase."""
    await encrypted(tmp_path)
    lock_up(tmp_path)
    document = json.loads((tmp_path / KEY_FILE_NAME).read_text())
    document["databases"][0]["salt"] = "ab" * 16
    (tmp_path / KEY_FILE_NAME).write_text(json.dumps(document))
    with pytest.raises(DatabaseDamaged, match="belongs to another one"):
        keys.lock_of(tmp_path)


async def test_what_storage_refuses_is_told_as_of_a_plain_one(tmp_path: Path) -> None:
    """ALL-2, RECALL-7: a full disk, a newer version; nothing that was acknowledged is lost."""
    await encrypted(tmp_path)
    async with opened(tmp_path, session="s") as memory:
        database = memory._journal.database
        pages = (await database.all("PRAGMA page_count"))[0][0]
        await database.all(f"PRAGMA max_page_count = {pages + 4}")
        with pytest.raises(DiskFull, match="is full"):
            await memory.add("user", "x" * 200_000)
        await database.all("PRAGMA max_page_count = 1000000")
        await memory.add("user", "Room again.")
        await database.all("PRAGMA user_version = 99")
    with pytest.raises(DatabaseTooNew, match="newer Strata"):
        async with opened(tmp_path):
            pass


async def test_it_can_be_looked_at(tmp_path: Path) -> None:
    """ALL-5: what doctor reads."""
    await encrypted(tmp_path)
    with inspect(tmp_path / FILE_NAME) as database:
        assert [row.messages for row in database.sessions()] == [6]
    pages = look_at_pages(tmp_path / FILE_NAME, None, thoroughly=True)
    assert (pages.finished, pages.damage, pages.dangling) == (True, (), 0)


async def test_it_is_replaced_while_somebody_waits_to_open_it(tmp_path: Path) -> None:
    """RECALL-7: who comes in at that instant opens the new file, never the old one."""
    await talk(tmp_path)
    secret = KEY.secret
    assert secret is not None
    code = (
        "import sys; from pathlib import Path\n"
        "from memory.storage import keys, sealing\n"
        "from memory.storage.keys import Key\n"
        "import memory.storage.converting as converting\n"
        "check = converting._check\n"
        "def slowly(*given):\n"
        "    check(*given); print('alone', flush=True); sys.stdin.readline()\n"
        "converting._check = slowly\n"
        "key = Key(secret=bytes.fromhex(sys.stdin.readline()))\n"
        "sealing.encrypt(Path(sys.argv[1]), keys.fresh(key))\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, str(tmp_path),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{secret.hex()}\n".encode())
    assert await process.stdout.readline() == b"alone\n"
    waiting = asyncio.create_task(Database.open(tmp_path))
    await asyncio.sleep(0.2)
    assert not waiting.done()
    process.stdin.write(b"go on\n")
    assert await process.wait() == 0
    with pytest.raises(Locked):
        await waiting
    assert plain_files(tmp_path, PLANTED, "CREATE TABLE") == []
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        assert memory.state.messages == 6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forks of a process")
def test_a_change_that_is_killed(tmp_path: Path) -> None:
    """RECALL-7: at every instant of it the directory opens, by the old way or by the new one."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "tests.memory.killed_changes", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=250,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    assert {name: sorted(ways) for name, ways in found.items()} == {
        "encrypt": ["new", "plain"],
        "renew": ["new", "old"],
        "decrypt": ["old", "plain"],
    }


TALKS = """
import asyncio, sys
from memory import Key, Memory

async def main():
    key = Key(secret=bytes.fromhex(sys.stdin.read()))
    async with Memory.open(sys.argv[1], "s", key=key) as memory:
        while True:
            await memory.add("user", f"Note {memory.state.messages}: Ada flew Falcon-1 to Lisbon.")
            print(memory.state.messages, flush=True)

asyncio.run(main())
"""


async def test_a_kill_in_the_middle_of_writing(tmp_path: Path) -> None:
    """RECALL-7, STORE-2: what lies there is unreadable, and what was acknowledged is there."""
    secret = KEY.secret
    assert secret is not None
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", TALKS, str(tmp_path),
        stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(secret.hex().encode())
    process.stdin.close()
    for _ in range(40):
        acknowledged = int(await process.stdout.readline())
    process.kill()
    await process.wait()
    assert (tmp_path / f"{FILE_NAME}-wal").exists()
    assert plain_files(tmp_path, PLANTED, "Ada flew", "CREATE TABLE") == []
    async with Memory.open(tmp_path, "s", key=KEY) as memory:
        assert memory.state.messages >= acknowledged


async def test_a_way_to_another_key_is_not_taken_for_one_to_this(tmp_path: Path) -> None:
    """RECALL-7: it would lose the database."""
    await encrypted(tmp_path)
    before = (tmp_path / KEY_FILE_NAME).read_bytes()
    with pytest.raises(ValueError, match="lose"):
        sealing.rewrap(tmp_path, keys.fresh(OTHER))
    assert (tmp_path / KEY_FILE_NAME).read_bytes() == before


def _no_room(*_: object) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


async def test_the_disk_is_full_once_the_new_file_is_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RECALL-7, ALL-2: it is encrypted by then, and its key is kept and opens it."""
    kept: dict[str, str] = {}
    keyring = ModuleType("keyring")
    keyring.get_password = lambda _, name: kept.get(name)  # type: ignore[attr-defined]
    keyring.set_password = lambda _, name, key: kept.update({name: key})  # type: ignore[attr-defined]
    keyring.delete_password = lambda _, name: kept.pop(name)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "keyring", keyring)
    await talk(tmp_path)
    with monkeypatch.context() as full:
        # Where files are copied as they are written, writing over one takes room.
        full.setattr(os, "pwrite", _no_room)
        changing.encrypt(tmp_path, KEYRING)
    lock_up(tmp_path)
    lock = keys.lock_of(tmp_path)
    assert lock is not None
    unlock_by_keyring(tmp_path, lock)
    async with opened(tmp_path, session="s") as memory:
        assert memory.state.messages == 6
