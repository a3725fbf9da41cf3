"""Finds the model host of a data directory, or starts it.

Several processes may do so at once. A client that finds no answering host takes the start lock;
under it, it looks again, replaces a dead or hung host, and starts a new one. The host itself
holds the run lock as long as it lives, so a start whose client was killed is found and awaited
instead of doubled.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Literal

import app
from app.host import fit, machine
from app.host.address import HostAddress, HostFiles, host_key, read_address
from app.host.errors import HostFailed
from app.host.http import BadAnswer, LoopbackHttp
from app.host.locks import FileLock

IDLE_SECONDS = 900.0  # how long a host stays without clients
SLOTS = 2  # one for the chat, one for what runs in the background
EXIT_ALREADY_RUNNING = 3

_ANSWER_SECONDS = 3.0  # a busy host answers within 20 ms
_HUNG_TRIES = 3
_LOAD_SECONDS = 60.0
_SLOWEST_DISK = 20_000_000  # bytes a second
_POLL_SECONDS = 0.05
_LOG_LIMIT = 1_000_000  # bytes; a larger log is begun anew

_started: list[subprocess.Popen[bytes]] = []  # kept so that ended ones can be reaped


@dataclass(frozen=True, slots=True)
class HostProgress:
    """What `ensure` waits for, and for how many seconds already."""

    phase: Literal["waiting", "loading", "ready"]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the host is to be started with."""

    files: HostFiles
    model: Path
    context_tokens: int
    threads: tuple[int, int]  # for answers, for prompts
    idle_seconds: float
    on_progress: Callable[[HostProgress], None]
    began: float

    def report(self, phase: Literal["waiting", "loading", "ready"]) -> None:
        self.on_progress(HostProgress(phase, time.monotonic() - self.began))

    def load_deadline(self) -> float:
        """When a load that begins now is taken for hung, on the monotonic clock."""
        return time.monotonic() + _LOAD_SECONDS + self.model.stat().st_size / _SLOWEST_DISK


async def ensure(
    data_dir: Path,
    model_path: Path,
    *,
    context_tokens: int,
    threads: int | None,
    idle_seconds: float,
    on_progress: Callable[[HostProgress], None] | None,
) -> HostAddress:
    """See `HostClient.ensure`."""
    context = fit.usable_context(model_path, context_tokens)
    both = _threads(threads)
    files = HostFiles(data_dir, host_key(model_path, context, both))
    plan = _Plan(
        files=files,
        model=model_path,
        context_tokens=context,
        threads=both,
        idle_seconds=idle_seconds,
        on_progress=on_progress or (lambda progress: None),
        began=time.monotonic(),
    )
    address = await _answering(files)
    return address or await _start_or_wait(plan)


def _threads(wanted: int | None) -> tuple[int, int]:
    if wanted:
        return wanted, wanted
    cores = machine.usable_cores()
    return machine.answer_threads(cores), machine.prompt_threads(cores)


async def _answering(files: HostFiles) -> HostAddress | None:
    """The address, if a host with the right key answers there."""
    address = read_address(files)
    if address is None:
        return None
    http = LoopbackHttp(address.base_url, address.api_key)
    try:
        # Unlike /health this one wants the key, so that no other server passes for the host.
        status, answer = await http.post("/tokenize", {"content": ""}, _ANSWER_SECONDS)
    except (OSError, BadAnswer):
        return None
    finally:
        await http.close()
    return address if status == HTTPStatus.OK and "tokens" in answer else None


async def _start_or_wait(plan: _Plan) -> HostAddress:
    plan.files.create()
    lock = FileLock(plan.files.start_lock)
    deadline = plan.load_deadline()
    while not lock.try_acquire(str(os.getpid())):
        if time.monotonic() > deadline:
            raise _too_slow()
        plan.report("waiting")
        await asyncio.sleep(_POLL_SECONDS)
        if address := await _answering(plan.files):
            return address
    with lock:
        address = await _living_host(plan) or await _start(plan)
    plan.report("ready")
    return address


async def _living_host(plan: _Plan) -> HostAddress | None:
    """The host that already runs; one that hangs is ended, one that loads is awaited."""
    run = FileLock(plan.files.run_lock)
    while run.held_by_other():
        known = read_address(plan.files)
        if known is None or str(known.pid) != run.text():
            return await _loaded(plan, run)
        for _ in range(_HUNG_TRIES):
            if address := await _answering(plan.files):
                return address
        await _end(run)
    plan.files.address.unlink(missing_ok=True)
    return None


async def _loaded(plan: _Plan, run: FileLock) -> HostAddress | None:
    """Waits for a host that another client began to start."""
    deadline = plan.load_deadline()
    while run.held_by_other():
        if address := await _answering(plan.files):
            return address
        if time.monotonic() > deadline:
            await _end(run)
        plan.report("loading")
        await asyncio.sleep(_POLL_SECONDS * 4)
    return None


async def _end(run: FileLock) -> None:
    """Ends the host that holds the lock, and waits until the system has freed the lock."""
    pid = run.text().strip()
    if pid.isdigit() and run.held_by_other():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(int(pid), getattr(signal, "SIGKILL", signal.SIGTERM))
    for _ in range(100):
        if not run.held_by_other():
            return
        await asyncio.sleep(_POLL_SECONDS)
    raise HostFailed(
        "The model host hangs and can't be ended.", f"End the process {pid}, then try again."
    )


async def _start(plan: _Plan) -> HostAddress:
    fit.check_memory(plan.model, plan.context_tokens, SLOTS)
    process, log_start = _spawn(plan)
    deadline = plan.load_deadline()
    while time.monotonic() < deadline:
        if address := await _answering(plan.files):
            return address
        if process.poll() is not None:
            return await _other_one(plan, process.returncode, log_start)
        plan.report("loading")
        await asyncio.sleep(_POLL_SECONDS)
    process.kill()
    raise _too_slow()


async def _other_one(plan: _Plan, status: int, log_start: int) -> HostAddress:
    """The new host ended: because another one was faster, or because it failed."""
    if status == EXIT_ALREADY_RUNNING:
        address = await _loaded(plan, FileLock(plan.files.run_lock))
        if address:
            return address
    raise _failed(plan, log_start)


def _spawn(plan: _Plan) -> tuple[subprocess.Popen[bytes], int]:
    _started[:] = [each for each in _started if each.poll() is None]
    log = plan.files.log
    fresh = not log.exists() or log.stat().st_size > _LOG_LIMIT
    with log.open("wb" if fresh else "ab") as output:
        begin = output.tell()
        process = subprocess.Popen(
            _command(plan),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env=_environment(),
            cwd=plan.files.data_dir,
            start_new_session=True,
        )
    _started.append(process)
    return process, begin


def _command(plan: _Plan) -> list[str]:
    options = {
        "--data": plan.files.data_dir.absolute(),
        "--key": plan.files.key,
        "--model": plan.model.absolute(),
        "--context": plan.context_tokens,
        "--threads": plan.threads[0],
        "--prompt-threads": plan.threads[1],
        "--cache-mib": fit.cache_bytes(plan.model, plan.context_tokens, SLOTS) // 2**20,
        "--idle": plan.idle_seconds,
    }
    command = [sys.executable, "-P", "-m", "app.host.server"]
    return command + [str(part) for pair in options.items() for part in pair]


def _environment() -> dict[str, str]:
    """The host imports the same `app`, and its waiting threads sleep instead of spinning."""
    home = str(Path(app.__file__).parents[1])
    paths = [home, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "OMP_WAIT_POLICY": "passive",
    }


def _too_slow() -> HostFailed:
    return HostFailed("The model took too long to load.", "Try again, or use the model `light`.")


def _failed(plan: _Plan, log_start: int) -> HostFailed:
    """Why the host ended: what it wrote last."""
    log = plan.files.log
    with log.open("rb") as file:
        file.seek(log_start)
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    reason = lines[-1].strip() if lines else "it gave no reason."
    entry = fit.catalogue_entry(plan.model)
    repair = f"`strata models install {entry.short_name}` checks the file. " if entry else ""
    return HostFailed(f"The model host did not start: {reason}", f"{repair}Details: {log}")
