"""RECALL-2, STORE-4 and STORE-5: the vector index, with the real Chroma in its own process."""

import asyncio
import os
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.backend.index_folder import DAMAGED, FOLDER, LOCK, kept_aside
from app.backend.protocol import BackendSettings
from app.backend.vector_client import IndexUnavailable
from app.host.locks import FileLock
from tests.support.vectors import (
    SPACE,
    Index,
    chroma_server,
    entries,
    free_port,
    index_of,
    packed,
    vector,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")

MANY = 1_030
"""Chroma writes its graph to the disk after a thousand."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Index]:
    """One index for many tests, since starting Chroma costs a second."""
    async with index_of(tmp_path_factory.mktemp("data")) as index:
        yield index


@pytest.fixture
def index(shared: Index, request: pytest.FixtureRequest) -> Index:
    """A space of its own in the index."""
    return shared.of(request.node.name)


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def until(condition: Callable[[], bool]) -> None:
    """Waits until the index has done what it does by itself."""
    while not condition():  # noqa: ASYNC110 (what a child process does tells nobody)
        await asyncio.sleep(0.02)


async def failure_of(index: Index) -> str:
    """Searches until it fails, and tells what was said then."""
    while True:
        try:
            await index.nearest(1)
        except IndexUnavailable as failure:
            return failure.sentence
        await asyncio.sleep(0.01)


# -- what it is for


async def check_searches(index: Index) -> None:
    assert await index.known() == frozenset()
    await index.add(range(90))
    (first, cosine), *others = await index.client.nearest(index.space, vector(7), 5)
    assert first == 7
    assert abs(cosine - 1) < 1e-5
    assert [c for _, c in others] == sorted((c for _, c in others), reverse=True)
    of_two = await index.nearest(7, 90, ["s0", "s2", "nobody"])
    assert sorted(of_two) == [number for number in range(90) if number % 3 != 1]
    assert await index.nearest(7, 5, []) == []
    await index.add([7], "other")
    assert await index.nearest(7, 5, ["other"]) == [7]
    await index.remove(7, 4711)
    assert 7 not in await index.nearest(7, 90)
    assert await index.known() == frozenset(range(90)) - {7}
    assert index.notes == []


async def test_what_was_added_is_found_by_its_nearness(index: Index) -> None:
    """RECALL-2: added, found, of some sessions only, replaced, removed."""
    await check_searches(index)
    assert index.kind == "chroma"


async def test_vectors_in_memory_are_found_alike(tmp_path: Path) -> None:
    """RECALL-7: beside an encrypted database nothing is written."""
    (tmp_path / "strata.db").write_bytes(b"\x07" * 64)
    async with index_of(tmp_path) as index:
        await check_searches(index)
        assert index.kind == "memory"
    assert [path.name for path in tmp_path.iterdir()] == ["strata.db"]


async def test_spaces_do_not_mix(shared: Index) -> None:
    """RECALL-2: whatever an agent is called, its vectors are its own."""
    spaces = [shared.of(name) for name in ("..", "a/b", "a b", "Ä" * 300, "a" * 300, "")]
    for n, space in enumerate(spaces):
        assert await space.known() == frozenset()
        await space.add([n])
        assert space.folder.parent == shared.data / FOLDER
        assert space.folder.is_dir()
    for n, space in enumerate(spaces):
        assert await space.known() == {n}


async def test_nothing_starts_before_a_space_is_opened(tmp_path: Path) -> None:
    """RECALL-2: neither a process nor a folder."""
    async with index_of(tmp_path) as index:
        with pytest.raises(IndexUnavailable, match="not open"):
            await index.nearest(1)
    assert list(tmp_path.iterdir()) == []


async def test_it_is_there_again_at_the_next_start(tmp_path: Path) -> None:
    """RECALL-2, RECALL-7: until the database is encrypted; then no vector stays on the disk."""
    async with index_of(tmp_path) as index:
        await index.known()
        await index.add(range(40))
        await index.restart()
        assert await index.nearest(3) == [3]
        assert await index.known() == frozenset(range(40))
        (tmp_path / "strata.db").write_bytes(b"\x07" * 64)
        assert await index.known() == frozenset()
        assert index.kind == "memory"
        await index.add(range(4))
        assert not (tmp_path / FOLDER).exists()
        assert packed(vector(1)) not in bytes_below(tmp_path)


async def test_a_backend_that_is_killed_takes_chroma_with_it(tmp_path: Path) -> None:
    """STORE-5: the index is free for whoever comes next, here the backend that comes after it."""
    backend = await Backend.start(BackendSettings(tmp_path, tmp_path))
    vectors = backend.vectors
    try:
        assert await vectors.known(SPACE, 16) == frozenset()
        await vectors.add(SPACE, entries(range(300)))
        os.kill((await backend.ping())["pid"], signal.SIGKILL)
        while True:
            try:
                found = await vectors.nearest(SPACE, vector(222), 2)
            except IndexUnavailable:
                continue
            break
        assert found[0][0] == 222
        assert vectors.kind == "chroma"
    finally:
        await backend.close()
    lock = FileLock(tmp_path / LOCK)
    await until(lambda: not lock.held_by_other())


# -- removing


async def test_a_removed_vector_stands_in_no_file(index: Index) -> None:
    """RECALL-7: the moment it returns, also in what was kept aside; the rest is always found."""
    index.folder.mkdir(parents=True)
    (index.folder / "chroma.sqlite3").write_bytes(packed(vector(5)) * 3)
    await index.known()
    assert len(kept_aside(index.data, index.space)) == 1
    await index.add(range(MANY))
    root = index.folder.parent
    former = root / "of-a-former-embedder"
    former.mkdir()
    (former / "vectors.bin").write_bytes(packed(vector(5)))
    assert packed(vector(5)) in bytes_below(index.folder)
    await index.remove(5)
    assert not former.exists()
    assert packed(vector(5)) not in bytes_below(index.folder)
    assert kept_aside(index.data, index.space) == []
    assert await index.nearest(6) == [6]
    await index.add(range(MANY, MANY + 3))
    await index.remove(6)
    await until(lambda: not (index.folder / "refilling").exists())
    assert packed(vector(MANY - 1)) in bytes_below(index.folder)
    assert packed(vector(6)) not in bytes_below(root / index.folder.name)
    await index.restart()
    assert await index.nearest(9) == [9]
    assert await index.known() == frozenset(range(MANY + 3)) - {5, 6}


async def test_a_removal_that_was_cut_short_loses_nothing_in_silence(index: Index) -> None:
    """STORE-2: killed while the rest is put back, the space says that it was begun anew."""
    await index.known()
    await index.add(range(MANY))
    await index.remove(5)
    os.kill(index.pid, signal.SIGKILL)
    await failure_of(index)
    while await index.known() != frozenset():
        pass  # that its process has ended may be seen a moment later
    await index.add(range(3))
    assert await index.nearest(2) == [2]


# -- damage


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def fill(path: Path) -> None:
    path.write_bytes(os.urandom(path.stat().st_size))


def wipe(path: Path) -> None:
    os.truncate(path, 0)


def relabel(path: Path) -> None:
    path.write_text('{"space": "default/another-model", "dimensions": 16}')


DAMAGES: list[tuple[str, Callable[[Path], None]]] = [
    ("chroma.sqlite3", cut),
    ("chroma.sqlite3", fill),
    ("chroma.sqlite3", Path.unlink),
    ("*/header.bin", wipe),
    ("*/header.bin", Path.unlink),
    ("*/data_level0.bin", wipe),
    ("*/data_level0.bin", fill),
    ("*/length.bin", fill),
    ("*/index_metadata.pickle", cut),
    ("*/link_lists.bin", Path.unlink),
    ("space.json", Path.unlink),
    ("space.json", relabel),
]


async def test_damage_is_told_kept_aside_and_begun_anew(index: Index, tmp_path: Path) -> None:
    """STORE-4: each file, each kind of damage; noise in a graph even ends Chroma's process."""
    folder, whole = index.folder, tmp_path / "whole"
    await index.known()
    await index.add(range(MANY))
    shutil.copytree(folder, whole)
    for n, (file, damage) in enumerate(DAMAGES):
        for path in (folder, *kept_aside(index.data, index.space)):
            shutil.rmtree(path)
        shutil.copytree(whole, folder)
        (path,) = folder.glob(file)
        damage(path)
        damaged = bytes_below(folder)
        assert await index.known() == frozenset(), (file, damage)
        assert index.kind == "chroma"
        assert len(index.notes) == n + 1
        assert f"{folder} is damaged. It is kept as {folder.name}{DAMAGED}" in index.notes[-1]
        assert "made again from the database" in index.notes[-1]
        (aside,) = kept_aside(index.data, index.space)
        assert len(bytes_below(aside)) >= len(damaged) // 2
    await index.add(range(4))
    assert await index.nearest(3) == [3]
    shutil.rmtree(folder)
    shutil.copytree(whole, folder)
    assert await index.known() == frozenset(range(MANY))
    assert len(index.notes) == len(DAMAGES)


async def test_an_index_deleted_in_use_is_begun_anew(index: Index) -> None:
    """RECALL-2, STORE-4: it can be deleted at any time; what stands in its place is kept aside."""
    await index.known()
    await index.add(range(4))
    shutil.rmtree(index.folder)
    with pytest.raises(IndexUnavailable, match="was removed"):
        await index.nearest(1)
    assert await index.known() == frozenset()
    assert index.notes == []
    shutil.rmtree(index.data / FOLDER)
    (index.data / FOLDER).write_text("mine")
    assert await index.known() == frozenset()
    (aside,) = kept_aside(index.data)
    assert aside.read_text() == "mine"
    assert "is damaged" in index.notes[0]
    assert index.kind == "chroma"
    aside.unlink()


async def test_where_nothing_can_be_written_memory_stands_in(tmp_path: Path) -> None:
    """STORE-4: the user is told once, and recall works on."""
    data = tmp_path / "data"
    data.write_text("no folder")
    async with index_of(data) as index:
        for _ in range(2):
            assert await index.known() == frozenset()
            index.now[0] += 1_000
        assert index.kind == "memory"
        await index.add(range(3))
        assert await index.nearest(2) == [2]
        assert len(index.notes) == 1
        assert "kept in memory" in index.notes[0]


# -- its process


async def test_a_crash_fails_what_was_asked_and_nothing_else(
    index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-4: Chroma's process may die or hang; the next request finds it well again."""
    await index.known()
    await index.add(range(40))
    os.kill(index.pid, signal.SIGSTOP)
    hanging = asyncio.create_task(index.nearest(3))
    await asyncio.sleep(0)  # the request goes out
    os.kill(index.pid, signal.SIGKILL)
    with pytest.raises(IndexUnavailable, match="stopped unexpectedly"):
        await hanging
    assert await index.nearest(3) == [3]
    os.kill(index.pid, signal.SIGSTOP)
    monkeypatch.setattr("app.backend.vectors.WORK_S", 0.05)
    with pytest.raises(IndexUnavailable, match="did not answer in time"):
        await index.nearest(3)
    monkeypatch.undo()
    assert await index.known() == frozenset(range(40))
    assert index.notes == []


async def test_two_processes_share_a_data_directory(tmp_path: Path) -> None:
    """STORE-5: the second keeps vectors in memory, and takes the index once the first is killed.

    RECALL-7: what it removes leaves the first one's files at once.
    """
    async with index_of(tmp_path) as first, index_of(tmp_path) as second:
        await first.known()
        await first.add(range(4))
        assert await second.known() == frozenset()
        assert [first.kind, second.kind] == ["chroma", "memory"]
        await second.add(range(9))
        assert await second.nearest(8) == [8]
        assert second.notes == []
        await second.remove(2)
        assert packed(vector(2)) not in bytes_below(tmp_path)
        with pytest.raises(IndexUnavailable, match="was removed"):
            await first.nearest(2)
        assert await first.known() == frozenset()
        await first.add(range(4))
        os.kill(first.pid, signal.SIGKILL)
        second.now[0] += 1_000
        assert "begun anew" in await failure_of(second)
        assert await second.known() == frozenset(range(4))
        assert second.kind == "chroma"


# -- a server


async def test_two_machines_share_a_server(tmp_path: Path) -> None:
    """RECALL-2: each sees its own; while it is away memory stands in."""
    port = free_port()
    homes = [tmp_path / "one", tmp_path / "two"]
    for home in homes:
        home.mkdir()
    url = f"http://127.0.0.1:{port}"
    async with index_of(homes[0], url) as one, index_of(homes[1], url) as two:
        with chroma_server(tmp_path / "server", port):
            assert await one.known() == await two.known() == frozenset()
            assert [one.kind, two.kind] == ["server", "server"]
            await one.add(range(6))
            await two.add(range(4, 8))
            await two.remove(5)
            assert await one.nearest(5, 90) != await two.nearest(5, 90)
            assert await one.nearest(5) == [5]
            assert await one.known() == frozenset(range(6))
            assert await two.known() == {4, 6, 7}
        with pytest.raises(IndexUnavailable, match="can't be used"):
            await one.nearest(1)
        assert await one.known() == frozenset()
        assert one.kind == "memory"
        assert f"Chroma server at 127.0.0.1:{port} does not answer" in one.notes[0]
        await one.add(range(2))
        assert await one.nearest(1) == [1]
        with chroma_server(tmp_path / "server", port):
            one.now[0] += 1_000
            assert "begun anew" in await failure_of(one)
            assert await one.known() == frozenset(range(6))
            assert [one.kind] == ["server"]
    assert not (homes[0] / FOLDER).exists()
