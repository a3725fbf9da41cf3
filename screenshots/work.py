"""Takes the pictures of a piece of work: the real program and real tools; the model is scripted.

It reads a source tree, plans tasks, notes what it finds, and finishes the goal. What the model
says and calls stands below and comes over HTTP like any provider's; whatever the tools return is
what they found in this checkout.

    .venv/bin/python screenshots/work.py
"""

import asyncio
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from take import NORMAL, WIDE, answers, save, say, until
from textual.pilot import Pilot

from app.settings import load_settings
from app.start import Start
from app.tui import StrataApp
from memory.wish import Wish
from widgets.transcript import Transcript

ROOT = Path(__file__).resolve().parents[1]
TREE = ("memory", "tests/memory")
"""What of the checkout the work is about."""
QUESTION = (
    "What may a compaction drop without a summary? Read the stages and plan the missing tests."
)
Step = tuple[str, list[tuple[str, dict[str, Any]]]]
STEPS: tuple[Step, ...] = (
    (
        "I set a goal and look what there is.",
        [
            ("set_goal", {"text": "Know what each stage may drop, and which test is missing"}),
            ("list_files", {"path": "memory/compaction", "pattern": "*.py"}),
        ],
    ),
    (
        "",
        [
            ("add_task", {"text": "Read the three stages"}),
            ("add_task", {"text": "Note what each may drop", "after": ["t1"]}),
            ("add_task", {"text": "Look which of it is tested", "after": ["t1"]}),
            ("add_task", {"text": "Name the missing test", "after": ["t2", "t3"]}),
            ("start_task", {"id": "t1"}),
        ],
    ),
    (
        "",
        [
            ("read_file", {"path": "memory/compaction/tool_budget.py"}),
            ("read_file", {"path": "memory/compaction/snip.py"}),
            ("read_file", {"path": "memory/compaction/micro.py"}),
        ],
    ),
    (
        "The stages are clear. I note them and look at the tests.",
        [
            ("finish_task", {"id": "t1"}),
            ("start_task", {"id": "t2"}),
            (
                "note_context",
                {"text": "budget cuts a result to head and tail, the full text cited"},
            ),
            ("note_context", {"text": "snip leaves out small talk, repeats, superseded calls"}),
            (
                "note_context",
                {"text": "micro digests results, pastes, long code; never the newest"},
            ),
            ("set_value", {"name": "stages_read", "value": 3}),
            ("finish_task", {"id": "t2"}),
        ],
    ),
    (
        "",
        [
            ("start_task", {"id": "t3"}),
            ("read_file", {"path": "tests/memory/test_snipping.py"}),
            ("search_files", {"pattern": "async def test_.*snip", "path": "tests/memory"}),
        ],
    ),
    (
        "There is no file of that name, but the search found where snips are tested.",
        [
            ("read_file", {"path": "tests/memory/test_stages.py", "lines": 120}),
            ("finish_task", {"id": "t3"}),
            ("start_task", {"id": "t4"}),
        ],
    ),
    (
        "",
        [
            (
                "store_in_memory",
                {
                    "content": "Missing: a snip whose receipt names a run of a hundred messages.",
                    "type": "custom",
                    "tags": ["finding", "tests"],
                },
            ),
            ("finish_task", {"id": "t4"}),
            ("complete_goal", {}),
        ],
    ),
    (
        (
            "A compaction drops nothing without a trace:\n\n"
            "| stage | what goes | what stays |\n|---|---|---|\n"
            "| budget | the middle of a long result | head, tail, handle |\n"
            "| snip | small talk, repeats, superseded calls | one receipt a run |\n"
            "| micro | old results, pastes, code | a digest each |\n\n"
            "Missing is a test of a snip over a very long run; the finding is stored."
        ),
        [],
    ),
)
MIDDLE = 5
"""Requests after which the first picture is taken."""


class Scripted(ThreadingHTTPServer):
    """A provider that says the steps one after the other, and waits where it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked = 0
        self.held = threading.Event()
        self.go_on = threading.Event()

    @property
    def api_base(self) -> str:
        """The address that an OpenAI-compatible client is given."""
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Scripted)
        self.rfile.read(int(self.headers["Content-Length"]))
        text, calls = STEPS[server.asked]
        server.asked += 1
        if server.asked == MIDDLE + 1:
            server.held.set()
            server.go_on.wait(60)
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        if text:
            self._delta({"content": text})
        for place, (name, arguments) in enumerate(calls):
            function = {"name": name, "arguments": json.dumps(arguments)}
            id = f"call_{server.asked}_{place}"
            call = {"index": place, "id": id, "type": "function", "function": function}
            self._delta({"tool_calls": [call]})
        self._delta({}, "tool_calls" if calls else "stop")
        usage = {"prompt_tokens": 4_000, "completion_tokens": 80, "total_tokens": 4_080}
        self._event({"choices": [], "usage": usage})
        self.wfile.write(b"data: [DONE]\n\n")

    def _delta(self, delta: dict[str, Any], finish: str | None = None) -> None:
        self._event({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def _event(self, body: dict[str, Any]) -> None:
        head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
        self.wfile.write(f"data: {json.dumps({**head, **body})}\n\n".encode())

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing: the terminal shows what is done."""


@contextmanager
def serving() -> Iterator[Scripted]:
    """The provider, until the block ends."""
    with Scripted() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


async def take() -> None:
    """Has the work done, and saves how the screen looks in its middle and at its end."""
    with tempfile.TemporaryDirectory() as name, serving() as server:
        # The screen names the workspace as it lies below the user's own folder.
        os.environ["HOME"] = name
        for part in TREE:
            shutil.copytree(ROOT / part, Path(name, "strata", part))
        options = {
            "model.name": "openai/scripted",
            "model.api_base": server.api_base,
            "model.context_window": 32_768,
            "tools.workspace": f"{name}/strata",
            "ui.auto_title": False,
        }
        environment = {"OPENAI_API_KEY": "none"}
        settings = load_settings(options, data=f"{name}/data", environment=environment)
        app = StrataApp(Start.with_settings(settings, Wish(session="what compaction drops")))
        async with app.run_test(size=WIDE) as pilot:
            await until(pilot, lambda: bool(app.screen.query(Transcript)))
            await say(pilot, QUESTION)
            await until(pilot, server.held.is_set)
            await pilot.pause(1.0)
            save(pilot, "work")
            server.go_on.set()
            await until(pilot, lambda: done(pilot, server))
            await pilot.pause(1.0)
            await pilot.press("ctrl+t")
            await pilot.pause(1.0)
            save(pilot, "goals")
            await pilot.press("escape")
            await pilot.resize_terminal(*NORMAL)
            await pilot.press("f12")
            await pilot.pause(1.0)
            save(pilot, "content")
            await pilot.press("escape")
            await app.action_quit()


def done(pilot: Pilot[None], server: Scripted) -> bool:
    """Whether the last answer stands."""
    return server.asked == len(STEPS) and answers(pilot.app.screen.query_one(Transcript)) > 0


if __name__ == "__main__":
    asyncio.run(take())
