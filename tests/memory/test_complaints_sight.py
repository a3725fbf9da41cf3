"""What users of other programs complain about not seeing or not getting back; here they do."""

from itertools import pairwise
from pathlib import Path
from typing import Any

from memory.config import RecallConfig
from memory.events import Compacted, LossReported, RequestPrepared
from memory.memory import Memory
from memory.prompt import Prompt, digest_of
from memory.sharing import flat, shared
from tests.memory.doubles import DenseCounter, chat_model, opened, say, words

BLOCK = "\n\n<memory>\n"
"""Begins the block of a turn."""


async def turn(memory: Memory, length: int = 300, **tool: Any) -> Prompt:
    """A question, what is asked of the model about it, and its answer."""
    number = memory.state.messages + 1
    await memory.add("user", words(number, length))
    prompt = await memory.prompt()
    await memory.prepare(prompt)
    if tool:
        function = {"name": "read_file", "arguments": f'{{"path": "{number}.txt"}}'}
        calls = [{"id": f"c{number}", "type": "function", "function": function}]
        await memory.add("assistant", "", tool_calls=calls)
        await memory.add("tool", words(number, tool["result"]), tool_call_id=f"c{number}")
    await memory.add("assistant", words(number + 1, length))
    await memory.settled()
    return prompt


async def test_every_compaction_and_every_prompt_can_be_seen(tmp_path: Path) -> None:
    """COMPACT-13, VIEW-2: "something was dropped, and nobody tells me what, or what was sent"."""
    async with opened(tmp_path, profile="stress", chat=chat_model(4_096)) as memory:
        sent = [await turn(memory, result=4_000) for _ in range(20)]
        log = [recorded.event for recorded in await memory.log()]
        compactions = [event for event in log if isinstance(event, Compacted)]
        reported = {event.compaction: event for event in log if isinstance(event, LossReported)}
        asked = [event for event in log if isinstance(event, RequestPrepared)]

        assert len(compactions) >= 5
        for done in compactions:
            view = await memory.reports.compaction_view(done.id)
            report = reported[done.id]
            assert len(view.items) == report.items
            assert report.kept + report.retrievable + report.lost == report.items
            assert view.summaries or view.edits
        for event, prompt in zip(asked, sent, strict=True):
            shown = await memory.request_messages(event.request)
            assert shown == prompt.messages
            assert digest_of(shown) == event.ledger.digest


async def test_a_compaction_can_be_taken_back_and_let_hold_again(tmp_path: Path) -> None:
    """COMPACT-11, I8: "it summarised away what I needed, and there is no way back"."""
    silent = RecallConfig(enabled=False)
    async with opened(tmp_path, profile="stress", chat=chat_model(16_384), recall=silent) as memory:
        prompts = [await memory.prompt()]
        while memory.state.compactions < 3:
            await say(memory, 1)
            prompts.append(await memory.prompt())
        after = await memory.prompt()
        (*_, newest) = await memory.compactions()
        await memory.undo(newest.event.id)
        before = await memory.prompt()
        await memory.redo()

        assert before.messages[: len(prompts[-2].messages)] == prompts[-2].messages
        assert (await memory.prompt()).messages == after.messages
        while any(not record.undone for record in await memory.compactions()):
            await memory.undo()
        everything = await memory.prompt()
        assert [words(n) in str(everything.messages) for n in range(1, 10)] == [True] * 9


async def test_the_gauge_says_what_is_sent_and_what_the_model_takes(tmp_path: Path) -> None:
    """VIEW-1, PROMPT-4: "the gauge said 12 %, of a window that is not the model's"."""
    counter = DenseCounter()
    async with opened(
        tmp_path, profile="stress", chat=chat_model(4_096), counter=counter
    ) as memory:
        for n in range(24):
            if n == 12:
                await memory.use_model(chat_model(2_048, name="smaller"), counter, None)
                await memory.settled()
            await turn(memory, result=2_000)
            prompt, context = await memory.prompt(), memory.snapshot().context
            assert context.used == prompt.tokens == sum(context.sections.values())
            assert context.used == sum(piece.tokens for piece in prompt.pieces)
            assert context.window == (2_048 if n >= 12 else 4_096)
            assert context.limit == context.window - round(0.15 * context.window)
            assert context.used <= context.limit
        assert memory.state.compactions >= 5


async def test_compaction_does_not_throw_the_cache_away(tmp_path: Path) -> None:
    """I9, COMPACT-9: "since it compacts, nothing is cached, and I pay seven times as much"."""
    async with opened(tmp_path, chat=chat_model(16_384)) as memory:
        await memory.pinning.pin_text("Deploy to stage-3.example.org, port 8443.")
        prompts = [await turn(memory, length=400, result=600) for _ in range(150)]
        compactions = [r for r in await memory.log() if isinstance(r.event, Compacted)]
        done = [r.event for r in compactions if isinstance(r.event, Compacted)]

    calm = [
        (before, now)
        for before, now in pairwise(prompts)
        if not any(before.ledger.n < r.n <= now.ledger.n for r in compactions)
    ]
    assert len(calm) > 0.9 * len(prompts)
    assert all(shared(before.messages, now.messages).in_last_turn for before, now in calm)
    kept = sum(_shared_chars(before, now) for before, now in calm)
    assert kept >= 0.85 * sum(_chars(now) for _, now in calm)
    # What is edited is edited at once: no compaction follows another with nothing said between.
    assert all(one.message < other.message for one, other in pairwise(done))


def _chars(prompt: Prompt) -> int:
    """Characters of a request, without the block that belongs to its turn alone."""
    whole = "".join(map(flat, prompt.messages))
    return len(whole.partition(BLOCK)[0])


def _shared_chars(before: Prompt, now: Prompt) -> int:
    return min(shared(before.messages, now.messages).chars, _chars(now))
