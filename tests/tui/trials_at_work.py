"""The @commands of goals, tasks, notes and helpers, as they are tried on the real chat."""

from pathlib import Path

from tests.support.misbehaving_server import GOOD_ANSWER
from tests.transfer.exports import simple, zipped
from tests.tui.conftest import Chat
from tests.tui.deeds import folded, said
from tests.tui.trials import reported, trial
from widgets.panes.files import NO_FILES


@trial("goal")
async def _goal(chat: Chat, data: Path) -> None:
    await reported(chat, "@goal", "No goal is set")
    await reported(chat, "@goal Count the doors", "Goal g1 is set: Count the doors")
    await reported(chat, "@goal done", "g1")
    assert chat.app._chat.talk is not None
    assert chat.app._chat.talk._memory.snapshot().work.goal is None


@trial("task")
async def _task(chat: Chat, data: Path) -> None:
    await reported(chat, "@goal Count the doors", "Goal g1 is set")
    await reported(chat, "@task Count floor 1", "Task t1 is added: Count floor 1")
    await reported(chat, "@task Sum up after t1", "Task t2 is added after t1: Sum up")
    await reported(chat, "@task done t1", "Task t1 is done. Ready now: t2.")


@trial("note")
async def _note(chat: Chat, data: Path) -> None:
    await reported(chat, "@note Three floors", "Noted as n1.")
    await reported(chat, "@note", "n1  Three floors")


@trial("value")
async def _value(chat: Chat, data: Path) -> None:
    await reported(chat, "@value doors=12", "doors is 12 (count).")
    await reported(chat, "@value", "doors (count) = 12")


@trial("preference")
async def _preference(chat: Chat, data: Path) -> None:
    await reported(
        chat, "@preference tone dry", "Kept for all sessions of this agent: tone is dry."
    )
    await reported(chat, "@preference", "tone  dry")


@trial("remember")
async def _remember(chat: Chat, data: Path) -> None:
    await reported(chat, "@remember Ada keeps bees.", "Remembered as f1, in all sessions")
    await reported(chat, "@remember Ada keeps bees.", "That is known already (f1)")


@trial("facts")
async def _facts(chat: Chat, data: Path) -> None:
    await reported(chat, "@facts", "Nothing is known yet.")
    await reported(chat, "@remember Ada keeps bees.", "Remembered as f1")
    await reported(chat, "@facts bees", "f1  Ada keeps bees.")


@trial("recall")
async def _recall(chat: Chat, data: Path) -> None:
    await reported(chat, "@remember Ada keeps bees.", "Remembered as f1")
    await reported(chat, "@recall who has bees", "fact · user", "Ada keeps bees.", "words +")
    await reported(chat, "@recall zeppelin", "Nothing in memory has to do with it.")


@trial("search", said(2))
async def _search(chat: Chat, data: Path) -> None:
    await reported(chat, "@search zeppelin", "Nobody said all of these words.")
    await reported(chat, "@search", "Write the words: @search WORDS.")


@trial("expand", folded)
async def _expand(chat: Chat, data: Path) -> None:
    await reported(chat, "@expand short", "as they were said:", "with some words")
    await reported(chat, "@expand", "as they were said:")


@trial("files")
async def _files(chat: Chat, data: Path) -> None:
    await reported(chat, "@files", NO_FILES)


@trial("step")
async def _step(chat: Chat, data: Path) -> None:
    await reported(chat, "@step Think", "Noted as step s1 (reasoning).")
    await reported(chat, "@step", "s1  reasoning")


@trial("delegate", size=(120, 40))
async def _delegate(chat: Chat, data: Path) -> None:
    await reported(chat, "@delegate", "No helper has worked for this session")
    await chat.say("@delegate Count to three")
    await chat.until(lambda: any(GOOD_ANSWER in text for _, text in chat.said))
    await chat.ready()
    await reported(chat, "@delegate", "Count to three")
    await chat.say("@delegate open 1")
    await chat.until(lambda: chat.said and chat.said[0][1].endswith("Task:\nCount to three"))
    await chat.ready()
    await chat.say("@delegate back")
    await chat.until(lambda: chat.said and "Task:" not in chat.said[0][1])


@trial("export", said(2))
async def _export(chat: Chat, data: Path) -> None:
    file = data / "talk.md"
    await reported(chat, f"@export {file}", "Wrote the session to")
    assert file.read_text(encoding="utf-8").count("\n## ") == 2
    await reported(chat, f"@export markdown {file}", "is there already.")


@trial("import")
async def _import(chat: Chat, data: Path) -> None:
    archive = zipped(data / "export.zip", conversations__json=[simple(title="Lisbon")])
    await reported(chat, f"@import {archive}", "Imported 1 conversation, 2 messages.")
    await reported(chat, "@sessions", "Lisbon")
