"""Runs a module of Strata in this process and kills the process right after a commit.

    python -P -m tests.kill.killer POINT K MODULE ARGUMENT…

POINT names a kind of commit: `none`, one of `_functions`, `event:KIND` or `inside:KIND`. K says
after which one of them to die. The product knows nothing of this: its functions are wrapped from
outside.

With KILL_SHOWN=FILE, what `ask` has printed is noted there in lines of JSON, with the time, and the
time of the kill as well.
"""

import inspect
import os
import runpy
import signal
import sys
from collections.abc import Callable
from typing import Any

from tests.kill.notes import beat, note

Function = Callable[..., Any]


class Trap:
    """Kills the process when it has been sprung often enough."""

    def __init__(self, times: int) -> None:
        self._left = times

    def spring(self) -> None:
        self._left -= 1
        if self._left == 0:
            note(killed=True)
            os.kill(os.getpid(), signal.SIGKILL)


def after(owner: Any, name: str, act: Function) -> None:
    """Has `act` called with the arguments of a function each time the function has returned."""
    original: Function = getattr(owner, name)
    if inspect.iscoroutinefunction(original):

        async def wrapped(*args: Any, **named: Any) -> Any:
            result = await original(*args, **named)
            act(*args, **named)
            return result
    else:

        def wrapped(*args: Any, **named: Any) -> Any:  # type: ignore[misc]
            result = original(*args, **named)
            act(*args, **named)
            return result

    setattr(owner, name, wrapped)


def _install(point: str, trap: Trap) -> None:
    """Wraps the function that commits what `point` names."""
    kind, _, detail = point.partition(":")
    if kind in ("event", "inside"):
        _install_on_event(kind, detail, trap)
    elif kind != "none":
        owner, name = _functions()[point]
        after(owner, name, lambda *_, **__: trap.spring())


def _functions() -> dict[str, tuple[Any, str]]:
    from app.commands.ask import _Asking
    from memory.answer import Answer
    from memory.letting_go import LettingGo
    from memory.storage import branches, checkpoints, leases, purging
    from memory.storage.bodies import Bodies
    from memory.storage.drafts import Drafts
    from memory.storage.sessions import Sessions
    from memory.storage.summary_cache import StoredSummaryCache
    from memory.storage.vault import Vault

    leases.RENEW_SECONDS = 0.2  # type: ignore[assignment]
    return {
        "rename": (os, "replace"),
        "sync": (os, "fsync"),
        "draft": (Drafts, "write"),
        "chunk": (Answer, "grow"),
        "shown": (_Asking, "_print"),
        "counts": (Bodies, "keep_counts"),
        "cache": (StoredSummaryCache, "keep"),
        "checkpoint": (checkpoints, "keep"),
        "session": (Sessions, "create"),
        "fork": (branches, "create"),
        "inside-fork": (branches, "write_events"),
        "vault:remove": (Vault, "remove"),
        "forgetting:begun": (purging, "begin"),
        "forgetting:gone": (LettingGo, "others"),
        "lease:acquire": (leases, "acquire"),
        "lease:renew": (leases, "renew"),
        "lease:release": (leases, "release"),
    }


def _install_on_event(kind: str, wanted: str, trap: Trap) -> None:
    """Kills after an event is committed, or `inside`: when all is written but the commit."""
    from memory.storage.log import Log

    def committed(_log: object, batch: Any, *_: object, **__: object) -> None:
        if any(_is(recorded.event, wanted) for recorded in batch.recorded):
            trap.spring()

    def written(_log: object, _transaction: object, event: Any) -> None:
        if _is(event, wanted):
            trap.spring()

    if kind == "event":
        after(Log, "append", committed)
    else:
        after(Log, "_note", written)


def _is(event: Any, wanted: str) -> bool:
    """Whether an event is of a kind, or of a kind and role: `message/user`."""
    kind, _, role = wanted.partition("/")
    return bool(kind == event.KIND) and (not role or event.ref.role == role)


def _note_what_is_shown() -> None:
    from app.commands.ask import _Asking

    after(_Asking, "_print", lambda _asking, text: note(shown=text))


def main() -> None:
    point, times, module, *arguments = sys.argv[1:]
    _note_what_is_shown()
    beat()
    _install(point, Trap(int(times)))
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
