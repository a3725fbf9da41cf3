"""CHAT-10: list_files shows what is there, in order, within bounds, and says what it leaves out."""

import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from app.schema import ToolsSettings
from app.tools.globs import Glob
from app.tools.listing import Asked, list_below
from app.tools.workspace import NoWorkspace, Workspace, workspace_of
from tests.tools.file_desk import FileDesk

TREE = {
    "README.md": "x" * 1_234,
    "app/main.py": "print()",
    "app/Zebra.py": "",
    "app/inner/deep.py": "x",
    "docs/index.md": "x",
    ".git/config": "x",
    "node_modules/left-pad/index.js": "x",
    "app/__pycache__/main.pyc": "x",
}


def planted(root: Path, files: Mapping[str, str]) -> FileDesk:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return FileDesk(root.resolve())


async def test_a_folder(tmp_path: Path) -> None:
    """CHAT-10: folders by a slash, files with sizes, by name; what tools filled is not opened."""
    desk = planted(tmp_path, TREE)
    result = await desk.run("list_files")
    assert result.text == (
        ".git/\napp/\ndocs/\nnode_modules/\nREADME.md  1.23 kB\n\n"
        "(The workspace: 4 folders, 1 file.)"
    )
    assert (result.ok, result.type, result.source) == (True, "search_results", ".")


async def test_deeper(tmp_path: Path) -> None:
    desk = planted(tmp_path, TREE)
    result = await desk.run("list_files", depth=2)
    assert result.text == (
        ".git/\napp/\napp/__pycache__/\napp/inner/\napp/main.py  7 B\napp/Zebra.py  0 B\ndocs/\n"
        "docs/index.md  1 B\nnode_modules/\nREADME.md  1.23 kB\n\n"
        "(The workspace: 6 folders, 4 files. Not looked into: .git/, node_modules/.)"
    )


async def test_a_pattern_looks_into_all_folders(tmp_path: Path) -> None:
    """CHAT-10: paths are relative to the workspace, so that they can be read as they stand."""
    desk = planted(tmp_path, TREE)
    expected = "app/inner/deep.py  1 B\napp/main.py  7 B\napp/Zebra.py  0 B\n\n"
    for path, pattern in ((".", "*.py"), ("app", "**/*.py"), ("app", "app/**/*.py")):
        result = await desk.run("list_files", path=path, pattern=pattern)
        assert result.text.startswith(expected)
    result = await desk.run("list_files", path="app", pattern="*.py", depth=1)
    assert result.text.startswith("app/main.py  7 B\napp/Zebra.py  0 B\n\n")
    result = await desk.run("list_files", path="node_modules", pattern="*.js")
    assert result.text.startswith("node_modules/left-pad/index.js  1 B\n")


async def test_what_gitignore_names(tmp_path: Path) -> None:
    """CHAT-10: a listing of a folder marks it, a pattern leaves it out and says so."""
    desk = planted(
        tmp_path,
        {
            ".gitignore": "# made\n*.log\n/build/\n!keep.log\n\nsub/*.tmp\n",
            "a.log": "x",
            "keep.log": "x",
            "build/out.txt": "x",
            "sub/build/in.txt": "x",
            "sub/x.tmp": "x",
            "sub/.gitignore": "!b.log",
            "sub/b.log": "x",
        },
    )
    plain = await desk.run("list_files")
    assert "a.log  1 B (in .gitignore)\nbuild/ (in .gitignore)\nkeep.log  1 B\nsub/\n" in plain.text
    logs = await desk.run("list_files", pattern="*.{log,txt,tmp}")
    assert logs.text == (
        "keep.log  1 B\nsub/b.log  1 B\nsub/build/in.txt  1 B\n\n"
        "(The workspace: 0 folders, 3 files matching *.{log,txt,tmp}. Left out by .gitignore: 3.)"
    )
    asked_for = await desk.run("list_files", path="build", pattern="*")
    assert asked_for.text.startswith("build/out.txt  1 B\n")


async def test_links_and_other_things(tmp_path: Path) -> None:
    """CHAT-10: a link is told by its target where that is inside, and never followed."""
    desk = planted(tmp_path, {"docs/a.md": "x"})
    (tmp_path / "inside").symlink_to("docs")
    (tmp_path / "outside").symlink_to("/etc")
    result = await desk.run("list_files", depth=3)
    assert result.text.startswith(
        "docs/\ndocs/a.md  1 B\ninside  link to docs\n"
        "outside  link that leads out of the workspace\n"
    )


async def test_names_are_shown_without_control_characters(tmp_path: Path) -> None:
    """ALL-8: a name can't pretend to be a line of the listing, nor move the cursor."""
    desk = planted(tmp_path, {"a\nREADME.md  1 B": "x", "\x1b[2Jb": "x", "[bold]": "x"})
    (tmp_path / "caf\udce9").write_text("x")
    result = await desk.run("list_files")
    assert "a\\nREADME.md  1 B  1 B\n" in result.text
    assert "\\x1b[2Jb  1 B\n" in result.text
    assert "[bold]  1 B\n" in result.text
    result.text.encode()


async def test_bounds(tmp_path: Path) -> None:
    """CHAT-10: so many entries at most, and how many more there are."""
    desk = planted(tmp_path, {f"{number:03}.txt": "x" for number in range(300)})
    result = await desk.run("list_files")
    assert result.text.count("  1 B\n") == 200
    assert "100 more are not shown: narrow it by path or pattern." in result.text
    result = await desk.run("list_files", limit=3)
    assert result.text.startswith("000.txt  1 B\n001.txt  1 B\n002.txt  1 B\n\n(")
    small = FileDesk(tmp_path.resolve(), ToolsSettings(read_chars=1_000))
    result = await small.run("list_files")
    assert len(result.text) < 1_200


async def test_an_empty_folder_and_no_match(tmp_path: Path) -> None:
    desk = planted(tmp_path, {"docs/a.md": "x"})
    (tmp_path / "empty").mkdir()
    assert (await desk.run("list_files", path="empty")).text == "(empty is empty.)"
    result = await desk.run("list_files", pattern="*.rs")
    assert result.text == "(The workspace has nothing that matches *.rs.)"


async def test_a_path_outside_is_answered_with_one_inside(tmp_path: Path) -> None:
    """CHAT-10: a model that made a path up learns how to go on; hidden names are no example."""
    desk = planted(tmp_path, {"app/a.md": "x", ".git/b": "x", "README.md": "x"})
    outside = "/path/to/folder is outside the workspace."
    for result in (
        await desk.run("list_files", path="/path/to/folder"),
        await desk.run("search_files", path="/path/to/folder", pattern="x"),
    ):
        assert (result.ok, result.error) == (False, "OutsideWorkspace")
        assert result.text == (f"{outside} Leave path out, or use a path below it, such as app/.")
    result = await desk.run("read_file", path="/path/to/folder")
    assert result.text == f"{outside} Use a path below it, such as app/."
    (desk.workspace / "app" / "a.md").unlink()
    (desk.workspace / "app").rmdir()
    result = await desk.run("read_file", path="/path/to/folder")
    assert result.text.endswith("Use a path below it, such as README.md.")
    (desk.workspace / "README.md").unlink()
    result = await desk.run("list_files", path="/path/to/folder")
    assert result.text.endswith("Leave path out, or use a path below it.")


async def test_a_workspace_that_is_gone(tmp_path: Path) -> None:
    """CHAT-10: whatever is asked for, that is what is told."""
    desk = planted(tmp_path, {"a.md": "x"})
    shutil.rmtree(desk.workspace)
    for result in (
        await desk.run("list_files"),
        await desk.run("list_files", path="docs"),
        await desk.run("read_file", path="a.md"),
        await desk.run("search_files", pattern="x"),
        await desk.run("search_files", pattern="x", path="a.md"),
    ):
        assert (result.ok, result.error) == (False, "WorkspaceGone")
        assert result.text.startswith(f"The workspace {desk.workspace} is gone. The user can")


async def test_missing(tmp_path: Path) -> None:
    """CHAT-10: near names for all three tools; a pattern in the wrong place is told."""
    desk = planted(tmp_path, {"docs/a.md": "x"})
    for result in (
        await desk.run("list_files", path="doc"),
        await desk.run("search_files", path="doc", pattern="x"),
    ):
        assert (result.ok, result.error) == (False, "FileNotFound")
        assert result.text == (
            "There is no doc in the workspace. Near names in the workspace: docs."
        )
    result = await desk.run("list_files", path="docs/*.md")
    assert result.text.endswith("A pattern with * goes into an argument of its own.")


def test_a_long_listing_ends_in_time(tmp_path: Path) -> None:
    """CHAT-10: where time is up, what was found so far is told, and that there is more."""
    planted(tmp_path, {f"{number}/a.txt": "x" for number in range(50)})
    workspace, asked = Workspace.at(tmp_path), 0

    def halted() -> bool:
        nonlocal asked
        asked += 1
        return asked > 10

    text = list_below(workspace, Asked(workspace.place("."), pattern="*.txt"), halted)
    assert text.endswith("Stopped after 10 entries: there are more.)")


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("*.py", "a.py", True),
        ("*.py", "x/y/a.py", True),
        ("*.py", "a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("src/*.py", "x/src/a.py", False),
        ("./src/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/*.py", "a.py", True),
        ("**", "x/y", True),
        ("src/**", "src/x/y", True),
        ("src/**", "src", False),
        ("**/x/**/y", "a/x/b/c/y", True),
        ("**/x/**/y", "a/b/c/y", False),
        ("*.{ts,tsx}", "x/a.tsx", True),
        ("{a,b}/{c,d}.txt", "b/c.txt", True),
        ("{a,b}/{c,d}.txt", "c/c.txt", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[", "[", True),
        ("a{b", "a{b", True),
        ("a.c", "abc", False),
        ("docs/", "docs/a/b", True),
    ],
)
def test_patterns(pattern: str, path: str, matches: bool) -> None:
    """CHAT-10: globs as people know them."""
    assert Glob(pattern).matches(path.split("/")) is matches


@pytest.mark.parametrize(
    "pattern",
    [
        "*a" * 200 + "b",
        "**/" * 200 + "b",
        "*" * 900,
        "**/a/" * 100 + "b",
        "{a,b}" * 100,
        "{" * 500 + "a,b" + "}" * 490,
        "[" * 900,
        "?*" * 300,
    ],
    ids=range(8),
)
def test_no_pattern_takes_long(pattern: str) -> None:
    """CHAT-10: patterns of a model run in the screen's process."""
    began = time.process_time()
    Glob(pattern).matches(["a" * 250] * 60)
    assert time.process_time() - began < 0.5


def test_the_workspace_is_the_working_directory_or_what_is_configured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """CHAT-10: `workspace` under [tools]; `~` is the home directory."""
    monkeypatch.chdir(tmp_path)
    assert workspace_of(ToolsSettings()).root == tmp_path.resolve()
    (home / "project").mkdir()
    chosen = workspace_of(ToolsSettings(workspace=Path("~/project")))
    assert chosen.root == (home / "project").resolve()


def test_a_workspace_that_can_not_be_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CHAT-10: what is wrong with it, and what to do."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(NoWorkspace, match=r"is not there\. Name a folder as workspace"):
        workspace_of(ToolsSettings(workspace=tmp_path / "nothing"))
    with pytest.raises(NoWorkspace, match="is no folder"):
        workspace_of(ToolsSettings(workspace=tmp_path / "file"))
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(NoWorkspace, match="no longer there"):
        workspace_of(ToolsSettings())
