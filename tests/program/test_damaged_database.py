"""STORE-1, STORE-4: a database that is damaged or too new is told, and left as it is."""

import hashlib
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.program import Program, conversation

COMMANDS: list[tuple[str, ...]] = [
    ("ask", "hello"),
    ("import", "-"),
    ("status",),
    ("log",),
    ("sessions",),
    ("export",),
]
ONE = '{"role": "user", "content": "one more"}'


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with 200 messages."""
    program = Program(tmp_path_factory.mktemp("sound"))
    program.imports("talk", conversation(200))
    return program.data


@pytest.fixture
def copied(program: Program, sound: Path) -> Program:
    """The program on a copy of it."""
    shutil.copytree(sound, program.data)
    return program


def digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _noise(data: bytes) -> bytes:
    return random.Random(1).randbytes(len(data))


def _damaged_header(data: bytes) -> bytes:
    return b"SQLite format 3\x00" + _noise(data[16:100]) + data[100:]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "noise": _noise,
    "a text": lambda data: b"This is a letter to my aunt.\n" * 300,
    "a damaged header": _damaged_header,
    "zeros": lambda data: bytes(len(data)),
}


def refuses(program: Program, command: tuple[str, ...]) -> str:
    """The sentence with which a command refuses a database that it leaves as it is."""
    file = program.data / "strata.db"
    before = digest(file)
    sentence = program.run(*command, stdin=ONE).refused()
    assert str(file) in sentence
    assert digest(file) == before
    return sentence


@pytest.mark.parametrize("damage", DAMAGES)
def test_no_database(copied: Program, damage: str) -> None:
    """STORE-4: it is said, the file is named, and nothing in it is changed."""
    file = copied.data / "strata.db"
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    for command in COMMANDS if damage == "noise" else COMMANDS[:1]:
        assert "damaged" in refuses(copied, command)


def test_a_database_cut_short(copied: Program) -> None:
    """STORE-4: reading it fails in one sentence; it is not cut further or filled up."""
    file = copied.data / "strata.db"
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2 + 77])
    before = digest(file)
    for command in (("export",), ("log",), ("status",)):
        assert "strata.db is damaged" in copied.run(*command).refused()
    assert digest(file) == before


@pytest.mark.parametrize("seed", range(3))
def test_flipped_pages(copied: Program, seed: int) -> None:
    """STORE-4: whatever page is hit, a command works or says in one sentence what is wrong."""
    chance = random.Random(seed)
    file = copied.data / "strata.db"
    data = bytearray(file.read_bytes())
    for _ in range(8):
        page = chance.randrange(1, len(data) // 4096)
        data[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
    file.write_bytes(data)
    before = digest(file)
    for command in COMMANDS[2:]:
        ran = copied.run(*command)
        if ran.status:
            ran.refused()
    assert digest(file) == before
    ran = copied.run("import", "-", "--session", "talk", stdin=ONE)
    assert "Traceback" not in ran.err
    assert ran.status in (0, 1)


def test_a_newer_version(copied: Program) -> None:
    """STORE-1: it is refused with the way out, and not touched."""
    connection = sqlite3.connect(copied.data / "strata.db")
    connection.execute("PRAGMA user_version = 999")
    connection.close()
    for command in COMMANDS:
        sentence = refuses(copied, command)
        assert "newer" in sentence
        assert "Update Strata" in sentence


def test_an_empty_file_is_a_new_database(program: Program) -> None:
    """STORE-1: a file of no bytes holds nothing that could be lost."""
    program.data.mkdir()
    (program.data / "strata.db").touch()
    program.imports("talk", conversation(2))
    assert program.document("status")["messages"] == 2
