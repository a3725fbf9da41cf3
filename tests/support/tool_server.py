"""An OpenAI-compatible server on loopback that answers by a script, calls of tools included."""

import json
import re
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serving

HOLD_S = 20.0


def call(name: str, arguments: Any = None, id: str = "") -> dict[str, str]:
    """A call as a script has it; arguments that are a text go out as they are."""
    given = {} if arguments is None else arguments
    text = given if isinstance(given, str) else json.dumps(given)
    return {"name": name, "arguments": text, "id": id}


@dataclass(frozen=True)
class Says:
    """One answer of the script.

    Args:
        text: What is said first.
        calls: The tools that are called then.
        reasoning: What is thought before.
        thinking: Signed blocks of it, as Anthropic gives them.
        finish: Why it ends; None for an end that comes too early.
        hold: Stop after the text until the client goes away.
        status: An HTTP error in place of an answer, with `text` as its message.
        reads_s: Seconds before the first piece.
        writes_s: Seconds between the two pieces of a call.
    """

    text: str = ""
    calls: Sequence[dict[str, str]] = ()
    reasoning: str = ""
    thinking: Sequence[dict[str, Any]] = ()
    finish: str | None = "stop"
    hold: bool = False
    status: int = 200
    reads_s: float = 0.0
    writes_s: float = 0.0


Script = Callable[[int, dict[str, Any]], Says]
"""From the number of the request (from 0) and its body to the answer."""


class ToolServer(ThreadingHTTPServer):
    """The server; `seen` holds the bodies of all requests with messages of the chat."""

    daemon_threads = True

    def __init__(self, script: Script | Sequence[Says]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[dict[str, Any]] = []
        self.script = script
        self.let_go = threading.Event()

    @property
    def api_base(self) -> str:
        """The address that an OpenAI-compatible client is given."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def next(self, body: dict[str, Any]) -> Says:
        """The answer to a request; the last one of a list is given again and again."""
        self.seen.append(body)
        n = len(self.seen) - 1
        if callable(self.script):
            return self.script(n, body)
        return self.script[min(n, len(self.script) - 1)]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, ToolServer)
        self.close_connection = True
        says = server.next(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        if says.status != 200:
            self._refuse(says)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        time.sleep(says.reads_s)
        if says.reasoning:
            self._delta({"reasoning_content": says.reasoning})
        if says.thinking:
            self._delta({"thinking_blocks": list(says.thinking)})
        for word in re.findall(r"\S+\s*|\s+", says.text):
            self._delta({"content": word})
        if says.hold:
            server.let_go.wait(HOLD_S)
        for place, called in enumerate(says.calls):
            self._call(place, called, says.writes_s)
        if says.finish is not None:
            finish = "tool_calls" if says.calls and says.finish == "stop" else says.finish
            self._delta({}, finish)
            usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
            self._event({"choices": [], "usage": usage})
            self.wfile.write(b"data: [DONE]\n\n")

    def _call(self, place: int, called: dict[str, str], writes_s: float) -> None:
        """A call in two pieces, as providers send them."""
        half = len(called["arguments"]) // 2
        first = {"name": called["name"], "arguments": called["arguments"][:half]}
        head = {"index": place, "id": called["id"] or None, "type": "function", "function": first}
        self._delta({"tool_calls": [head]})
        time.sleep(writes_s)
        rest = {"index": place, "function": {"arguments": called["arguments"][half:]}}
        self._delta({"tool_calls": [rest]})

    def _delta(self, delta: dict[str, Any], finish: str | None = None) -> None:
        self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, body: dict[str, Any]) -> None:
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
        self.wfile.write(f"data: {json.dumps({**head, **body})}\n\n".encode())

    def _refuse(self, says: Says) -> None:
        body = json.dumps({"error": {"message": says.text}}).encode()
        self.send_response(says.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def tool_server(script: Script | Sequence[Says]) -> AbstractContextManager[ToolServer]:
    """The server, running in a thread."""
    return serving(ToolServer(script))
