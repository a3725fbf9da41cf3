"""An answer is saved as it streams."""

import asyncio
from pathlib import Path

import pytest

from memory import answer as answers
from memory.answer import Answer
from memory.memory import Memory
from memory.storage.failures import DatabaseBusy
from memory.wish import Wish
from tests.memory.doubles import crash, kinds, opened, until

AFTER_CRASH = Wish(take_over=True)


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drafts are written without a pause between them."""
    monkeypatch.setattr(answers, "DRAFT_SECONDS", 0.0)


async def asked(memory: Memory) -> Answer:
    await memory.add("user", "Where to?")
    return memory.answer(await memory.prepare(await memory.prompt()))


async def on_disk(memory: Memory, text: str) -> None:
    """Waits until the draft on disk is `text`."""
    async with asyncio.timeout(120):
        while True:
            draft = await memory._journal.drafts.orphan()
            if draft is not None and draft.text == text:
                return


async def test_a_finished_answer_is_one_message_and_no_draft(tmp_path: Path) -> None:
    """STORE-2: one event closes the draft."""
    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        answer.grow("To Lis")
        await on_disk(memory, "To Lis")
        answer.grow("bon.", reasoning="Ada said so.")

        stored = await answer.close()

        assert stored is not None
        assert (stored.content, stored.interrupted) == ("To Lisbon.", False)
        assert await memory._journal.drafts.orphan() is None
        prompt = await memory.prompt()
        assert prompt.messages[-1]["reasoning_content"] == "Ada said so."


async def test_a_stopped_answer_is_kept_and_marked(tmp_path: Path) -> None:
    """CHAT-1, STORE-2: what had arrived is a message marked as interrupted."""
    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        answer.grow("To Lis")

        stored = await answer.close(interrupted=True)

        assert stored is not None
        assert stored.interrupted
        assert memory.state.folding.verbatim[-1].interrupted


async def test_an_answer_of_which_nothing_arrived_is_no_message(tmp_path: Path) -> None:
    """STORE-2: neither a message nor a draft remains."""
    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        answer.grow("", reasoning="Hm.")
        await until(lambda: answer._dirtied)

        assert await answer.close(interrupted=True) is None
        assert await memory._journal.drafts.orphan() is None
        assert memory.state.messages == 1


async def test_a_draft_left_by_a_crash_becomes_one_interrupted_message(tmp_path: Path) -> None:
    """STORE-2: killed at any instant, the next start goes on."""
    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        answer.grow("To Lis")
        await on_disk(memory, "To Lis")
        crash(memory)

        async with opened(tmp_path, wish=AFTER_CRASH) as restarted:
            (found,) = await restarted.messages(2, 2)
            assert restarted.state.messages == 2
            assert restarted.state.folding.verbatim[-1].interrupted
            text = await restarted.texts([restarted.state.folding.verbatim[-1].body])
            assert list(text.values()) == ["To Lis"]
            assert found.n == restarted.state.n

        async with opened(tmp_path) as again:
            assert again.state.messages == 2


async def test_leaving_without_closing_keeps_the_draft_for_the_next_start(tmp_path: Path) -> None:
    """STORE-2: the block may be left by an exception in mid-stream."""

    async def fail_in_mid_stream() -> None:
        async with opened(tmp_path) as memory:
            answer = await asked(memory)
            answer.grow("To Lis")
            await on_disk(memory, "To Lis")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail_in_mid_stream()

    async with opened(tmp_path) as restarted:
        assert restarted.state.messages == 2


async def test_a_draft_that_cannot_be_written_does_not_cost_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-2, ALL-2: a database that is busy for a moment is tried again."""
    failures = []

    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        real = memory._journal.drafts.__class__.write

        async def refuse(self: object, *_: object) -> None:
            failures.append(self)
            raise DatabaseBusy("held")

        monkeypatch.setattr(memory._journal.drafts.__class__, "write", refuse)
        answer.grow("To ")
        await until(lambda: bool(failures))
        monkeypatch.setattr(memory._journal.drafts.__class__, "write", real)
        answer.grow("Lisbon.")
        await on_disk(memory, "To Lisbon.")

        stored = await answer.close()

        assert stored is not None
        assert stored.content == "To Lisbon."


async def test_closing_is_not_cut_in_two_by_cancellation(tmp_path: Path) -> None:
    """CHAT-1, I5: Esc twice keeps the answer all the same."""
    async with opened(tmp_path) as memory:
        answer = await asked(memory)
        answer.grow("To Lisbon.")
        closing = asyncio.create_task(answer.close())
        await asyncio.sleep(0)
        closing.cancel()

        with pytest.raises(asyncio.CancelledError):
            await closing

        assert memory.state.messages == 2
        assert await memory._journal.drafts.orphan() is None
        assert kinds(await memory.log()).count("message") == 2


async def test_tool_calls_without_text_are_a_message(tmp_path: Path) -> None:
    """CHAT-10, I3: the call must stand before its result."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    async with opened(tmp_path) as memory:
        answer = await asked(memory)

        stored = await answer.close(tool_calls=[call])
        await memory.add("tool", "", tool_call_id="a")

        assert stored is not None
        prompt = await memory.prompt()
        assert prompt.messages[-2]["tool_calls"] == [call]
        assert prompt.messages[-1]["tool_call_id"] == "a"
