"""A tool result is shown in full once; then a receipt stands for it (CONT-3)."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, MemoryConfig
from memory.carried import Carried
from memory.content.receipts import handles_in
from memory.events import RequestEnded, RequestPrepared, ResultsReceipted
from memory.parts import Ledger, Outcome
from memory.prompt import Prompt
from tests.memory.doubles import ref

LONG = "\n".join(f"line {n}: the value of key_{n} is {n * 7}" for n in range(400))


def call(id: str, name: str = "read_file", arguments: str = "{}") -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


async def ask(memory: Memory, outcome: Outcome = "ok") -> Prompt:
    """One request that ends so; its answer is added by the caller."""
    prompt = await memory.prompt()
    request = await memory.prepare(prompt)
    await memory.ended(RequestEnded(request, 1, "m", outcome))
    return prompt


async def read(memory: Memory, text: str = LONG, id: str = "call_1") -> int:
    """The model calls a tool, which returns a text; the number of the result."""
    await memory.add("assistant", "", tool_calls=[call(id)])
    return (await memory.add("tool", text, tool_call_id=id)).number


def results(prompt: Prompt) -> list[str]:
    return [m["content"] for m in prompt.messages if m["role"] == "tool"]


@pytest.fixture
def big() -> MemoryConfig:
    return MemoryConfig(context_window=100_000, compaction="wait")


async def test_it_stands_in_full_once_and_then_as_a_receipt(
    tmp_path: Path, big: MemoryConfig
) -> None:
    """CONT-3: from the next request on a receipt with a digest stands in its place."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "What is the value of key_77?")
        await read(memory)
        first = await ask(memory)
        second = await memory.prompt()
        (handle,) = handles_in(results(second)[0])
        assert results(first) == [LONG]
        assert len(results(second)[0]) < 1_000
        assert "read_file" in results(second)[0]
        assert await memory.content.retrieve(handle) == LONG


async def test_a_request_that_failed_has_shown_nothing(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-3: "once" means that a request that carried it completed."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read it.")
        await read(memory)
        for outcome in ("failed", "stopped"):
            await ask(memory, outcome)
            assert results(await memory.prompt()) == [LONG]
        await ask(memory)
        assert results(await memory.prompt()) != [LONG]


async def test_what_was_cut_has_not_been_shown(tmp_path: Path) -> None:
    """COMPACT-1: a result that stood as head and tail has not been shown in full."""
    config = MemoryConfig(context_window=4_096, compaction="wait")
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.add("user", "Read it.")
        number = await read(memory, LONG * 4)
        prompt = await ask(memory)
        assert len(results(prompt)[0]) < len(LONG)
        assert not memory.state.carried.has_shown(number)


async def test_small_results_stay(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-3: where a receipt would not be shorter, the result stays."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Is it there?")
        await read(memory, "Yes, 12 bytes.")
        await ask(memory)
        assert results(await memory.prompt()) == ["Yes, 12 bytes."]


async def test_to_the_end_of_the_turn_where_it_is_configured(tmp_path: Path) -> None:
    """CONT-3: from the next turn on, for models that compare files."""
    config = MemoryConfig(context_window=100_000, show_results="turn")
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.add("user", "Compare them.")
        await read(memory)
        await ask(memory)
        await read(memory, LONG.upper(), "call_2")
        assert results(await ask(memory)) == [LONG, LONG.upper()]
        await memory.add("assistant", "They differ in case.")
        assert results(await memory.prompt()) == [LONG, LONG.upper()]
        await memory.add("user", "And otherwise?")
        assert all(len(shown) < 1_000 for shown in results(await memory.prompt()))


async def test_always_in_full_where_it_is_configured(tmp_path: Path) -> None:
    """CONT-3: configurable."""
    config = MemoryConfig(context_window=100_000, show_results="always")
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.add("user", "Read it.")
        await read(memory)
        await ask(memory)
        assert results(await memory.prompt()) == [LONG]


async def test_across_a_restart(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-3: what requests really carried decides, across restarts."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read it.")
        await read(memory)
    async with Memory.open(tmp_path, "s", config=big) as memory:
        assert results(await ask(memory)) == [LONG]
    async with Memory.open(tmp_path, "s", config=big) as memory:
        assert results(await memory.prompt()) != [LONG]


async def test_a_branch_from_before_shows_it_again(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-3: a fork knows what its own past has shown."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read it.")
        number = await read(memory)
        branch = await memory.branches.fork(number, "fork")
        await ask(memory)
        assert results(await memory.prompt()) != [LONG]
    from memory.wish import Wish

    async with Memory.open(tmp_path, config=big, wish=Wish(branch=branch)) as other:
        assert results(await other.prompt()) == [LONG]


async def test_the_next_request_is_shown_as_it_will_be(tmp_path: Path, big: MemoryConfig) -> None:
    """VIEW-2: the inspector shows the receipt as soon as the request has completed."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read it.")
        await read(memory)
        await ask(memory)
        view = await memory.inspecting.inspect()
        piece = next(piece for piece in view.pieces if piece.role == "tool")
        assert piece.stage == "shown"
        assert piece.replaced == LONG
        assert view.broken_by.endswith("now a receipt")


async def test_an_undo_leaves_receipts_that_came_after(tmp_path: Path) -> None:
    """I8: the undo of a compaction takes back that one; what was shown stays shown."""
    config = MemoryConfig(
        context_window=100_000, immediate_window=4, recent_window=4, compaction="wait"
    )
    async with Memory.open(tmp_path, "s", config=config) as memory:
        for n in range(5):
            await memory.add("user", f"Question {n} about the harbour of Porto, in some words.")
            await memory.add("assistant", f"Answer {n} about the harbour of Porto, in some words.")
        await memory.settled()
        assert await memory.compactions()
        await memory.add("user", "Read it.")
        await read(memory)
        await ask(memory)
        shown = results(await memory.prompt())
        await memory.undo()
        assert results(await memory.prompt()) == shown
        assert len(shown[0]) < 1_000


async def test_each_result_is_an_item_as_it_comes(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-1: every result is kept outside the prompt before anything takes its place."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read both.")
        await memory.add("assistant", "", tool_calls=[call("a"), call("b", "fetch_page")])
        await memory.add("tool", LONG, tool_call_id="a")
        await memory.add("tool", "# A page", tool_call_id="b")
        one, other = await memory.content.items()
    assert (one.id, one.source, one.number) == ("c1", "read_file", 3)
    assert (other.id, other.source, other.type) == ("c2", "fetch_page", "web_content")


async def test_stages_cite_the_item_that_is_there(tmp_path: Path) -> None:
    """CONT-1: no text is stored twice, whatever takes its place."""
    config = MemoryConfig(context_window=8_192, compaction="wait", show_results="always")
    async with Memory.open(tmp_path, "s", config=config) as memory:
        for n in range(12):
            await memory.add("user", f"Read file {n}.")
            await read(memory, f"file {n}\n{LONG}", f"call_{n}")
            await memory.add("assistant", f"File {n} is read.")
            await memory.settled()
        items = await memory.content.items()
        assert len(items) == len({item.number for item in items}) == 12
        handles = {h for text in results(await memory.prompt()) for h in handles_in(text)}
        assert handles
        for handle in handles:
            assert (await memory.content.retrieve(handle)).startswith("file ")


async def test_receipts_are_events_of_their_own(tmp_path: Path, big: MemoryConfig) -> None:
    """CONT-3: no compaction is told where only a result was shown."""
    async with Memory.open(tmp_path, "s", config=big) as memory:
        await memory.add("user", "Read it.")
        await read(memory)
        await ask(memory)
        assert not await memory.compactions()
        (event,) = [
            entry.event for entry in await memory.log() if isinstance(entry.event, ResultsReceipted)
        ]
        assert event.tokens_after < event.tokens_before


def test_what_was_folded_before_it_was_shown_is_still_unshown() -> None:
    """CONT-3, I8: once the folding is undone, the model has not seen it any more than before."""
    result = ref(2, "tool")
    ledger = Ledger(1, 3, "", None, None, None, 1, 3, None, (2,), 10, {}, 10)
    carried = Carried()
    for window, ledger_then in (([result], ledger), ([], replace(ledger, first=4, shortened=()))):
        carried = carried.prepared(RequestPrepared("r", ledger_then), window, ())
        carried = carried.ended(RequestEnded("r", 1, "m", "ok"))
        assert not carried.has_shown(2)
    carried = carried.prepared(RequestPrepared("r", replace(ledger, shortened=())), [result], ())
    assert carried.ended(RequestEnded("r", 1, "m", "ok")).has_shown(2)
