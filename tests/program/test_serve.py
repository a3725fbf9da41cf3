"""VIEW-9: `strata serve`, as a process of its own with a browser's requests."""

import asyncio
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from app.web.origin import is_loopback, is_own_host, is_own_page
from tests.support.program import Program, wait_for

SECONDS = 60
posix = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C is sent otherwise there")


@pytest.fixture
def address(program: Program) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """A server on a free port, and its process."""
    process = program.start("serve", "--port", "0")
    assert process.stdout is not None
    found = re.search(rb"http://127\.0\.0\.1:\d+/", process.stdout.readline())
    assert found is not None
    yield found[0].decode(), process
    process.kill()
    process.communicate(timeout=SECONDS)


def fetched(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urlopen(Request(address, headers=headers), timeout=SECONDS) as answer:
            return answer.status, answer.read().decode("utf-8", "replace")
    except HTTPError as error:
        return error.code, error.read().decode()


@posix
def test_a_page_that_fetches_nothing_from_elsewhere(
    address: tuple[str, subprocess.Popen[bytes]],
) -> None:
    """VIEW-9, ALL-3: all of it comes from this machine, and only its own pages may connect."""
    url, process = address
    status, page = fetched(url)
    assert status == 200
    linked = re.findall(r'(?:href|src|url)[=(]"([^"]+)"', page)
    own = ("/", "data:", url.replace("http:", "ws:"))
    assert [link for link in linked if not link.startswith(own)] == []
    for link in linked:
        if link.startswith("/static"):
            assert fetched(url.rstrip("/") + link)[0] == 200
    assert fetched(url, Host="elsewhere.example")[0] == 403
    assert fetched(f"{url}ws", Origin="http://elsewhere.example")[0] == 403
    assert fetched(f"{url}ws")[0] == 403
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, b"")


@posix
def test_the_program_runs_in_a_page_and_ends_with_the_server(
    address: tuple[str, subprocess.Popen[bytes]],
) -> None:
    """VIEW-9: what it draws arrives; Ctrl+C ends it together with the server."""
    url, process = address
    first = asyncio.run(_open(url, process))
    assert b"\x1b[" in first
    _, err = process.communicate(timeout=SECONDS)
    assert (process.returncode, err) == (0, b"")


async def _open(url: str, process: subprocess.Popen[bytes]) -> bytes:
    """Opens a page's connection, ends the server, and waits until both have ended."""
    import aiohttp
    import psutil

    async with (
        aiohttp.ClientSession(headers={"Origin": url.rstrip("/")}) as session,
        session.ws_connect(f"{url}ws?width=80&height=24") as page,
    ):
        first = (await page.receive(SECONDS)).data
        children = psutil.Process(process.pid).children(recursive=True)
        assert any("app.cli" in " ".join(child.cmdline()) for child in children)
        process.send_signal(signal.SIGINT)
        while (await page.receive(SECONDS)).type is aiohttp.WSMsgType.BINARY:
            continue
    assert wait_for(lambda: not any(child.is_running() for child in children), SECONDS)
    return bytes(first)


def test_a_port_that_is_taken_or_none(program: Program) -> None:
    """VIEW-9: a sentence that names another way."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        sentence = program.run("serve", "--port", port).refused()
    assert f"Port {port} of 127.0.0.1 can't be used" in sentence
    assert "--port" in sentence
    for wrong in ("70000", "-1", "http", ""):
        assert program.run("serve", "--port", wrong).status == 2
    assert "no address" in program.run("serve", "--host", "no.such.invalid").refused()


@pytest.mark.parametrize(
    ("origin", "host", "own"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000", True),
        ("http://localhost:8000", "localhost:8000", True),
        ("http://127.0.0.1:8001", "127.0.0.1:8000", False),
        ("http://elsewhere.example", "127.0.0.1:8000", False),
        ("null", "127.0.0.1:8000", False),
        (None, "127.0.0.1:8000", False),
        ("http://[", "127.0.0.1:8000", False),
    ],
)
def test_whose_pages_may_connect(origin: str | None, host: str, own: bool) -> None:
    """VIEW-9: a page from elsewhere can reach this machine, but not type into Strata."""
    assert is_own_page(origin, host) is own


def test_names_that_somebody_else_points_here() -> None:
    """VIEW-9: a page under a foreign name is none of ours, whatever address the name has."""
    assert is_own_host("localhost:8000", local=True)
    assert is_own_host("[::1]:8000", local=True)
    assert not is_own_host("rebound.example:8000", local=True)
    assert not is_own_host(None, local=True)
    assert is_own_host("desk.home:8000", local=False)
    assert is_loopback("127.0.0.53")
    assert not is_loopback("0.0.0.0")
