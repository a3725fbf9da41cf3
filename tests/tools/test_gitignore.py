"""CHAT-10: what .gitignore files leave out is what git leaves out."""

import random
import shutil
import subprocess
from pathlib import Path

import pytest

from app.tools.walking import Walk
from app.tools.workspace import Workspace

PATTERNS = (
    "*.log", "build", "build/", "/build", "/a/", "a/b", "a/*.txt", "**/b", "a/**", "a/**/c.log",
    "!c.log", "!a/c.log", "*", "!*/", "!*.txt", "\\!x", "#c", "x.?mp", "[ab]", "[!a]*.txt", "  ",
    "d.txt ", "**", "*/b", "/*", "!/a", "a/**/", "b/*", "**/build/*.log", "c.*",
)  # fmt: skip


def _some(chance: random.Random, most: int) -> str:
    return "\n".join(chance.choice(PATTERNS) for _ in range(chance.randint(1, most)))


def _planted(root: Path, chance: random.Random) -> None:
    for _ in range(14):
        folder = root.joinpath(*(chance.choice("ab") for _ in range(chance.randint(0, 3))))
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "build").mkdir(exist_ok=True)
        for place in (folder, folder / "build"):
            (place / chance.choice(["c.log", "d.txt", "x.tmp", "e"])).write_text("x")
    (root / ".gitignore").write_text(_some(chance, 4))
    if (root / "a").is_dir():
        (root / "a" / ".gitignore").write_text(_some(chance, 2))


@pytest.mark.skipif(shutil.which("git") is None, reason="git says what is right")
@pytest.mark.parametrize("seed", range(30))
def test_the_same_files_as_git(tmp_path: Path, seed: int) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    _planted(tmp_path, random.Random(seed))
    command = ["git", "-C", str(tmp_path), "ls-files", "-co", "--exclude-standard"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    walk = Walk(Workspace.at(tmp_path).place("."))
    kept = {found.inside for found in walk if found.kind == "file" and not found.ignored}
    assert kept == set(told.splitlines())
