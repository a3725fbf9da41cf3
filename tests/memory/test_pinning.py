"""What is pinned stays in the prompt word for word, whatever is compacted (COMPACT-14)."""

from pathlib import Path

import pytest

from memory.events import Pinned, Unpinned
from memory.memory import Memory
from memory.pinning import CantPin
from tests.memory.doubles import chat_model, kinds, opened, say, words

SENTENCE = "Biscuit comes with us, or we don't go."
SECRET = "sk-ant-" + "a1B2" * 10


async def sent(memory: Memory) -> str:
    """Everything that the model is about to read."""
    prompt = await memory.prompt("And now?")
    return "\n".join(str(message["content"]) for message in prompt.messages)


async def test_a_pinned_message_survives_every_cascade(tmp_path: Path) -> None:
    """COMPACT-14: word for word, until it is unpinned; the next one folds it like the others."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 6)
        pin = await memory.pinning.pin_message(2)
        await say(memory, 24)
        assert memory.state.compactions >= 3
        assert words(2) in await sent(memory)

        assert await memory.pinning.unpin(pin.id) == pin

        assert kinds(await memory.log())[-1] == Unpinned.KIND
        assert words(2) in await sent(memory)
        done = memory.state.compactions
        await say(memory, 4)
        assert memory.state.compactions == done + 1
        assert words(2) not in await sent(memory)
        assert "Note 2: Ada moved" in await sent(memory)


async def test_the_newest_question_stays_while_tools_are_called(tmp_path: Path) -> None:
    """COMPACT-14, I4: until the next is asked and folded after; one that is too long is folded."""
    async with opened(tmp_path, profile="stress", chat=chat_model(4_096)) as memory:
        for question in ("Which of these files mentions Lisbon?", words(99, 5_000)):
            await memory.add("user", question)
            done = memory.state.compactions
            for n in range(12):
                call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": ""}}
                await memory.add("assistant", "", tool_calls=[call])
                await memory.add("tool", words(n, 300), tool_call_id="1")
                await memory.settled()
                assert len(question) > 100 or question in await sent(memory)
            assert (question in await sent(memory)) is (len(question) < 100)
            assert memory.state.compactions >= done + 3
        assert memory.state.folding.pinned == ()
        assert "Which of these files" not in await sent(memory)


async def test_a_message_that_was_folded_long_ago_can_be_pinned(tmp_path: Path) -> None:
    """COMPACT-14: it comes back into the prompt."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 17)
        assert words(3) not in await sent(memory)
        await memory.pinning.pin_message(3)
        assert words(3) in await sent(memory)
        await say(memory, 8)
        assert words(3) in await sent(memory)


async def test_a_sentence_is_pinned_through_the_door(tmp_path: Path) -> None:
    """COMPACT-14, RECALL-7: as it is, but for secrets; it is there after a restart."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 4)
        await memory.pinning.pin_text(f"  {SENTENCE} {SECRET}\n", 4)
        await say(memory, 12)
    async with opened(tmp_path, profile="stress") as memory:
        (view,) = memory.snapshot().pins
        assert view.text == f"{SENTENCE} [redacted: API key]"
        assert (view.number, view.whole) == (4, False)
        assert view.text in await sent(memory)
        assert SECRET not in await sent(memory)


async def test_a_message_is_pinned_once(tmp_path: Path) -> None:
    """COMPACT-14: asked again, nothing is written."""
    async with opened(tmp_path) as memory:
        await say(memory, 3)
        first = await memory.pinning.pin_message(2)
        n = memory.state.n
        assert await memory.pinning.pin_message(2) == first
        assert memory.state.n == n
        assert memory.state.pinned_numbers == {2}
        assert memory.snapshot().pinned_numbers == {2}
        assert kinds(await memory.log()).count(Pinned.KIND) == 1


async def test_every_pin_has_a_name_of_its_own(tmp_path: Path) -> None:
    """COMPACT-14: one that was let go of never means another."""
    async with opened(tmp_path) as memory:
        one = await memory.pinning.pin_text("one")
        await memory.pinning.unpin(one.id)
        two = await memory.pinning.pin_text("two")
        assert one.id != two.id
        assert memory.pinning.pins() == (two,)


async def test_pins_leave_room_for_the_conversation(tmp_path: Path) -> None:
    """COMPACT-14, I2: a quarter of the room at most, refused with figures."""
    async with opened(tmp_path, chat=chat_model(2_048)) as memory:
        most = memory.budget.room // 4
        await memory.pinning.pin_text("x" * 4 * (most - 10))
        n = memory.state.n
        with pytest.raises(CantPin, match=rf"about 11 tokens besides the .* have {most:,} togeth"):
            await memory.pinning.pin_text("y" * 44)
        assert memory.state.n == n
        await memory.pinning.pin_text("y" * 40)


async def test_a_pinned_message_that_left_the_window_counts(tmp_path: Path) -> None:
    """I2, COMPACT-14: what must be left out makes room for it as well."""
    async with opened(tmp_path, profile="stress", chat=chat_model(1_024)) as memory:
        await memory.add("user", words(1, 700))
        await memory.pinning.pin_message(1)
        await say(memory, 12, length=60)
        assert memory.state.folding.pinned
        for number in range(6):
            await memory.add("user" if number % 2 else "assistant", words(number, 600))
            prompt = await memory.prompt()
            assert prompt.tokens <= prompt.budget.room
            assert words(1, 700) in str(prompt.messages)


@pytest.mark.parametrize("text", ["", "  \n"])
async def test_what_can_not_be_pinned_is_a_sentence(tmp_path: Path, text: str) -> None:
    """ALL-2: nothing, what is not there, what stays anyway."""
    async with opened(tmp_path) as memory:
        await memory.add("system", "Be brief.")
        with pytest.raises(CantPin, match="nothing to pin"):
            await memory.pinning.pin_text(text)
        with pytest.raises(CantPin, match="no message 7 "):
            await memory.pinning.pin_message(7)
        with pytest.raises(CantPin, match="always stays"):
            await memory.pinning.pin_message(1)
        with pytest.raises(CantPin, match="Nothing is pinned as p9"):
            await memory.pinning.unpin("p9")
