"""A small Ollama on loopback: real HTTP, the three calls that Strata makes, and bad manners.

`/api/tags` answers as `tags` says; `/api/chat` as the model's name says: `cut` breaks off,
`broken` fails in the middle, `hang` never answers, anything else streams its last message back.

    with fake_ollama() as server:
        ... OLLAMA_HOST=server.address, model="ollama_chat/llama3.2:3b" ...
"""

import json
import socket
import time
from contextlib import AbstractContextManager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.serving import serving

CONTEXTS = {"llama3.2:3b": 131072, "small": 4096}
"""The models there are besides the misbehaving ones, and what they can see."""

MISBEHAVING = ("cut", "broken", "hang", "slow-show")
_HOLD_S = 20.0


def tag(name: str, **more: Any) -> dict[str, Any]:
    """An entry of the list of models."""
    details = {"family": "llama", "parameter_size": "3.2B", "quantization_level": "Q4_K_M"}
    return {"name": name, "model": name, "size": 2_019_393_189, "details": details, **more}


class FakeOllama(ThreadingHTTPServer):
    """The server; `seen` holds the path and the body of every request."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.seen: list[tuple[str, Any]] = []
        self.tags: Any = {"models": [tag(name) for name in CONTEXTS]}
        self.tags_delay_s = 0.0
        self.recipes: dict[str, str] = {}

    @property
    def address(self) -> str:
        """What `OLLAMA_HOST` names."""
        return f"127.0.0.1:{self.server_address[1]}"

    def asked(self, path: str) -> list[Any]:
        """The bodies that came to a path."""
        return [body for asked, body in self.seen if asked == path]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def ollama(self) -> FakeOllama:
        server = self.server
        assert isinstance(server, FakeOllama)
        return server

    def do_GET(self) -> None:
        self.ollama.seen.append((self.path, None))
        time.sleep(self.ollama.tags_delay_s)
        self._whole(self.ollama.tags)

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.ollama.seen.append((self.path, body))
        model = str(body.get("model"))
        if model not in CONTEXTS and model not in MISBEHAVING:
            self._whole({"error": f"model '{model}' not found"}, 404)
        elif self.path == "/api/show":
            time.sleep(_HOLD_S if model == "slow-show" else 0)
            self._whole(
                {
                    "parameters": self.ollama.recipes.get(model, ""),
                    "model_info": {
                        "general.architecture": "llama",
                        "llama.context_length": CONTEXTS.get(model, 8192),
                    },
                }
            )
        elif self.path == "/api/generate":
            self._generate(model, str(body["prompt"]))
        else:
            self._chat(model, str(body["messages"][-1]["content"]))

    def _generate(self, model: str, text: str) -> None:
        """Goes on from a plain text with its last words."""
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in text.split()[-3:]:
            self._piece({"model": model, "response": f" {word}", "done": False})
        end = {"done_reason": "stop", "prompt_eval_count": 26, "eval_count": 3}
        self._piece({"model": model, "response": "", "done": True, **end})
        self.wfile.write(b"0\r\n\r\n")

    def _chat(self, model: str, text: str) -> None:
        if model == "hang":
            time.sleep(_HOLD_S)
        self.send_response(200)
        self.send_header("Content-Type", "application/x-ndjson")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for word in text.split(" "):
            self._line(model, {"role": "assistant", "content": word + " "})
        if model == "cut":
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        if model == "broken":
            self._piece({"error": "llama runner process has terminated"})
        else:
            end = {"done_reason": "stop", "prompt_eval_count": 26, "eval_count": 5}
            self._line(model, {"role": "assistant", "content": ""}, done=True, **end)
        self.wfile.write(b"0\r\n\r\n")

    def _line(self, model: str, message: dict[str, str], **more: Any) -> None:
        at = "2026-11-21T11:00:00.000000Z"
        self._piece({"model": model, "created_at": at, "message": message, "done": False, **more})

    def _piece(self, body: Any) -> None:
        data = json.dumps(body).encode() + b"\n"
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _whole(self, body: Any, status: int = 200) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


def fake_ollama() -> AbstractContextManager[FakeOllama]:
    """The server, running in a thread."""
    return serving(FakeOllama())
