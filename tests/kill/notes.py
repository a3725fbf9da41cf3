"""What a killed process had noted: lines of JSON in the file KILL_SHOWN."""

import json
import os
import time
from pathlib import Path
from typing import Any


def note(**entry: object) -> None:
    """Writes a line with the time; a kill can't take it back."""
    if path := os.environ.get("KILL_SHOWN"):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.write(descriptor, json.dumps({"at": time.monotonic(), **entry}).encode() + b"\n")
        os.close(descriptor)


def read_notes(path: Path) -> list[dict[str, Any]]:
    """The notes in a file, oldest first."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text().splitlines()]
