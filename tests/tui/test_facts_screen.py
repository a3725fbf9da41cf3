"""The facts screen, by what it lists and says (RECALL-1, RECALL-6)."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.screens.asking import Asking
from app.screens.facts import FactsScreen
from app.screens.facts_rows import Cited, Which, detail_rows, found, list_rows
from app.screens.place import Place
from memory.parts import FactSource
from tests.support.works import AT, FACTS, fact
from tests.tui.conftest import OpenChat, memory_in
from tests.tui.deeds_in_facts import FLAT, read
from widgets.entries import MessageEntry
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
OLD = replace(
    fact(2, "The budget is €900.", 0.7),
    live=False,
    valid_until=AT,
    why_ended="contradicted",
    successor="f6",
    earlier=("The budget is €800.",),
)
KNOWN = {one.id: one for one in (*FACTS.shown, OLD)}
ODD = "[b]x[/b]\x1b[31m\u202e漢字漢字\x07 " + "long" * 40


def texts(view: PaneView) -> list[str]:
    return [row.text.rstrip() for row in view.rows]


@pytest.mark.parametrize(
    ("which", "words", "near", "ids"),
    [
        ("live", "", (), ["f1", "f4", "f6", "f7"]),
        ("pinned", "", (), ["f1"]),
        ("ended", "", (), ["f2"]),
        ("all", "budget", (), ["f6", "f7", "f2"]),
        ("live", "f4", (), ["f4"]),
        ("live", "phon", (), ["f4"]),
        ("live", "telephone", ("f4", "f2", "f9"), ["f4"]),
        ("live", "boat", (), []),
    ],
)
def test_facts_are_found(which: Which, words: str, near: tuple[str, ...], ids: list[str]) -> None:
    """RECALL-6: those with the words first, then those near in meaning, of the wanted kind."""
    assert [one.id for one in found(tuple(KNOWN.values()), which, words, near)] == ids


def test_a_row_tells_pin_doubt_weight_and_age() -> None:
    """VIEW-1: and whether it stands in the prompt."""
    rows = texts(list_rows(tuple(KNOWN.values()), {"f6"}, "", 70, NOW))
    assert rows[0].startswith("○ f1 ◆ They move to Lisbon")
    assert rows[0].split()[-4:] == ["80", "%", "20", "min"]
    assert rows[2].startswith("● f6 ! The budget is")
    assert rows[4].startswith("○ f2 ended The budget is €900.")
    assert texts(list_rows((), set(), "None of them.", 70, NOW)) == ["None of them."]


def test_the_detail_tells_where_from_and_what_became_of_it() -> None:
    """RECALL-1: sources, history, what it was replaced by and what it replaced."""
    cited = (Cited(Place(12, "b", "a boat"), "user", AT, "At most 900."),)
    view = detail_rows(replace(OLD, sources=(_source(12, 13),)), KNOWN, cited, False, 70, NOW)
    told = "\n".join(texts(view))
    assert "holds      no longer" in told
    assert "something else was said" in told
    assert "f6 The budget is €1,100 a month." in told
    assert "The budget is €800." in told
    assert "you message 12 · “a boat”" in told
    assert "1 message can't be read any more" in told
    assert {"fact:f6", "source:0"} <= set(view.keys)
    told = "\n".join(texts(detail_rows(KNOWN["f6"], KNOWN, (), True, 70, NOW)))
    assert "yes, and it stands in this turn" in told
    assert "holds in the place of" in told
    assert "may not go with" in told


@pytest.mark.parametrize("width", [8, 21, 34, 90])
def test_nothing_steers_and_nothing_is_too_wide(width: int) -> None:
    """ALL-8: texts of facts and their sources are never markup and never control."""
    odd = replace(fact(1, ODD, 1.0, "f1"), earlier=(ODD,), model=ODD, sources=(_source(1),))
    cited = (Cited(Place(1, "b", ODD), "user", AT, ODD),)
    for view in (
        list_rows([odd], set(), "", width, NOW),
        detail_rows(odd, {"f1": odd}, cited, True, width, NOW),
    ):
        assert max(cell_len(row.text) for row in view.rows) <= width
        assert not {"\x1b", "\x07", "\u202e"} & set("".join(texts(view)))


def _source(*numbers: int) -> FactSource:
    return FactSource("s", "b", numbers)


@pytest.mark.asyncio(loop_scope="session")
async def test_a_source_in_another_session_is_one_question_away(
    open_chat: OpenChat, data: Path
) -> None:
    """RECALL-1: the message is opened there, once the user has agreed."""
    async with memory_in(data, session=None, fresh=True) as memory:
        await memory.rename("boats")
        await memory.add("user", f"{FLAT} And a balcony.")
        await memory.add("assistant", "Noted.")
        await memory.facts.remember(FLAT, sources=[memory.facts.here(1)])
        await memory.facts.remember("It rains.")
    async with memory_in(data, session=None, fresh=True) as memory:
        await memory.add("user", "Something else.")
    async with open_chat(size=(120, 40)) as chat:
        await chat.ready()
        await chat.press("ctrl+f")
        screen = await chat.over(FactsScreen)
        await chat.until(lambda: screen._facts)
        await chat.press("slash", *"Lumiar", "enter")
        await chat.until(lambda: "“boats”" in read(screen))
        await chat.press("m")
        await chat.over(Asking)
        await chat.press("y")
        await chat.until(lambda: "boats" in chat.status)
        await chat.until(lambda: isinstance(chat.transcript.chosen, MessageEntry))
        chosen = chat.transcript.chosen
        assert isinstance(chosen, MessageEntry)
        assert chosen.number == 1
