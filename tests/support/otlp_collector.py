"""A collector of traces on loopback, as OpenTelemetry's protocol wants it over HTTP.

It answers as the test says: takes what comes, refuses it, or says nothing until the test ends.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.serving import serving


@dataclass(frozen=True)
class Seen:
    """A span that arrived."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    attributes: dict[str, Any]
    failed: str
    """What its status says; empty where it went well."""

    def is_in(self, other: "Seen") -> bool:
        """Whether the other one is its parent."""
        return (self.parent, self.trace) == (other.id, other.trace)


class Collector(ThreadingHTTPServer):
    """The server; what came is kept as it came."""

    daemon_threads = True

    def __init__(self, status: int = 200) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status = status
        self.silent = False
        self.over = threading.Event()
        self.bodies: list[bytes] = []
        self.headers: list[dict[str, str]] = []

    @property
    def address(self) -> str:
        """What `OTEL_EXPORTER_OTLP_ENDPOINT` is given."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    @property
    def host(self) -> str:
        """The part of it that may be told."""
        return self.address.removeprefix("http://")

    @property
    def spans(self) -> list[Seen]:
        """All spans that arrived, in the order they ended."""
        return [_seen(span) for _, scope in self._scopes() for span in scope.spans]

    @property
    def resources(self) -> list[dict[str, Any]]:
        """What is told of the programs they are from."""
        return [_attributes(resource.resource.attributes) for resource, _ in self._scopes()]

    @property
    def makers(self) -> set[str]:
        """Whose spans they are."""
        return {scope.scope.name for _, scope in self._scopes()}

    def named(self, name: str) -> list[Seen]:
        """The spans of a name."""
        return [span for span in self.spans if span.name == name]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error."""

    def _scopes(self) -> Iterator[tuple[Any, Any]]:
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    yield resource, scope


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Collector)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if server.silent:
            server.over.wait()
        if server.status == 200 and self.path == "/v1/traces":
            server.bodies.append(body)
        server.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.send_response(server.status if self.path == "/v1/traces" else 404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


@contextmanager
def collector(status: int = 200, *, silent: bool = False) -> Iterator[Collector]:
    """The collector, running in a thread."""
    with serving(Collector(status)) as server:
        server.silent = silent
        try:
            yield server
        finally:
            server.over.set()


def _seen(span: Any) -> Seen:
    return Seen(
        name=span.name,
        id=span.span_id,
        parent=span.parent_span_id,
        trace=span.trace_id,
        attributes=_attributes(span.attributes),
        failed=span.status.message if span.status.code == span.status.STATUS_CODE_ERROR else "",
    )


def _attributes(pairs: Any) -> dict[str, Any]:
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in pairs}
