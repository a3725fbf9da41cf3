"""The prompt, its ledger, and how a past one is shown again."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memory.answer import NewMessage
from memory.codec import encode
from memory.config import RecallConfig
from memory.events import RequestPrepared
from memory.history import HISTORY_KINDS
from memory.memory import Memory
from memory.prompt import NotReproducible, digest_of
from memory.storage import checkpoints
from memory.wish import Wish
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    chat_model,
    crash,
    opened,
    say,
    until,
    words,
)


async def test_sections_come_in_their_order(tmp_path: Path) -> None:
    """PROMPT-1: system prompt, older memories, recent past, then the messages."""
    async with opened(tmp_path, profile="stress", system_prompt="Be brief.") as memory:
        await say(memory, 13)

        prompt = await memory.prompt("What now?")

        system, summaries, *rest = prompt.messages
        assert system == {"role": "system", "content": "Be brief."}
        older = summaries["content"].index("## Older Memories (Summary)\n")
        recent = summaries["content"].index("## Recent Past (Summary)\n")
        assert older == 0 < recent
        assert [m["content"] for m in rest] == [*(words(n) for n in range(10, 14)), "What now?"]


async def test_the_sections_sum_to_the_prompt(tmp_path: Path) -> None:
    """PROMPT-1, VIEW-6: and so do the pieces."""
    async with opened(tmp_path, profile="stress", counter=DenseCounter()) as memory:
        for _ in range(20):
            await say(memory, 1)
            prompt = await memory.prompt()

            assert sum(prompt.sections.values()) == prompt.tokens
            assert sum(piece.tokens for piece in prompt.pieces) == prompt.tokens
            used = memory.snapshot().context
            assert sum(used.sections.values()) == used.used == prompt.tokens


async def test_the_same_state_gives_the_same_prompt(tmp_path: Path) -> None:
    """PROMPT-1: a pure function of log, policy, budget and model, also after a restart."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 15)
        prompt = await memory.prompt()
        assert await memory.prompt() == prompt

    async with opened(tmp_path, profile="stress") as again:
        assert (await again.prompt()).messages == prompt.messages


async def test_a_past_request_is_shown_exactly(tmp_path: Path) -> None:
    """PROMPT-5: through compactions, undo and restart, with its digest equal."""
    sent = []
    async with opened(tmp_path, profile="stress", chat=chat_model(640)) as memory:
        for round_ in range(20):
            await memory.add("user", words(round_, 60 + 200 * (round_ % 4)))
            prompt = await memory.prompt()
            sent.append((await memory.prepare(prompt), prompt))
            await memory.add("assistant", words(round_))
        await memory.settled()
        await memory.use_model(chat_model(32_768, name="larger"), None, None)
        await memory.undo()

    async with opened(tmp_path, profile="stress") as memory:
        for request, prompt in sent:
            shown = await memory.request_messages(request)
            assert shown == prompt.messages
            assert digest_of(shown) == prompt.ledger.digest
    assert any(prompt.ledger.left_out for _, prompt in sent)
    assert any(prompt.ledger.long_term for _, prompt in sent)


async def test_a_compaction_between_prompt_and_request_changes_nothing(tmp_path: Path) -> None:
    """PROMPT-5, COMPACT-9: the ledger names the state its prompt was made from."""
    async with opened(tmp_path, profile="stress") as memory:
        model = ScriptedModel(gate=asyncio.Event())
        await memory.use_model(chat_model(), None, model)
        for n in range(1, 10):
            await memory.add("user", words(n))
        await until(lambda: bool(model.requests))
        prompt = await memory.prompt()

        assert model.gate is not None
        model.gate.set()
        await memory.settled()
        assert memory.state.compactions == 1
        request = await memory.prepare(prompt)

        assert await memory.request_messages(request) == prompt.messages


async def test_what_never_was_in_the_log_is_not_shown_as_if_it_had_been(tmp_path: Path) -> None:
    """PROMPT-5: a request with a draft can't be shown exactly, and says so."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello.")
        request = await memory.prepare(await memory.prompt("only a draft"))

        with pytest.raises(NotReproducible, match="no longer reproducible"):
            await memory.request_messages(request)


async def test_a_ledger_stays_small(tmp_path: Path) -> None:
    """PROMPT-5: at most 2 kB a request, whatever it left out or shortened."""
    small = chat_model(4_096)
    async with opened(tmp_path, policy="none", chat=small, keep_recent_messages=200) as memory:
        for n in range(60):
            await memory.add("assistant", words(n, 3_000))
        await memory.add("user", "Well?")

        prompt = await memory.prompt()

        assert prompt.ledger.shortened
        assert len(encode(RequestPrepared("r" * 26, prompt.ledger)).encode()) <= 2_000


async def test_counts_of_another_tokenizer_are_not_mixed_in(tmp_path: Path) -> None:
    """PROMPT-4: what the old counter answers late is kept under its own name."""
    slow = DenseCounter(tokenizer="slow", gate=asyncio.Event())
    async with opened(tmp_path) as memory:
        await memory.add("user", words(1))
        memory._upkeep.counting.counter = slow
        counting = asyncio.create_task(memory._upkeep.count())
        await until(lambda: slow.counted > 0)
        await memory.use_model(chat_model(tokenizer="quick"), DenseCounter("quick"), None)
        assert slow.gate is not None
        slow.gate.set()
        await counting

        assert memory._journal.tokenizer == "quick"
        body = memory.state.folding.verbatim[0].body
        rows = await memory._journal.database.all(
            "SELECT tokenizer FROM token_count WHERE body = ? ORDER BY tokenizer", (body,)
        )
        assert rows == [("quick",), ("slow",)]


async def test_a_long_past_is_counted_behind_the_conversation(tmp_path: Path) -> None:
    """PROMPT-4: before an answer only what its prompt can show is counted; the rest follows."""
    async with opened(tmp_path, policy="none") as memory:
        texts = [NewMessage("user", words(number), "import") for number in range(1_000)]
        await memory.add_all(texts)
    counter = DenseCounter(gate=asyncio.Event())
    async with opened(tmp_path, policy="none") as memory:
        begun = asyncio.create_task(memory.use_model(chat_model(2_048), counter, None))
        await until(lambda: counter.counted > 0)
        assert counter.counted < 150
        assert counter.gate is not None
        counter.gate.set()
        await begun
        prompt = await memory.prompt()
        assert prompt.ledger.left_out is not None
        await memory.settled()
        messages = {ref.body for ref in memory.state.folding.verbatim}
        assert len(messages) == 1_000
        assert messages <= memory._journal.counts.keys()


async def test_texts_are_counted_once_and_kept(tmp_path: Path) -> None:
    """PROMPT-4: not again at the next turn, nor after a restart."""
    counter = DenseCounter()
    async with opened(tmp_path, counter=counter, chat=chat_model()) as memory:
        await say(memory, 5)
        await memory.prompt()
        assert counter.counted == 6

    again = DenseCounter()
    async with opened(tmp_path, counter=again, chat=chat_model()) as memory:
        await memory.prompt()
        assert again.counted == 0
        assert memory.snapshot().context.counted_by == "model"


async def test_of_working_memory_what_stands_whole_is_counted(tmp_path: Path) -> None:
    """PROMPT-4: the goal and the tasks to do; the rest is told shortened, by its lengths."""
    counter = DenseCounter()
    async with opened(tmp_path, counter=counter, chat=chat_model()) as memory:
        await memory.prompt()
        before = counter.counted
        await memory.goals.set("Move in April")
        await memory.tasks.add("Pack the books")
        await memory.notebook.note("No ground floor.")
        await memory.execution.ran(tool="read_file", arguments="{}", result="x" * 900, ok=True)
        await memory.prompt()
        work = memory.state.work
        assert counter.counted == before + 2
        assert work.goal is not None
        assert {text.body for text in work.texts()} & set(memory._journal.counts) == {
            work.goal.text.body,
            work.tasks[0].text.body,
        }


async def test_a_counter_that_fails_leaves_estimates(tmp_path: Path) -> None:
    """PROMPT-4: marked as such; they are never kept as counts."""
    async with opened(
        tmp_path, counter=DenseCounter(failing=True), chat=chat_model(), profile="stress"
    ) as memory:
        await say(memory, 9)

        assert memory.state.compactions == 1
        assert memory.snapshot().context.counted_by == "estimate"
        assert await memory._journal.database.all("SELECT 1 FROM token_count") == []


async def test_calls_and_reasoning_are_part_of_an_estimate(tmp_path: Path) -> None:
    """PROMPT-3: a large call weighs before anybody has counted it."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "x" * 8_000}}
    async with opened(tmp_path) as memory:
        await memory.add("user", "Write it.")
        before = (await memory.prompt()).tokens

        await memory.add("assistant", "", tool_calls=[call], reasoning={"r": "y" * 4_000})

        assert (await memory.prompt()).tokens - before >= 3_000


async def test_a_state_can_be_seen_as_it_was(tmp_path: Path) -> None:
    """VIEW-4: the snapshot at an event is the same whenever it is taken."""
    async with opened(tmp_path, profile="stress", chat=chat_model()) as memory:
        then = {}
        for _ in range(15):
            await say(memory, 1)
            then[memory.state.n] = await memory.snapshot_at(memory.state.n)
        await memory.undo()
        await memory.use_model(chat_model(32_768, name="larger"), None, None)
        await say(memory, 10)

        for n, snapshot in then.items():
            assert await memory.snapshot_at(n) == snapshot
            assert snapshot.context.window == 8_192
            assert not any(record.undone for record in snapshot.recent_compactions)


async def test_every_past_state_can_be_seen(tmp_path: Path) -> None:
    """VIEW-4: from the first event on."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 10)

        for n in range(1, memory.state.n + 1):
            assert (await memory.snapshot_at(n)).n == n


async def test_a_restart_without_closing_goes_on(tmp_path: Path) -> None:
    """STORE-2: what was acknowledged is there."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 11)
        state = memory.state
        crash(memory)

        async with opened(tmp_path, profile="stress", wish=Wish(take_over=True)) as again:
            assert again.state == state
            await say(again, 2)
            assert again.state.compactions == 2


async def instructions(memory: Memory, work: Callable[[], Awaitable[object]]) -> int:
    """Virtual machine instructions that SQLite runs for `work`: its cost, whatever the clock."""
    connection = memory._journal.database._connection
    steps = 0

    def step() -> int:
        nonlocal steps
        steps += 1
        return 0

    await connection.set_progress_handler(step, 1)
    await work()
    await connection.set_progress_handler(None, 0)  # type: ignore[arg-type]
    return steps


async def test_a_turns_cost_does_not_grow_with_the_log(tmp_path: Path) -> None:
    """ALL-7: what SQLite does for a turn, and for resuming, after many messages against few."""
    silent = RecallConfig(enabled=False)
    async with opened(tmp_path, profile="stress", compaction="wait", recall=silent) as memory:

        async def turn() -> None:
            await memory.add("user", words(1))
            await memory.prepare(await memory.prompt())
            memory.snapshot()

        async def resume() -> None:
            journal = memory._journal
            await journal.log.read_newest(HISTORY_KINDS, 10)
            await checkpoints.state_at(journal.database, journal.log, memory.state.n - 1)

        async def costs() -> tuple[int, int]:
            # A checkpoint is what a resumed session finds no more than 500 events back.
            await checkpoints.keep(memory._journal.database, memory.info.branch, memory.state)
            turns = [await instructions(memory, turn) for _ in range(4)]
            return min(turns), await instructions(memory, resume)

        await say(memory, 60)
        early = await costs()
        await say(memory, 400)
        late = await costs()

        assert late[0] <= 1.5 * early[0]
        assert late[1] <= 1.5 * early[1]
        assert len(memory._journal.texts) < 20
