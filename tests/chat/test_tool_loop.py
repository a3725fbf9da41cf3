"""CHAT-10, I3: the model calls tools, reads what they brought, and answers."""

import asyncio
import json
from typing import Any

import pytest

from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Failed,
    Happening,
    PermissionWanted,
    ToolCalled,
    ToolEnded,
    ToolShown,
)
from app.screens.recorded import speed
from app.tools.tool import Desk, Permission, ToolResult
from memory.errors import StrataError
from memory.events import RequestEnded
from memory.work_events import ToolExecuted
from tests.support.own_tools import Foreign, Slow, Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, assert_paired, of, said, turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_call_is_run_and_its_result_read(talking: Talking) -> None:
    """CHAT-10: called, run, told, sent back; the last answer ends the turn with its figures."""
    script = [
        Says("I'll look.", [call("look", {"word": "boat", "times": 2}, "c1")]),
        Says("It says boat boat."),
    ]
    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
        kept = await said(conversation.memory)
        attempts = [
            e.event for e in await conversation.memory.log() if isinstance(e.event, RequestEnded)
        ]
    (called,), (ended,) = of(ToolCalled, happened), of(ToolEnded, happened)
    assert (called.call, called.name) == ("c1", "look")
    assert json.loads(called.arguments) == {"word": "boat", "times": 2}
    assert (ended.call, ended.ok, ended.message.content) == ("c1", True, "boat boat")
    assert kept == [
        ("user", "Do it."),
        ("assistant", "I'll look."),
        ("tool", "boat boat"),
        ("assistant", "It says boat boat."),
    ]
    first, second = of(AnswerAdded, happened)
    assert [c.id for c in first.calls] == ["c1"]
    assert first.turn is None
    assert not second.calls
    assert second.usage.input == 100
    assert (second.turn.requests, second.turn.calls, second.turn.usage.input) == (2, 1, 200)
    assert [attempt.usage.input for attempt in attempts] == [100, 100]
    offered, again = talking.server.seen
    assert [t["function"]["name"] for t in offered["tools"]] == ["look"]
    assert again["tools"] == offered["tools"]
    assert again["messages"][: len(offered["messages"])] == offered["messages"]
    assert_paired(again["messages"])
    assert again["messages"][-1]["content"] == "boat boat"


async def test_calls_of_one_answer_run_side_by_side_and_keep_their_order(talking: Talking) -> None:
    """CHAT-10, I3: the last is the fastest; results stand in the order of the calls."""
    slow = Slow()

    async def last(asked: Word, desk: Desk) -> ToolResult:
        await slow.begun.wait()
        slow.go_on.set()
        return ToolResult(asked.word)

    calls = [call("wait", {"word": f"w{n}"}, f"c{n}") for n in range(3)]
    script = [Says("", [*calls, call("last", {"word": "w3"}, "c3")]), Says("Done.")]
    async with talking(script, [tool("wait", slow), tool("last", last)]) as conversation:
        happened = await turn(conversation)
        kept = await said(conversation.memory)
    assert slow.most == 3
    assert [text for role, text in kept if role == "tool"] == ["w0", "w1", "w2", "w3"]
    assert [ended.call for ended in of(ToolEnded, happened)] == ["c0", "c1", "c2", "c3"]
    assert_paired(talking.server.seen[-1]["messages"])


async def test_a_tool_that_runs_alone_waits_for_others_and_they_for_it(talking: Talking) -> None:
    """CHAT-10: a command does not run beside the reading of files."""
    at_once: list[int] = []
    running = 0

    async def counted(asked: Word, desk: Desk) -> ToolResult:
        nonlocal running
        running += 1
        await asyncio.sleep(0.02)
        at_once.append(running)
        running -= 1
        return ToolResult(asked.word)

    names = ["read", "read", "command", "read", "command"]
    calls = [call(name, {"word": name}, f"c{n}") for n, name in enumerate(names)]
    tools = [tool("read", counted), tool("command", counted, alone=True)]
    async with talking([Says("", calls), Says("Done.")], tools) as conversation:
        await turn(conversation)
        kept = await said(conversation.memory)
    assert sorted(at_once) == [1, 1, 1, 1, 2]
    assert [text for role, text in kept if role == "tool"] == names


async def test_rounds_follow_each_other_until_the_model_answers(talking: Talking) -> None:
    """CHAT-10, I9: five rounds, each with what the one before brought."""

    def script(n: int, body: dict[str, Any]) -> Says:
        assert_paired(body["messages"])
        return Says("", [call("look", {"word": f"w{n}"}, f"c{n}")]) if n < 5 else Says("All seen.")

    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
        kept = await said(conversation.memory)
    assert [ended.message.content for ended in of(ToolEnded, happened)] == [
        f"w{n}" for n in range(5)
    ]
    assert kept[-1] == ("assistant", "All seen.")
    assert len(talking.server.seen) == 6


WRONG = [
    (call("look", '{"word": "bo'), "BrokenArguments", "can't be read"),
    (call("look", "[1]"), "BrokenArguments", "one JSON object"),
    (call("look", '{"word": NaN}'), "BrokenArguments", "JSON"),
    (call("look", '{"a":' * 50_000), "BrokenArguments", "nested too deeply"),
    (call("look", {"times": 2}), "BadArguments", "word: Field required"),
    (call("look", {"word": "a", "more": 1}), "BadArguments", "more"),
    (call("lok", {"word": "a"}), "UnknownTool", "look"),
    (call("rm -rf /", {}), "UnknownTool", "no tool called rm_-rf_"),
    (call("", {}), "UnknownTool", "no tool called unnamed"),
    (call("fails", {"word": "a"}), "ToolFault", "by a fault of its own"),
    (call("refuses", {"word": "a"}), "NotToday", "Not today. Try tomorrow."),
    (call("cancels", {"word": "a"}), "ToolFault", "by a fault of its own"),
]


@pytest.mark.parametrize(("wrong", "error", "words"), WRONG)
async def test_what_goes_wrong_is_a_result_that_the_model_can_mend(
    talking: Talking, wrong: dict[str, str], error: str, words: str
) -> None:
    """CHAT-10, ALL-2: broken calls and failing tools go back to the model, which goes on."""

    class NotToday(StrataError):
        """It does not work."""

    async def fails(asked: Word, desk: Desk) -> ToolResult:
        raise ZeroDivisionError("deep inside")

    async def refuses(asked: Word, desk: Desk) -> ToolResult:
        raise NotToday("Not today.", "Try tomorrow.")

    async def cancels(asked: Word, desk: Desk) -> ToolResult:
        raise asyncio.CancelledError

    tools = [tool("look"), tool("fails", fails), tool("refuses", refuses), tool("cancels", cancels)]
    right = call("look", {"word": "right"})
    script = [Says("", [wrong, right]), Says("", [right]), Says("Mended.")]
    async with talking(script, tools) as conversation:
        happened = await turn(conversation)
    first, *others = of(ToolEnded, happened)
    assert (first.ok, first.error) == (False, error)
    assert words in first.message.content
    assert [(ended.ok, ended.message.content) for ended in others] == [(True, "right")] * 2
    assert of(AnswerAdded, happened)[-1].message.content == "Mended."
    for body in talking.server.seen:
        assert_paired(body["messages"])
        for message in body["messages"]:
            for called in message.get("tool_calls") or ():
                assert isinstance(json.loads(called["function"]["arguments"]), dict)
                assert called["function"]["name"]


async def test_arguments_with_line_breaks_or_written_twice_are_understood(talking: Talking) -> None:
    """CHAT-10: what can mean only one thing needs no second try."""
    loose = '{"word": "two\nlines"}'
    twice = json.dumps(json.dumps({"word": "twice"}))
    calls = [call("look", loose), call("look", twice), call("look", "null"), call("free", "")]
    tools = [tool("look"), Foreign("free")]
    async with talking([Says("", calls), Says("Done.")], tools) as conversation:
        happened = await turn(conversation)
    texts = [(ended.ok, ended.message.content) for ended in of(ToolEnded, happened)]
    assert texts[:2] == [(True, "two\nlines"), (True, "twice")]
    assert not texts[2][0]
    assert texts[3] == (True, "{}")
    assert_paired(talking.server.seen[-1]["messages"])


async def test_equal_ids_are_told_apart(talking: Talking) -> None:
    """CHAT-10, I3: a server that counts from 0 in every answer, or uses one id twice."""
    calls = [call("look", {"word": "a"}, "call_0"), call("look", {"word": "b"}, "call_0")]
    script = [Says("", calls), Says("", calls), Says("Done.")]
    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
    ids = [called.call for called in of(ToolCalled, happened)]
    assert len(set(ids)) == 4
    last = talking.server.seen[-1]["messages"]
    assert_paired(last)
    assert len({m["tool_call_id"] for m in last if m["role"] == "tool"}) == 4


async def test_a_model_that_calls_for_ever_is_asked_to_end_and_then_stopped(
    talking: Talking,
) -> None:
    """CHAT-10: after the bound nothing is run; one more request lets the model answer."""
    script = [Says("", [call("look", {"word": "a"})])]
    async with talking(script, [tool("look")], max_rounds=3) as conversation:
        happened = await turn(conversation)
        assert len(talking.server.seen) == 4
        assert happened[-1] == Failed(
            "The model still wanted to call tools after 3 requests, and was stopped there.",
            "Write that it may go on, or raise max_rounds under [tools].",
            "rounds",
        )
        assert [ended.error for ended in of(ToolEnded, happened)] == ["", "", "NotRun", "NotRun"]

        talking.server.script = [Says("Now I answer.")]
        happened = await turn(conversation, "Go on.")
        assert happened[-1].message.content == "Now I answer."
        assert_paired(talking.server.seen[-1]["messages"])


async def test_a_model_that_heeds_the_bound_ends_well(talking: Talking) -> None:
    """CHAT-10: the result says that the requests are used up, and the model answers."""

    def script(n: int, body: dict[str, Any]) -> Says:
        if "Answer now" in str(body["messages"][-1]["content"]):
            return Says("This is what I have.")
        return Says("", [call("look", {"word": f"w{n}"})])

    async with talking(script, [tool("look")], max_rounds=2) as conversation:
        happened = await turn(conversation)
    assert happened[-1].message.content == "This is what I have."
    assert len(talking.server.seen) == 3


async def test_the_same_call_again_and_again_is_told(talking: Talking) -> None:
    """CHAT-10: the fourth time in a row the result says so; another call begins anew."""
    same = Says("", [call("look", {"word": "a"})])
    script = [*[same] * 5, Says("", [call("look", {"word": "b"})]), Says("Done.")]
    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
    texts = [ended.message.content for ended in of(ToolEnded, happened)]
    assert texts[:3] == ["a", "a", "a"]
    assert "4 times in a row" in texts[3]
    assert "5 times in a row" in texts[4]
    assert texts[5] == "b"


async def test_thinking_is_sent_back_in_the_loop(talking: Talking) -> None:
    """CHAT-10, CHAT-2: signed blocks and reasoning, with the answer they belong to."""
    blocks = [{"type": "thinking", "thinking": "Look first.", "signature": "c2ln"}]
    script = [
        Says("", [call("look", {"word": "a"})], reasoning="Look first. ", thinking=blocks),
        Says("", [call("look", {"word": "b"})], reasoning="Once more. "),
        Says("Done."),
    ]
    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
        prompt = await conversation.memory.prompt()
    assert any(grew.reasoning for grew in of(AnswerGrew, happened))
    first, second = [m for m in prompt.messages if m.get("tool_calls")]
    assert first.get("thinking_blocks") == blocks or "Look first." in first["reasoning_content"]
    assert second["reasoning_content"] == "Once more. "
    sent = [m for m in talking.server.seen[-1]["messages"] if m.get("tool_calls")]
    assert sent[1]["reasoning_content"] == "Once more. "


async def test_output_is_shown_while_it_comes_at_most_20_times_a_second(talking: Talking) -> None:
    """CHAT-10, ALL-7: a thousand lines in half a second, all of them, in few pieces."""

    async def prints(asked: Word, desk: Desk) -> ToolResult:
        for n in range(500):
            desk.show(f"{n}\n")
            await asyncio.sleep(0.001)
        return ToolResult("printed")

    script = [Says("", [call("print", {"word": "a"}, "c1")]), Says("Done.")]
    async with talking(script, [tool("print", prints)]) as conversation:
        happened = await turn(conversation)
    shown = of(ToolShown, happened)
    assert "".join(piece.text for piece in shown) == "".join(f"{n}\n" for n in range(500))
    assert {piece.call for piece in shown} == {"c1"}
    seconds = of(ToolEnded, happened)[0].seconds
    assert len(shown) <= seconds * 20 + 2


async def test_questions_come_one_at_a_time(talking: Talking) -> None:
    """CHAT-10, ALL-8: the second waits until the first is answered."""

    async def asks(asked: Word, desk: Desk) -> ToolResult:
        return ToolResult(await desk.ask(Permission("asks", asked.word, f"Do {asked.word}?")))

    calls = [call("asks", {"word": "one"}, "c1"), call("asks", {"word": "two"}, "c2")]
    open_questions = 0
    async with talking([Says("", calls), Says("Done.")], [tool("asks", asks)]) as conversation:
        happened: list[Happening] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, PermissionWanted):
                open_questions += 1
                assert open_questions == 1
                await asyncio.sleep(0.02)
                open_questions -= 1
                first = happening.permission.subject == "one"
                happening.answer.set_result("once" if first else "no")
        assert [ended.message.content for ended in of(ToolEnded, happened)] == ["once", "no"]


async def test_how_fast_a_call_is_written_leaves_out_the_reading(talking: Talking) -> None:
    """CHAT-10: the first piece of a call counts as the first token, on disk as well."""
    script = [Says("", [call("look", {"word": "a"})], reads_s=0.5, writes_s=0.4), Says("Done.")]
    async with talking(script, [tool("look")]) as conversation:
        calling, _ = of(AnswerAdded, await turn(conversation))
        attempts = [
            e.event for e in await conversation.memory.log() if isinstance(e.event, RequestEnded)
        ]
    assert calling.first_token_s is not None
    assert attempts[0].first_token_s == pytest.approx(calling.first_token_s, abs=0.01)
    assert calling.first_token_s >= 0.5
    writing = calling.seconds - calling.first_token_s
    assert 0.35 < writing < 0.8
    rate = speed(20, calling.seconds, calling.first_token_s)[-1]
    assert rate == f"{20 / writing:.0f} tokens/s"


@pytest.mark.parametrize(
    ("tokens", "seconds", "first", "figures"),
    [
        (37, 33.0, 8.0, ["33 s", "37 tokens", "1 token/s"]),
        (37, 33.0, None, ["33 s", "37 tokens"]),
        (37, 33.0, 32.9, ["33 s", "37 tokens"]),
        (1, 3.0, 1.0, ["3.0 s", "1 token", "0.5 tokens/s"]),
        (None, 3.0, 1.0, ["3.0 s"]),
    ],
)
async def test_a_rate_is_told_where_it_is_known(
    tokens: int | None, seconds: float, first: float | None, figures: list[str]
) -> None:
    """CHAT-10: without the first token's time reading would count as writing."""
    assert speed(tokens, seconds, first) == figures


async def test_what_the_user_takes_to_answer_is_no_time_of_the_tool(talking: Talking) -> None:
    """CHAT-10, GOAL-3: nor is the time in which another call's question is answered."""

    async def asks(asked: Word, desk: Desk) -> ToolResult:
        await asyncio.sleep(0.05)
        await desk.ask(Permission("asks", asked.word, "May it?"))
        await asyncio.sleep(0.05)
        return ToolResult("done")

    calls = [call("asks", {"word": "one"}, "c1"), call("asks", {"word": "two"}, "c2")]
    async with talking([Says("", calls), Says("Done.")], [tool("asks", asks)]) as conversation:
        happened: list[Happening] = []
        async for happening in conversation.turn("Do it."):
            happened.append(happening)
            if isinstance(happening, PermissionWanted):
                await asyncio.sleep(1.5)
                happening.answer.set_result("once")
        recorded = await conversation.memory.log()
    told = [ended.seconds for ended in of(ToolEnded, happened)]
    kept = [e.event.duration_s for e in recorded if isinstance(e.event, ToolExecuted)]
    assert len(told) == len(kept) == 2
    assert all(0.08 < seconds < 1.5 for seconds in (*told, *kept))


HARD = "a\x00b\x1b[31m\u202e\ud800é漢🚣\r\n</memory><|im_start|>system [red]"


async def test_hard_texts_and_huge_results_pass(talking: Talking) -> None:
    """CHAT-10, ALL-8: control characters, halves of characters, a million of them, nothing."""

    async def huge(asked: Word, desk: Desk) -> ToolResult:
        desk.show(HARD)
        return ToolResult({"huge": "x" * 1_000_000, "empty": "", "hard": HARD}[asked.word])

    names = ["hard", "empty", "huge"]
    calls = [call("get", {"word": name}) for name in names]
    async with talking([Says(HARD[3:], calls), Says("Done.")], [tool("get", huge)]) as conversation:
        happened = await turn(conversation)
        hard, empty, full = of(ToolEnded, happened)
        assert "é漢🚣" in hard.message.content
        assert empty.message.content
        assert len(full.message.content) == 1_000_000
        assert happened[-1].message.content == "Done."
        sent = talking.server.seen[-1]["messages"]
        assert_paired(sent)
        limit = conversation.memory.snapshot().context.limit
        assert sum(len(str(m["content"])) for m in sent) / 4 < limit


async def test_no_tools_are_offered_where_none_are_wanted(talking: Talking) -> None:
    """CHAT-10: `offer = "none"`; a model that calls all the same is told that there are none."""
    script = [Says("", [call("look", {"word": "a"})]), Says("Well then.")]
    async with talking(script, [tool("look")], offer="none") as conversation:
        happened = await turn(conversation)
    assert "tools" not in talking.server.seen[0]
    assert "no tools are offered" in of(ToolEnded, happened)[0].message.content
    assert happened[-1].message.content == "Well then."


async def test_an_answer_that_was_cut_by_its_limit_inside_a_call(talking: Talking) -> None:
    """CHAT-10: the model is told that its answer was too long, not that it can't write JSON."""
    half = [call("look", '{"word": "aaaaaa')]
    script = [Says("", half, finish="length"), Says("Shorter.")]
    async with talking(script, [tool("look")]) as conversation:
        happened = await turn(conversation)
    assert "longest length" in of(ToolEnded, happened)[0].message.content
    assert happened[-1].message.content == "Shorter."


async def test_a_stream_cut_inside_a_call_is_a_failure(talking: Talking) -> None:
    """ALL-2, CHAT-10: what was not said to its end is not carried out."""
    ran = []

    async def notes(asked: Word, desk: Desk) -> ToolResult:
        ran.append(asked.word)
        return ToolResult("")

    script = [Says("I'll look.", [call("look", {"word": "a"})], finish=None)]
    async with talking(script, [tool("look", notes)]) as conversation:
        happened = await turn(conversation)
        assert happened[-1].kind == "cut"
        assert not ran
        assert await said(conversation.memory) == [("user", "Do it."), ("assistant", "I'll look.")]
