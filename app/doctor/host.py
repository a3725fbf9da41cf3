"""The process that runs models for this data directory: whether it runs and answers."""

import time
from datetime import datetime
from pathlib import Path

from app.backend.ollama import is_local
from app.doctor.check import Check, note, ok, problem
from app.host.address import HostAddress, HostFiles, read_address
from app.host.http import BadAnswer, LoopbackHttp
from app.host.lease import ALIVE_SECONDS
from app.host.locks import FileLock
from memory.processes import process_lives
from widgets.figures import count
from widgets.plain import one_line

ANSWER_SECONDS = 1.0
FOUND = 200
NEWEST = 20_000
"""Bytes of its log that are looked at: the newest."""
LONGEST = 160
AMONG_LAST = 3
"""Lines of its log among which a failure is the newest thing that happened."""


async def host_checks(data: Path) -> tuple[list[Check], bool]:
    """What there is to say of the model hosts, and whether one runs."""
    checks: list[Check] = []
    alive = False
    for file in sorted((data / "host").glob("*.run")):
        files = HostFiles(data, file.stem)
        address = read_address(files)
        if _runs(files, address):
            alive = True
            checks.append(await _living(files, address))
        elif address is not None:
            checks.append(_dead())
    if not checks:
        checks.append(ok("host", "No model is loaded now; the first question loads it."))
    return [*checks, *_last_words(data / "log" / "host.log", alive)], alive


def _dead() -> Check:
    return note("host", "A model host was killed.", "Nothing has to be done: the next one follows.")


def _runs(files: HostFiles, address: HostAddress | None) -> bool:
    """Whether the host lives: it holds its lock as long as it does."""
    try:
        return FileLock(files.run_lock).held_by_other()
    except OSError:  # a read-only disk
        return address is not None and process_lives(address.pid)


async def _living(files: HostFiles, address: HostAddress | None) -> Check:
    if address is None:
        return ok("host", "A model is being loaded.")
    since = datetime.fromtimestamp(files.address.stat().st_mtime).astimezone()
    told = f"{one_line(address.model_alias)} is loaded (process {address.pid}, since {since:%H:%M}"
    if not await _answers(address):
        return problem(
            "host",
            f"{told}), but it does not answer.",
            f"The next question replaces it; if not, end the process {address.pid}.",
        )
    clients = count(_clients(address.clients), "client")
    return ok("host", f"{told}, {clients}).")


async def _answers(address: HostAddress) -> bool:
    if not is_local(address.base_url):
        return False
    http = LoopbackHttp(address.base_url, address.api_key)
    try:
        status, _ = await http.post("/tokenize", {"content": ""}, ANSWER_SECONDS)
    except (OSError, BadAnswer):
        return False
    finally:
        await http.close()
    return status == FOUND


def _clients(folder: Path) -> int:
    """How many live; unlike the host's own count this removes nothing."""
    now, living = time.time(), 0
    for path in folder.glob("*"):
        pid = path.name.partition("-")[0]
        young = now - path.stat().st_mtime < ALIVE_SECONDS
        living += young and (not pid.isdigit() or process_lives(int(pid)))
    return living


def _last_words(path: Path, alive: bool) -> list[Check]:
    """The failure with which its log ends, if it does."""
    try:
        with path.open("rb") as file:
            file.seek(max(0, path.stat().st_size - NEWEST))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except OSError:
        return []
    last = [line for line in lines if line.strip()][-AMONG_LAST:]
    words = next((line for line in reversed(last) if _is_failure(line)), None)
    if words is None or alive:
        return []
    sentence = f"It ended with: {one_line(words)[:LONGEST]}"
    return [note("host's log", sentence, f"{path} says more.")]


def _is_failure(line: str) -> bool:
    lowered = line.lower()
    return any(word in lowered for word in ("error", "can't", "missing", "failed", "abort"))
