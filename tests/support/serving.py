"""Runs a server of tests beside the test."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from typing import TypeVar

AnyServer = TypeVar("AnyServer", bound=ThreadingHTTPServer)


@contextmanager
def serving(server: AnyServer) -> Iterator[AnyServer]:
    """Runs the server in a thread until the block is left."""
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
