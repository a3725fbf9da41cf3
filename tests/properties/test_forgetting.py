"""RECALL-6, I6: whatever is said, folded, undone, branched and forgotten, the rest stays whole."""

import asyncio
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from memory.dooming import NothingToForget
from memory.fold import fold
from memory.memory import Memory
from memory.undoing import NothingToUndo, WouldNotFit
from tests.memory.doubles import every_byte, opened, words
from tests.properties.depth import COMMON
from tests.properties.invariants import check_coverage

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 9)),
        st.tuples(st.just("forget"), st.integers(0, 40)),
        st.tuples(st.just("undo"), st.just(0)),
        st.tuples(st.just("redo"), st.just(0)),
        st.tuples(st.just("compact"), st.just(0)),
    ),
    min_size=6,
    max_size=14,
)


def name(number: int) -> str:
    """A word that only one message has."""
    return "Zq" + "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}") + "x"


async def live(directory: Path, steps: list[tuple[str, int]]) -> None:
    said = gone = frozenset[int]()
    async with opened(directory, profile="stress") as memory:
        for what, n in steps:
            before = await memory.log()
            if what == "say":
                for _ in range(n):
                    number = memory.state.messages + 1
                    await memory.add("user", f"{words(number)} It was {name(number)}.")
                    said |= {number}
            elif what == "forget" and said:
                number = 1 + n % max(said)
                gone |= await forget(memory, number)
            elif what in ("undo", "redo"):
                with suppress(NothingToUndo, WouldNotFit):
                    await (memory.undo() if what == "undo" else memory.redo())
            elif what == "compact":
                await memory.compact()
            await memory.settled()
            await check(memory, said, gone)
            # What happened stays in its place: only texts go.
            assert (await memory.log())[: len(before)] == before
    for number in gone:
        assert name(number).encode() not in every_byte(directory)
        assert name(number).lower().encode() not in every_byte(directory)


async def forget(memory: Memory, number: int) -> frozenset[int]:
    """Forgets a message, if it was not yet."""
    try:
        plan = await memory.forgetting.plan(str(number))
    except NothingToForget:
        return frozenset()
    assert (await memory.forgetting.carry_out(plan)).notes == []
    return frozenset({number})


async def check(memory: Memory, said: frozenset[int], gone: frozenset[int]) -> None:
    """I1, I6, and that the log gives the state."""
    log = await memory.log()
    assert fold(log[: memory.state.n]) == memory.state
    check_coverage(memory.state)
    for number in said:
        found = await memory.content.retrieve(f"m{number}")
        assert found == "[forgotten]" if number in gone else name(number) in found
    prompt = await memory.prompt()
    assert prompt.budget.fits(prompt.tokens)
    assert not [number for number in gone if name(number) in str(prompt.messages)]
    memory.snapshot()


@settings(COMMON, max_examples=4)
@given(STEPS)
def test_only_what_is_forgotten_goes(steps: list[tuple[str, int]]) -> None:
    """I6: nothing but forgetting empties a text, and it empties no other."""
    with TemporaryDirectory() as folder:
        asyncio.run(live(Path(folder), steps))
