"""ALL-5: what the doctor says of the vector index."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from app.backend.index_folder import FOLDER, LOCK, Label, space_folder, write_label
from app.doctor.check import Check
from app.doctor.index import index_checks
from app.host.locks import FileLock
from tests.support.vectors import free_port

HOLD = """
import sys
from pathlib import Path
from app.host.locks import FileLock
FileLock(Path(sys.argv[1])).try_acquire("4711") and print("held", flush=True)
sys.stdin.read()
"""


def space(data: Path, name: str, vectors: int) -> Path:
    """A folder as Chroma leaves it, as far as the doctor looks."""
    folder = space_folder(data, name)
    folder.mkdir(parents=True)
    write_label(folder, Label(name, 16))
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as tables, tables:
        tables.execute("CREATE TABLE embeddings (id INTEGER PRIMARY KEY)")
        tables.executemany("INSERT INTO embeddings VALUES (?)", [(n,) for n in range(vectors)])
    return folder


def found(data: Path, url: str | None = None) -> dict[str, Check]:
    return {check.name: check for check in index_checks(data, url)}


def test_nothing_is_there_yet(tmp_path: Path) -> None:
    """ALL-5: that is as it should be."""
    checks = found(tmp_path)
    assert [check.state for check in checks.values()] == ["ok"]


def test_what_it_holds_and_who_uses_it(tmp_path: Path) -> None:
    """ALL-5, STORE-5: the vectors of all spaces; looking takes the index from nobody."""
    space(tmp_path, "one", 3)
    space(tmp_path, "two", 4)
    assert "7 vectors in 2 spaces" in found(tmp_path)["vectors"].sentence
    assert found(tmp_path)["in use"].sentence == "No Strata uses it now."
    with subprocess.Popen(
        [sys.executable, "-P", "-c", HOLD, tmp_path / LOCK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert "process 4711" in found(tmp_path)["in use"].sentence
        assert "7 vectors" in found(tmp_path)["vectors"].sentence
        holder.communicate()
    with FileLock(tmp_path / LOCK) as lock:
        assert lock.try_acquire()


@pytest.mark.parametrize("file", ["chroma.sqlite3", "space.json"])
def test_damage_is_named_with_the_way_out(tmp_path: Path, file: str) -> None:
    """STORE-4: the folder, and that it is made again."""
    folder = space(tmp_path, "one", 3)
    (folder / file).write_bytes(b"\x07" * 4096)
    damage = found(tmp_path)["damage"]
    assert damage.state == "problem"
    assert damage.sentence == f"{folder} is damaged."
    assert "made again by itself" in damage.next_step


def test_what_was_kept_aside_is_told(tmp_path: Path) -> None:
    """STORE-4: the user decides when it goes."""
    space(tmp_path, "one", 1)
    (tmp_path / FOLDER / "two.damaged-20261121-120000").mkdir()
    assert found(tmp_path)["kept aside"].state == "note"
    assert "1 space" in found(tmp_path)["vectors"].sentence


def test_beside_an_encrypted_database_there_must_be_none(tmp_path: Path) -> None:
    """RECALL-7: vectors tell much of what was said."""
    (tmp_path / "strata.db").write_bytes(b"\x07" * 64)
    assert found(tmp_path)["vectors"].state == "ok"
    space(tmp_path, "one", 1)
    assert found(tmp_path)["vectors"].state == "problem"


def test_a_server_is_asked_only_on_this_machine(tmp_path: Path) -> None:
    """ALL-3, ALL-5: elsewhere its address is told, without what it may hold of secrets."""
    away = found(tmp_path, f"http://127.0.0.1:{free_port()}")["vectors"]
    assert away.state == "problem"
    assert "recall.chroma_url" in away.next_step
    far = found(tmp_path, "https://me:secret@chroma.example.org:8443")["vectors"]
    assert far.state == "ok"
    assert "chroma.example.org:8443" in far.sentence
    assert "secret" not in far.sentence
