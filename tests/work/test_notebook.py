"""Context and typed values (GOAL-5, GOAL-8)."""

from pathlib import Path

import pytest

from memory.notebook import MOST_VALUES, parsed, type_of
from memory.work_keeping import NoRoom, WorkError
from tests.memory.doubles import opened


async def test_the_oldest_notes_make_way(tmp_path: Path) -> None:
    """GOAL-5: two thousand characters of context; what left is told by an event."""
    async with opened(tmp_path) as memory:
        for n in range(5):
            await memory.notebook.note(f"{n}" * 600)
        view = memory.snapshot().work
        assert [id for id, _ in view.notes] == ["n3", "n4", "n5"]
        assert len(view.context) <= 2_000
        event = (await memory.log())[-1].event
        assert (event.KIND, getattr(event, "notes", ())) == ("work_compacted", ("n2",))
        with pytest.raises(WorkError, match="it may have 2,000"):
            await memory.notebook.note("x" * 2_001)


async def test_a_note_can_be_corrected(tmp_path: Path) -> None:
    """GOAL-8: edited, removed, and kept once."""
    async with opened(tmp_path) as memory:
        notebook = memory.notebook
        assert await notebook.note("three floors") == await notebook.note("three floors ")
        await notebook.edit_note("n1", "four floors")
        assert memory.snapshot().work.context == "four floors"
        await notebook.remove_note("n1")
        assert memory.snapshot().work.context == ""
        with pytest.raises(WorkError, match="no note n1"):
            await notebook.remove_note("n1")


@pytest.mark.parametrize(
    ("written", "value", "type"),
    [
        ("12", 12, "count"),
        ("-3", -3, "number"),
        ("2.5", 2.5, "number"),
        ("yes", True, "flag"),
        ("False", False, "flag"),
        ('["a", 1]', ["a", 1], "list"),
        ('{"a": 1}', {"a": 1}, "json"),
        ("NaN", "NaN", "text"),
        ("1e999", "1e999", "text"),
        ("9" * 40, int("9" * 40), "count"),
        ('"quoted"', '"quoted"', "text"),
        (" Alvalade ", "Alvalade", "text"),
        ("[" * 100_000, "[" * 100_000, "text"),
    ],
)
def test_what_a_person_writes_has_a_type(written: str, value: object, type: str) -> None:
    """GOAL-8, S0: counts, flags, intermediate results."""
    assert parsed(written) == value
    assert type_of(value) == type


async def test_values(tmp_path: Path) -> None:
    """GOAL-8: set, set anew in their place, read, removed; they outlast the goal."""
    async with opened(tmp_path) as memory:
        notebook = memory.notebook
        await memory.goals.set("Count")
        await notebook.set_value("doors", 12)
        await notebook.set_value("done", False)
        await notebook.set_value("doors", 13)
        before = memory.state.n
        await notebook.set_value("doors", 13)
        assert memory.state.n == before
        await memory.goals.complete()
        view = memory.snapshot().work.values
        assert [(v.name, v.type, v.text) for v in view] == [
            ("doors", "count", "13"), ("done", "flag", "false"),
        ]  # fmt: skip
        await notebook.remove_value("doors")
        for act, words in (
            (notebook.remove_value("doors"), "no value doors"),
            (notebook.set_value("two words", 1), "can't be the name"),
            (notebook.set_value("long", "x" * 4_001), "4,001 characters"),
        ):
            with pytest.raises(WorkError, match=words):
                await act


async def test_values_never_leave_so_there_is_an_end_to_them(tmp_path: Path) -> None:
    """GOAL-5: what would pass the cap and may not leave is refused; nothing is changed."""
    async with opened(tmp_path, session_token_cap=2_000) as memory:
        await memory.notebook.set_value("one", "x" * 4_000)
        before = memory.state
        with pytest.raises(NoRoom, match="2,000"):
            await memory.notebook.set_value("two", "x" * 4_000)
        assert memory.state == before
        await memory.notebook.remove_value("one")
        for n in range(MOST_VALUES):
            await memory.notebook.set_value(f"v{n}", n)
        with pytest.raises(WorkError, match="100 values already"):
            await memory.notebook.set_value("more", 1)
