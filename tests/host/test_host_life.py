"""The life of the model host: found, shared, replaced, ended. With the real light model."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import psutil
import pytest

from app.host import launch, machine
from app.host.address import HostAddress, HostFiles, host_key, read_address
from app.host.client import HostClient
from app.host.errors import HostFailed, ModelFileUnreadable, ModelTooLarge
from app.host.launch import HostProgress
from app.host.lease import HostLease
from tests.support.processes import until

from .conftest import CHAT_MODEL, alive, gguf_bytes, wait_until

ROOT = Path(__file__).parents[2]

# Asks for a host, holds it, says its process id, and stays until it is ended.
CLIENT = """
import asyncio, sys, time
from pathlib import Path
from app.host.client import HostClient
from app.host.lease import HostLease
data, model, idle = Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3])
address = asyncio.run(
    HostClient.ensure(data, model, context_tokens=512, idle_seconds=idle)
)
lease = HostLease(address)
print(address.pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def clients() -> Iterator[list[subprocess.Popen[str]]]:
    """Processes that are ended after the test."""
    started: list[subprocess.Popen[str]] = []
    yield started
    for process in started:
        process.kill()
        process.communicate()


def client(data_dir: Path, model: Path, idle: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", CLIENT, str(data_dir), str(model), str(idle)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def said(process: subprocess.Popen[str]) -> int:
    assert process.stdout is not None
    return int(process.stdout.readline())


async def ensure(data_dir: Path, model: Path, idle: float = 60) -> HostAddress:
    return await HostClient.ensure(data_dir, model, context_tokens=512, idle_seconds=idle)


async def works(address: HostAddress) -> bool:
    http = HostClient(address)
    try:
        return await http.tokenize(["hello"]) == [1]
    finally:
        await http.close()


def published(data_dir: Path) -> list[Path]:
    return list((data_dir / "host").glob("*.json"))


async def test_processes_share_one_host(
    data_dir: Path, light: Path, clients: list[subprocess.Popen[str]]
) -> None:
    """CHAT-3, STORE-5: three ask at the same moment, one host runs."""
    clients += [client(data_dir, light, 60) for _ in range(2)]
    here = await ensure(data_dir, light)
    assert {said(process) for process in clients} == {here.pid}
    assert len(published(data_dir)) == 1
    assert await ensure(data_dir, light) == here


async def test_the_wait_is_reported(data_dir: Path, light: Path) -> None:
    """CHAT-3: loading shows."""
    seen: list[HostProgress] = []
    await HostClient.ensure(data_dir, light, context_tokens=512, on_progress=seen.append)
    assert {"loading", "ready"} == {each.phase for each in seen}
    assert [each.seconds for each in seen] == sorted(each.seconds for each in seen)


async def test_the_key_is_private(data_dir: Path, light: Path) -> None:
    """ALL-3: the host listens on loopback, and only the user can read how to speak to it."""
    address = await ensure(data_dir, light)
    assert address.base_url.startswith("http://127.0.0.1:")
    assert address.openai_url == address.base_url + "/v1"
    if os.name == "posix":
        assert published(data_dir)[0].stat().st_mode & 0o077 == 0
        assert (data_dir / "host").stat().st_mode & 0o077 == 0


async def test_it_ends_when_nobody_needs_it(data_dir: Path, light: Path) -> None:
    """CHAT-3: held by a lease, gone soon after, its address too."""
    address = await ensure(data_dir, light, idle=0.6)
    with HostLease(address):
        assert not await asyncio.to_thread(wait_until, lambda: not alive(address.pid), 1.5)
    assert await asyncio.to_thread(wait_until, lambda: not alive(address.pid), 60)
    assert published(data_dir) == []


async def test_a_running_request_holds_it(data_dir: Path, light: Path) -> None:
    """CHAT-3: an answer is never cut off because its client holds no lease."""
    address = await ensure(data_dir, light, idle=0.5)
    messages = [{"role": "user", "content": "Tell a long story."}]
    body = {"messages": messages, "max_tokens": 100, "ignore_eos": True}
    speaker = HostClient(address)
    status, answer = await speaker._http.post("/v1/chat/completions", body, 60)
    await speaker.close()
    assert (status, answer["usage"]["completion_tokens"]) == (200, 100)


async def test_it_outlives_its_starter_and_then_ends_by_itself(
    data_dir: Path, light: Path, clients: list[subprocess.Popen[str]]
) -> None:
    """CHAT-3, STORE-2: the starter is killed; another client goes on, and nothing stays behind."""
    clients.append(client(data_dir, light, 0.8))
    pid = said(clients[0])
    clients[0].kill()
    clients[0].wait()
    assert (await ensure(data_dir, light)).pid == pid
    assert await asyncio.to_thread(wait_until, lambda: not alive(pid), 5)


async def test_a_starter_killed_while_loading_leaves_one_host(
    data_dir: Path, light: Path, clients: list[subprocess.Popen[str]]
) -> None:
    """CHAT-3: the half-started host is awaited, not doubled."""
    clients.append(client(data_dir, light, 60))
    run_locks = (data_dir / "host").glob
    assert await asyncio.to_thread(wait_until, lambda: any(run_locks("*.run")), 10)
    clients[0].kill()
    address = await ensure(data_dir, light)
    assert await works(address)
    assert len(published(data_dir)) == 1


@pytest.mark.parametrize("how", ["SIGKILL", "SIGTERM"])
async def test_a_dead_host_is_replaced(data_dir: Path, light: Path, how: str) -> None:
    """CHAT-3: killed at any moment, the next request starts another."""
    first = await ensure(data_dir, light)
    os.kill(first.pid, getattr(signal, how))
    assert await asyncio.to_thread(wait_until, lambda: not alive(first.pid), 3)
    assert bool(published(data_dir)) == (how == "SIGKILL")
    second = await ensure(data_dir, light)
    assert second.pid != first.pid
    assert await works(second)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
async def test_a_hung_host_is_replaced(
    data_dir: Path, light: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: a host that no longer answers is ended."""
    monkeypatch.setattr(launch, "_ANSWER_SECONDS", 0.3)
    first = await ensure(data_dir, light)
    os.kill(first.pid, signal.SIGSTOP)
    await until(lambda: psutil.Process(first.pid).status() == psutil.STATUS_STOPPED, 60)
    second = await ensure(data_dir, light)
    assert await works(second)
    assert not alive(first.pid)


class Stranger(BaseHTTPRequestHandler):
    """Another program that took the port of a host that died."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "15")
        self.end_headers()
        self.wfile.write(b'{"status":"ok"}')

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


async def test_a_stranger_on_the_port_is_not_taken_for_the_host(
    data_dir: Path, light: Path
) -> None:
    """CHAT-3, ALL-8."""
    first = await ensure(data_dir, light)
    place = published(data_dir)[0]
    os.kill(first.pid, signal.SIGKILL)
    assert await asyncio.to_thread(wait_until, lambda: not alive(first.pid), 3)
    with HTTPServer(("127.0.0.1", 0), Stranger) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        port = first.base_url.rpartition(":")[2]
        place.write_text(place.read_text().replace(port, str(server.server_port)))
        second = await ensure(data_dir, light)
        server.shutdown()
        thread.join()
    assert await works(second)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"pid": 1}', "\x00"])
async def test_a_broken_address_file_is_replaced(
    data_dir: Path, light: Path, content: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-4: whatever stands in it."""
    monkeypatch.setattr(launch, "_start", _no_start)
    key = host_key(light, 512, (1, 1))
    files = HostFiles(data_dir, key)
    files.create()
    files.address.write_text(content)
    assert read_address(files) is None
    with pytest.raises(NotImplementedError):
        await HostClient.ensure(data_dir, light, context_tokens=512, threads=1)
    assert not files.address.exists()


async def _no_start(plan: object) -> HostAddress:
    raise NotImplementedError


async def test_it_ends_when_its_data_directory_is_deleted(data_dir: Path, light: Path) -> None:
    """CHAT-3: a host nobody can find any more has no use."""
    address = await ensure(data_dir, light, idle=2)
    lease = HostLease(address)
    shutil.rmtree(data_dir)
    assert await asyncio.to_thread(wait_until, lambda: not alive(address.pid), 60)
    lease.close()


async def test_other_settings_get_another_host(data_dir: Path, light: Path) -> None:
    """CHAT-3: a host is never used with another context than was asked for."""
    first = await ensure(data_dir, light)
    second = await HostClient.ensure(data_dir, light, context_tokens=100_000)
    assert first.context_tokens_per_slot == 512
    assert second.context_tokens_per_slot == 2048, "never more than the model can see"
    assert first.pid != second.pid


async def test_a_model_too_large_for_the_memory(
    data_dir: Path, light: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: told before it is loaded, with the way out."""
    monkeypatch.setattr(machine, "available_memory", lambda: 100_000_000)
    with pytest.raises(ModelTooLarge, match=r"needs 0.2 GB of memory, and 0.1 GB are available"):
        await ensure(data_dir, light)
    monkeypatch.setattr(machine, "available_memory", lambda: None)
    assert await works(await ensure(data_dir, light))


async def test_a_model_that_cannot_be_loaded(data_dir: Path, tmp_path: Path) -> None:
    """ALL-2: a damaged file gives a sentence, quickly."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_bytes(CHAT_MODEL))
    with pytest.raises(HostFailed, match=r"did not start: .*tiny.gguf.* may be damaged. Details"):
        await ensure(data_dir, path)
    with pytest.raises(ModelFileUnreadable, match=r"No such file"):
        await ensure(data_dir, tmp_path / "gone.gguf")


async def test_a_host_that_went_away_is_told(data_dir: Path, light: Path) -> None:
    """ALL-2."""
    address = await ensure(data_dir, light)
    speaker = HostClient(address)
    assert await speaker.tokenize(["hello"]) == [1]
    os.kill(address.pid, signal.SIGKILL)
    assert await asyncio.to_thread(wait_until, lambda: not alive(address.pid), 60)
    with pytest.raises(HostFailed, match=r"stopped answering. Send the message again"):
        await speaker.tokenize(["hello"])


def test_clients_import_nothing_heavy() -> None:
    """ALL-7: the screen's process can use all but the server."""
    code = (
        "import sys, app.host.client, app.host.install, app.host.lease, app.host.store;"
        "print([name for name in sys.modules if name.partition('.')[0] in "
        "{'xllamacpp', 'litellm', 'openai', 'numpy', 'httpx', 'pydantic', 'chromadb'}])"
    )
    command = [sys.executable, "-P", "-c", code]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=env)
    assert result.stdout.strip() == "[]"
