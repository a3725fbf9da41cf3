"""A small OpenAI-compatible server on loopback that streams as the model's name says.

It takes messages, and plain text that is to be continued.

`words-COUNT-MS` streams COUNT words, MS milliseconds apart; `words-COUNT-MS-hold` stops after them
without an end until the client goes away. Any other model answers one sentence,
as summaries are.
"""

import itertools
import json
import time
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serving

SENTENCE = "Anna builds a wooden boat in Bergen and wants it blue by 12 May."
_HOLD_S = 30.0


class ChatServer(ThreadingHTTPServer):
    """The server; `seen` holds the bodies of all requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[dict[str, Any]] = []
        self.answers = itertools.count(1)

    @property
    def api_base(self) -> str:
        """The address that an OpenAI-compatible client is given."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, ChatServer)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.seen.append(body)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self._text = self.path.endswith("/v1/completions")
        self._stream(str(body.get("model", "")), next(server.answers))
        self.close_connection = True

    def _stream(self, model: str, answer: int) -> None:
        plan = model.split("-")
        if plan[0] != "words":
            self._delta({"content": SENTENCE})
        else:
            for number in range(int(plan[1])):
                self._delta({"content": f"a{answer}-w{number} "})
                time.sleep(int(plan[2]) / 1000)
            if plan[3:] == ["hold"]:
                time.sleep(_HOLD_S)
        self._delta({}, "stop")
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _delta(self, delta: dict[str, str], finish: str | None = None) -> None:
        said = {"text": delta.get("content", "")} if self._text else {"delta": delta}
        self._event({"choices": [{"index": 0, **said, "finish_reason": finish}]})

    def _event(self, body: dict[str, Any]) -> None:
        kind = "text_completion" if self._text else "chat.completion.chunk"
        head = {"id": "c1", "object": kind, "created": 1, "model": "m"}
        self.wfile.write(f"data: {json.dumps({**head, **body})}\n\n".encode())

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def chat_server() -> AbstractContextManager[ChatServer]:
    """The server, running in a thread."""
    return serving(ChatServer())
