"""One piece of work at a time behind the conversation."""

import asyncio

import pytest

from memory.background import Background


async def test_one_piece_of_work_is_done_at_a_time() -> None:
    """COMPACT-9: what is begun while something is being done is left out."""
    begun, go = list[str](), asyncio.Event()
    background = Background("trial")

    async def work(name: str) -> None:
        begun.append(name)
        await go.wait()

    background.begin(lambda: work("first"))
    background.begin(lambda: work("second"))
    await asyncio.sleep(0)
    busy = [background.busy]
    go.set()
    await background.settled()
    busy.append(background.busy)
    assert (begun, busy) == (["first"], [True, False])
    background.begin(lambda: work("third"))
    await background.settled()
    assert begun == ["first", "third"]


async def test_what_goes_wrong_is_raised_once() -> None:
    """COMPACT-9: who waits for the work learns what went wrong in it, once."""
    background = Background("trial")

    async def fail() -> None:
        raise ValueError("wrong")

    background.begin(fail)
    with pytest.raises(ValueError, match="wrong"):
        await background.settled()
    await background.settled()


async def test_work_that_is_stopped_has_ended() -> None:
    """COMPACT-9: stopping waits for the end, and is no failure."""
    ended = list[str]()
    background = Background("trial")

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("work")

    background.begin(work)
    await asyncio.sleep(0)
    await background.stop()
    assert ended == ["work"]
    assert not background.busy
    await background.settled()
