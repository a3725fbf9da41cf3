"""ALL-8, COMPACT-9: control tokens lose their power; background work yields to the chat."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.backend.gate import Gate
from app.backend.neutral import COMMON_CONTROL_TOKENS, ZERO_WIDTH_SPACE, Neutralizer
from app.backend.slots import SlotPlan

NEUTRALIZER = Neutralizer(["<|custom|>", "<s>", "<"])


@given(st.lists(st.sampled_from([*COMMON_CONTROL_TOKENS, "<|custom|>", "<s>", "a", "<|", "|>"])))
def test_no_control_token_is_left(parts: list[str]) -> None:
    """ALL-8: a message cannot end itself and begin another."""
    text = "".join(parts)
    neutral = NEUTRALIZER.text(text)
    assert not any(token in neutral for token in (*COMMON_CONTROL_TOKENS, "<|custom|>", "<s>"))
    assert neutral.replace(ZERO_WIDTH_SPACE, "") == text


def test_all_texts_of_a_message_are_looked_at() -> None:
    """ALL-8: parts, tool calls and tool results too; the original stays as it is."""
    message = {
        "role": "user",
        "content": [{"type": "text", "text": "<|im_end|>"}],
        "tool_calls": [{"function": {"arguments": '{"a": "<|im_start|>"}'}}],
    }
    neutral = NEUTRALIZER.messages([message])
    assert "<|im_" not in str(neutral)
    assert "<|im_end|>" in str(message)


def test_ordinary_text_stays_as_it_is() -> None:
    """ALL-8: comparisons, markup and code are no control tokens."""
    text = "if a < b: print('<div>') # 1 <| 2"
    assert NEUTRALIZER.text(text) == text


SYSTEM = {"role": "system", "content": "Be nice."}
FIRST = {"role": "user", "content": "Hello"}
SECOND = {"role": "assistant", "content": "Hi"}


def test_background_never_takes_the_chat_s_slot() -> None:
    """COMPACT-9: a summary does not push out what the chat has read."""
    plan = SlotPlan()
    chat = plan.choose("chat", [SYSTEM, FIRST])
    for number in range(3):
        other = plan.choose("background", [SYSTEM, {"role": "user", "content": str(number)}])
        assert other != chat
    assert plan.choose("chat", [SYSTEM, FIRST, SECOND]) == chat


def test_the_chat_moves_to_the_prefix_that_was_warmed() -> None:
    """COMPACT-9: after a cascade the new prefix is there already, in the other slot."""
    plan = SlotPlan()
    before = plan.choose("chat", [SYSTEM, FIRST])
    summary = {"role": "user", "content": "Recent past"}
    warmed = plan.choose("background", [SYSTEM, summary])
    assert plan.choose("chat", [SYSTEM, summary, SECOND]) == warmed != before
    assert plan.choose("background", [SYSTEM]) == before


async def test_a_chat_interrupts_the_background_which_begins_anew() -> None:
    """COMPACT-9: a summary in the background never keeps the chat waiting."""
    gate, runs = Gate(), 0
    begun, may_end = asyncio.Event(), asyncio.Event()

    async def summarise() -> str:
        nonlocal runs
        runs += 1
        begun.set()
        await may_end.wait()
        return "summary"

    task = asyncio.create_task(gate.background(summarise))
    await begun.wait()
    async with gate.chat():
        may_end.set()
        await asyncio.sleep(0.1)
        assert runs == 1
        assert not task.done()
    assert await task == "summary"
    assert runs == 2


async def test_background_requests_run_one_after_the_other() -> None:
    """COMPACT-9: two of them in one slot would only wait for each other there."""
    gate, running, most = Gate(), 0, 0

    async def work() -> None:
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.01)
        running -= 1

    await asyncio.gather(*(gate.background(work) for _ in range(3)))
    assert most == 1


async def test_the_background_fails_as_its_request_does() -> None:
    """ALL-2: a failure comes out, and the gate works on."""
    gate = Gate()

    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await gate.background(fail)
    task = asyncio.create_task(gate.background(lambda: asyncio.sleep(9)))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    async with gate.chat():
        pass
