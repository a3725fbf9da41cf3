"""What users of other programs complain about when memory is compacted, and that it is not so here.

What they complain about not being able to see stands in `test_complaints_sight.py`.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from memory.answer import NewMessage
from memory.events import Compacted, Message
from memory.memory import Memory
from memory.parts import MessageRef, Role
from memory.pieces import ChatMessage
from memory.protocols import Completion
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    Unwilling,
    chat_model,
    dense_tokens,
    opened,
    say,
    words,
)
from tests.properties.shown import check_pairs

RULE = "Never deploy on a Friday, whatever anybody says."
GOAL = "We migrate the shop from MySQL 5.7 to PostgreSQL 16 before 12 May."
PLACE = "The staging machine is stage-3.example.org, port 8443, user deploy."


@dataclass
class Strict:
    """A summariser behind a server that refuses what is larger than its window."""

    context_window: int | None
    name: str = "strict"
    sizes: list[int] = field(default_factory=list)

    async def complete(self, messages: Any, *, max_tokens: int, temperature: float) -> Completion:
        """A summary, of what is not too large."""
        del temperature
        size = sum(dense_tokens(message["content"]) + 4 for message in messages) + max_tokens
        self.sizes.append(size)
        if size > (self.context_window or 0):
            raise Unwilling("maximum context length exceeded")
        return Completion(f"Ada moved Falcon to Lisbon, part {len(self.sizes)}.")


async def call(memory: Memory, *ids: str) -> None:
    """The model calls a tool so many times at once."""
    function = {"name": "read_file", "arguments": json.dumps({"path": f"{ids[0]}.txt"})}
    calls = [{"id": id, "type": "function", "function": function} for id in ids]
    await memory.add("assistant", "", tool_calls=calls)


async def foldings(memory: Memory) -> list[Compacted]:
    """Every compaction, oldest first."""
    return [r.event for r in await memory.log() if isinstance(r.event, Compacted)]


async def said(memory: Memory) -> list[MessageRef]:
    """Every message."""
    return [r.event.ref for r in await memory.log() if isinstance(r.event, Message)]


def whole(messages: tuple[ChatMessage, ...]) -> str:
    """Everything that a model reads."""
    return "\n".join(str(message["content"]) for message in messages)


@pytest.mark.parametrize("window", [640, 1_024, 4_096])
async def test_compaction_itself_does_not_overflow(tmp_path: Path, window: int) -> None:
    """COMPACT-4, COMPACT-12: "it failed just when I needed it: what it summarised was too long"."""
    model = Strict(window)
    roles: list[Role] = ["user", "assistant"]
    talk = [NewMessage(roles[n % 2], words(n, 700), "import") for n in range(300)]
    async with opened(
        tmp_path, chat=chat_model(8_192), model=model, counter=DenseCounter()
    ) as memory:
        await memory.add_all(talk)
        await memory.settled()
        prompt = await memory.prompt()
        done = await foldings(memory)

    assert done
    assert done[0].by == "model"
    assert max(model.sizes) <= window
    assert len(model.sizes) < 40
    assert prompt.tokens < prompt.budget.trigger


async def test_compaction_does_not_loop(tmp_path: Path) -> None:
    """COMPACT-7: "it compacted 104 times in a row and got nowhere": it ends, and says why."""
    rules = "Rule: " + words(7, 5_600)
    model = ScriptedModel()
    async with opened(
        tmp_path, chat=chat_model(2_048), model=model, system_prompt=rules, immediate_window=4
    ) as memory:
        for n in range(104):
            await memory.add("user" if n % 2 == 0 else "assistant", words(n, 200))
            await memory.settled()
            prompt = await memory.prompt()
            assert prompt.tokens <= prompt.budget.room
        done = await foldings(memory)
        breaker = memory.snapshot().breaker

    assert len(done) <= 104 / 3
    assert all(event.tokens_after < event.tokens_before for event in done)
    assert breaker.open
    assert breaker.reason
    assert breaker.until


async def test_it_is_looked_at_within_a_tool_loop_too(tmp_path: Path) -> None:
    """PROMPT-3, COMPACT-1: "it is only checked when the turn ends, so one long turn breaks it"."""
    question = "Which of these files mentions Lisbon? Tell me their numbers."
    async with opened(tmp_path, chat=chat_model(16_384)) as memory:
        await say(memory, 12)
        await memory.add("user", question)
        for n in range(40):
            await call(memory, f"file_{n}")
            await memory.add("tool", words(n, 20_000), tool_call_id=f"file_{n}")
            prompt = await memory.prompt()
            await memory.prepare(prompt)

            assert prompt.tokens <= prompt.budget.room
            assert question in whole(prompt.messages)
            assert prompt.messages[-1]["tool_call_id"] == f"file_{n}"
            assert f"Note {n}: Ada" in str(prompt.messages[-1]["content"])
            check_pairs(prompt, await said(memory))
            await memory.settled()
        assert (memory.state.folding.verbatim_from or 0) > 13


@pytest.mark.parametrize("window", [1_024, 2_048, 4_096, 8_192, 32_768])
async def test_triggers_count_the_system_prompt_and_suit_small_windows(
    tmp_path: Path, window: int
) -> None:
    """COMPACT-6, I2: "with a long system prompt, or a small model, it never compacts in time"."""
    rules = "Rule: " + words(7, window)
    async with opened(tmp_path, chat=chat_model(window), system_prompt=rules) as memory:
        assert 0 < memory.budget.trigger < memory.budget.limit < window
        while not memory.state.compactions:
            await say(memory, 1, length=window // 8)
            prompt = await memory.prompt()
            assert prompt.ledger.left_out is None
            assert memory.state.messages < 100
        (done,) = await foldings(memory)

    assert prompt.sections["system"] > window // 5
    assert memory.budget.trigger_at <= done.tokens_before <= memory.budget.room
    assert done.message < 129


async def test_rules_goals_and_places_stay_word_for_word(tmp_path: Path) -> None:
    """COMPACT-14: "after it compacted, it had forgotten the rules, the goal, the machine"."""
    model = ScriptedModel(["They talked."])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await memory.add("system", RULE)
        goal = await memory.add("user", GOAL)
        await memory.pinning.pin_message(goal.number)
        await memory.pinning.pin_text(PLACE)
        while len(await foldings(memory)) < 5:
            await say(memory, 1)
        text = whole((await memory.prompt("And now?")).messages)

    assert (memory.state.folding.verbatim_from or 0) > goal.number
    for kept in (RULE, GOAL, PLACE):
        assert kept in text


COMMANDS = [f"kubectl -n shop-{n} scale deploy/web --replicas={n + 3}" for n in range(3, 11)]
FIGURES = [f"{n}{n + 1},{n}0{n}" for n in range(1, 9)]


async def test_commands_and_numbers_outlive_the_sentences(tmp_path: Path) -> None:
    """COMPACT-10, COMPACT-13: "77 % of decisions are kept, 2 % of numbers, 0.2 % of commands"."""
    async with opened(tmp_path, immediate_window=4, recent_window=12) as memory:
        for command, figure in zip(COMMANDS, FIGURES, strict=True):
            told = f"We had {figure} orders on that day, which was more than the shop could take."
            await memory.add("user", f"{words(1, 300)} {told}")
            await memory.add("assistant", f"{words(2, 300)} So please run `{command}` first.")
        await memory.add("user", words(3, 300))
        await memory.settled()
        (done,) = await foldings(memory)
        summary = memory.snapshot().short_term
        text = whole((await memory.prompt()).messages)

    assert summary is not None
    folded = [*COMMANDS[: (done.verbatim_from - 1) // 2], *FIGURES[: done.verbatim_from // 2]]
    in_summary = sum(item in summary.text for item in folded)
    in_prompt = sum(item in text for item in folded)
    assert in_prompt >= in_summary + len(folded) // 3
    assert in_prompt >= 0.6 * len(folded)


@pytest.mark.parametrize(
    "answer",
    [
        "Error: 503 Service Unavailable",
        "litellm.RateLimitError: quota exceeded, please retry in 20 s",
        "<!DOCTYPE html><html><body>Welcome to the hotel network</body></html>",
        '{"error": {"message": "model is not loaded"}}',
        "I'm sorry, but I can't help with that.",
        "",
    ],
)
async def test_an_error_is_never_the_summary(tmp_path: Path, answer: str) -> None:
    """COMPACT-12: "the provider had a bad day, and now my memory says: service unavailable"."""
    model = ScriptedModel([answer])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 13)
        done = await foldings(memory)
        text = whole((await memory.prompt()).messages)
        snapshot = memory.snapshot()

    assert {event.by for event in done} == {"rule"}
    assert all(event.failures for event in done)
    assert not answer or answer[:20] not in text
    for summary in (snapshot.short_term, snapshot.long_term):
        assert summary is not None
        assert "Falcon" in summary.text


async def test_the_newest_message_is_what_is_answered(tmp_path: Path) -> None:
    """PROMPT-1: "after compacting, it answers the message before my last one"."""
    async with opened(tmp_path, profile="stress", chat=chat_model(2_048)) as memory:
        await memory.pinning.pin_text(PLACE)
        for n in range(60):
            question = f"Question {n}: {words(n, 80 if n % 3 else 900)}"
            await memory.add("user", question)
            await memory.settled()
            last = (await memory.prompt()).messages[-1]
            assert last["role"] == "user"
            assert str(last["content"]).startswith(question)
            await memory.add("assistant", words(n, 200))
            await memory.settled()
            drafted = (await memory.prompt("And now?")).messages[-1]
            assert (drafted["role"], str(drafted["content"])[:8]) == ("user", "And now?")

    assert memory.state.compactions >= 5


async def test_no_tool_pair_is_torn_by_one_compaction_after_the_other(tmp_path: Path) -> None:
    """I3: "after the second compaction the provider refused: a result without its call"."""
    async with opened(tmp_path, profile="stress", chat=chat_model(4_096)) as memory:
        for n in range(30):
            await memory.add("user", words(n, 60))
            ids = [f"call_{(n + i) % 4}" for i in range(1 + n % 3)]
            await call(memory, *ids)
            for id in reversed(ids):
                await memory.add("tool", words(n, 900), tool_call_id=id)
                check_pairs(await memory.prompt(), await said(memory))
            await memory.settled()
            check_pairs(await memory.prompt(), await said(memory))

        assert len(await foldings(memory)) >= 5
