"""Real turns with real tools on the screen; the model is a script at the network's edge."""

import shlex
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from tests.support.tool_server import Says, ToolServer, call, tool_server
from tests.tui.conftest import Chat, OpenChat
from tests.tui.test_permits import asked, shown, text_of
from widgets.entries import CallEntry

pytestmark = pytest.mark.asyncio(loop_scope="session")
DONE = Says("All of it is **done**.")


@pytest.fixture(scope="module")
def model() -> Iterator[ToolServer]:
    """The model: a script that each test writes."""
    with tool_server([DONE]) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(
    model: ToolServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """A backend that talks to the script."""
    root = tmp_path_factory.mktemp("backend")
    environment = {"OPENAI_API_KEY": "sk-test-key-of-the-screen-tests"}
    settings = BackendSettings(root, root / "models", model.api_base, environment=environment)
    backend = await Backend.start(settings)
    yield backend
    await backend.close()


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with two files."""
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.md").write_text("first file\n" * 3, encoding="utf-8")
    (folder / "b.md").write_text("\x1b[31msecond\x1b[0m [bold]file[/]\n", encoding="utf-8")
    return folder


def script(model: ToolServer, *answers: Says) -> None:
    """What the model says from here on; the last answer again and again."""
    model.seen.clear()
    model.script = answers


def python(code: str) -> str:
    return f"{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


def rows(chat: Chat) -> list[str]:
    """The rows of calls in sight, without what they took."""
    return [row for row in chat.seen if row.startswith(("▸", "▾"))]


def calls(chat: Chat) -> Sequence[CallEntry]:
    return [entry for entry in chat.transcript.entries if isinstance(entry, CallEntry)]


def options(workspace: Path, **others: Any) -> dict[str, Any]:
    return {
        "model": "gpt-script",
        "tools__workspace": str(workspace),
        "size": (98, 40),
        "ui__auto_title": False,
        **others,
    }


async def test_a_turn_with_files_looks_the_same_after_a_restart(
    open_chat: OpenChat, model: ToolServer, workspace: Path
) -> None:
    """CHAT-10: two rounds of calls, failures among them; the log draws what was seen live."""
    first = [call("read_file", {"path": "a.md"}), call("read_file", {"path": "missing.md"})]
    second = [call("read_file", {"path": "b.md"}), call("no_such_tool", {"x": 1})]
    script(model, Says("I look.", first), Says("", second), DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        await chat.say("Read my files.")
        await chat.until(lambda: "All of it is done." in chat.seen)
        await chat.ready()
        live = chat.seen
        found = rows(chat)
        assert [row.split()[1] for row in found] == ["read_file"] * 3 + ["no_such_tool"]
        assert "kept as c1" in found[0]
        assert "✗ failed: " in found[1]
        assert "✗ failed: unknown tool" in found[3]
        chat.transcript.focus()
        block = chat.transcript.block_of(calls(chat)[2].number)
        assert block is not None
        chat.transcript.choose(block)
        await chat.press("enter")
        shown_text = "\n".join(chat.seen)
        assert '{"path": "b.md"}' in shown_text
        assert "result · @retrieve c3" in shown_text
        assert "[bold]file[/]" in shown_text
        assert "\x1b" not in shown_text
        await chat.press("enter")
        assert chat.seen == live
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        told = [row for row in live if not row.startswith("strata")]
        assert [row for row in chat.seen if not row.startswith("strata")] == told


async def test_a_command_is_asked_for_runs_in_sight_and_ends(
    open_chat: OpenChat, model: ToolServer, workspace: Path
) -> None:
    """CHAT-10: asked word for word; always holds for just this command; output as it comes."""
    command = python(
        "import time\nfor n in range(6): print('line', n, flush=True)\n"
        "time.sleep(1.5)\nprint('the end')"
    )
    made = Says("", [call("run_command", {"command": command})])
    script(model, made, made, DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        await chat.say("Run it.")
        await asked(chat)
        assert chat.state == "waiting for you"
        assert "import time" in text_of(chat)
        assert str(workspace.name) in text_of(chat)
        await chat.press("a")
        await chat.until(lambda: "  │ line 5" in chat.seen)
        assert chat.state.startswith("running run_command")
        assert "esc stop" in chat.hint
        await chat.until(lambda: chat.state == "running run_command, 1 s")
        await chat.until(lambda: "All of it is done." in chat.seen)
        await chat.ready()
        assert [entry.state for entry in calls(chat)] == ["done", "done"]
        assert all((entry.seconds or 0) > 1 for entry in calls(chat))
        assert "the end" in calls(chat)[0].result
        assert not shown(chat)


async def test_no_is_told_to_the_model(
    open_chat: OpenChat, model: ToolServer, workspace: Path
) -> None:
    """CHAT-10: what is not allowed is not run; the turn goes on."""
    mark = workspace / "mark"
    command = f"touch {shlex.quote(str(mark))}"
    script(model, Says("", [call("run_command", {"command": command})]), DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        await chat.say("Run it.")
        await asked(chat)
        await chat.press("escape")
        await chat.until(lambda: "All of it is done." in chat.seen)
        await chat.ready()
        assert "✗ failed: not allowed" in rows(chat)[0]
        assert not mark.exists()


@pytest.mark.parametrize("answered", [False, True])
async def test_escape_stops_what_runs_or_asks(
    open_chat: OpenChat, model: ToolServer, workspace: Path, *, answered: bool
) -> None:
    """CHAT-10: from the composer Esc stops all of it; a question is withdrawn."""
    command = python("import time; print('begun', flush=True); time.sleep(60)")
    script(model, Says("", [call("run_command", {"command": command})]), DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        await chat.say("Run it.")
        await asked(chat)
        if answered:
            await chat.press("o")
            await chat.until(lambda: "  │ begun" in chat.seen)
        else:
            chat.composer.focus()
            await chat.pilot.pause()
        await chat.press("escape")
        await chat.ready()
        assert not shown(chat)
        assert rows(chat)[0].startswith("▸ run_command")
        assert [entry.state for entry in calls(chat)] == ["stopped"]
        assert "   stopped · " in rows(chat)[0]
        stopped = rows(chat)
    script(model, DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        assert rows(chat) == stopped
        await chat.say("Go on.")
        await chat.until(lambda: "All of it is done." in chat.seen)
        await chat.ready()


async def test_leaving_while_a_tool_asks(
    open_chat: OpenChat, model: ToolServer, workspace: Path
) -> None:
    """CHAT-10: Ctrl+Q ends the program; what was not allowed is not run."""
    mark = workspace / "mark"
    command = f"touch {shlex.quote(str(mark))}"
    script(model, Says("", [call("run_command", {"command": command})]), DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        await chat.say("Run it.")
        await asked(chat)
        await chat.press("ctrl+q")
        await chat.until(lambda: chat.app._exit)
    assert not mark.exists()
    script(model, DONE)
    async with open_chat(**options(workspace)) as chat:
        await chat.ready()
        assert len(rows(chat)) == 1


async def test_a_reader_is_left_alone_while_tools_run(
    open_chat: OpenChat, model: ToolServer, workspace: Path
) -> None:
    """CHAT-1: calls and their output move nobody who has scrolled up."""
    code = "import time\nfor n in range(8): print('line', n, flush=True); time.sleep(0.1)"
    again = Says("Once more.\n\n" * 9, [call("run_command", {"command": python(code)})])
    script(model, Says("word\n\n" * 60), again, again, DONE)
    async with open_chat(**options(workspace, tools__allowed_commands=[python(code)])) as chat:
        await chat.ready()
        await chat.say("Speak.")
        await chat.answered(2)
        await chat.say("Run it.")
        await chat.until(lambda: any("│ line" in row for row in chat.seen))
        await chat.press("pageup", "pageup")
        before = chat.seen
        await chat.answered(8)
        assert chat.seen == before
