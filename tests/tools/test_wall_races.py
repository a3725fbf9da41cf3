"""ALL-8: who swaps a file for a link while it is being opened gains nothing."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.tools.opening import open_file, open_folder
from app.tools.troubles import FileTrouble
from app.tools.walking import Walk
from app.tools.workspace import Workspace

SECRET = "wombat-4711"
ENOUGH = 200
"""Attempts of either outcome after which a race was one."""
LONGEST_S = 4.0


@pytest.fixture
def ground(tmp_path: Path) -> Path:
    """The same names inside and outside, and links from one to the other."""
    for folder, text in (("workspace/folder", "fine"), ("outside", SECRET)):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "note.txt").write_text(text)
    (tmp_path / "outside" / SECRET).write_text(SECRET)
    workspace = tmp_path / "workspace"
    (workspace / "folder_link").symlink_to("../outside")
    (workspace / "note.txt").write_text("fine")
    (workspace / "note.txt_link").symlink_to("../outside/note.txt")
    return tmp_path


@contextmanager
def swapping(workspace: Path, name: str) -> Iterator[None]:
    """A thread that puts a link in a name's place and takes it away again, all the time."""
    done = threading.Event()
    real, link, at_rest = workspace / name, workspace / f"{name}_link", workspace / f"{name}_real"

    def swap() -> None:
        while not done.is_set():
            real.rename(at_rest)
            link.rename(real)
            real.rename(link)
            at_rest.rename(real)

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def tried(attempt: Callable[[], str]) -> tuple[int, int]:
    """Repeats an attempt until both outcomes were frequent; how often each was."""
    seen = refused = 0
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end and min(seen, refused) < ENOUGH:
        try:
            text = attempt()
        except FileTrouble:
            refused += 1
        else:
            assert SECRET not in text
            seen += 1
    return seen, refused


@pytest.mark.parametrize("handles", [True, False], ids=["by handle", "by path"])
@pytest.mark.parametrize(
    ("swapped", "path"), [("note.txt", "note.txt"), ("folder", "folder/note.txt")]
)
def test_a_link_swapped_in_while_reading_is_not_followed(
    ground: Path, swapped: str, path: str, handles: bool
) -> None:
    """CHAT-10: what is read is the file inside, or nothing."""
    workspace = Workspace.at(ground / "workspace", handles)
    inside = Workspace.at(ground / "workspace", handles).place(path)

    def read() -> str:
        with open_file(workspace.place(path)) as file:
            return file.read().decode()

    def read_what_was_looked_up_before() -> str:
        with open_file(inside) as file:
            return file.read().decode()

    with swapping(ground / "workspace", swapped):
        outcomes = tried(read), tried(read_what_was_looked_up_before)
    assert all(min(seen_and_refused) > 0 for seen_and_refused in outcomes)


def test_a_link_swapped_in_while_listing_is_not_followed(ground: Path) -> None:
    """CHAT-10: neither in the folder that is asked for nor in one that a walk comes by."""
    workspace = Workspace.at(ground / "workspace")
    folder = workspace.place("folder")

    def list_it() -> str:
        with open_folder(folder) as opened:
            return " ".join(entry.name for entry in opened.entries())

    def walk() -> str:
        walked = Walk(workspace.place("."))
        return " ".join(found.inside for found in walked if found.kind == "file")

    with swapping(ground / "workspace", "folder"):
        listed = tried(list_it)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            assert SECRET not in walk()
    assert min(listed) > 0


def test_a_place_stays_shut_once_a_link_stands_there(ground: Path) -> None:
    """CHAT-10: a place that was looked up is looked at again when it is opened."""
    root = ground / "workspace"
    for handles in (True, False):
        (root / "a.txt").unlink(missing_ok=True)
        (root / "a.txt").write_text("fine")
        place = Workspace.at(root, handles).place("a.txt")
        (root / "a.txt").unlink()
        (root / "a.txt").symlink_to("../outside/note.txt")
        with pytest.raises(FileTrouble, match="is a link"):
            open_file(place).close()


def test_a_pipe_swapped_in_does_not_hang(ground: Path) -> None:
    """CHAT-10: a pipe that nobody writes to is refused at once."""
    root = ground / "workspace"
    place = Workspace.at(root).place("note.txt")
    (root / "note.txt").unlink()
    os.mkfifo(root / "note.txt")
    with pytest.raises(FileTrouble, match="device, a pipe or a socket"):
        open_file(place).close()


@pytest.mark.parametrize("handles", [True, False], ids=["by handle", "by path"])
@pytest.mark.parametrize("back", [True, False], ids=["and back", "for good"])
@pytest.mark.parametrize("swapped", ["folder", "folder/note.txt"])
def test_the_worst_instant(
    ground: Path, swapped: str, back: bool, handles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-8: a link that stands there exactly while the system opens the file gains nothing."""
    root = ground / "workspace"
    target = ground / "outside" / Path(swapped).relative_to("folder")
    (root / "link").symlink_to(target)
    place = Workspace.at(root, handles).place("folder/note.txt")
    system_open = os.open

    def swap() -> None:
        (root / swapped).rename(root / "rest")
        (root / "link").rename(root / swapped)

    def opened(path: str | Path, flags: int, *, dir_fd: int | None = None) -> int:
        if Path(path).name != Path(swapped).name and handles:
            return system_open(path, flags, dir_fd=dir_fd)
        swap()
        try:
            # As on systems that can't be told not to follow links.
            return system_open(path, flags if handles else flags & ~os.O_NOFOLLOW, dir_fd=dir_fd)
        finally:
            if back:
                (root / swapped).rename(root / "link")
                (root / "rest").rename(root / swapped)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(FileTrouble), open_file(place) as file:
        assert SECRET not in file.read().decode()


@pytest.mark.parametrize("handles", [True, False], ids=["by handle", "by path"])
def test_a_workspace_swapped_for_a_link_stays_shut(ground: Path, handles: bool) -> None:
    """ALL-8: places that were looked up before do not move with the root."""
    root = ground / "workspace"
    place = Workspace.at(root, handles).place("note.txt")
    root.rename(ground / "moved")
    root.symlink_to("outside")
    with pytest.raises(FileTrouble):
        open_file(place).close()
    with pytest.raises(FileTrouble):
        list(Walk(place))


@pytest.mark.parametrize("handles", [True, False], ids=["by handle", "by path"])
def test_what_is_no_file_is_not_even_opened(
    ground: Path, handles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-10: opening some devices does something, such as rewinding a tape."""
    os.mkfifo(ground / "workspace" / "pipe")
    place = Workspace.at(ground / "workspace", handles).place("pipe")
    system_open, names = os.open, []

    def opened(path: str | Path, flags: int, *, dir_fd: int | None = None) -> int:
        names.append(Path(path).name)
        return system_open(path, flags, dir_fd=dir_fd)

    monkeypatch.setattr(os, "open", opened)
    with pytest.raises(FileTrouble, match="device, a pipe or a socket"):
        open_file(place).close()
    assert "pipe" not in names
