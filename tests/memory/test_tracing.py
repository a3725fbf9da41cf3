"""Where did it go: the way of a text through memory."""

from pathlib import Path

import pytest

from memory.loss.presence import Wanted
from memory.memory import Memory
from memory.tracing import MOST, NothingToTrace
from memory.views import Trace
from tests.memory.doubles import ScriptedModel, chat_model, opened, say
from tests.memory.test_loss_report import edited


async def way(memory: Memory, text: str) -> Trace:
    (found,) = (await memory.trace(text)).ways
    return found


def places(trace: Trace) -> list[str]:
    return [step.place for step in trace.steps]


async def test_a_message_in_the_window_stands_in_the_prompt(tmp_path: Path) -> None:
    """VIEW-10: case and spaces don't count, other scripts neither."""
    async with opened(tmp_path, chat=chat_model()) as memory:
        await memory.add("user", "The Überfall   was in\nMünchen, 漢字.")
        found = await way(memory, "the überfall was IN münchen, 漢字")
        assert (found.number, found.in_prompt) == (1, True)
        assert found.answer == "It is in the prompt: message 1 stands word for word."
        assert places(found) == ["message"]


async def test_what_the_summary_says_is_followed_into_it(tmp_path: Path) -> None:
    """VIEW-10: message, short-term summary, long-term summary, and lost in a merge."""
    model = ScriptedModel(("The invoice is QX-88.", "Nothing new.", "All is well.", "Still well."))
    async with opened(
        tmp_path,
        model=model,
        chat=chat_model(200_000),
        immediate_window=4,
        recent_window=4,
        summary_details_tokens=0,
    ) as memory:
        await memory.add("user", "Remember: the invoice is QX-88, and so on and so on.")
        await say(memory, 9)
        assert memory.state.compactions == 1
        found = await way(memory, "qx-88")
        assert found.in_prompt
        assert places(found)[:2] == ["message", "summary"]
        assert "short-term summary" in found.answer

        await say(memory, 4)
        found = await way(memory, "qx-88")
        assert found.in_prompt
        assert "long-term summary" in found.answer

        await say(memory, 4)
        found = await way(memory, "qx-88")
        assert not found.in_prompt
        assert places(found)[-1] == "left"
        assert found.answer.startswith("It left the prompt at message 17 when it was merged")
        assert found.answer.endswith("@retrieve m1 shows it.")


async def test_the_messages_that_were_folded_together_are_named(tmp_path: Path) -> None:
    """VIEW-10: those that left with it, not those that an earlier compaction took."""
    model = ScriptedModel(("Nothing new.", "All is well.", "Still well."))
    async with opened(
        tmp_path, model=model, chat=chat_model(200_000), immediate_window=4, recent_window=4
    ) as memory:
        await say(memory, 8)
        await memory.add("user", "Remember: the invoice is QX-88, and so on and so on.")
        await say(memory, 5)
        steps = (await way(memory, "qx-88")).steps
        told = [step.what for step in steps if "folded" in step.what]
        compactions = [record.event for record in await memory.compactions()]
        first = max(e.verbatim_from for e in compactions if e.verbatim_from <= 9)
        last = min(e.verbatim_from for e in compactions if e.verbatim_from > 9) - 1
        assert len(told) == 1
        assert f"folded, with messages {first} to {last}, into the short-term summary" in told[0]


async def test_undo_and_redo_are_stations_of_the_way(tmp_path: Path) -> None:
    """VIEW-10, COMPACT-11: what was folded stands again, and goes again."""
    model = ScriptedModel(("Nothing worth a word.",))
    async with opened(
        tmp_path, model=model, chat=chat_model(200_000), immediate_window=4, recent_window=4
    ) as memory:
        await memory.add("user", "Please note the word zebrafinch once, among many other words.")
        await say(memory, 9)
        gone = await way(memory, "zebrafinch")
        await memory.undo()
        back = await way(memory, "zebrafinch")
        assert back.in_prompt
        assert places(back)[-1] == "window"
        await memory.redo()
        again = await way(memory, "zebrafinch")
        assert again.in_prompt == gone.in_prompt
        assert places(again)[-1] == places(gone)[-1]


async def test_a_pinned_text_is_in_the_prompt(tmp_path: Path) -> None:
    """VIEW-10, COMPACT-14: whatever became of its message."""
    model = ScriptedModel(("Nothing worth a word.",))
    async with opened(
        tmp_path, model=model, chat=chat_model(200_000), immediate_window=4, recent_window=4
    ) as memory:
        await memory.add("user", "The launch code is 77-alpha, and so on, for some more words.")
        await memory.pinning.pin_text("The launch code is 77-alpha", 1)
        await say(memory, 9)
        found = await way(memory, "77-alpha")
        assert found.answer == "It is in the prompt: you pinned it."
        assert "pin" in places(found)


async def test_edits_lead_to_receipts(tmp_path: Path) -> None:
    """VIEW-10, I10: what a stage took out is behind a receipt that retrieves it."""
    async with opened(tmp_path, chat=chat_model(200_000)) as memory:
        await edited(memory)
        found = await way(memory, "result_b")
        assert places(found) == ["message", "content", "receipt"]
        assert found.answer.endswith("@retrieve c2 shows it.")
        assert "result_b" in await memory.content.retrieve("c2")
        assert "result_b" in await memory.content.retrieve("m5")
        found = await way(memory, "result_a")
        assert "content" in places(found)
        assert not found.in_prompt


async def test_a_text_that_a_summary_began(tmp_path: Path) -> None:
    """VIEW-10: what nobody said has a way too."""
    model = ScriptedModel(("The chat is about quokkas.",))
    async with opened(
        tmp_path, model=model, chat=chat_model(200_000), immediate_window=4, recent_window=4
    ) as memory:
        await say(memory, 9)
        found = await way(memory, "quokkas")
        assert found.number is None
        assert found.in_prompt
        assert found.steps[0].what.startswith("It was first written in the short-term summary")


async def test_what_was_said_often_is_told_newest_first(tmp_path: Path) -> None:
    """VIEW-10: at most twenty ways, and that there are more."""
    async with opened(tmp_path, immediate_window=64) as memory:
        for number in range(MOST + 5):
            await memory.add("user", f"Tell me of marmots, please: {number}")
        found = await memory.trace("MARMOTS")
        assert [trace.number for trace in found.ways] == list(range(MOST + 5, 5, -1))
        assert found.more
        assert not (await memory.trace("marmots, please: 24")).more
        assert (await memory.trace("100% _marmots")).ways == ()


async def test_a_whole_message_is_traced_by_what_it_names(tmp_path: Path) -> None:
    """VIEW-10: a long text is not repeated word for word; what it names may be."""
    model = ScriptedModel(("Ada Byron moved to Lisbon.",))
    async with opened(
        tmp_path, model=model, chat=chat_model(200_000), immediate_window=4, recent_window=4
    ) as memory:
        text = "So: Ada Byron moved to Lisbon on 3 May 2021 with ABC-12, which nobody expected. "
        await memory.add("user", text + "It went on like this for quite a while after that day.")
        await say(memory, 9)
        (found,) = (await memory.trace_message(1)).ways
        assert "names, figures and conditions in it" in found.steps[-1].what
        with pytest.raises(NothingToTrace):
            await memory.trace_message(99)


async def test_nothing_is_not_looked_for(tmp_path: Path) -> None:
    """VIEW-10: an empty text has no way."""
    async with opened(tmp_path) as memory:
        with pytest.raises(NothingToTrace):
            await memory.trace("  ")


def test_presence_tells_how_much_is_there() -> None:
    """VIEW-10: a short text is there or not; of a long one, what it names."""
    assert Wanted("Ada  byron").presence("ADA BYRON came").share == 1.0
    assert Wanted("Ada").presence("Eve").words == "does not say it"
    assert Wanted("  ").presence("Eve").share == 0.0
