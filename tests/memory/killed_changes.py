"""Kills changes of a data directory's key at every instant, and looks at what is left.

    python -P -m tests.memory.killed_changes DIRECTORY

Each try is a fork of this process that dies by SIGKILL at the next call that the code which changes
keys makes or gets. Prints a line of JSON for each change: which way was found how often.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from memory.memory import Memory
from memory.storage import keys, sealing
from memory.storage.drivers import connect_cipher
from memory.storage.failures import WrongKey
from memory.storage.header import is_encrypted
from memory.storage.keys import Key
from tests.memory.doubles import every_byte

PLANTED = "the heron nests at Willowmere"
STEP = 11
OLD, NEW = Key.random(), Key.random()
SESSION = "birds"
LOOKED_AT = ("converting", "sealing", "key_file", "whole_files")


async def said(directory: Path) -> list[str]:
    """What the session says, as the next start finds it."""
    async with Memory.open(directory, SESSION) as memory:
        events = await memory.messages(1, memory.state.messages)
        return list((await memory.texts([e.event.ref.body for e in events])).values())  # type: ignore[attr-defined]


async def talk(directory: Path) -> None:
    """A session with something to look for."""
    async with Memory.open(directory, SESSION) as memory:
        for number in range(6):
            await memory.add("user", f"Note {number}: {PLANTED}.")


def dies_after(calls: int, work: Callable[[], None]) -> bool:
    """Whether a fork that does the work died of so many calls before its end."""
    child = os.fork()
    if not child:
        left = calls

        def count(frame: FrameType, *_: Any) -> None:
            nonlocal left
            left -= Path(frame.f_code.co_filename).stem in LOOKED_AT
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        work()
        sys.setprofile(None)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFSIGNALED(status)


def way_of(directory: Path) -> str:
    """By which way the directory opens with all that was said; nothing plain is left beside it."""
    keys.give_up_key(directory)
    way = "plain"
    if is_encrypted(directory):
        way = "old"
        try:
            keys.unlock(directory, OLD)
        except WrongKey:
            way = "new"
            keys.unlock(directory, NEW)
    texts = asyncio.run(said(directory))
    assert len(texts) == 6, texts
    assert all(PLANTED in text for text in texts)
    if way != "plain":
        assert PLANTED.encode() not in every_byte(directory), way
    assert not (directory / "strata.db.new").exists()
    return way


def tries(root: Path, prepared: Path, work: Callable[[Path], None]) -> Counter[str]:
    """The ways that were found after kills at every few calls, up to the end of the work."""
    found: Counter[str] = Counter()
    place = root / "tried"
    for calls in range(1, 10_000, STEP):
        shutil.copytree(prepared, place)
        died = dies_after(calls, lambda: work(place))
        found[way_of(place)] += 1
        shutil.rmtree(place)
        if not died:
            return found
    raise AssertionError("it never came to its end")


def encrypted(root: Path, plain: Path) -> Path:
    """An encrypted copy."""
    place = root / "encrypted"
    shutil.copytree(plain, place)
    sealing.encrypt(place, keys.fresh(OLD))
    return place


def with_key(directory: Path, work: Callable[[Path], None]) -> None:
    """Does something to a directory whose key was given."""
    keys.unlock(directory, OLD)
    work(directory)


def main(root: Path) -> None:
    """Tries all three changes."""
    plain = root / "plain"
    asyncio.run(talk(plain))
    connect_cipher(":memory:", None).close()
    sealed = encrypted(root, plain)
    changes: dict[str, tuple[Path, Callable[[Path], None]]] = {
        "encrypt": (plain, lambda place: sealing.encrypt(place, keys.fresh(NEW))),
        "renew": (
            sealed,
            lambda place: with_key(place, lambda it: sealing.renew(it, keys.fresh(NEW))),
        ),
        "decrypt": (sealed, lambda place: with_key(place, sealing.decrypt)),
    }
    for name, (prepared, work) in changes.items():
        print(json.dumps([name, tries(root, prepared, work)]), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
