"""A web server of tests: pages by path, and a count of the connections that reached it."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

from app.schema import ToolsSettings
from app.tools.page_child import answer
from app.tools.tool import ToolResult
from app.tools.web import WEB_TOOLS
from memory.memory import Memory
from tests.support.serving import serving
from tests.tools.shell_desk import ShellDesk

Send = Callable[[socket.socket], None]


@dataclass(frozen=True)
class Sent:
    """What the server answers at a path."""

    body: bytes | str = b""
    type: str | None = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class PageServer(ThreadingHTTPServer):
    """Answers by `pages`; `raw` answers take the socket themselves."""

    daemon_threads = True
    request_queue_size = 50

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Handler)
        self.pages: dict[str, Sent] = {}
        self.raw: dict[str, Send] = {}
        self.connections = 0
        self.requests: list[tuple[str, dict[str, str]]] = []

    def get_request(self) -> tuple[socket.socket, object]:
        """Counts a connection."""
        self.connections += 1
        return super().get_request()

    def handle_error(self, *args: object) -> None:
        """A client that goes away early is nothing to tell."""

    def at(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """An address of this server."""
        return f"http://{host}:{self.server_port}{path}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answers by the path."""
        server = cast("PageServer", self.server)
        server.requests.append((self.path, dict(self.headers)))
        self.close_connection = True
        if raw := server.raw.get(self.path):
            raw(self.connection)
            return
        sent = server.pages.get(self.path, Sent("not here", "text/plain", 404))
        body = sent.body.encode() if isinstance(sent.body, str) else sent.body
        self.send_response(sent.status)
        if sent.type is not None:
            self.send_header("Content-Type", sent.type)
        for name, value in {"Content-Length": str(len(body)), **sent.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@contextmanager
def a_page_server(host: str = "127.0.0.1", port: int = 0) -> Iterator[PageServer]:
    """A server until the block is left."""
    with serving(PageServer(host, port)) as server:
        yield server


async def fetched(url: str, **settings: object) -> ToolResult:
    """What the tool makes of an address; it needs neither memory nor a backend."""
    desk = ShellDesk(Path(), cast("Memory", None), ToolsSettings.model_validate(settings))
    return await WEB_TOOLS[0].run({"url": url}, desk)


def read(url: str, chars: int = 100_000) -> ToolResult:
    """What the child process makes of an address, without its start; this machine may be asked."""
    request = {"url": url, "allowed_hosts": ["127.0.0.1"], "seconds": 30, "chars": chars}
    told = answer({**request, "agent": "Strata/test"})
    return ToolResult(told["text"], told["ok"], told.get("error", ""), source=told.get("url", ""))


def drip(seconds: float) -> Send:
    """Sends a page without end, a byte at a time."""
    stop = threading.Event()

    def send(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
        try:
            while not stop.wait(seconds):
                connection.sendall(b"x")
        except OSError:
            stop.set()

    return send
