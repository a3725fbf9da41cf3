"""What the tests of the embedded models share: the light model, and small files of its kind."""

import os
import signal
import struct
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from app.host import machine
from app.host.locks import FileLock
from app.host.store import ModelStore


@pytest.fixture(scope="session")
def light(models_dir: Path) -> Path:
    """The file of the light model."""
    return ModelStore(models_dir).resolve("light")


@pytest.fixture
def data_dir(tmp_path: Path) -> Iterator[Path]:
    """A data directory whose hosts are ended after the test."""
    yield tmp_path / "data"
    end_hosts(tmp_path / "data")


def end_hosts(data_dir: Path) -> None:
    """Ends every host that runs in a data directory."""
    for lock in (data_dir / "host").glob("*.run"):
        if FileLock(lock).held_by_other():
            os.kill(int(lock.read_text()), signal.SIGKILL)


def alive(pid: int) -> bool:
    """Whether a process runs; one that ended but was not yet reaped does not."""
    with suppress(ChildProcessError):  # a child of another process
        os.waitpid(pid, os.WNOHANG)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    """Waits for something to become true."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


@pytest.fixture
def plenty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with memory and disk enough, whatever it has in truth."""
    monkeypatch.setattr(machine, "available_memory", lambda: 64 * 10**9)
    monkeypatch.setattr(machine, "free_disk", lambda folder: 64 * 10**9)


@pytest.fixture
def wheel_maker(tmp_path: Path) -> Callable[[str, str, bytes], Path]:
    """Makes a small wheel that carries one file, in a folder pip can be pointed at."""
    folder = tmp_path / "wheels"
    folder.mkdir()

    def make(name: str, member: str, content: bytes) -> Path:
        path = folder / f"{name}-1.0-py3-none-any.whl"
        info = f"{name}-1.0.dist-info"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
            wheel.writestr(member, content)
            wheel.writestr(
                f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
            )
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")
        return path

    return make


def gguf_text(value: str) -> bytes:
    """A text as GGUF writes it."""
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def gguf_bytes(pairs: dict[str, object]) -> bytes:
    """A GGUF header with these keys: texts, numbers, and lists of them."""
    body = b"".join(gguf_text(key) + _gguf_value(value) for key, value in pairs.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + body


def _gguf_value(value: object) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + gguf_text(value)
    if isinstance(value, list):
        if value and isinstance(value[0], str):
            texts = b"".join(gguf_text(each) for each in value)
            return struct.pack("<IIQ", 9, 8, len(value)) + texts
        return struct.pack(f"<IIQ{len(value)}i", 9, 5, len(value), *value)
    assert isinstance(value, int)
    return struct.pack("<II", 4, value)


CHAT_MODEL: dict[str, object] = {
    "general.architecture": "llama",
    "general.name": "Tiny",
    "llama.context_length": 4096,
    "llama.block_count": 2,
    "llama.embedding_length": 64,
    "llama.attention.head_count": 4,
    "llama.attention.head_count_kv": 2,
    "tokenizer.ggml.tokens": ["<s>", "hello", "<|end|>"],
    "tokenizer.ggml.token_type": [3, 1, 3],
    "tokenizer.chat_template": "{{ messages }}",
}
