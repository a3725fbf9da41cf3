"""Goals, tools and content seen by a second process that only watches, and after an undo."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from memory import Memory, MemoryConfig
from memory.events import RequestEnded
from memory.journal import ReadOnly
from memory.wish import Wish

CONFIG = MemoryConfig(immediate_window=4, recent_window=4, compaction="wait", vault=False)
CALL = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}


async def use_a_tool(memory: Memory) -> None:
    """A call whose result is shown once, and stands as a receipt afterwards."""
    await memory.offer_tools([{"type": "function", "function": {"name": "read_file"}}])
    await memory.add("user", "Read it.")
    await memory.add("assistant", "", tool_calls=[CALL])
    result = await memory.add("tool", "A line of the file.\n" * 100, tool_call_id="1")
    await memory.execution.ran(
        tool="read_file", arguments="{}", result="A line", ok=True, number=result.number
    )
    request = await memory.prepare(await memory.prompt())
    await memory.ended(RequestEnded(request, 1, "m", "ok"))


async def talk(memory: Memory) -> None:
    """Enough to be folded."""
    for number in range(14):
        await memory.add("user" if number % 2 else "assistant", f"Note {number} about Porto. " * 9)
        await memory.settled()


DEEDS: tuple[Callable[[Memory], Awaitable[object]], ...] = (
    lambda m: m.goals.set("Find a flat"),
    lambda m: m.tasks.add("Look at it"),
    lambda m: m.tasks.add("Measure it", after="t1"),
    lambda m: m.tasks.start("t1"),
    use_a_tool,
    lambda m: m.execution.step("reasoning", "It is dear.", discovered={"rent": 900}),
    lambda m: m.execution.seen(workspace="/home/ada", memory_used_mb=1, disk_used_percent=2.0),
    lambda m: m.notebook.note("No ground floor."),
    lambda m: m.notebook.set_value("rooms", 3),
    lambda m: m.preferences.set("tone", "dry"),
    lambda m: m.content.store("Kept by itself.", tags=["a"], related="c1"),
    lambda m: m.content.mark("c2", tags="b"),
    lambda m: m.content.clear("c2"),
    lambda m: m.tasks.fail("t1", "Nobody was there."),
    talk,
    lambda m: m.undo(),
    lambda m: m.redo(),
    lambda m: m.goals.complete(),
    lambda m: m.goals.reopen(),
    lambda m: m.goals.edit("Find a house"),
    lambda m: m.tasks.remove("t2"),
    lambda m: m.notebook.remove_value("rooms"),
    lambda m: m.goals.fail("Too dear."),
)


async def test_whoever_watches_sees_the_same_after_each_deed(tmp_path: Path) -> None:
    """STORE-5, VIEW-1, VIEW-4: state, texts and items come by the log; so does each moment."""
    async with Memory.open(tmp_path, "s", config=CONFIG) as memory:
        wish = Wish(session="s", read_only=True)
        async with Memory.open(tmp_path, config=CONFIG, wish=wish) as watching:
            moments = []
            for deed in DEEDS:
                await deed(memory)
                await memory.settled()
                await watching.refresh()
                await watching.settled()
                mine, theirs = memory.snapshot(), watching.snapshot()
                assert watching.state == memory.state
                assert (theirs.work, theirs.items) == (mine.work, mine.items)
                assert theirs.context.sections == mine.context.sections
                moments.append((mine.n, mine.work, mine.items, mine.context.sections))
            with pytest.raises(ReadOnly):
                await watching.goals.set("Mine")
            with pytest.raises(ReadOnly):
                await watching.content.store("Mine")
            past = watching.past()
            for n, work, items, sections in reversed(moments):
                then = await past.snapshot(n)
                assert (then.work, then.items) == (work, items)
                assert then.context.sections == sections
    async with Memory.open(tmp_path, "s", config=CONFIG) as memory:
        assert memory.snapshot().work == moments[-1][1]
