"""MCP servers that misbehave, or speak an older protocol, written without the SDK.

Run it as `mcp_oddities.py KIND`.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

TOOLS: list[dict[str, Any]] = [
    {"name": "old", "description": "An old\x1b[31m tool.", "inputSchema": {"type": "object"}},
    {"name": "huge", "inputSchema": {"type": "object", "description": "x" * 30_000}},
]


def answer(request: dict[str, Any]) -> dict[str, Any] | None:
    """What a server of 2024 answers."""
    match request["method"]:
        case "initialize":
            result: dict[str, Any] = {
                "protocolVersion": "2024-11-05",
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "old", "version": "1"},
            }
        case "tools/list":
            result = {"tools": TOOLS}
        case "tools/call":
            return call(request["params"].get("arguments", {}))
        case _:
            return {"error": {"code": -32601, "message": "Method not found"}}
    return {"result": result}


def call(arguments: dict[str, Any]) -> dict[str, Any]:
    """Says what it was told; adds a tool where it is told to."""
    if arguments.get("learn"):
        TOOLS.append({"name": "newer", "inputSchema": {"type": "object"}})
        say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    return {"result": {"content": [{"type": "text", "text": json.dumps(arguments)}]}}


def say(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def serve() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            say({"jsonrpc": "2.0", "id": request["id"], **(answer(request) or {})})


def greet() -> None:
    print("Welcome to the old server!", flush=True)
    serve()


def wrong() -> None:
    TOOLS.append({"name": "list", "inputSchema": {"type": "array"}})
    serve()


def chatty() -> None:
    sys.stderr.write(("y" * 99 + "\n") * 30_000)
    serve()


def print_for_ever(text: str) -> None:
    while True:
        sys.stdout.write(text)


def end() -> None:
    sys.stderr.write(f"key {os.environ.get('KEY', 'none')} is wrong\n")
    sys.exit(3)


def stay() -> None:
    """Ends neither with its input nor when it is told to, and has a child that is no better."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    code = "import time, signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)"
    child = subprocess.Popen([sys.executable, "-c", code])
    TOOLS[0]["name"] = f"pids_{os.getpid()}_{child.pid}"
    serve()
    time.sleep(60)


KINDS: dict[str, Callable[[], object]] = {
    "old": greet,
    "wrong": wrong,
    "silent": sys.stdin.read,
    "garbage": lambda: print_for_ever("garbage" * 10 + "\n"),
    "blank": lambda: print_for_ever("\n" * 10_000),
    "endless": lambda: print_for_ever("x" * 1_000_000),
    "chatty": chatty,
    "ends": end,
    "stays": stay,
}

if __name__ == "__main__":
    KINDS[sys.argv[1]]()
