"""How a running model host is found: the files in `DATA/host`.

Of each host, told apart by a key, there are: `KEY.json` (where it listens, written when it is
ready), `KEY.run` (locked by the host as long as it lives; holds its process id), `KEY.start`
(locked by whoever starts it) and the folder `KEY.clients` (one file for each client).
"""

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from memory.storage.folders import make_own

# A host of another version of this protocol is never reused.
_PROTOCOL = 1


@dataclass(frozen=True, slots=True)
class HostAddress:
    """Where a model host listens, and what it was started with.

    Args:
        base_url: `http://127.0.0.1:PORT`, without a slash at the end.
        api_key: What it wants as bearer token; random for each start.
        model_alias: The model's name at the host.
        context_tokens_per_slot: Tokens one request can use, answer included.
        pid: Process id of the host.
        slots: Requests it works on at once.
        clients: Folder in which clients show that they live (see `HostLease`).
    """

    base_url: str
    api_key: str
    model_alias: str
    context_tokens_per_slot: int
    pid: int
    slots: int
    clients: Path

    @property
    def openai_url(self) -> str:
        """The address for clients that speak OpenAI's protocol."""
        return self.base_url + "/v1"


@dataclass(frozen=True, slots=True)
class HostFiles:
    """The files of one host."""

    data_dir: Path
    key: str

    @property
    def folder(self) -> Path:
        """Where the files of all hosts lie."""
        return self.data_dir / "host"

    @property
    def address(self) -> Path:
        """Says where the host listens."""
        return self.folder / f"{self.key}.json"

    @property
    def run_lock(self) -> Path:
        """Locked by the living host."""
        return self.folder / f"{self.key}.run"

    @property
    def start_lock(self) -> Path:
        """Locked by the client that starts the host."""
        return self.folder / f"{self.key}.start"

    @property
    def clients(self) -> Path:
        """One file for each living client."""
        return self.folder / f"{self.key}.clients"

    @property
    def log(self) -> Path:
        """What the hosts of this data directory print."""
        return self.data_dir / "log" / "host.log"

    def create(self) -> None:
        """Makes the folders, readable by their owner only since the key lies there."""
        for folder in (self.folder, self.clients, self.log.parent):
            make_own(folder)


def host_key(model: Path, context_tokens: int, threads: tuple[int, int]) -> str:
    """What tells hosts apart: the model's file as it is now, and the settings."""
    stat = model.stat()
    parts = (_PROTOCOL, str(model.resolve()), stat.st_size, stat.st_mtime_ns)
    text = json.dumps([*parts, context_tokens, threads])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def read_address(files: HostFiles) -> HostAddress | None:
    """The address the host left, or None; whether it still answers is another matter."""
    try:
        data = json.loads(files.address.read_text(encoding="utf-8"))
        return HostAddress(**data, clients=files.clients)
    except (OSError, ValueError, TypeError):
        return None


def write_address(files: HostFiles, address: HostAddress) -> None:
    """Publishes the address in one step, so that nobody reads half of it."""
    data = asdict(address)
    del data["clients"]
    temporary = files.address.with_suffix(f".{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(data, file)
    os.replace(temporary, files.address)
