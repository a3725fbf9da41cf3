"""ALL-2, ALL-3, ALL-7: the child crashes without harm, ends with its parent, contacts nobody."""

import asyncio
import os
import signal
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from app.backend import supervisor
from app.backend.client import Backend
from app.backend.protocol import BackendSettings, Delta, Finished, ModelFailure
from tests.backend.conftest import outcome_of, request_for
from tests.support.misbehaving_server import GOOD_ANSWER, MisbehavingServer
from tests.support.processes import is_alive, standing_still, until

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.usefixtures("real_start")]

HEAVY = "litellm openai httpx aiohttp tiktoken numpy chromadb onnxruntime xllamacpp pydantic"


@pytest_asyncio.fixture(loop_scope="session")
async def fragile(settings_for: Callable[..., BackendSettings]) -> AsyncIterator[Backend]:
    """A backend of the test's own, which it may harm."""
    backend = await Backend.start(settings_for())
    yield backend
    await backend.close()


async def test_the_child_answers_before_litellm_is_loaded(fragile: Backend) -> None:
    """ALL-7: litellm loads in the background; the child is there at once."""
    answer = await fragile.ping()
    assert answer["loaded"] is False
    counts = await fragile.count("mistral/x", ["12345678"])
    assert counts.tokens == (2,)


async def test_a_crash_fails_what_was_in_flight_and_nothing_else(
    fragile: Backend, server: MisbehavingServer
) -> None:
    """ALL-2: SIGKILL in mid-stream; nothing is sent twice, the next request works."""
    pid = (await fragile.ping())["pid"]
    before = len(server.requests("slow"))
    text = ""

    async def read_and_kill() -> None:
        nonlocal text
        async for event in fragile.complete(request_for("openai/slow", timeout_s=20)):
            if isinstance(event, Delta):
                text += event.text
                if text.count("w") == 3:
                    os.kill(pid, signal.SIGKILL)

    with pytest.raises(ModelFailure) as caught:
        await read_and_kill()
    assert caught.value.kind == "backend_crashed"
    assert text.startswith("w0 w1 w2")
    again = await outcome_of(fragile, request_for("openai/good", timeout_s=20))
    assert again.text == GOOD_ANSWER
    assert len(server.requests("slow")) == before + 1
    assert (await fragile.ping())["pid"] != pid


async def test_repeated_crashes_are_followed_by_growing_waits(fragile: Backend) -> None:
    """ALL-2: a child that keeps dying does not keep the machine busy."""
    began = time.monotonic()
    for _ in range(3):
        os.kill((await fragile.ping())["pid"], signal.SIGKILL)
        with pytest.raises(ModelFailure):
            await fragile.count("mistral/x", ["1"])
    await fragile.ping()
    waits = sum(supervisor.FIRST_BACKOFF_S * 2**n for n in range(3))
    assert time.monotonic() - began > waits


async def test_a_hung_child_is_replaced(
    settings_for: Callable[..., BackendSettings], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-2: a child that does not even answer a ping is ended."""
    monkeypatch.setattr(supervisor, "PING_EVERY_S", 0.1)
    monkeypatch.setattr(supervisor, "HUNG_AFTER_S", 2.0)
    backend = await Backend.start(settings_for())
    pid = (await backend.ping())["pid"]
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(ModelFailure) as caught:
        await backend.count("mistral/x", ["1"])
    assert caught.value.kind == "backend_crashed"
    assert not is_alive(pid)
    await backend.close()


async def test_closing_the_stream_frees_the_caller_and_the_server(
    backend: Backend, server: MisbehavingServer
) -> None:
    """CHAT-3: Esc frees the caller, which waits for nobody, and the socket is closed."""
    stream = backend.complete(request_for("openai/slow"))
    async for event in stream:
        if isinstance(event, Delta):
            break
    async with standing_still(backend), asyncio.timeout(30):
        await stream.aclose()  # type: ignore[attr-defined]
    seen = server.requests("slow")[-1]
    await until(lambda: seen.closed_at is not None, 60)


@pytest.mark.parametrize("script", ["slow", "hang", "hang-after-headers", "stall"])
async def test_cancelling_the_reader_cancels_the_request(
    backend: Backend, server: MisbehavingServer, script: str
) -> None:
    """CHAT-3: the same for a task that is cancelled, wherever the request stands."""
    before = len(server.requests(script))
    task = asyncio.create_task(outcome_of(backend, request_for(f"openai/{script}", timeout_s=30)))
    await until(lambda: len(server.requests(script)) > before, 10)
    await asyncio.sleep(0.05)
    async with standing_still(backend), asyncio.timeout(30):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    seen = server.requests(script)[-1]
    await until(lambda: seen.closed_at is not None, 60)


async def test_requests_run_side_by_side(backend: Backend) -> None:
    """CHAT-2: many streams at once, each whole."""
    outcomes = await asyncio.gather(
        *(outcome_of(backend, request_for("openai/echo", f"text {n}")) for n in range(20))
    )
    assert [outcome.text for outcome in outcomes] == [f"text {n}" for n in range(20)]


async def test_close_ends_everything(settings_for: Callable[..., BackendSettings]) -> None:
    """ALL-2: no process is left behind, and what comes later is told so."""
    backend = await Backend.start(settings_for())
    pid = (await backend.ping())["pid"]
    task = asyncio.create_task(outcome_of(backend, request_for("openai/slow", timeout_s=20)))
    await asyncio.sleep(0.1)
    await backend.close()
    await backend.close()
    assert not is_alive(pid)
    assert (await task).failure is not None
    with pytest.raises(ModelFailure, match="closing"):
        await backend.count("light", ["a"])


PARENT = """
    import asyncio, sys
    from pathlib import Path
    from app.backend.client import Backend
    from app.backend.protocol import BackendSettings
    from tests.backend.conftest import request_for

    async def main():
        data, base = sys.argv[1:]
        backend = await Backend.start(BackendSettings(Path(data), Path(data), base))
        print((await backend.ping())["pid"], flush=True)
        async for event in backend.complete(request_for("openai/slow", timeout_s=20)):
            print(type(event).__name__, flush=True)

    asyncio.run(main())
"""


async def test_the_child_ends_when_the_screen_is_killed(
    server: MisbehavingServer, tmp_path: Path
) -> None:
    """CHAT-3: SIGKILL of the screen's process in mid-stream leaves no process behind."""
    parent = await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",
        "-c",
        textwrap.dedent(PARENT),
        str(tmp_path),
        server.api_base,
        stdout=asyncio.subprocess.PIPE,
    )
    assert parent.stdout is not None
    child = int(await parent.stdout.readline())
    while await asyncio.wait_for(parent.stdout.readline(), 30) != b"Delta\n":
        pass
    parent.kill()
    await parent.wait()
    assert await until(lambda: not is_alive(child), 5) < 1


async def test_the_screen_s_process_stays_light() -> None:
    """CHAT-3: the client and the protocol import nothing heavy."""
    code = (
        "import sys, app.backend.client, app.backend.protocol\n"
        f"heavy = set('{HEAVY}'.split()) & {{n.split('.')[0] for n in sys.modules}}\n"
        "sys.exit(', '.join(heavy) or 0)"
    )
    run = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-c", code, stderr=asyncio.subprocess.PIPE
    )
    _, said = await run.communicate()
    assert run.returncode == 0, said.decode()


WATCH = """
    import os, sys

    def watch(event, args):
        if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
            with open(os.environ["WATCHED"], "a") as file:
                file.write(f"{event} {args[1] if event == 'socket.connect' else args[0]}\\n")

    sys.addaudithook(watch)
"""


async def test_nobody_but_the_configured_server_is_contacted(
    settings_for: Callable[..., BackendSettings], server: MisbehavingServer, tmp_path: Path
) -> None:
    """ALL-3: start, warm-up, description, counting and an answer stay on loopback."""
    (tmp_path / "sitecustomize.py").write_text(textwrap.dedent(WATCH))
    watched = tmp_path / "watched.txt"
    path = os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    plain = settings_for()
    environment = {**plain.environment, "PYTHONPATH": path, "WATCHED": str(watched)}
    backend = await Backend.start(settings_for(environment=environment))
    outcome = await outcome_of(backend, request_for("openai/good", timeout_s=20))
    assert isinstance(outcome.events[-1], Finished)
    await backend.describe("anthropic/claude-sonnet-4-5")
    with pytest.raises(ModelFailure, match="Ollama"):
        await backend.describe("ollama/some-model")
    await backend.count("gpt-4o", ["hello"])
    await backend.close()
    contacted = watched.read_text().splitlines()
    assert any(str(server.port) in line for line in contacted)
    assert [line for line in contacted if "127.0.0.1" not in line] == []
