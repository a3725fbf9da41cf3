"""The model host: runs one model for every Strata process of a data directory.

Started by `app.host.launch`. It serves OpenAI's protocol on a loopback port behind a random key,
and ends when nobody needs it any more. It contacts nobody.
"""

import argparse
import logging
import os
import secrets
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

from app.host.address import HostAddress, HostFiles, read_address, write_address
from app.host.launch import EXIT_ALREADY_RUNNING, SLOTS
from app.host.lease import living_clients
from app.host.locks import FileLock

# Small batches: a cancelled prompt stops within two seconds, a short request gets its turn
# beside a long one, and progress is reported often; costs a fifth of the prompt speed.
_BATCH = 32
_NICENESS = 5  # the screen comes first; 10 would starve the model on a busy machine
# Each open connection holds one, used or not; without a free one the host would seem to hang.
_HTTP_THREADS = 32
_LOG_WARNINGS = 2  # llama.cpp's level: errors and warnings, no texts of users

log = logging.getLogger("host")


def main(arguments: list[str] | None = None) -> int:
    """Runs a host until it is idle or told to end; the exit status."""
    options = _options(arguments)
    logging.basicConfig(format="%(asctime)s %(message)s", level=logging.INFO, stream=sys.stderr)
    files = HostFiles(options.data, options.key)
    lock = FileLock(files.run_lock)
    if not _acquire(lock):
        return EXIT_ALREADY_RUNNING
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        server, api_key = _serve(options)
    except (RuntimeError, ImportError, ValueError) as error:
        log.info("%s", error)
        sys.stderr.write(_plainly(error, options.model) + "\n")
        return 1
    address = HostAddress(
        base_url=server.listening_address,
        api_key=api_key,
        model_alias=options.model.stem,
        context_tokens_per_slot=options.context,
        pid=os.getpid(),
        slots=SLOTS,
        clients=files.clients,
    )
    write_address(files, address)
    log.info("ready: %s, %d tokens a slot", options.model.name, options.context)
    _Watch(files, server, options.idle).run()
    return 0


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Strata's model host; started by Strata itself.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--key", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--context", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--prompt-threads", type=int, required=True)
    parser.add_argument("--cache-mib", type=int, required=True)
    parser.add_argument("--idle", type=float, required=True)
    return parser.parse_args(arguments)


def _acquire(lock: FileLock) -> bool:
    """Takes the run lock; tries for a second, since clients hold it for instants to look."""
    for _ in range(20):
        if lock.try_acquire(str(os.getpid())):
            return True
        time.sleep(0.05)
    return False


def _serve(options: argparse.Namespace) -> tuple[Any, str]:
    # OpenMP reads it when the library is loaded; spinning threads would starve the screen.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    import xllamacpp

    api_key = secrets.token_urlsafe(32)
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(options.model)
    parameters.model_alias = {options.model.stem}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.api_keys = [api_key]
    parameters.offline = True
    parameters.n_threads_http = _HTTP_THREADS
    parameters.ui = False
    parameters.endpoint_slots = False
    parameters.endpoint_metrics = True  # tells whether requests are running
    parameters.n_parallel = SLOTS
    parameters.n_ctx = options.context * SLOTS
    parameters.ctx_shift = False
    parameters.n_batch = parameters.n_ubatch = _BATCH
    parameters.cpuparams.n_threads = options.threads
    parameters.cpuparams_batch.n_threads = options.prompt_threads
    parameters.no_extra_bufts = True
    parameters.cache_ram_mib = options.cache_mib
    parameters.fit_params = False
    parameters.verbosity = _LOG_WARNINGS
    return xllamacpp.Server(parameters), api_key


def _plainly(error: Exception, model: Path) -> str:
    if "libgomp" in str(error):
        return "the system library libgomp is missing; install the package libgomp1 or libgomp."
    if isinstance(error, ImportError):
        return f"its runtime can't be loaded here ({error})."
    return f"the file {model.name} can't be loaded as a model; it may be damaged."


class _Watch:
    """Ends the host when nobody needs it, when it can't be found any more, or on a signal."""

    def __init__(self, files: HostFiles, server: Any, idle_seconds: float) -> None:
        self._files = files
        self._server = server
        self._idle_seconds = idle_seconds
        self._told_to_end = threading.Event()

    def run(self) -> None:
        """Returns when the host should end."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._told_to_end.set())
        pause = min(2.0, self._idle_seconds / 4)
        needed_at = time.monotonic()
        while not self._told_to_end.wait(pause) and self._findable():
            if self._needed():
                needed_at = time.monotonic()
            elif time.monotonic() - needed_at >= self._idle_seconds:
                log.info("idle for %.0f seconds: ends", self._idle_seconds)
                break
        if self._findable():
            self._files.address.unlink()

    def _findable(self) -> bool:
        address = read_address(self._files)
        return address is not None and address.pid == os.getpid()

    def _needed(self) -> bool:
        return living_clients(self._files.clients, time.time()) > 0 or self._busy()

    def _busy(self) -> bool:
        """Whether a request is running or waiting."""
        names = ("llamacpp:requests_processing", "llamacpp:requests_deferred")
        for line in self._server.handle_metrics().splitlines():
            name, _, value = line.partition(" ")
            if name in names and float(value) > 0:
                return True
        return False


def _leave(status: int) -> None:
    """Ends at once: the runtime's threads would take seconds to finish a batch nobody wants."""
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    _leave(main())
