"""ALL-6: pinned and hashed dependencies, and a package that installs the command `strata`."""

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def pins(lock: str) -> dict[str, set[str]]:
    """The versions a lock names, by package; a package can have one for each platform."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(
        r"^([\w.-]+)==(\S+)", (ROOT / lock).read_text("utf-8"), re.MULTILINE
    ):
        found.setdefault(name, set()).add(version)
    return found


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_is_pinned_and_hashed(lock: str) -> None:
    """ALL-6: nothing is installed that was not seen before."""
    entries = re.split(r"\n(?=\S)", (ROOT / lock).read_text("utf-8").strip())
    for entry in entries:
        assert re.match(r"[\w.-]+==\S+", entry)
        assert "--hash=sha256:" in entry


@pytest.mark.parametrize("lock", LOCKS)
def test_locks_name_no_address_and_no_machine(lock: str) -> None:
    """ALL-6: the user's own index settings hold."""
    text = (ROOT / lock).read_text("utf-8")
    assert "://" not in text
    assert "#" not in text


def test_the_locks_agree_with_the_project() -> None:
    """ALL-6: the direct dependencies are pinned to what the locks have."""
    wanted = {"requirements.lock": [*PROJECT["dependencies"], *build()]}
    wanted["requirements-dev.lock"] = [
        *wanted["requirements.lock"],
        *PROJECT["optional-dependencies"]["dev"],
    ]
    for lock, requirements in wanted.items():
        locked = pins(lock)
        for requirement in requirements:
            name, version = requirement.split("==")
            assert locked[name] == {version}


def build() -> list[str]:
    """What building needs, which both locks contain, so that nothing unhashed is fetched for it."""
    requires = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["build-system"][
        "requires"
    ]
    assert requires == PROJECT["optional-dependencies"]["build"]
    return [str(requirement) for requirement in requires]


def test_the_development_lock_contains_the_other() -> None:
    """ALL-6: the tests run with what the users have."""
    runtime, development = (pins(lock) for lock in LOCKS)
    assert {name: development.get(name) for name in runtime} == runtime


def test_the_package_has_its_data_and_its_command(tmp_path: Path) -> None:
    """ALL-6: what is no Python is in the wheel too, and nothing that is not Strata's."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
        entry_points = next(name for name in names if name.endswith("entry_points.txt"))
        assert "strata = app.cli:main" in wheel.read(entry_points).decode()
    packages = ("app", "memory", "widgets", "themes")
    data = {
        path.relative_to(ROOT).as_posix()
        for package in packages
        for ending in ("toml", "sql", "tcss")
        for path in (ROOT / package).rglob(f"*.{ending}")
    }
    assert "app/host/catalogue.toml" in data
    assert data <= names
    assert {name.split("/")[0].split("-")[0] for name in names} == {*packages, "strata_chat"}
