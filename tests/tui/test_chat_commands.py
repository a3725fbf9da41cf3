"""Every @command is given on the real chat, and does what its description says (VIEW-6)."""

from pathlib import Path

import pytest

from app.chat.commands import COMMANDS
from app.choices import read_choices
from app.screens.asking import Asking
from app.screens.themes import ThemeScreen
from app.screens.timeline import TimelineScreen
from app.screens.trace import TraceScreen
from tests.support.misbehaving_server import GOOD_ANSWER
from tests.tui import trials_at_work  # noqa: F401 (tries the commands of goals and helpers)
from tests.tui.conftest import Chat, OpenChat
from tests.tui.deeds import branched, folded, said, three_sessions
from tests.tui.trials import TRIALS, reported, trial

pytestmark = pytest.mark.asyncio(loop_scope="session")


@trial("help")
async def _help(chat: Chat, data: Path) -> None:
    await reported(chat, "@help", *(f"@{name}" for name in COMMANDS))


@trial("memory-status", folded)
async def _status(chat: Chat, data: Path) -> None:
    await reported(chat, "@memory-status", "Next prompt", "short-term")


@trial("trace", folded)
async def _trace(chat: Chat, data: Path) -> None:
    await chat.say("@trace with some words")
    await chat.over(TraceScreen)
    await chat.press("escape")
    await reported(chat, "@trace nobody said this", "nobody said this")


@trial("policy", said(2))
async def _policy(chat: Chat, data: Path) -> None:
    await reported(chat, "@policy", "* cascade", "rolling", "@policy NAME")
    await reported(chat, "@policy window", "From here on memory folds by window")
    await chat.until(lambda: "window" in chat.status)


@trial("compact-memories", said(10), memory__immediate_window=4, memory__recent_window=60)
async def _compact(chat: Chat, data: Path) -> None:
    assert chat.marks == []
    await chat.say("@compact-memories")
    await chat.until(lambda: chat.marks and chat.state == "ready")
    assert chat.marks[0].startswith("folded 1–")
    assert "holds" not in chat.notices
    await reported(chat, "@compact-memories", "Nothing to fold: all 4 messages are inside")


@trial("undo", folded)
async def _undo(chat: Chat, data: Path) -> None:
    await chat.say("@undo")
    await chat.until(lambda: len(chat.marks) == 2)
    assert chat.marks[1].startswith("took back 1 compaction")
    await reported(chat, "@undo", "no compaction to undo")


@trial("redo", folded)
async def _redo(chat: Chat, data: Path) -> None:
    await reported(chat, "@redo", "no compaction to redo")
    await chat.say("@undo")
    await chat.until(lambda: len(chat.marks) == 2)
    await chat.say("@redo")
    await chat.until(lambda: chat.marks[-1].endswith("holds again"))


@trial("rewrite", folded)
async def _rewrite(chat: Chat, data: Path) -> None:
    await reported(chat, "@rewrite short", "@rewrite accept")
    await reported(chat, "@rewrite accept", "version 2")


@trial("pin", said(2))
async def _pin(chat: Chat, data: Path) -> None:
    await reported(chat, "@pin 1", "Message 1 stays word for word")
    await reported(chat, "@pin Never on Sundays.", "The sentence stays word for word")
    await reported(chat, "@pin -3", "There is no message -3")


@trial("unpin", said(2))
async def _unpin(chat: Chat, data: Path) -> None:
    await reported(chat, "@pin 1", "stays word for word")
    await reported(chat, "@unpin 1", "Message 1 is no longer pinned")


@trial("pins", said(2))
async def _pins(chat: Chat, data: Path) -> None:
    await reported(chat, "@pins", "Nothing is pinned")
    await reported(chat, "@pin 2", "stays word for word")
    await reported(chat, "@pins", "message 2", "1 pin")


@trial("mcp")
async def _mcp(chat: Chat, data: Path) -> None:
    await reported(chat, "@mcp", "No MCP server is configured")


@trial("retrieve", said(2))
async def _retrieve(chat: Chat, data: Path) -> None:
    await reported(chat, "@retrieve m1-m2", "and some more text")
    await reported(chat, "@retrieve c9", "c9")


@trial("attach")
async def _attach(chat: Chat, data: Path) -> None:
    file = data.parent / "attached.txt"
    file.write_text("A note on Porto.\n")
    await reported(chat, f"@attach {file}", "attached.txt is kept as c1")
    assert any("A note on Porto." in text for _, text in chat.said)
    await reported(chat, "@attach nowhere.txt", "There is no file nowhere.txt")


@trial("store")
async def _store(chat: Chat, data: Path) -> None:
    await reported(chat, "@store tag=trip Ships go to Porto", "Stored c1", "tags trip")


@trial("query")
async def _query(chat: Chat, data: Path) -> None:
    await reported(chat, "@query", "Nothing is stored yet")
    await reported(chat, "@store Ships go to Porto", "Stored c1")
    await reported(chat, "@query porto", "c1 · custom · user · 17 characters")


@trial("tag")
async def _tag(chat: Chat, data: Path) -> None:
    await reported(chat, "@store Ships go to Porto", "Stored c1")
    await reported(chat, "@tag c1 sea", "tags sea")


@trial("clear-content")
async def _clear(chat: Chat, data: Path) -> None:
    await reported(chat, "@store Ships go to Porto", "Stored c1")
    await reported(chat, "@clear-content", "takes 1 stored item off the lists")
    await reported(chat, "@clear-content yes", "Took 1 item off the lists")


@trial("fork", said(4))
async def _fork(chat: Chat, data: Path) -> None:
    await chat.say("@fork 2")
    await chat.until(lambda: "branch 2 of 2" in chat.status and chat.state == "ready")
    assert len(chat.said) == 2


@trial("edit", said(4))
async def _edit(chat: Chat, data: Path) -> None:
    await chat.say("@edit 3 something else")
    await chat.until(lambda: "branch 2 of 2" in chat.status)
    await chat.answered(4)
    assert chat.said[2:] == [("you", "something else"), ("strata", GOOD_ANSWER)]


@trial("regenerate", said(4))
async def _regenerate(chat: Chat, data: Path) -> None:
    await chat.say("@regenerate")
    await chat.until(lambda: "branch 2 of 2" in chat.status)
    await chat.answered(4)
    assert chat.said[-1] == ("strata", GOOD_ANSWER)


@trial("branches", branched)
async def _branches(chat: Chat, data: Path) -> None:
    await reported(chat, "@branches", "1", "2", "message 2")


@trial("branch", branched)
async def _branch(chat: Chat, data: Path) -> None:
    await chat.say("@branch 1")
    await chat.until(lambda: "branch 1 of 2" in chat.status and chat.state == "ready")


@trial("model")
async def _model(chat: Chat, data: Path) -> None:
    await reported(chat, "@model", "openai/good answers, ")
    await reported(chat, "@model openai/echo", "openai/echo answers, ")
    await chat.until(lambda: "openai/echo" in chat.status)
    assert read_choices(data)[0]["model"]["name"].value == "openai/echo"
    await chat.say("repeat me")
    await chat.answered(2)
    assert chat.said[-1] == ("strata", "repeat me")


@trial("retry", model="401x1")
async def _retry(chat: Chat, data: Path) -> None:
    await reported(chat, "@retry", "There is no unanswered message.")
    await chat.say("hello")
    await chat.until(lambda: "key" in chat.notices and chat.state == "ready")
    await chat.say("@retry")
    await chat.answered(2)
    assert chat.said == [("you", "hello"), ("strata", GOOD_ANSWER)]


@trial("rename")
async def _rename(chat: Chat, data: Path) -> None:
    await reported(chat, "@rename", "Give the title after the command")
    await reported(chat, "@rename my boat", "now called my boat")
    assert chat.status.startswith("my boat")


@trial("sessions", three_sessions)
async def _sessions(chat: Chat, data: Path) -> None:
    await reported(chat, "@sessions", "› newest", "middle", "oldest", "2 messages")


@trial("session", three_sessions)
async def _session(chat: Chat, data: Path) -> None:
    await reported(chat, "@session", "Name a session")
    await chat.say("@session newest")
    await chat.until(lambda: "open already" in chat.hint)
    await chat.say("@session oldest")
    await chat.until(lambda: chat.status.startswith("oldest") and chat.state == "ready")
    assert chat.said[0] == ("you", "message number 1 of the oldest")


@trial("new", three_sessions)
async def _new(chat: Chat, data: Path) -> None:
    await chat.say("@new")
    await chat.until(lambda: chat.status.startswith("session of") and chat.state == "ready")
    assert chat.messages == []


@trial("delete", three_sessions)
async def _delete(chat: Chat, data: Path) -> None:
    await chat.say("@delete middle")
    await chat.over(Asking)
    await chat.press("enter")
    await chat.say("@delete middle")
    await chat.over(Asking)
    await chat.press("y")
    await chat.until(lambda: "middle is deleted." in chat.notices)
    await chat.say("@sessions")
    await chat.until(lambda: "› newest" in chat.notices)
    assert "middle " not in chat.notices.partition("› newest")[2]


@trial("forget", said(2))
async def _forget(chat: Chat, data: Path) -> None:
    await chat.say("@forget 1")
    await chat.over(Asking)
    await chat.press("enter")
    assert len(chat.said[0][1]) > len("[forgotten]")
    await chat.say("@forget 1")
    await chat.over(Asking)
    await chat.press("y")
    await chat.until(lambda: chat.said[0] == ("you", "[forgotten]"))
    await chat.until(lambda: "Forgotten: 1 message." in chat.notices)


@trial("copy", said(2))
async def _copy(chat: Chat, data: Path) -> None:
    await chat.say("@copy")
    await chat.until(lambda: chat.clipboard.startswith("message number 2"))
    await chat.until(lambda: "the last answer" in chat.hint)


@trial("timeline", folded)
async def _timeline(chat: Chat, data: Path) -> None:
    await chat.say("@timeline")
    await chat.over(TimelineScreen)


@trial("theme")
async def _theme(chat: Chat, data: Path) -> None:
    await chat.say("@theme strata-lihgt")
    await chat.until(lambda: "There is no theme strata-lihgt. Perhaps strata-light" in chat.hint)
    await chat.say("@theme strata-light")
    await chat.until(lambda: chat.app.theme == "strata-light")
    await chat.say("@theme")
    await chat.over(ThemeScreen)
    await chat.press("escape")
    assert chat.app.theme == "strata-light"


@trial("agent", said(2))
async def _agent(chat: Chat, data: Path) -> None:
    await reported(chat, "@agent new critic You find what is wrong.", "@agent critic goes to it")
    await reported(chat, "@agent", "* default", "critic", "You find what is wrong.")
    await chat.say("@agent critic")
    await chat.until(lambda: "critic" in chat.status)
    await chat.say("@agent default")
    await chat.until(lambda: "critic" not in chat.status and len(chat.messages) == 2)


@trial("quit")
async def _quit(chat: Chat, data: Path) -> None:
    await chat.say("@quit")
    await chat.until(lambda: chat.app._exit)


async def test_every_command_has_its_trial() -> None:
    """VIEW-6: no command is listed of which nobody has seen what it does."""
    assert set(TRIALS) == set(COMMANDS)


@pytest.mark.parametrize("name", list(TRIALS))
async def test_a_command_does_what_it_says(
    name: str, open_chat: OpenChat, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """VIEW-6: typed and sent as a message is."""
    monkeypatch.setattr("app.clipboard.tool", lambda: None)
    tried = TRIALS[name]
    async with tried.around(data), open_chat(**tried.options) as chat:
        await chat.ready()
        await tried.do(chat, data)
