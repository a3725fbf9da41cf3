"""A summary written anew: previewed, compared, accepted or left (COMPACT-11)."""

from pathlib import Path

import pytest

from memory.errors import StrataError
from memory.events import SummaryRewritten
from memory.memory import Memory
from memory.rewriting import CantRewrite
from memory.undoing import NothingToUndo
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    Unwilling,
    chat_model,
    dense_tokens,
    kinds,
    opened,
    say,
)

FIRST, SECOND = "Ada moved Falcon to Lisbon.", "Falcon is launched in Lisbon; Ada said so."


def text(memory: Memory, slot: str) -> str:
    view = memory.snapshot().short_term if slot == "short_term" else memory.snapshot().long_term
    assert view is not None
    return view.text


async def test_a_preview_changes_nothing_until_it_is_accepted(tmp_path: Path) -> None:
    """COMPACT-11: written from the messages themselves; one event puts it in force."""
    model = ScriptedModel([FIRST, SECOND])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 9)
        before = memory.state

        preview = await memory.rewriting.preview("short_term")

        assert memory.state == before
        assert (preview.before, preview.after) == (FIRST, SECOND)
        told = model.requests[-1][-1]["content"]
        assert all(f"Note {n}: " in told for n in range(1, 6))
        assert "Note 6: " not in told

        event = await memory.rewriting.accept(preview)

        assert kinds(await memory.log())[-1] == SummaryRewritten.KIND
        assert text(memory, "short_term") == SECOND
        ref = event.summary
        assert (ref.first, ref.last, ref.version, ref.by) == (1, 5, 2, "model")
        assert SECOND in str((await memory.prompt()).messages)
        assert FIRST not in str((await memory.prompt()).messages)


async def test_another_prompt_and_another_model_write(tmp_path: Path) -> None:
    """COMPACT-11: the user's words stand in the request; both are kept in the log."""
    usual, other = ScriptedModel([FIRST]), ScriptedModel([SECOND], name="another")
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=usual) as memory:
        await say(memory, 9)
        asked = len(usual.requests)

        preview = await memory.rewriting.preview("short_term", "Only  the\nplaces.", other)
        event = await memory.rewriting.accept(preview)

        assert len(usual.requests) == asked
        assert "Only the places." in other.requests[0][-1]["content"]
        assert event.summary.model == "another"
        assert event.instructions is not None
        assert (await memory.texts([event.instructions])) == {
            event.instructions: "Only the places."
        }


async def test_a_long_term_summary_is_merged_anew_from_its_parents(tmp_path: Path) -> None:
    """COMPACT-11: from the two summaries that became it, not from itself."""
    answers = [FIRST, "Then they went to Porto by train.", "Lisbon, then Porto.", "Both cities."]
    model = ScriptedModel(answers)
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 13)
        assert text(memory, "long_term") == FIRST
        carried = await memory.rewriting.preview("long_term")
        assert "Note 1: " in model.requests[-1][-1]["content"]
        assert carried.source_tokens > 100
        await say(memory, 4)
        parents = memory.state.folding.long_term
        assert parents is not None
        assert len(parents.parents) == 2

        await memory.rewriting.preview("long_term")

        told = model.requests[-1][-1]["content"]
        assert all(part in told for part in (await memory.texts(parents.parents)).values())
        assert "Note" not in told


@pytest.mark.parametrize("bad", ["", "Error: overloaded", Unwilling("no"), "I'm sorry, but no."])
async def test_what_is_no_summary_never_becomes_one(tmp_path: Path, bad: str | StrataError) -> None:
    """COMPACT-12: the escalation ends by rule, says so, and still changes nothing by itself."""
    model = ScriptedModel([FIRST, bad])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 9)

        preview = await memory.rewriting.preview("short_term")

        assert preview.written.by == "rule"
        assert len(preview.written.failures) == 2
        assert text(memory, "short_term") == FIRST


async def test_only_the_version_it_was_written_for_makes_way(tmp_path: Path) -> None:
    """COMPACT-11, I5: memory that has changed meanwhile stays as it is."""
    model = ScriptedModel([FIRST, SECOND, "Something new was said about Falcon."])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 9)
        preview = await memory.rewriting.preview("short_term")
        await say(memory, 4)
        before = memory.state

        with pytest.raises(CantRewrite, match="another one by now"):
            await memory.rewriting.accept(preview)

        assert memory.state == before


async def test_a_text_that_says_the_same_takes_no_place(tmp_path: Path) -> None:
    """COMPACT-11: there would be nothing to see in the log."""
    model = ScriptedModel([FIRST])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 9)
        preview = await memory.rewriting.preview("short_term")

        assert preview.same
        with pytest.raises(CantRewrite, match="says the same"):
            await memory.rewriting.accept(preview)


async def test_a_longer_one_is_refused_where_the_prompt_would_not_fit(tmp_path: Path) -> None:
    """COMPACT-11, I2: with figures."""
    longer = "Falcon goes to Lisbon. " * 40
    model = ScriptedModel([FIRST, longer], context_window=32_768)
    async with opened(
        tmp_path,
        counter=DenseCounter(),
        chat=chat_model(32_768),
        model=model,
        immediate_window=4,
        recent_window=100,
        summary_max_tokens=400,
    ) as memory:
        await say(memory, 8, length=4_000)
        assert await memory.compact() is not None
        preview = await memory.rewriting.preview("short_term")
        assert preview.written.by == "model"
        used = memory.snapshot().context.unfitted
        window = round((used + 40) / 0.85)
        await memory.use_model(chat_model(window, name="smaller"), DenseCounter(), None)

        with pytest.raises(CantRewrite, match=r"about [\d,]+ tokens, but [\d,]+ is the most"):
            await memory.rewriting.accept(preview)


async def test_its_tokens_are_counted(tmp_path: Path) -> None:
    """PROMPT-4: with the tokenizer of the model that reads it."""
    model = ScriptedModel([FIRST, SECOND])
    async with opened(
        tmp_path, profile="stress", chat=chat_model(), model=model, counter=DenseCounter()
    ) as memory:
        await say(memory, 9)
        event = await memory.rewriting.accept(await memory.rewriting.preview("short_term"))

        assert event.summary.tokens == dense_tokens(SECOND)


async def test_every_version_stays_and_undo_takes_all_back(tmp_path: Path) -> None:
    """COMPACT-11, I8: the compaction is undone with what was rewritten of it."""
    model = ScriptedModel([FIRST, SECOND, "A third one about Falcon."])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 8)
        before = memory.state.folding
        await say(memory, 1)
        for instructions in ("Places.", None):
            preview = await memory.rewriting.preview("short_term", instructions)
            await memory.rewriting.accept(preview)

        versions = await memory.rewriting.versions()

        assert [(v.slot, v.ref.version, v.rewritten, v.instructions) for v in versions] == [
            ("short_term", 1, False, None),
            ("short_term", 2, True, "Places."),
            ("short_term", 3, True, None),
        ]
        assert [v.text for v in versions] == [FIRST, SECOND, "A third one about Falcon."]

        await memory.undo()

        folding = memory.state.folding
        assert folding.short_term is None
        assert folding.verbatim[:8] == before.verbatim
        assert len(await memory.rewriting.versions()) == 3
        with pytest.raises(NothingToUndo):
            await memory.undo()


async def test_a_redo_brings_the_accepted_version_back(tmp_path: Path) -> None:
    """COMPACT-11, I8: what stood before the undo stands again."""
    model = ScriptedModel([FIRST, SECOND])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 9)
        await memory.rewriting.accept(await memory.rewriting.preview("short_term"))
        before = memory.state.folding
        await memory.undo()
        await memory.redo()
        assert memory.state.folding == before


async def test_a_rewritten_summary_ends_what_could_be_redone(tmp_path: Path) -> None:
    """COMPACT-11: the one taken back was made from the old version."""
    model = ScriptedModel([FIRST, "Then they went to Porto by train.", SECOND])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        await say(memory, 13)
        await memory.undo()
        await memory.rewriting.accept(await memory.rewriting.preview("short_term"))
        assert memory.snapshot().redoable is None
        with pytest.raises(NothingToUndo, match="no compaction to redo"):
            await memory.redo()


async def test_what_was_shown_can_be_accepted_in_another_process(tmp_path: Path) -> None:
    """COMPACT-11, CHAT-8: exactly the text that was shown, and only while it is still right."""
    model = ScriptedModel([FIRST, SECOND, "Something new was said about Falcon."])
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        with pytest.raises(CantRewrite, match="last 24 hours"):
            await memory.rewriting.kept()
        await say(memory, 9)
        preview = await memory.rewriting.preview("short_term", "Places.")
        await memory.rewriting.keep(preview)
    async with opened(tmp_path, profile="stress", chat=chat_model(), model=model) as memory:
        assert await memory.rewriting.kept() == preview
        await memory.rewriting.accept(await memory.rewriting.kept())
        assert text(memory, "short_term") == SECOND

        with pytest.raises(CantRewrite, match="another one by now"):
            await memory.rewriting.kept()


async def test_what_can_not_be_rewritten_is_a_sentence(tmp_path: Path) -> None:
    """COMPACT-11, ALL-2: no summary yet; nobody who could follow instructions."""
    async with opened(tmp_path, profile="stress") as memory:
        with pytest.raises(CantRewrite, match="no short-term summary yet"):
            await memory.rewriting.preview("short_term")
        await say(memory, 9)
        with pytest.raises(CantRewrite, match="Only a model"):
            await memory.rewriting.preview("short_term", "Places.")
        assert (await memory.rewriting.preview("short_term")).same
