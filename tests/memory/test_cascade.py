"""The cascade: when it runs, what it folds, and what it leaves alone."""

import asyncio
from pathlib import Path

import pytest

from memory.memory import Memory
from memory.parts import SummaryRef, Usage
from memory.prompt import PromptTooLarge
from memory.protocols import Completion
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    Unwilling,
    chat_model,
    kinds,
    opened,
    say,
    until,
    words,
)
from widgets.core.ahead import next_step
from widgets.panes.upcoming import next_fold


def span(summary: SummaryRef | None) -> tuple[int, int] | None:
    return (summary.first, summary.last) if summary else None


async def test_cascades_come_at_129_193_and_257(tmp_path: Path) -> None:
    """COMPACT-6, COMPACT-10: windows of 64 and 64, with the ranges of the design."""
    async with opened(tmp_path, chat=chat_model(200_000)) as memory:
        await say(memory, 128)
        assert memory.state.compactions == 0

        await say(memory, 1)
        folding = memory.state.folding
        assert span(folding.short_term) == (1, 65)
        assert folding.long_term is None
        assert folding.verbatim_from == 66

        await say(memory, 63)
        assert memory.state.compactions == 1
        first_short = folding.short_term

        await say(memory, 1)
        folding = memory.state.folding
        assert span(folding.short_term) == (66, 129)
        assert folding.short_term is not None
        assert folding.short_term.version == 2
        assert span(folding.long_term) == (1, 65)
        assert folding.long_term is not None
        assert (folding.long_term.version, folding.long_term.by) == (1, "carried")
        assert first_short is not None
        assert folding.long_term.body == first_short.body

        await say(memory, 64)
        folding = memory.state.folding
        assert span(folding.short_term) == (130, 193)
        assert span(folding.long_term) == (1, 129)
        assert folding.long_term is not None
        assert (folding.long_term.version, folding.long_term.by) == (2, "rule")
        assert [r.event.message for r in await memory.compactions()] == [129, 193, 257]


async def test_the_windows_can_be_configured(tmp_path: Path) -> None:
    """COMPACT-6: the count trigger is at window + recent + 1."""
    async with opened(tmp_path, immediate_window=4, recent_window=3) as memory:
        await say(memory, 14)

        assert [r.event.message for r in await memory.compactions()] == [8, 11, 14]


async def test_manual_compaction_ignores_the_thresholds(tmp_path: Path) -> None:
    """COMPACT-6: what lies outside the window is folded when the user says so."""
    async with opened(tmp_path, immediate_window=4) as memory:
        await say(memory, 10)

        done = await memory.compact()

        assert done is not None
        assert done.trigger == "manual"
        assert span(done.short_term) == (1, 6)


async def test_manual_compaction_with_nothing_outside_the_window_changes_nothing(
    tmp_path: Path,
) -> None:
    """COMPACT-6, I5: it says so by returning None, and no event is written."""
    async with opened(tmp_path, immediate_window=64) as memory:
        await say(memory, 20)
        before = memory.state

        assert await memory.compact() is None
        assert memory.state == before


async def test_the_token_trigger_keeps_the_largest_window_under_half_of_it(
    tmp_path: Path,
) -> None:
    """COMPACT-10: whatever the count, down to ten messages."""
    async with opened(tmp_path, counter=DenseCounter(), chat=chat_model(8_192)) as memory:
        while not memory.state.compactions:
            await say(memory, 1, length=800)

        (record,) = await memory.compactions()
        kept = memory.state.messages - record.event.verbatim_from + 1
        half = memory.budget.trigger / 2
        assert record.event.trigger == "tokens"
        assert record.event.tokens_after <= half
        # One message more, with summaries at their longest, would be over it.
        assert kept > 10
        assert record.event.tokens_after + 204 + 160 > half


async def test_the_token_trigger_never_folds_the_newest_ten(tmp_path: Path) -> None:
    """I4: however large they are."""
    async with opened(tmp_path, chat=chat_model(8_192, counted_by="estimate")) as memory:
        await say(memory, 14, length=3_000)

        assert memory.state.compactions > 0
        assert len(memory.state.folding.verbatim) >= 10


async def test_after_a_token_cascade_the_next_count_waits_for_a_recent_window(
    tmp_path: Path,
) -> None:
    """COMPACT-6: at least `recent` messages since the last cascade of whatever trigger."""
    async with opened(tmp_path, immediate_window=10, recent_window=10) as memory:
        await say(memory, 15)
        assert await memory.compact() is not None
        await say(memory, 9)
        assert memory.state.compactions == 1

        await say(memory, 1)

        assert memory.state.compactions == 2


async def test_policy_none_folds_nothing_by_itself(tmp_path: Path) -> None:
    """COMPACT-8: neither on count nor on tokens."""
    small = chat_model(2_048)
    async with opened(tmp_path, policy="none", profile="stress", chat=small) as memory:
        await say(memory, 40, length=400)

        assert memory.state.compactions == 0
        assert (await memory.prompt()).ledger.left_out is not None


async def test_a_tool_exchange_is_folded_whole_or_not_at_all(tmp_path: Path) -> None:
    """I3: the cut moves to before it."""
    async with opened(tmp_path, immediate_window=4, recent_window=100) as memory:
        await say(memory, 6)
        call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", words(8), tool_call_id="a")
        await say(memory, 3)

        done = await memory.compact()

        assert done is not None
        assert span(done.short_term) == (1, 6)


async def test_system_messages_leave_the_window_and_stay_word_for_word(tmp_path: Path) -> None:
    """COMPACT-14: a summary never replaces them."""
    async with opened(tmp_path, immediate_window=4, recent_window=100) as memory:
        await say(memory, 3)
        await memory.add("system", "Always answer in Portuguese.")
        await say(memory, 6)

        done = await memory.compact()

        assert done is not None
        assert [ref.number for ref in done.pinned] == [4]
        prompt = await memory.prompt()
        assert "Always answer in Portuguese." in prompt.messages[0]["content"]


async def test_messages_that_come_meanwhile_stay_verbatim(tmp_path: Path) -> None:
    """COMPACT-9: compaction by a model never blocks the next turn."""
    async with opened(tmp_path, profile="stress") as memory:
        model = await stalled(memory)
        await memory.add("user", words(10))
        prompt = await memory.prompt()
        assert prompt.ledger.last == 10

        assert model.gate is not None
        model.gate.set()
        await memory.settled()

        assert span(memory.state.folding.short_term) == (1, 5)
        assert memory.state.folding.verbatim_from == 6
        assert memory.state.messages == 10


async def test_only_one_compaction_runs_at_a_time(tmp_path: Path) -> None:
    """COMPACT-9: a manual one waits for the one in the background, and finds its work done."""
    async with opened(tmp_path, profile="stress") as memory:
        model = await stalled(memory)
        assert memory.snapshot().running is not None

        manual = asyncio.create_task(memory.compact())
        await asyncio.sleep(0)
        assert len(model.requests) == 1
        assert model.gate is not None
        model.gate.set()

        assert await manual is None
        assert memory.state.compactions == 1


async def test_wait_mode_compacts_before_the_prompt(tmp_path: Path) -> None:
    """COMPACT-9: configurable, background or wait."""
    async with opened(tmp_path, profile="stress", compaction="wait") as memory:
        for n in range(1, 10):
            await memory.add("user", words(n))

        prompt = await memory.prompt()

        assert prompt.ledger.short_term is not None


async def test_tiny_messages_wait_without_failure(tmp_path: Path) -> None:
    """COMPACT-12: too small to gain by folding is no failure."""
    model = ScriptedModel()
    async with opened(tmp_path, immediate_window=4, recent_window=1, model=model) as memory:
        for _ in range(8):
            await memory.add("user", "k")
            await memory.settled()
        assert memory.state.compactions == 0
        assert memory.state.breaker.failures == 0
        assert model.requests == []
        following = memory.snapshot().next_compaction
        assert following is not None
        assert (following.in_messages, following.gains) == (0, False)

        await say(memory, 5)

        assert memory.state.compactions > 0


async def test_a_folding_without_gain_is_told_as_such(tmp_path: Path) -> None:
    """COMPACT-12, VIEW-1: what comes next is told alike everywhere; nobody asks in vain twice."""
    model = ScriptedModel([("word " * 12).strip() + "."])
    async with opened(tmp_path, profile="stress", model=model) as memory:
        for _ in range(9):
            await memory.add("user", "abc ")
        await memory.settled()
        snapshot = memory.snapshot()
        following = snapshot.next_compaction
        assert following is not None
        assert (following.in_messages, following.gains) == (0, False)
        assert (next_fold(snapshot), next_step(snapshot)) == (
            "waits for more", "folds once there is more to gain",
        )  # fmt: skip
        asked = len(model.requests)
        assert asked > 0

        assert await memory.compact() is None
        assert len(model.requests) == asked

        await say(memory, 5)
        assert memory.state.compactions > 0


async def test_failed_model_counts_and_three_open_the_breaker(tmp_path: Path) -> None:
    """COMPACT-7: also where the rule-based summary stood in; a manual compaction closes it."""
    model = ScriptedModel([Unwilling("no")])
    async with opened(tmp_path, profile="stress", model=model) as memory:
        await say(memory, 17)
        breaker = memory.snapshot().breaker
        assert (breaker.open, breaker.failures) == (True, 3)
        assert breaker.reason == "no"
        asked = len(model.requests)

        await say(memory, 8)
        assert len(model.requests) == asked

        model.script = ["Ada moved Falcon to Lisbon."]
        assert await memory.compact() is not None
        assert not memory.snapshot().breaker.open


async def test_a_compaction_strictly_saves(tmp_path: Path) -> None:
    """I7: tokens before and after are those of the prompt at the commit."""
    async with opened(tmp_path, profile="stress", counter=DenseCounter()) as memory:
        await say(memory, 60)

        for record in await memory.compactions():
            assert record.event.tokens_after < record.event.tokens_before
            assert record.event.stages[0].freed == (
                record.event.tokens_before - record.event.tokens_after
            )


async def test_a_lying_model_does_not_make_the_prompt_larger(tmp_path: Path) -> None:
    """I7, COMPACT-12: an answer longer than it was allowed is not taken."""
    model = ScriptedModel([Completion("word " * 3_000)], context_window=200_000)
    async with opened(tmp_path, model=model, immediate_window=4, recent_window=4) as memory:
        await say(memory, 9, length=9_000)

        (record,) = await memory.compactions()
        assert record.event.by == "rule"
        assert record.event.failures == ("the summary was too long",) * 2


async def test_a_turn_above_the_limit_is_fitted_while_the_model_compacts(tmp_path: Path) -> None:
    """COMPACT-9, I1: a receipt names what is left out, and nothing is lost."""
    gate_closed = ScriptedModel(gate=asyncio.Event())
    async with opened(tmp_path, model=gate_closed, chat=chat_model(4_096)) as memory:
        for n in range(1, 30):
            await memory.add("user", words(n, 900))
        await until(lambda: bool(gate_closed.requests))

        prompt = await memory.prompt()

        assert prompt.tokens <= prompt.budget.limit
        assert prompt.ledger.left_out is not None
        assert prompt.ledger.left_out[0] == 1
        assert gate_closed.gate is not None
        gate_closed.gate.set()


async def test_a_message_too_large_is_named_and_kept(tmp_path: Path) -> None:
    """PROMPT-3: a clear error; the message stays in the log."""
    async with opened(tmp_path, chat=chat_model(4_096)) as memory:
        await memory.add("user", "Hello.")
        await memory.add("user", "x " * 40_000)

        with pytest.raises(PromptTooLarge, match="Message 2 has about") as refused:
            await memory.prompt()

        assert refused.value.number == 2
        assert len(await memory.messages(2, 2)) == 1


async def test_a_system_prompt_too_large_is_named(tmp_path: Path) -> None:
    """PROMPT-3: the error doesn't blame a message that could be sent."""
    async with opened(tmp_path, chat=chat_model(2_048), system_prompt="rule " * 3_000) as memory:
        await memory.add("user", "Hello.")

        with pytest.raises(PromptTooLarge, match="The system prompt"):
            await memory.prompt()


async def test_a_draft_too_large_is_refused_with_figures(tmp_path: Path) -> None:
    """PROMPT-3: before it is in the log."""
    async with opened(tmp_path, chat=chat_model(2_048)) as memory:
        with pytest.raises(PromptTooLarge, match="The message has about"):
            await memory.prompt("x" * 40_000)


async def test_the_log_tells_each_compaction_once(tmp_path: Path) -> None:
    """I5: one event is the whole of it."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 13)

        assert kinds(await memory.log()).count("compaction") == memory.state.compactions == 2


async def stalled(memory: Memory) -> ScriptedModel:
    """A model that a due compaction waits for."""
    model = ScriptedModel(gate=asyncio.Event())
    await memory.use_model(chat_model(), None, model)
    await say_without_waiting(memory, 9)
    await until(lambda: bool(model.requests))
    return model


async def say_without_waiting(memory: Memory, count: int) -> None:
    for n in range(1, count + 1):
        await memory.add("user", words(n))


async def test_a_summary_that_only_its_heading_makes_too_large_is_dropped(tmp_path: Path) -> None:
    """I7, I5: what counts is the whole prompt, before and after."""
    model = ScriptedModel(
        ["Ada said k, and then Ada said k once more, and Ben was not amused by it."]
    )
    async with opened(tmp_path, immediate_window=4, recent_window=1, model=model) as memory:
        for _ in range(9):
            await memory.add("user", "k")
        await memory.settled()

        assert model.requests
        assert memory.state.compactions == 0
        assert len(memory.state.folding.verbatim) == 9


async def test_a_failure_in_the_background_does_not_stop_what_comes_after(tmp_path: Path) -> None:
    """COMPACT-9: a fault of the model's own code is told once, and the next turn works."""
    model = ScriptedModel([ZeroDivisionError("a fault"), "Ada moved Falcon to Lisbon."])
    async with opened(tmp_path, profile="stress", model=model) as memory:
        await say_without_waiting(memory, 9)
        with pytest.raises(ZeroDivisionError):
            await memory.settled()

        await say(memory, 1)

        assert memory.state.compactions == 1


async def test_what_a_compaction_used_is_kept(tmp_path: Path) -> None:
    """VIEW-3, CHAT-9: tokens and money of all that was asked for it, refused answers included."""
    model = ScriptedModel(
        (
            Completion("Error: 503", input_tokens=900, output_tokens=4, cost=0.25),
            Completion("Ada chose Lisbon.", input_tokens=800, output_tokens=6, cost=0.5),
        )
    )
    async with opened(tmp_path, model=model, chat=chat_model(200_000)) as memory:
        await say(memory, 129)
        (record,) = await memory.compactions()
        assert record.event.by == "model"
        assert record.event.usage == Usage(1_700, 10, cost=0.75)
