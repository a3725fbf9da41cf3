"""The data directory: whether it can be used, by whom, and how much room there is."""

import os
import re
import stat
from collections.abc import Callable
from pathlib import Path

from app.doctor.check import Check, in_bytes, note, ok, problem
from app.host.machine import free_disk
from app.logs import FILE_NAME
from widgets.figures import count
from widgets.plain import one_line

LITTLE_ROOM = 500_000_000
NO_ROOM = 20_000_000
"""Bytes; a compaction, a vault and a log file take a few of them."""
NEWEST = 200_000
"""Bytes of the log file that are looked at: the newest."""
LONGEST = 160
ANOTHER = "Choose another with --data DIR, or make this one writable."

_RECORD = re.compile(
    r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),\d+ (WARNING|ERROR|CRITICAL) (.*)$", re.MULTILINE
)

Allowed = Callable[[Path, int], bool]


def directory_checks(path: Path, allowed: Allowed = os.access) -> list[Check]:
    """Whether the directory is there and can be used.

    Args:
        path: The data directory.
        allowed: Tells whether something may be done with a path.
    """
    if not os.path.lexists(path):
        return [_missing(path, allowed)]
    if not path.is_dir():
        return [problem("folder", f"{path} is a file.", "Choose another with --data DIR.")]
    return [_writable(path, allowed), *_permissions(path), _room(path), *log_checks(path / "log")]


def _missing(path: Path, allowed: Allowed) -> Check:
    above = next((parent for parent in path.parents if os.path.lexists(parent)), path)
    if not above.is_dir():
        return problem(
            "folder", f"{path} can't be made: {above} is a file.", "Choose another with --data DIR."
        )
    if not allowed(above, os.W_OK | os.X_OK):
        return problem("folder", f"{path} can't be made: {above} can't be written.", ANOTHER)
    return ok("folder", f"{path} is not there yet; the first chat makes it.")


def _writable(path: Path, allowed: Allowed) -> Check:
    if not allowed(path, os.R_OK | os.X_OK):
        return problem("folder", f"{path} can't be read.", ANOTHER)
    if not allowed(path, os.W_OK):
        return problem("folder", f"{path} can't be written.", ANOTHER)
    refused = [
        file.name
        for file in sorted(path.glob("strata.db*"))
        if not allowed(file, os.R_OK | os.W_OK)
    ]
    if refused:
        return problem(
            "folder",
            f"In {path} these can't be written: {', '.join(refused)}.",
            f"Make them yours again: `chown -R $USER {path}`.",
        )
    return ok("folder", f"{path} can be read and written.")


def _permissions(path: Path) -> list[Check]:
    if os.name != "posix":
        return []
    others = stat.S_IMODE(path.stat().st_mode) & 0o077
    if others:
        return [
            note(
                "permissions",
                "Others who use this machine may look into the data directory.",
                f"`chmod 700 {path}` keeps them out.",
            )
        ]
    return [ok("permissions", "Only you may look into it.")]


def _room(path: Path) -> Check:
    free = free_disk(path)
    told = f"{in_bytes(free)} are free on its disk."
    if free < NO_ROOM:
        return problem("room", told, "Free some space, or choose another disk with --data DIR.")
    if free < LITTLE_ROOM:
        return note("room", told, "Free some space before it is full.")
    return ok("room", told)


def log_checks(folder: Path) -> list[Check]:
    """What the log file says of failures."""
    path = folder / FILE_NAME
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - NEWEST))
            text = file.read().decode("utf-8", "replace")
    except OSError:
        return []
    records = _RECORD.findall(text)
    errors = [record for record in records if record[1] != "WARNING"]
    told = f"{path.name} has {in_bytes(size)}"
    if not errors:
        warnings = f"no errors, {count(len(records), 'warning')}"
        return [ok("log file", f"{told}: {warnings} of late.")]
    at, _, words = errors[-1]
    return [
        note(
            "log file",
            f"{told}: {count(len(errors), 'error')} of late, the newest of {at}: "
            f"{one_line(words)[:LONGEST]}",
            f"{path} says more.",
        )
    ]
