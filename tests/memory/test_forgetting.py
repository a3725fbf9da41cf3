"""RECALL-6, RECALL-7: what is forgotten is really gone."""

import re
from pathlib import Path

import pytest

from memory.dooming import NothingToForget
from memory.memory import Memory
from tests.memory.doubles import ScriptedModel, every_byte, opened, words

SECRET = "My cat Zanzibarix sleeps at 4711 Krumlovy Lane behind the brewery."
RARE = ("Zanzibarix", "zanzibarix", "4711", "Krumlovy", "krumlovi", "brewery", "breweri")


def assert_gone(directory: Path, rare: tuple[str, ...] = RARE) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found = [word for word in rare if word.encode() in data]
            assert not found, (
                path.name,
                found,
                [data[m.start() - 60 : m.end() + 60] for m in re.finditer(found[0].encode(), data)][
                    :3
                ],
            )


async def talk(memory: Memory, upto: int, secret_at: int = 3) -> int:
    """Messages of which one has the secret; its number."""
    number = 0
    for n in range(1, upto + 1):
        stored = await memory.add(
            "user" if n % 2 else "assistant", SECRET if n == secret_at else words(n)
        )
        if n == secret_at:
            number = stored.number
        await memory.settled()
    return number


@pytest.mark.parametrize("by", ["rule", "model"])
async def test_a_forgotten_message_is_in_no_file(tmp_path: Path, by: str) -> None:
    """RECALL-6: not in log, search table, summaries, vault, nor free pages."""
    model = ScriptedModel(("The cat Zanzibarix lives at 4711 Krumlovy Lane. Ada moved.",))
    writer = model if by == "model" else None
    async with opened(tmp_path, profile="stress", model=writer) as memory:
        number = await talk(memory, 40)
        assert memory.state.compactions > 1
        await memory.facts.remember(
            "The cat is called Zanzibarix.", sources=[memory.facts.here(number)]
        )
        assert b"Zanzibarix" in every_byte(tmp_path)
        plan = await memory.forgetting.plan(str(number))
        assert [(found.sort, found.name) for found in plan.found] == [
            ("message", str(number)), ("fact", "f1"),
        ]  # fmt: skip
        done = await memory.forgetting.carry_out(plan)
        assert done.notes == []
        assert_gone(tmp_path)
        assert memory.facts.all() == []
        (entry,) = await memory.messages(number, number)
        assert (await memory.texts([entry.event.ref.body]))[entry.event.ref.body] == "[forgotten]"
        prompt = await memory.prompt("And now?")
        assert "Zanzibarix" not in str(prompt.messages)
        await memory.undo()
        await memory.settled()
        assert_gone(tmp_path)
        with pytest.raises(NothingToForget):
            await memory.forgetting.plan(str(number))
    assert_gone(tmp_path)
    async with opened(tmp_path, profile="stress") as memory:
        assert memory.state.messages == 40
        assert [e.event.numbers for e in await memory.log() if e.event.KIND == "forgotten"] == [
            ((number, number),)
        ]
    assert_gone(tmp_path)
