"""CHAT-10, ALL-8: whatever a model writes as a path, nothing outside the workspace is seen."""

import asyncio
import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.tools.opening import open_file, open_folder
from app.tools.search_request import SearchRequest
from app.tools.searching import search
from app.tools.troubles import FileTrouble, OutsideWorkspace
from app.tools.walking import Walk
from app.tools.workspace import Place, Workspace, wrong_on_windows
from tests.tools.file_desk import FileDesk

SECRET = "wombat-4711"
"""Stands in each file outside, and is the name of one."""

LINKS = {
    "file_link": "../outside/secret.txt",
    "file_link_by_whole_path": "{outside}/secret.txt",
    "folder_link": "../outside",
    "folder_link_by_whole_path": "{outside}",
    "long_way": "docs/../../outside",
    "chain": "chain_2",
    "chain_2": "docs/chain_3",
    "docs/chain_3": "../folder_link",
    "dangling": "../outside/nothing",
    "dangling_by_whole_path": "/nowhere/at/all",
    "circle": "circle_2",
    "circle_2": "circle",
    "itself": "itself",
    "docs/up": "../..",
    "docs/home": "{home}",
    "to_the_root": "/",
    "to_proc_root": "/proc/self/root",
    "to_proc_cwd": "/proc/self/cwd",
    "to_proc_fd": "/proc/self/fd",
    "to_environment": "/proc/self/environ",
    "to_device": "/dev/zero",
    "to_terminal": "/dev/tty",
    "through_a_file": "ok.txt/../../outside/secret.txt",
    "back_in_and_out": "../workspace/docs/../../outside",
}

ESCAPES = (
    "..",
    "../",
    "../outside",
    "../outside/secret.txt",
    "./../outside/secret.txt",
    "docs/../../outside/secret.txt",
    "docs/../docs/.././../outside/secret.txt",
    "nothing/../../outside/secret.txt",
    "nothing/nothing/../../../outside/secret.txt",
    "../workspace/../outside/secret.txt",
    "..//outside//secret.txt",
    ".././/outside/./secret.txt",
    "../../../../../../../../../../../../../etc/passwd",
    "{outside}",
    "{outside}/secret.txt",
    "{workspace}/../outside/secret.txt",
    "{workspace}-beside/secret.txt",
    "//{outside}/secret.txt",
    "///{outside}/secret.txt",
    "/",
    "//",
    "/etc/passwd",
    "~",
    "~/",
    "~/secret.txt",
    "~/../outside/secret.txt",
    "~root/secret.txt",
    "~nobody",
    "/proc/self/cwd/../outside/secret.txt",
    "/proc/self/root/etc/passwd",
    "/proc/self/environ",
    "/proc/self/mem",
    "/dev/stdin",
    "/dev/fd/0",
    "file_link",
    "file_link_by_whole_path",
    "folder_link",
    "folder_link/",
    "folder_link/.",
    "folder_link/secret.txt",
    "folder_link/deep/secret.txt",
    "folder_link/../outside/secret.txt",
    "folder_link_by_whole_path/secret.txt",
    "long_way/secret.txt",
    "chain/secret.txt",
    "docs/chain_3/secret.txt",
    "docs/up/outside/secret.txt",
    "docs/up/workspace/docs/up/outside/secret.txt",
    "docs/home/secret.txt",
    "dangling",
    "dangling_by_whole_path",
    "circle",
    "circle/../../outside/secret.txt",
    "itself/itself",
    "to_the_root",
    "to_the_root/etc/passwd",
    "to_proc_root/etc/passwd",
    "to_proc_cwd/../outside/secret.txt",
    "to_proc_fd/0",
    "to_environment",
    "to_device",
    "to_terminal",
    "through_a_file",
    "back_in_and_out/secret.txt",
    "ok.txt/../../outside/secret.txt",
    "ok.txt/secret.txt",
    "%2e%2e/outside/secret.txt",
    "..%2foutside%2fsecret.txt",
    "%2e%2e%2foutside",
    "file://{outside}/secret.txt",
    "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}/outside/secret.txt",
    "..\N{FRACTION SLASH}outside\N{FRACTION SLASH}secret.txt",
    "..\N{FULLWIDTH SOLIDUS}outside",
    "\N{TWO DOT LEADER}/outside/secret.txt",
    "..\u200b/outside/secret.txt",
    "\u202e../outside/secret.txt",
    "..\\outside\\secret.txt",
    "C:\\outside\\secret.txt",
    "C:/outside/secret.txt",
    "\\\\server\\share\\secret.txt",
    "\\\\?\\C:\\secret.txt",
    ".. /outside/secret.txt",
    "... /outside/secret.txt",
    ".../outside/secret.txt",
    " ../outside/secret.txt",
    "../outside/secret.txt\n",
    "ok.txt\0../outside/secret.txt",
    "../outside/secret.txt\0.md",
    "../outside/secret.txt\r\n",
    "\x1b[A../outside/secret.txt",
    "../outside/secret.txt::$DATA",
    "$HOME/secret.txt",
    "${HOME}/secret.txt",
    "%USERPROFILE%/secret.txt",
    "`cat ../outside/secret.txt`",
    "$(cat ../outside/secret.txt)",
    "docs/*/../../../outside/secret.txt",
    "../out*/secret.txt",
    "-/../../outside/secret.txt",
    "a/" * 3_000 + "secret.txt",
    "../" * 2_000 + "etc/passwd",
    "x" * 5_000,
    "x" * 300,
    "\ud800/../../outside/secret.txt",
    "../outside/\udcff",
    "pipe",
    "socket",
)  # fmt: skip


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace full of links, and secrets beside it, also in the home directory."""
    ground = tmp_path_factory.mktemp("ground")
    outside, workspace, home = ground / "outside", ground / "workspace", ground / "home"
    for folder in (outside / "deep", workspace / "docs", home, ground / "workspace-beside"):
        folder.mkdir(parents=True)
    for folder in (outside, outside / "deep", home, ground / "workspace-beside"):
        (folder / "secret.txt").write_text(f"the secret is {SECRET}\n")
        (folder / SECRET).write_text(SECRET)
    (workspace / "ok.txt").write_text("nothing special\n")
    for name, target in LINKS.items():
        (workspace / name).symlink_to(target.format(outside=outside, home=home))
    os.mkfifo(workspace / "pipe")
    with socket.socket(socket.AF_UNIX) as made, pytest.MonkeyPatch.context() as patch:
        patch.chdir(workspace)  # names of sockets are short
        made.bind("socket")
    return ground


@pytest.fixture(autouse=True)
def at_home(ground: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The home directory holds a secret, and the program runs in the workspace."""
    monkeypatch.setenv("HOME", str(ground / "home"))
    monkeypatch.setenv("STRATA_TEST_SECRET", SECRET)
    monkeypatch.chdir(ground / "workspace")


def written(text: str, ground: Path) -> str:
    if "{" in text and "${" not in text:
        return text.format(outside=ground / "outside", workspace=ground / "workspace")
    return text


@pytest.mark.parametrize("escape", ESCAPES, ids=lambda text: ascii(text[:60]))
async def test_no_path_leads_out(escape: str, ground: Path) -> None:
    """CHAT-10: neither reading nor listing nor searching shows anything of what is outside."""
    desk = FileDesk((ground / "workspace").resolve())
    path = written(escape, ground)
    async with asyncio.timeout(120):
        results = [
            await desk.run("read_file", path=path),
            await desk.run("list_files", path=path, depth=9),
            await desk.run("list_files", path=path, pattern="**/*"),
            await desk.run("search_files", path=path, pattern="wombat.*|root:.*"),
        ]
    for result in results:
        assert not result.ok
        assert result.error
        assert SECRET not in result.text
        assert "root:" not in result.text


async def test_the_searching_process_has_the_wall_as_well(ground: Path) -> None:
    """ALL-8: it looks every path up itself."""
    root = str((ground / "workspace").resolve())
    for path in ("../outside", "folder_link", "docs/up/outside/secret.txt", "/etc/passwd", "~"):
        answer = await search(SearchRequest(root, path, "wombat.*|root:.*"), chars=10_000)
        assert answer.error == "OutsideWorkspace"
        assert not answer.hits


@pytest.mark.parametrize("handles", [True, False], ids=["by handle", "by path"])
@pytest.mark.parametrize("escape", ESCAPES, ids=lambda text: ascii(text[:60]))
def test_no_path_opens_anything_outside(escape: str, handles: bool, ground: Path) -> None:
    """ALL-8: the same where systems have no handles of folders."""
    workspace = Workspace.at(ground / "workspace", handles)
    path = written(escape, ground)
    with pytest.raises(FileTrouble):
        open_file(workspace.place(path)).close()
    with pytest.raises(FileTrouble), open_folder(workspace.place(path)):
        pass


@pytest.mark.parametrize("pattern", ["../*", "../**/*", "/**", "**/../../outside/*", "*_link/*"])
async def test_no_pattern_leads_out(pattern: str, ground: Path) -> None:
    """CHAT-10: patterns choose among what stands in the workspace."""
    desk = FileDesk((ground / "workspace").resolve())
    for result in (
        await desk.run("list_files", pattern=pattern),
        await desk.run("search_files", pattern="wombat.*", files=pattern),
    ):
        assert SECRET not in result.text
        assert "secret.txt" not in result.text


async def test_what_is_below_is_walked_without_following_links(ground: Path) -> None:
    """CHAT-10: links are named, and said to lead out; their targets are not."""
    desk = FileDesk((ground / "workspace").resolve())
    listed = await desk.run("list_files", depth=20)
    searched = await desk.run("search_files", pattern="wombat|special")
    assert listed.ok
    assert "file_link  link that leads out of the workspace" in listed.text
    assert searched.text.startswith("ok.txt:1: nothing special\n")
    for result in (listed, searched):
        assert SECRET not in result.text
        assert str(ground) not in result.text


@pytest.mark.parametrize(
    "path",
    [
        "C:notes.txt", "\\\\server\\share\\x", "//server/share/x", "\\\\?\\C:\\x", "\\\\.\\pipe\\x",
        "\\??\\C:\\x", "nul", "docs/NUL", "con.txt", "COM1", "lpt9.log", "aux ", "CONIN$", "com¹",
        "notes.txt:stream", "notes.txt::$DATA", "docs./x", "docs /x", "x.txt.", "x.txt ", "...",
        ".. /x", "C:\\docs\\..\\x:y",
    ],
)  # fmt: skip
def test_what_windows_would_read_otherwise_is_refused(path: str) -> None:
    """ALL-8: devices, streams, network paths and names that Windows shortens."""
    assert wrong_on_windows(path)


@pytest.mark.parametrize(
    "path", ["", ".", "..", "docs\\x.txt", "docs/../x", "C:\\docs\\x", "a.b.c"]
)
def test_what_windows_reads_as_it_stands_is_left_to_the_wall(path: str) -> None:
    assert not wrong_on_windows(path)


def test_a_place_can_be_had_from_a_workspace_only(ground: Path) -> None:
    """ALL-8: what takes a place can't be given a path that was not looked at."""
    with pytest.raises(TypeError):
        Place(ground, ("outside",), True, object())


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(
            st.sampled_from(["..", ".", "", "docs", "ok.txt", "~", "/", *LINKS, "secret.txt", "x"])
            | st.text(max_size=5),
            max_size=8,
        ).map("/".join),
    )
)
def test_random_paths_never_open_anything_outside(ground: Path, text: str) -> None:
    """ALL-8: a path is refused, or what it opens is a file of the workspace."""
    root = os.path.realpath(ground / "workspace")
    for handles in (True, False):
        try:
            place = Workspace.at(ground / "workspace", handles).place(text)
            assert os.path.commonpath([root, place.path]) == root
            with open_file(place) as file:
                assert SECRET.encode() not in file.read()
        except FileTrouble:
            pass
        try:
            for found in Walk(Workspace.at(ground / "workspace", handles).place(text)):
                assert SECRET not in found.inside
        except FileTrouble:
            pass


async def test_links_within_the_workspace_are_followed(tmp_path: Path) -> None:
    """CHAT-10: a link whose target is inside is as good as its target."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "notes.txt").write_text("a note\n")
    (tmp_path / "short").symlink_to("docs")
    (tmp_path / "whole").symlink_to(tmp_path / "docs" / "notes.txt")
    desk = FileDesk(tmp_path.resolve())
    for path in ("short/notes.txt", "whole", "short/../short/notes.txt", f"{tmp_path}/whole"):
        result = await desk.run("read_file", path=path)
        assert result.ok
        assert result.text.startswith("a note\n")
        assert result.source == "docs/notes.txt"


async def test_a_workspace_may_be_reached_by_a_link(tmp_path: Path) -> None:
    """CHAT-10: the root is looked up once; paths through the link are inside as well."""
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a.txt").write_text("here")
    (tmp_path / "link").symlink_to("real")
    workspace = Workspace.at(tmp_path / "link")
    assert workspace.place("a.txt").path == (tmp_path / "real" / "a.txt").resolve()
    assert workspace.place(f"{tmp_path}/link/a.txt").inside == "a.txt"
    with pytest.raises(OutsideWorkspace):
        workspace.place("../other")


async def test_a_workspace_that_became_a_link_is_shut(tmp_path: Path) -> None:
    """ALL-8: the wall does not move with its root."""
    workspace, outside = tmp_path / "workspace", tmp_path / "outside"
    for folder in (workspace, outside):
        folder.mkdir()
        (folder / "a.txt").write_text(SECRET)
    desk = FileDesk(workspace.resolve())
    workspace.rename(tmp_path / "moved")
    workspace.symlink_to("outside")
    for result in (
        await desk.run("read_file", path="a.txt"),
        await desk.run("list_files"),
        await desk.run("search_files", pattern="wombat.*"),
    ):
        assert not result.ok
        assert SECRET not in result.text
