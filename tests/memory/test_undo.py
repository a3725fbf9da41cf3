"""Compactions taken back and made to hold again."""

import asyncio
from pathlib import Path

import pytest

from memory.undoing import NothingToUndo, WouldNotFit
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    chat_model,
    opened,
    say,
    until,
    words,
)


async def test_undo_gives_the_folding_before(tmp_path: Path) -> None:
    """I8: with the messages since."""
    async with opened(tmp_path, immediate_window=4, recent_window=100) as memory:
        await say(memory, 10)
        before = memory.state.folding
        assert await memory.compact() is not None
        assert memory.state.folding != before

        await memory.undo()

        assert memory.state.folding == before


async def test_messages_since_stay_after_an_undo(tmp_path: Path) -> None:
    """I8, I1: every message stands exactly once."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 9)
        assert memory.state.compactions == 1
        await say(memory, 2)

        await memory.undo()

        assert [ref.number for ref in memory.state.folding.verbatim] == list(range(1, 12))
        assert memory.state.folding.short_term is None
        assert len((await memory.prompt()).messages) == 12


async def test_undoing_one_takes_back_all_that_came_after(tmp_path: Path) -> None:
    """COMPACT-11: undo is a stack."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 17)
        first, second, third = [r.event.id for r in await memory.compactions()]
        assert (await memory.snapshot_at(memory.state.n)).compactions == 3

        event = await memory.undo(second)

        assert event.compactions == (second, third)
        assert [r.undone for r in await memory.compactions()] == [False, True, True]
        assert memory.state.folding.long_term is None
        assert memory.state.folding.short_term is not None
        assert memory.state.folding.short_term.last == 5
        assert memory.state.undone == (third, second)
        assert first


async def test_redo_goes_the_same_way_back(tmp_path: Path) -> None:
    """COMPACT-11: one after the other, up to the folding that was."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 17)
        folding = memory.state.folding
        names = [r.event.id for r in await memory.compactions()]
        await memory.undo(names[0])

        redone = [(await memory.redo()).compaction for _ in names]

        assert redone == names
        assert memory.state.folding == folding
        with pytest.raises(NothingToUndo, match="no compaction to redo"):
            await memory.redo()


async def test_a_new_compaction_ends_what_could_be_redone(tmp_path: Path) -> None:
    """COMPACT-11: the redone one would fold what is folded already."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 13)
        await memory.undo()
        await say(memory, 3)
        assert await memory.compact() is not None

        with pytest.raises(NothingToUndo):
            await memory.redo()


async def test_automatic_compaction_waits_after_an_undo(tmp_path: Path) -> None:
    """COMPACT-11: until the next manual one."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 9)
        await memory.undo()

        await say(memory, 20)
        assert memory.state.compactions == 1
        assert memory.state.automatic_waits

        assert await memory.compact() is not None
        await say(memory, 8)
        assert memory.state.compactions == 4


async def test_automatic_compaction_comes_back_at_the_limit(tmp_path: Path) -> None:
    """COMPACT-11: the conversation never gets stuck."""
    async with opened(tmp_path, profile="stress", chat=chat_model(2_048)) as memory:
        await say(memory, 9)
        await memory.undo()

        await say(memory, 30, length=300)

        assert memory.state.compactions > 1


async def test_nothing_to_undo_is_a_sentence(tmp_path: Path) -> None:
    """COMPACT-11: in plain words; a name that is unknown changes nothing."""
    async with opened(tmp_path, profile="stress") as memory:
        with pytest.raises(NothingToUndo, match="no compaction to undo"):
            await memory.undo()
        await say(memory, 9)
        n = memory.state.n

        with pytest.raises(NothingToUndo):
            await memory.undo("unknown")

        assert memory.state.n == n


async def test_undo_is_refused_with_figures_where_the_prompt_would_not_fit(
    tmp_path: Path,
) -> None:
    """COMPACT-11: and changes nothing."""
    async with opened(
        tmp_path,
        counter=DenseCounter(),
        chat=chat_model(32_768),
        immediate_window=4,
        recent_window=100,
    ) as memory:
        await say(memory, 12, length=8_000)
        assert await memory.compact() is not None
        await memory.use_model(chat_model(8_192, name="smaller"), DenseCounter(), None)
        await memory.settled()
        before = memory.state

        with pytest.raises(WouldNotFit, match=r"about 2\d,\d{3} tokens, but 6,963 is the most"):
            await memory.undo()

        assert memory.state == before


async def test_a_compaction_that_runs_during_an_undo_does_not_leave_a_gap(
    tmp_path: Path,
) -> None:
    """I1, I5: what was planned before the undo is dropped, whenever it ends."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 9)
        model = ScriptedModel(["Ada moved Falcon to Lisbon."], gate=asyncio.Event())
        await memory.use_model(chat_model(), None, model)
        for n in range(10, 14):
            await memory.add("user", words(n))
        await until(lambda: bool(model.requests))

        await memory.undo()
        assert model.gate is not None
        model.gate.set()
        await memory.settled()

        assert [ref.number for ref in memory.state.folding.verbatim] == list(range(1, 14))
        assert memory.state.compactions == 1


async def test_an_undo_that_meets_a_commit_takes_back_what_is_newest_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I1, I8: a compaction that is committed while the undo is worked out comes first."""
    async with opened(tmp_path, immediate_window=4, recent_window=100) as memory:
        await say(memory, 10)
        assert await memory.compact() is not None
        await say(memory, 4)
        log = memory._journal.log
        real = type(log).messages
        interfered: list[bool] = []

        async def interfere(self: object, first: int, last: int) -> object:
            if not interfered:
                interfered.append(True)
                assert await memory.compact() is not None
            return await real(log, first, last)

        monkeypatch.setattr(type(log), "messages", interfere)
        event = await memory.undo()

        newest = (await memory.compactions())[-1]
        assert event.compactions == (newest.event.id,)
        folding = memory.state.folding
        assert folding.short_term is not None
        assert (folding.short_term.last, folding.verbatim_from) == (6, 7)
        assert [ref.number for ref in folding.verbatim] == list(range(7, 15))


async def test_a_pane_may_draw_while_an_undo_is_told(tmp_path: Path) -> None:
    """VIEW-1: the texts that stand again are at hand before anybody hears of it."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 13)
        windows: list[int] = []
        memory.listen(lambda _: windows.append(len(memory.snapshot().window)))

        await memory.undo()
        await memory.redo()

        assert windows == [8, 4]
