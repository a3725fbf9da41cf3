"""Folders that only their owner may look into."""

from pathlib import Path

OWNER_ONLY = 0o700


def make_own(folder: Path) -> None:
    """Makes a folder that only its owner may look into, and those above it that are missing.

    Raises:
        FileExistsError: A file is in the way.
        OSError: The system refuses.
    """
    if folder.is_dir():
        return
    if folder.parent != folder:
        make_own(folder.parent)
    folder.mkdir(mode=OWNER_ONLY, exist_ok=True)
