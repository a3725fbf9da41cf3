"""What a killed process had noted: lines of JSON in the file KILL_SHOWN."""

import json
import os
import threading
import time
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

BEAT_S = 0.02
HOPS = 3
"""A word waits for the processor so often on its way to the disk: in the loop, in the database's
thread, and in the loop again."""


def beat() -> None:
    """Notes in a thread that the process runs, so that it is known when a busy machine held it."""

    def run() -> None:
        while True:
            note(beat=True)
            time.sleep(BEAT_S)

    threading.Thread(target=run, daemon=True).start()


def held_up(notes: Iterable[dict[str, Any]], until: float) -> float:
    """What a busy machine may have added to the way of a word to the disk in the last second."""
    beats = [note["at"] for note in notes if "beat" in note and until - 1 <= note["at"] <= until]
    gaps = [later - sooner - BEAT_S for sooner, later in pairwise([*beats, until])]
    return HOPS * float(max([0.0, *gaps]))


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
