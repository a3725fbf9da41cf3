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
