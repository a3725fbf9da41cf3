"""What pictures show of calls: folded, running, unfolded, failed, and a question of a tool."""

import json
from typing import Any

from app.screens.stage import Stage
from tests.tui.calls import Turn, called
from tests.tui.conftest import Chat
from widgets.entries import CallEntry, Entry, MessageEntry
from widgets.permit import Permit

NOTES = """\
# Flats in Lisbon

| district     |  rent | dogs    |
|--------------|------:|---------|
| Saldanha     | 1,050 | no      |
| Campo Grande | 1,080 | welcome |

The agent answers by e-mail only: never by phone. 日本 [bold]no markup[/]
"""
COMMAND = (
    "for file in notes/*.md; do grep -Hn 'rent' \"$file\"; done | sort -k2 -n > /tmp/rents.txt "
    "&& wc -l /tmp/rents.txt"
)


def call(name: str, state: Any = "done", result: str = "", **others: Any) -> CallEntry:
    """A call whose arguments are those that are no fields of an entry."""
    fields = {"number", "error", "seconds", "output", "handle"}
    kept = {key: value for key, value in others.items() if key in fields}
    given = {key: value for key, value in others.items() if key not in fields}
    return CallEntry(name, json.dumps(given), state, result=result, **kept)


WORK: tuple[Entry, ...] = (
    MessageEntry(15, "you", "Which flats are left? Look into my notes.", ("14:02",)),
    MessageEntry(16, "strata", "I look into the notes first.", ("14:02", "1.9 s"), calls=True),
    call("list_files", result="notes/flats.md\n" * 12, path="notes", number=17, seconds=0.004),
    call("read_file", result=NOTES * 16, path="notes/flats.md", number=18,
         seconds=0.02, handle="c2"),
    MessageEntry(19, "strata", "", ("14:02", "0.8 s"), calls=True),
    call("read_file", "failed", "There is no such file.", number=20, seconds=0.01,
         error="FileNotFound", path="notes/a folder with a long name/and another one/agents.md"),
    call("search_files", result="notes/flats.md:7: 1,050", query="rent", path="notes", number=21,
         seconds=0.31),
)  # fmt: skip


def stage_of(chat: Chat) -> Stage:
    assert chat.app._chat._sitting is not None
    return chat.app._chat._sitting.stage


async def folded(chat: Chat) -> None:
    """Two rounds of calls and an answer."""
    transcript = stage_of(chat).transcript
    for entry in WORK:
        transcript.add(entry)
    transcript.add(MessageEntry(22, "strata", "**Campo Grande** is left.", ("14:03", "2.1 s")))


async def running(chat: Chat) -> None:
    """A command that shows what it does, another call that waits, and how to stop them."""
    stage = stage_of(chat)
    for entry in WORK[:2]:
        stage.transcript.add(entry)
    output = "collecting\ncompiling a\ncompiling b\n\x1b[32mcompiling c\x1b[0m\nlinking"
    stage.transcript.add(
        call("run_command", "running", command="make all", seconds=12.0, output=output)
    )
    stage.transcript.add(call("read_file", "running", path="notes/flats.md", seconds=2.0))
    stage.state("turn", "running 2 tools, 12 s")


async def unfolded(chat: Chat) -> None:
    """Arguments and result of a call."""
    await folded(chat)
    transcript = stage_of(chat).transcript
    await chat.pilot.pause()
    block = transcript.block_of(18)
    assert block is not None
    transcript.focus()
    transcript.choose(block)
    transcript.action_open()
    transcript.go_to(block)


async def asked(chat: Chat) -> None:
    """A command that waits for the user's leave, with another one behind it."""
    turn = Turn.begin(chat, 14)
    turn.asks()
    turn.says("I count the rents.", called("t1", command=COMMAND), called("t2", command="make"))
    turn.calls("t1", "run_command", command=COMMAND)
    turn.wants("t1", COMMAND)
    await chat.until(lambda: any(panel.has_focus for panel in chat.app.screen.query(Permit)))


async def asked_much(chat: Chat) -> None:
    """A long command with what could not be seen in it."""
    turn = Turn.begin(chat, 14)
    turn.asks()
    turn.says("", called("t1", command=COMMAND))
    turn.calls("t1", "run_command", command=COMMAND)
    lines = "\n".join(f"echo 'line {number}'" for number in range(40))
    turn.wants("t1", f"ls \u202e\u200b\x1b[2K -l\n{lines}")
    await chat.until(lambda: any(panel.has_focus for panel in chat.app.screen.query(Permit)))
