"""Where the vector index lies below the data directory, and what happens to what is damaged.

`index/` holds a folder a space; `index.lock` is held by the one process that may open them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

FOLDER = "index"
LOCK = "index.lock"
HOME = "index.id"
"""Names this data directory on a server that several machines share."""

LABEL = "space.json"
"""Says in a space's folder whose vectors it holds."""

REFILLING = "refilling"
"""Stands in a space's folder while it is filled anew: without it nothing is missing."""

DATABASE = "chroma.sqlite3"
"""Chroma's own name for its tables."""

DAMAGED = ".damaged-"

REMOVAL_TRIES = 3

_READABLE = 40
"""Characters of a space's name that its folder shows; the hash tells spaces apart."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a space's folder says of itself."""

    space: str
    dimensions: int


def collection_name(space: str) -> str:
    """The name of a space as a folder and as a collection: 3 to 63 of the characters Chroma takes.

    Args:
        space: Whose vectors they are; any text.
    """
    digest = hashlib.sha256(space.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    shown = re.sub(r"[^A-Za-z0-9]+", "-", space)[:_READABLE].strip("-")
    return f"{shown}-{digest}" if shown else f"space-{digest}"


def space_folder(data: Path, space: str) -> Path:
    """The folder of a space."""
    return data / FOLDER / collection_name(space)


def write_label(folder: Path, label: Label) -> None:
    """Says in a folder whose vectors it holds.

    Raises:
        OSError: It can't be written.
    """
    text = json.dumps({"space": label.space, "dimensions": label.dimensions})
    (folder / LABEL).write_text(text, encoding="utf-8")


def read_label(folder: Path) -> Label | None:
    """Whose vectors a folder holds; None where it does not say."""
    try:
        data = json.loads((folder / LABEL).read_bytes())
        return Label(str(data["space"]), int(data["dimensions"]))
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def set_aside(path: Path, at: datetime) -> Path:
    """Renames what is damaged, so that it is kept and the place is free.

    Args:
        path: A folder or a file.
        at: The time that its new name tells.

    Raises:
        OSError: It can't be renamed.
    """
    wanted = path.with_name(f"{path.name}{DAMAGED}{at:%Y%m%d-%H%M%S}")
    target, n = wanted, 2
    while os.path.lexists(target):
        target, n = wanted.with_name(f"{wanted.name}-{n}"), n + 1
    path.rename(target)
    return target


def kept_aside(data: Path, space: str | None = None) -> Sequence[Path]:
    """What was renamed because it was damaged, of one space or of all, oldest first."""
    name = f"{collection_name(space)}{DAMAGED}*" if space is not None else f"*{DAMAGED}*"
    within = (data / FOLDER).glob(name) if (data / FOLDER).is_dir() else ()
    whole = () if space is not None else data.glob(f"{FOLDER}{DAMAGED}*")
    return sorted([*within, *whole])


def space_folders(data: Path) -> Sequence[Path]:
    """The folders of all spaces in use."""
    root = data / FOLDER
    if not root.is_dir():
        return ()
    return sorted(path for path in root.iterdir() if path.is_dir() and DAMAGED not in path.name)


def remove_all(data: Path) -> None:
    """Removes every vector below the data directory, damaged ones included.

    Raises:
        OSError: Something can't be removed.
    """
    for path in (data / FOLDER, *kept_aside(data)):
        remove(path)


def remove(path: Path) -> None:
    """Removes a folder or a file, if it is there.

    Raises:
        OSError: It can't be removed.
    """
    if not path.is_dir() or path.is_symlink():
        path.unlink(missing_ok=True)
        return
    for left in reversed(range(REMOVAL_TRIES)):
        try:
            shutil.rmtree(path)
        except OSError:
            # Whoever has it open may have made a file, or removed one, at this instant.
            if not left:
                raise
        if not path.exists():
            return


def home_id(data: Path) -> str:
    """The name of this data directory among others that use one server; made at the first use.

    Raises:
        OSError: It can't be written.
    """
    path = data / HOME
    if (known := _read_home(path)) is not None:
        return known
    made = uuid.uuid4().hex
    temporary = path.with_name(f"{HOME}.{os.getpid()}.tmp")
    temporary.write_text(made, encoding="ascii")
    with suppress(OSError):
        os.link(temporary, path)  # another process may have been faster: the first one counts
    settled = _read_home(path)
    if settled is None:
        temporary.replace(path)
        return made
    temporary.unlink()
    return settled


def _read_home(path: Path) -> str | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None
    return text if re.fullmatch(r"[0-9a-f]{32}", text) else None
