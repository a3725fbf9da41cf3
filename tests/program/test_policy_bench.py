"""COMPACT-8, COMPACT-13, I9, I10: every policy over a talk with tool calls, and over chat."""

import pytest

from app.transfer.messages import RecordedMessage
from benchmarks.policies import POLICIES, Run, With, run
from benchmarks.tool_conversation import as_line, tool_conversation
from memory.parts import Role

SMALL_WINDOW = 6_000


def chat(turns: int) -> list[RecordedMessage]:
    """Two people who tell each other of places, dates and sums."""
    found = []
    for number in range(turns):
        role: Role = "user" if number % 2 == 0 else "assistant"
        text = (
            f"On {1 + number % 28} March 2026 we met Ines Okafor at https://inn-{number}.example.org"
            f" and paid €{1_000 + number}; room {200 + number}, ticket AB-{number}. "
            f"{'Never book through the agency again!' if number % 9 == 0 else 'It was sunny.'}"
        )
        found.append(RecordedMessage(role, text))
    return found


async def assert_claims_hold(policy: str, messages: list[RecordedMessage]) -> Run:
    done = await run(policy, messages, With(SMALL_WINDOW))
    assert done.at_end.unretrieved == []
    assert done.summed.unretrieved == []
    assert done.unresolved == []
    assert done.requests.broken == 0
    return done


@pytest.mark.parametrize("policy", POLICIES)
async def test_whatever_is_called_retrievable_is_retrieved_with_tools(policy: str) -> None:
    """COMPACT-13, I10: results, listings, diffs, pasted text and code, in every policy."""
    done = await assert_claims_hold(policy, tool_conversation(messages=90))
    assert done.requests.largest <= SMALL_WINDOW
    if policy != "none":
        assert done.compactions > 0
        assert done.summed.share("retrievable")


@pytest.mark.parametrize("policy", POLICIES)
async def test_whatever_is_called_retrievable_is_retrieved_in_chat(policy: str) -> None:
    """COMPACT-13, I10: names, sums, dates and addresses, in every policy."""
    done = await assert_claims_hold(policy, chat(200))
    assert done.requests.prompt < done.requests.full


def test_the_conversation_is_the_same_each_time() -> None:
    """LAB-2: figures can be compared between runs."""
    one, other = tool_conversation(messages=60), tool_conversation(messages=60)
    assert [*map(as_line, one)] == [*map(as_line, other)]
    assert any(len(message.tool_calls) > 1 for message in one)
