"""Python and the packages, against the versions that Strata was made with."""

import re
import sqlite3
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from app.doctor.check import Check, note, ok, problem
from memory.content.compactors import brought
from memory.content.compactors.brought import BrokenCompactor

PACKAGE = "strata-chat"
OLDEST_PYTHON, NEWEST_PYTHON = (3, 11), (3, 13)
OLDEST_SQLITE = (3, 37, 0)
"""The first with STRICT tables."""
SPARED = frozenset({"keyring"})
"""Without it only keys in the keyring are not found."""
INSTALL = "Run `make chat` in the checkout, or install Strata again."

_PIN = re.compile(r"([A-Za-z0-9._-]+)\s*==\s*([A-Za-z0-9.+!]+)\s*(?:;\s*(.*))?$")


def program_checks() -> list[Check]:
    """What Strata runs on."""
    return [
        python_check(sys.version_info[:3], sqlite3.sqlite_version_info[:3]),
        packages_check(pinned_packages(), _installed),
        *compactor_checks(),
    ]


def python_check(python: tuple[int, ...], sqlite: tuple[int, ...]) -> Check:
    """Whether Python and its SQLite are of a kind that is supported."""
    told = f"Python {_dotted(python)}, SQLite {_dotted(sqlite)}."
    if python[:2] < OLDEST_PYTHON or sqlite < OLDEST_SQLITE:
        return problem(
            "python", f"{told} Strata needs Python 3.11 and SQLite 3.37 or newer.", INSTALL
        )
    if python[:2] > NEWEST_PYTHON:
        return note("python", f"{told} Strata was tested with Python 3.11 to 3.13.")
    return ok("python", told)


def packages_check(pinned: Mapping[str, str], installed: Callable[[str], str | None]) -> Check:
    """Whether every package is there, in the version that was tested.

    Args:
        pinned: The versions by name.
        installed: The version that is there, or None.
    """
    found = {name: installed(name) for name in pinned}
    missing = [name for name, there in found.items() if there is None]
    others = [
        f"{name} {there} in place of {pinned[name]}"
        for name, there in found.items()
        if there is not None and there != pinned[name]
    ]
    if not SPARED.issuperset(missing):
        more = f" Of others there is another version: {', '.join(others)}." if others else ""
        names = ", ".join(missing)
        return problem("packages", f"Not installed: {names}.{more}", INSTALL)
    if missing or others:
        unlike = [*others, *(f"no {name}" for name in missing)]
        return note("packages", f"Not as tested: {', '.join(unlike)}.", INSTALL)
    if not pinned:
        return note("packages", "Nothing says which versions Strata was tested with.")
    return ok("packages", f"All {len(pinned)} have the versions that Strata was tested with.")


def compactor_checks() -> list[Check]:
    """Whether the compactors that packages bring can be loaded; nothing where there are none."""
    names, broken = brought.names(), list[BrokenCompactor]()
    for name in names:
        try:
            brought.load(name)
        except BrokenCompactor as error:
            broken.append(error)
    if broken:
        told = " ".join(error.sentence for error in broken)
        return [problem("compactors", told, broken[0].next_step)]
    return [ok("compactors", f"Packages bring some for {', '.join(names)}.")] if names else []


def pinned_packages() -> dict[str, str]:
    """The versions that Strata asks for, by name; empty where nothing tells them."""
    checkout = Path(__file__).parents[2] / "pyproject.toml"
    try:
        return pins(tomllib.loads(checkout.read_text(encoding="utf-8"))["project"]["dependencies"])
    except (OSError, ValueError, LookupError):
        pass  # not a checkout
    try:
        return pins(requires(PACKAGE) or ())
    except PackageNotFoundError:
        return {}


def pins(requirements: Iterable[str]) -> dict[str, str]:
    """The exact versions among requirements; those of extras are left out."""
    found = (_PIN.match(requirement.strip()) for requirement in requirements)
    return {m[1].lower(): m[2] for m in found if m and "extra" not in (m[3] or "")}


def _installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _dotted(numbers: tuple[int, ...]) -> str:
    return ".".join(map(str, numbers))
