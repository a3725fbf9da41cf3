"""CHAT-10: the servers of tools, real ones, over pipes and over HTTP, well-behaved and not."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from app.backend import mcp_server
from app.backend.client import Backend
from app.backend.mcp_leash import Leash
from app.backend.mcp_protocol import McpServerView, McpSettings
from app.backend.mcp_server import McpServer, Surroundings
from app.backend.protocol import BackendSettings
from tests.support.processes import is_alive, until

pytestmark = pytest.mark.asyncio(loop_scope="session")

SUPPORT = Path(__file__).parents[1] / "support"
GOOD = McpSettings(
    sys.executable,
    (str(SUPPORT / "mcp_server.py"), "stdio"),
    env={"PLAIN": "plain", "SECRET": "key ${MCP_TEST_KEY}"},
)
KEY = "a-key-for-the-servers-of-tests"
READY_S = 60.0
"""Generous: the machine of a test may be busy with others."""


def odd(kind: str, **changes: object) -> McpSettings:
    """A server of `mcp_oddities`."""
    settings = McpSettings(sys.executable, (str(SUPPORT / "mcp_oddities.py"), kind))
    return replace(settings, **changes)  # type: ignore[arg-type]


def view(backend: Backend, name: str) -> McpServerView:
    return next(view for view in backend.mcp.states() if view.name == name)


def names(backend: Backend, name: str) -> list[str]:
    return [tool.name for tool in view(backend, name).tools]


@asynccontextmanager
async def with_servers(folder: Path, **servers: McpSettings) -> AsyncIterator[Backend]:
    settings = BackendSettings(folder, folder, environment={"MCP_TEST_KEY": KEY}, mcp=servers)
    backend = await Backend.start(settings)
    try:
        await backend.mcp.settled(READY_S)
        yield backend
    finally:
        await backend.close()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("mcp")


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@asynccontextmanager
async def http_server(port: int) -> AsyncIterator[McpSettings]:
    """The good server, over HTTP."""
    server = await asyncio.create_subprocess_exec(
        sys.executable, str(SUPPORT / "mcp_server.py"), "http", str(port)
    )

    def listens() -> bool:
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", port)) == 0

    try:
        await until(listens, READY_S)
        yield McpSettings(url=f"http://127.0.0.1:{port}/mcp")
    finally:
        if server.returncode is None:
            server.kill()
        await server.wait()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def web() -> AsyncIterator[McpSettings]:
    async with http_server(free_port()) as settings:
        yield replace(settings, headers={"Authorization": "Bearer ${MCP_TEST_KEY}"})


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(folder: Path, web: McpSettings) -> AsyncIterator[Backend]:
    """One backend with servers of all kinds."""
    servers = {
        "good": GOOD,
        "web": web,
        "old": odd("old", allowed_tools=("old",)),
        "wrong": odd("wrong"),
        "silent": odd("silent", timeout_s=4.0),
        "garbage": odd("garbage"),
        "endless": odd("endless"),
        "blank": odd("blank"),
        "chatty": odd("chatty"),
        "ends": odd("ends", env={"KEY": "${MCP_TEST_KEY}"}),
        "missing": McpSettings("there-is-no-such-program"),
        "nowhere": McpSettings(url="http://127.0.0.1:9/mcp"),
        "keyless": odd("old", env={"KEY": "${MCP_TEST_KEY_OF_NOBODY}"}),
        "off": odd("old", enabled=False),
    }
    async with with_servers(folder, **servers) as backend:
        yield backend


@pytest.mark.parametrize("name", ["good", "web"])
async def test_the_tools_of_a_server_are_known(backend: Backend, name: str) -> None:
    """CHAT-10: over a pipe and over HTTP, with the schemas of their arguments."""
    assert view(backend, name).state == "ready", view(backend, name).sentence
    tool = next(tool for tool in view(backend, name).tools if tool.name == "echo")
    assert tool.description == "Says the text again."
    assert tool.schema["required"] == ["text"]
    assert (tool.asks, tool.reads) == (False, True)
    asked = {tool.name for tool in view(backend, name).tools if tool.asks}
    assert asked == {"fail", "die"}


@pytest.mark.parametrize("name", ["good", "web"])
async def test_a_call_is_answered(backend: Backend, name: str) -> None:
    """CHAT-10: text as it is, whatever it holds; what is no text is named."""
    text = "grüße 🎉 \x1b[31m\u202e\x00"
    answer = await backend.mcp.call(name, "echo", {"text": text, "times": 2})
    assert (answer.ok, answer.text) == (True, text * 2)
    assert (await backend.mcp.call(name, "picture", {})).text == "[image, image/png, 12 kB]"


@pytest.mark.parametrize("name", ["good", "web"])
async def test_a_large_answer_arrives_whole(backend: Backend, name: str) -> None:
    """CHAT-10: some megabytes; others can speak meanwhile."""
    arguments = {"text": "0123456789", "times": 400_000}
    large, small = await asyncio.gather(
        backend.mcp.call(name, "echo", arguments),
        backend.mcp.call("old", "old", {"a": 1}),
    )
    assert large.text == "0123456789" * 400_000
    assert small.text == '{"a": 1}'


@pytest.mark.parametrize("name", ["good", "web"])
async def test_a_failure_is_a_result(backend: Backend, name: str) -> None:
    """CHAT-10: the model reads it and goes on."""
    failed = await backend.mcp.call(name, "fail", {"reason": "no"})
    assert (failed.ok, failed.error) == (False, "ToolFailed")
    assert "fail" in failed.text
    wrong = await backend.mcp.call(name, "echo", {"times": 2})
    assert not wrong.ok
    assert "text" in wrong.text
    assert not (await backend.mcp.call(name, "no_such_tool", {})).ok
    assert (await backend.mcp.call("nobody", "echo", {})).error == "ServerGone"


@pytest.mark.parametrize("name", ["good", "web"])
async def test_calls_run_side_by_side(backend: Backend, tmp_path: Path, name: str) -> None:
    """CHAT-10: a slow one holds up no other."""
    mark = str(tmp_path / "mark")
    slow = asyncio.create_task(backend.mcp.call(name, "slow", {"mark": mark, "seconds": 0.5}))
    answers = await asyncio.gather(
        *(backend.mcp.call(name, "echo", {"text": str(n)}) for n in range(20))
    )
    assert [answer.text for answer in answers] == [str(n) for n in range(20)]
    assert not slow.done()
    assert (await slow).text == "done"


@pytest.mark.parametrize("name", ["good", "web"])
async def test_a_cancelled_call_is_cancelled_at_the_server(
    backend: Backend, tmp_path: Path, name: str
) -> None:
    """CHAT-10: Esc ends what the server does for us."""
    mark = tmp_path / "mark"
    call = asyncio.create_task(backend.mcp.call(name, "slow", {"mark": str(mark)}))
    await until(lambda: mark.exists() and mark.read_text() == "started", 10)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    await until(lambda: mark.read_text() == "cancelled", 10)
    assert (await backend.mcp.call(name, "echo", {"text": "on"})).text == "on"


async def test_a_call_that_takes_too_long_is_given_up(backend: Backend, tmp_path: Path) -> None:
    """CHAT-10: the server is told, and the model."""
    mark = tmp_path / "mark"
    answer = await backend.mcp.call("good", "slow", {"mark": str(mark)}, longest_s=0.5)
    assert (answer.ok, answer.error) == (False, "TimedOut")
    assert "0.5 seconds" in answer.text
    await until(lambda: mark.read_text() == "cancelled", 10)


async def test_a_server_gets_the_environment_it_was_given_and_no_keys(backend: Backend) -> None:
    """CHAT-10, ALL-3: a secret is named in the configuration, and hidden where it comes back."""

    async def variable(name: str) -> str:
        return (await backend.mcp.call("good", "variable", {"name": name})).text

    assert await variable("PLAIN") == "plain"
    assert await variable("SECRET") == "key (hidden)"
    assert await variable("MCP_TEST_KEY") == "none"
    assert await variable("PATH") == os.environ["PATH"]


async def test_an_address_gets_the_headers_it_was_given(backend: Backend) -> None:
    """CHAT-10: with the key put in."""
    answer = await backend.mcp.call("web", "header", {"name": "authorization"})
    assert answer.text == "Bearer (hidden)"


@pytest.mark.parametrize("name", ["good", "web"])
async def test_new_tools_are_seen(backend: Backend, name: str) -> None:
    """CHAT-10: as soon as the server says so."""
    assert (await backend.mcp.call(name, "learn", {"name": "new"})).text == "learnt"
    await until(lambda: "new" in names(backend, name), 10)
    assert (await backend.mcp.call(name, "new", {})).text == "I am new."


async def test_an_older_server_works(backend: Backend) -> None:
    """CHAT-10: one of 2024, which greets on its output; what is too large is told, not offered."""
    old = view(backend, "old")
    assert (old.state, names(backend, "old")) == ("ready", ["old"])
    assert not old.tools[0].asks
    assert "huge is left out" in old.notes[0]
    assert (await backend.mcp.call("old", "old", {"learn": True})).ok
    await until(lambda: "newer" in names(backend, "old"), 10)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("silent", ("not ready within 4 seconds", "timeout_s")),
        ("garbage", ("is not MCP", "mcp.garbage.command")),
        ("endless", ("is not MCP", "mcp.endless.command")),
        ("blank", ("is not MCP", "mcp.blank.command")),
        ("ends", ("ended before it was ready (exit code 3)", "mcp-ends.log")),
        ("missing", ("no program there-is-no-such-program", "Install it")),
        ("nowhere", ("can't be reached at http://127.0.0.1:9/mcp", "mcp.nowhere.url")),
        ("keyless", ("needs MCP_TEST_KEY_OF_NOBODY", "keyring set strata")),
        ("wrong", ("its answer is not as MCP asks", "mcp.wrong")),
    ],
)
async def test_a_server_that_does_not_start_is_named(
    backend: Backend, name: str, parts: tuple[str, ...]
) -> None:
    """CHAT-10, ALL-5: what happened and what to do; the others are not concerned."""
    failed = view(backend, name)
    told = f"{failed.sentence} {failed.next_step}"
    assert failed.state == "failed"
    assert all(part in told for part in (*parts, f"@mcp restart {name}")), told
    answer = await backend.mcp.call(name, "echo", {})
    assert (answer.ok, answer.error) == (False, "ServerGone")
    assert failed.sentence in answer.text


async def test_a_server_that_is_turned_off_is_not_started(backend: Backend) -> None:
    """CHAT-10: `enabled = false`."""
    assert view(backend, "off").state == "off"
    assert not (await backend.mcp.call("off", "old", {})).ok


async def test_what_a_server_prints_is_kept_without_our_keys(
    backend: Backend, folder: Path
) -> None:
    """CHAT-10, ALL-3: the log says more, and holds no secret."""
    log = folder / "log" / "mcp-ends.log"
    assert log.read_text() == "key (hidden) is wrong\n"
    for file in (folder / "log").iterdir():
        assert KEY not in file.read_text()


async def test_a_server_that_prints_much_does_not_fill_the_disk(
    backend: Backend, folder: Path
) -> None:
    """CHAT-10: three megabytes of errors at once; the server works all the same."""
    assert (await backend.mcp.call("chatty", "old", {})).ok
    sizes = [file.stat().st_size for file in (folder / "log").glob("mcp-chatty.log*")]
    assert 0 < sum(sizes) <= 1_000_000


async def test_a_server_that_dies_fails_its_calls_only(backend: Backend, tmp_path: Path) -> None:
    """CHAT-10: the calls in flight, with a sentence; it can be started again."""
    mark = tmp_path / "mark"
    slow = asyncio.create_task(backend.mcp.call("good", "slow", {"mark": str(mark)}))
    await until(mark.exists, 60)
    answer = await backend.mcp.call("good", "die", {"code": 4})
    assert (answer.ok, answer.error) == (False, "ServerGone")
    assert answer.text.startswith("The MCP server good ended (exit code 4). @mcp restart good")
    assert (await slow).text == answer.text
    assert (view(backend, "good").state, names(backend, "good")) == ("dead", [])
    assert (await backend.mcp.call("old", "old", {})).ok
    assert await backend.mcp.restart("good")
    await backend.mcp.settled(READY_S)
    assert (await backend.mcp.call("good", "echo", {"text": "again"})).text == "again"
    assert not await backend.mcp.restart("nobody")


async def test_an_address_that_falls_silent_is_noticed(backend: Backend, web: McpSettings) -> None:
    """CHAT-10: the call in flight is a result; the server can be connected again."""
    answer = await backend.mcp.call("web", "die", {"code": 0})
    assert (answer.ok, answer.error) == (False, "ServerGone")
    await until(lambda: view(backend, "web").state == "dead", 60)
    assert "connection to the MCP server web is lost" in view(backend, "web").sentence
    assert (await backend.mcp.call("old", "old", {})).ok
    async with http_server(int((web.url or "").split(":")[2].split("/")[0])):
        assert await backend.mcp.restart("web")
        await backend.mcp.settled(READY_S)
        assert (await backend.mcp.call("web", "echo", {"text": "again"})).text == "again"


async def test_an_address_that_comes_back_is_found_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-10: as networks go and come; until then it is told once."""
    monkeypatch.setattr(mcp_server, "RETRY_S", 0.1)
    told: list[str] = []

    async def at_once() -> None:
        return None

    around = Surroundings(tmp_path, Leash(), at_once, lambda view: told.append(view.state))
    port = free_port()
    settings = McpSettings(url=f"http://127.0.0.1:{port}/mcp", timeout_s=READY_S)
    server = McpServer("web", settings, around)
    server.start()
    try:
        await until(lambda: told[-1] == "failed", READY_S)
        for _ in range(2):
            async with http_server(port):
                await until(lambda: told[-1] == "ready", READY_S)
            await server.call("echo", {"text": "a"}, 5)
            await until(lambda: told[-1] == "dead", 60)
    finally:
        await server.stop()
    assert told == ["connecting", "failed", "ready", "dead", "ready", "dead"]


async def test_nothing_is_left_running(tmp_path: Path) -> None:
    """CHAT-10, ALL-2: not even a server that ignores its end, nor what it started."""

    def both(backend: Backend) -> list[int]:
        return [int(pid) for pid in names(backend, "stays")[0].split("_")[1:]]

    def gone(pids: list[int]) -> bool:
        return not any(is_alive(pid) for pid in pids)

    async with with_servers(tmp_path, stays=odd("stays")) as backend:
        started = both(backend)
        assert not gone(started)
        assert await backend.mcp.restart("stays")
        assert gone(started)
        await backend.mcp.settled(READY_S)

        started = both(backend)
        os.kill((await backend.ping())["pid"], signal.SIGKILL)
        await until(lambda: gone(started), 20)
        # The supervisor starts the backend again, and so the servers.
        await until(lambda: bool(names(backend, "stays")) and both(backend) != started, READY_S)
        started = both(backend)
        assert not gone(started)
    await until(lambda: gone(started), 20)


SPEAKS = """
import sys
def watch(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open("WATCHED", "a") as file:
            file.write(f"{event} {args[1] if event == 'socket.connect' else args[0]}\\n")
sys.addaudithook(watch)
"""


async def test_nobody_but_the_servers_is_contacted(tmp_path: Path) -> None:
    """ALL-3: the SDK records spans for OpenTelemetry; an exporter that is set up gets none."""
    watched = tmp_path / "watched"
    (tmp_path / "sitecustomize.py").write_text(SPEAKS.replace("WATCHED", str(watched)))
    environment = {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
        "OTEL_PYTHON_TRACER_PROVIDER": "sdk_tracer_provider",
        "OTEL_TRACES_EXPORTER": "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.2:4318",
    }
    async with http_server(port := free_port()) as web:
        settings = BackendSettings(
            tmp_path, tmp_path, environment=environment, mcp={"good": odd("old"), "web": web}
        )
        backend = await Backend.start(settings)
        try:
            await backend.mcp.settled(READY_S)
            assert (await backend.mcp.call("web", "echo", {"text": "a"})).ok
            assert (await backend.mcp.call("good", "old", {})).ok
        finally:
            await backend.close()
    contacted = watched.read_text().splitlines()
    assert contacted
    assert [line for line in contacted if f"'127.0.0.1', {port}" not in line] == []


async def test_without_servers_nothing_of_it_is_loaded(tmp_path: Path) -> None:
    """CHAT-10, ALL-7: the SDK costs most of a second and tens of megabytes."""
    async with with_servers(tmp_path) as backend:
        assert backend.mcp.states() == ()
        assert list(backend.mcp.tools()) == []
    code = "import sys, app.backend.server; sys.exit('mcp' in sys.modules)"
    run = await asyncio.create_subprocess_exec(sys.executable, "-P", "-c", code)
    assert await run.wait() == 0
