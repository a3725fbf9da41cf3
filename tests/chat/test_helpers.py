"""CHAT-11, S3: the model has helpers work on tasks, in sessions of their own."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.chat.conversation import Conversation
from app.chat.happenings import (
    AnswerAdded,
    Happening,
    PermissionWanted,
    ToolEnded,
    ToolShown,
)
from app.tools.content_tools import CONTENT_TOOLS
from app.tools.delegate import DELEGATE_TOOLS
from app.tools.goal_tools import GOAL_TOOLS
from app.tools.tool import Desk, Permission, ToolResult
from memory.agent_events import Delegated
from memory.agents import Agent
from memory.content.receipts import handles_in
from memory.events import Message
from memory.memory import Memory
from memory.parts import HELPERS_OWN
from memory.wish import Wish
from tests.support.own_tools import Slow, Word, tool
from tests.support.processes import until
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, of, said, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TOOLS = (*DELEGATE_TOOLS, *GOAL_TOOLS, *CONTENT_TOOLS)
LONG = "The door is oak. " * 90


def delegate(task: str, memory: str | None = None, id: str = "d1", **more: str) -> dict[str, str]:
    given = {"task": task, **({"memory": memory} if memory else {}), **more}
    return call("delegate", given, id)


def is_helpers(body: dict[str, Any]) -> bool:
    """Whether a request is of a helper's."""
    return any(str(m["content"]).startswith("You are a helper") for m in body["messages"])


def task_in(body: dict[str, Any]) -> str:
    (told,) = [m for m in body["messages"] if str(m["content"]).startswith("You are a helper")]
    return str(told["content"])


def rounds(body: dict[str, Any]) -> int:
    """How many results a request shows."""
    return sum(message["role"] == "tool" for message in body["messages"])


def script(
    calls: list[dict[str, str]], helper: Callable[[dict[str, Any]], Says]
) -> Callable[[int, dict[str, Any]], Says]:
    """The owner calls these, then answers; the helper's answers are as it says."""

    def says(n: int, body: dict[str, Any]) -> Says:
        assert_paired(body["messages"])
        if is_helpers(body):
            return helper(body)
        return Says("All is told.") if rounds(body) else Says("", calls)

    return says


def one_look(body: dict[str, Any]) -> Says:
    """A helper that calls once, and answers."""
    if rounds(body):
        return Says("There are two doors.")
    return Says("I'll look.", [call("look", {"word": LONG}, "l1")])


async def steps_of(conversation: Conversation, number: int = 1) -> list[tuple[str, str]]:
    """What was said in a helper's session."""
    helper = (await conversation.memory.helpers())[number - 1]
    path = conversation.settings.paths.data.path
    async with Memory.open(path, wish=Wish(branch=helper.session.branch, read_only=True)) as memory:
        return await said(memory)


async def test_its_answer_is_the_result_and_its_steps_stand_elsewhere(talking: Talking) -> None:
    """CHAT-11: called, worked with tools, answered; figures and the way to its steps are told."""
    calls = [delegate("Count the doors.")]
    async with talking(script(calls, one_look), [*TOOLS, tool("look")]) as conversation:
        happened = await turn(conversation)
        kept = await said(conversation.memory)
        steps = await steps_of(conversation)
        [told] = [
            e.event for e in await conversation.memory.log() if isinstance(e.event, Delegated)
        ]
        [helper] = await conversation.memory.helpers()
    (ended,) = of(ToolEnded, happened)
    assert ended.ok
    answer, figures = ended.message.content.split("\n\n")
    assert answer == "There are two doors."
    assert figures.startswith("(Helper 1: 2 requests, 1 tool call, 240 tokens, ")
    assert figures.endswith("Its steps: @delegate open 1)")
    assert [text for role, text in kept if role != "tool"] == ["Do it.", "", "All is told."]
    assert [role for role, _ in steps] == ["user", "assistant", "tool", "assistant"]
    assert steps[2][1] == LONG
    shown = "".join(shown.text for shown in of(ToolShown, happened))
    assert shown.splitlines()[0] == "I'll look."
    assert shown.splitlines()[1].startswith('look {"word": "The door is oak.')
    assert len(shown.splitlines()) == 2
    assert (told.call, told.session, told.scope) == ("d1", helper.session.id, "shared")
    assert (helper.progress, helper.session.usage.input) == ("done", 200)
    assert helper.session.title is not None
    assert helper.session.title.startswith("Count the doors. (helper of ")


async def test_it_is_offered_neither_helpers_nor_goals(talking: Talking) -> None:
    """CHAT-11: files, web, shell, servers, memory and notes; goals are its owner's."""
    calls = [delegate("Count.")]
    async with talking(script(calls, one_look), [*TOOLS, tool("look")]) as conversation:
        await turn(conversation)
    [body, *_] = [body for body in talking.server.seen if is_helpers(body)]
    assert sorted(t["function"]["name"] for t in body["tools"]) == [
        "look",
        "note_context",
        "query_memory",
        "retrieve_from_memory",
        "store_in_memory",
    ]


async def test_with_a_shared_memory_it_sees_and_writes_what_its_owner_has(talking: Talking) -> None:
    """S3, GOAL-8: goal, tasks, notes and items are told; what it finds is kept here."""

    def helper(body: dict[str, Any]) -> Says:
        if not rounds(body):
            return Says("", [call("retrieve_from_memory", {"id": "c1"}, "r1")])
        if rounds(body) == 1:
            looks = call("look", {"word": LONG}, "l1")
            return Says("", [looks, call("note_context", {"text": "Oak."}, "n1")])
        return Says("Found.")

    async with talking(
        script([delegate("Find the key.")], helper), [*TOOLS, tool("look")]
    ) as conversation:
        memory = conversation.memory
        await memory.content.store("Under the mat.", tags=["key"])
        await memory.goals.set("Get into the house")
        await memory.tasks.add("Find the key")
        await memory.notebook.note("The house is red.")
        await turn(conversation)
        items = await memory.content.items()
        notes = [memory.notebook.text(note) for note in memory.notebook.notes()]
        # Receipts of both sides name the same.
        looked = next(item for item in items if "look" in item.source)
        assert await memory.content.retrieve(looked.id) == LONG
        last = [body for body in talking.server.seen if is_helpers(body)][-1]
    assert notes == ["The house is red.", "Oak."]
    assert "Under the mat." in str(last["messages"])
    told = task_in(last)
    for part in ("Goal: Get into the house", "t1 Find the key", "- The house is red.", "c1 · "):
        assert part in told
    assert told.index("Find the key.") < told.index("=====") < told.index("Goal:")


async def test_its_receipts_resolve_on_both_sides_after_a_restart(talking: Talking) -> None:
    """I10, CONT-3: what is cited in its prompt is kept by its owner, and found from both."""

    def helper(body: dict[str, Any]) -> Says:
        if rounds(body) < 3:
            return Says("", [call("look", {"word": f"{rounds(body)} {LONG}"}, f"l{rounds(body)}")])
        return Says("Seen.")

    async with talking(
        script([delegate("Look.")], helper), [*TOOLS, tool("look")], session="restarts"
    ) as conversation:
        await turn(conversation)
        path = conversation.settings.paths.data.path
        [info] = await conversation.memory.helpers()
    last = [body for body in talking.server.seen if is_helpers(body)][-1]
    cited = [handle for m in last["messages"] for handle in handles_in(str(m["content"]))]
    assert len(cited) == 2
    branch = info.session.branch
    async with (
        Memory.open(path, "restarts") as mine,
        Memory.open(path, wish=Wish(branch=branch)) as its,
    ):
        for n, handle in enumerate(cited):
            text = await its.content.retrieve(handle)
            assert text == f"{n} {LONG}"
            assert await mine.content.retrieve(handle) == text
        assert its.snapshot().content_items == 0


@pytest.mark.parametrize("scope", ["snapshot", "isolated"])
async def test_nothing_flows_back_from_a_copy_or_a_memory_of_its_own(
    talking: Talking, scope: str
) -> None:
    """S3: a snapshot has what was stored at its start, under names that are told."""

    def helper(body: dict[str, Any]) -> Says:
        if not rounds(body):
            return Says("", [call("store_in_memory", {"content": "Mine."}, "s1")])
        if rounds(body) == 1:
            return Says("", [call("retrieve_from_memory", {"id": "c1"}, "r1")])
        return Says(str(body["messages"][-1]["content"]))

    async with talking(script([delegate("Read c2.", scope)], helper), TOOLS) as conversation:
        content = conversation.memory.content
        await content.clear([(await content.store("Gone.")).id])
        kept = await content.store("Under the mat.")
        await conversation.memory.goals.set("Get in")
        happened = await turn(conversation)
        stored = [item for item in await content.items() if item.id != kept.id]
    [body, *_] = [body for body in talking.server.seen if is_helpers(body)]
    answer = of(ToolEnded, happened)[0].message.content
    # Only the answer, which is kept as every result is.
    assert [item.number for item in stored] == [3]
    if scope == "snapshot":
        assert "the task calls it c2" in task_in(body)
        assert "Goal: Get in" in task_in(body)
        assert answer.startswith("Under the mat.")
    else:
        assert task_in(body).endswith("Task:\nRead c2.")
        assert answer.startswith("Mine.")


async def test_several_work_side_by_side(talking: Talking) -> None:
    """CHAT-11: in one process and one database, each in its session."""
    slow = Slow()

    def helper(body: dict[str, Any]) -> Says:
        if rounds(body):
            return Says(f"Done: {body['messages'][-1]['content'][:4]}")
        word = task_in(body).rpartition("Task:\n")[2][:4]
        return Says("", [call("wait", {"word": f"{word} {LONG}"}, "w1")])

    async def gate(asked: Word, desk: Desk) -> ToolResult:
        if slow.running == 3:
            slow.go_on.set()
        return await slow(asked, desk)

    calls = [delegate(f"no {n}", id=f"d{n}") for n in range(4)]
    async with talking(script(calls, helper), [*TOOLS, tool("wait", gate)]) as conversation:
        happened = await turn(conversation)
        helpers = await conversation.memory.helpers()
        items = await conversation.memory.content.items()
    assert slow.most == 4
    answers = [ended.message.content.split("\n")[0] for ended in of(ToolEnded, happened)]
    assert answers == [f"Done: no {n}" for n in range(4)]
    assert [helper.progress for helper in helpers] == ["done"] * 4
    assert len({item.id for item in items}) == len(items) == 8


async def test_a_helper_out_of_rounds_says_so_and_gives_what_it_has(talking: Talking) -> None:
    """CHAT-11: bounded; the owner goes on."""

    def helper(body: dict[str, Any]) -> Says:
        n = rounds(body)
        return Says(f"Door {n} seen.", [call("look", {"word": str(n)}, f"l{n}")])

    async with talking(
        script([delegate("Count.")], helper), [*TOOLS, tool("look")], delegate_rounds=2
    ) as conversation:
        happened = await turn(conversation)
        [info] = await conversation.memory.helpers()
    (ended,) = of(ToolEnded, happened)
    assert (ended.ok, ended.error) == (False, "HelperRounds")
    assert "used up the 2 requests" in ended.message.content
    assert "Door 2 seen." in ended.message.content
    assert info.progress == "not done"
    assert of(AnswerAdded, happened)[-1].message.content == "All is told."


async def test_a_helper_that_fails_says_why(talking: Talking) -> None:
    """CHAT-11, ALL-2: the provider refuses the helper, and the owner reads it."""

    def helper(body: dict[str, Any]) -> Says:
        if rounds(body):
            return Says("no such key", status=401)
        return Says("First look.", [call("look", {"word": "a"}, "l1")])

    async with talking(
        script([delegate("Count.")], helper), [*TOOLS, tool("look")]
    ) as conversation:
        happened = await turn(conversation)
    (ended,) = of(ToolEnded, happened)
    assert (ended.ok, ended.error) == (False, "HelperFailed")
    assert "did not finish" in ended.message.content
    assert "First look." in ended.message.content
    assert of(AnswerAdded, happened)[-1].message.content == "All is told."


async def test_stopping_the_turn_stops_its_helpers(talking: Talking) -> None:
    """CHAT-11, I3: both logs are whole; the result says what it had."""
    slow = Slow()

    def helper(body: dict[str, Any]) -> Says:
        return Says("I wait.", [call("wait", {"word": "a"}, "w1")])

    async with talking(
        script([delegate("Wait.")], helper), [*TOOLS, tool("wait", slow)]
    ) as conversation:
        happened: list[Happening] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, ToolShown) and slow.begun.is_set():
                conversation.stop()
        [info] = await conversation.memory.helpers()
        steps = await steps_of(conversation)
    (ended,) = of(ToolEnded, happened)
    assert (ended.ok, ended.error) == (False, "Stopped")
    assert "What it said last:\nI wait." in ended.message.content
    assert "@delegate open 1" in ended.message.content
    assert slow.cancelled == 1
    assert info.progress == "not done"
    assert [role for role, _ in steps] == ["user", "assistant", "tool"]
    assert steps[-1][1].endswith("stopped this call.")


async def test_stopping_while_its_model_answers_keeps_what_had_come(talking: Talking) -> None:
    """CHAT-11, STORE-2: the answer that was on its way stands in its session, marked."""
    talking.server.let_go.clear()
    helper = Says("Half of it", hold=True)
    async with talking(script([delegate("Tell.")], lambda _: helper), TOOLS) as conversation:
        turning = asyncio.create_task(turn(conversation))
        database = conversation.memory._journal.database
        saved = "SELECT 1 FROM draft WHERE text LIKE 'Half of it%'"
        while not await database.all(saved):  # noqa: ASYNC110 (nobody tells of a draft)
            await asyncio.sleep(0.02)
        conversation.stop()
        happened = await turning
        talking.server.let_go.set()
        steps = await steps_of(conversation)
    (ended,) = of(ToolEnded, happened)
    assert ended.error == "Stopped"
    assert "What it said last:\nHalf of it" in ended.message.content
    assert [(role, text.strip()) for role, text in steps][1:] == [("assistant", "Half of it")]


async def test_its_questions_come_to_the_user_and_name_it(talking: Talking) -> None:
    """CHAT-11, CHAT-10: nothing is done by a helper that nobody allowed."""

    async def asks(asked: Word, desk: Desk) -> ToolResult:
        verdict = await desk.ask(Permission("run", asked.word, "May I?"))
        return ToolResult(f"{asked.word}: {verdict}")

    def helper(body: dict[str, Any]) -> Says:
        if rounds(body):
            return Says(", ".join(str(m["content"]) for m in body["messages"][-2:]))
        return Says("", [call("run", {"word": w}, w) for w in ("one", "two")])

    asked: list[Permission] = []
    async with talking(
        script([delegate("Run.")], helper), [*TOOLS, tool("run", asks)]
    ) as conversation:
        happened: list[Happening] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, PermissionWanted):
                asked.append(happening.permission)
                assert happening.call == "d1"
                happening.answer.set_result("once" if len(asked) == 1 else "no")
    assert [(p.subject, p.question) for p in asked] == [
        ("one", "A helper asks. May I?"),
        ("two", "A helper asks. May I?"),
    ]
    assert of(ToolEnded, happened)[0].message.content.startswith("one: once, two: no")


async def test_another_agent_may_help(talking: Talking) -> None:
    """CHAT-11, CHAT-12: with its own profile, in a session of its own."""
    calls = [delegate("Look.", agent="critic"), delegate("Look.", agent="nobody", id="d2")]

    def helper(body: dict[str, Any]) -> Says:
        return Says(str(body["messages"][0]["content"]).split("\n")[0])

    async with talking(script(calls, helper), TOOLS) as conversation:
        await conversation.memory.agents.define(Agent("critic", "You find what is wrong."))
        happened = await turn(conversation)
        [info] = await conversation.memory.helpers()
    first, second = of(ToolEnded, happened)
    assert first.message.content.startswith("You find what is wrong.")
    assert info.session.agent == "critic"
    assert (second.ok, second.error) == (False, "AgentError")


async def test_its_answer_stands_as_a_receipt_later(talking: Talking) -> None:
    """CONT-3: like every result, once a request has carried it."""
    long = "There are many doors. " * 60

    def says(n: int, body: dict[str, Any]) -> Says:
        if is_helpers(body):
            return Says(long)
        return Says("All is told.") if rounds(body) else Says("", [delegate("Count.")])

    async with talking(says, TOOLS) as conversation:
        await turn(conversation)
        await turn(conversation, "And now?")
        [handle] = handles_in(str(talking.server.seen[-1]["messages"]))
        assert (await conversation.memory.content.retrieve(handle)).startswith(long)


async def test_a_helpers_session_is_gone_on_with_and_has_no_helpers(talking: Talking) -> None:
    """CHAT-11: opened, its store goes on with numbers of its own; it delegates to nobody."""
    calls = [delegate("Count.")]
    async with talking(script(calls, one_look), [*TOOLS, tool("look")]) as conversation:
        await turn(conversation)
        [info] = await conversation.memory.helpers()
        settings, backend = conversation.settings, conversation.backend
    wish = Wish(branch=info.session.branch)
    talking.server.seen.clear()
    talking.server.script = [
        Says("", [call("look", {"word": "again"}, "g1"), delegate("More.", id="g2")]),
        Says("Again."),
    ]
    async with Conversation.open(settings, wish, backend, tools=[*TOOLS, tool("look")]) as opened:
        happened = await turn(opened, "Look again.")
        refs = [e.event.ref for e in await opened.memory.log() if isinstance(e.event, Message)]
    assert [ref.item for ref in refs if ref.role == "tool"] == [
        "c1",
        f"c{HELPERS_OWN + 1}",
        f"c{HELPERS_OWN + 2}",
    ]
    assert [ended.error for ended in of(ToolEnded, happened)] == ["", "UnknownTool"]


async def test_it_leaves_no_task_behind(talking: Talking) -> None:
    """ALL-2: nothing of a helper goes on once it has answered."""
    before = asyncio.all_tasks()
    async with talking(script([delegate("Count.")], lambda _: Says("Two.")), TOOLS) as conversation:
        await turn(conversation)

    def left() -> set[asyncio.Task[Any]]:
        return {task for task in asyncio.all_tasks() - before if "strata" in task.get_name()}

    await until(lambda: not left(), 30)
