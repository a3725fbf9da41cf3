"""Paths as people write them. Pure."""

import os
from pathlib import Path


def below_home(path: str) -> str:
    """A path as shells write it, with `~` for the user's own folder."""
    home = str(Path.home())
    return f"~{path[len(home) :]}" if path == home or path.startswith(f"{home}{os.sep}") else path
