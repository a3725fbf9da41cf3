"""RECALL-1, RECALL-6: what an agent knows outlives its sessions, and can be corrected."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from memory.fact_keeping import LONGEST
from memory.fact_reading import FactError
from memory.journal import ReadOnly
from memory.memory import Memory
from memory.storage.places import FILE_NAME
from memory.wish import Wish
from tests.memory.doubles import every_byte, opened


def said(memory: Memory) -> list[str]:
    return [fact.text for fact in memory.facts.live()]


async def test_a_fact_is_known_in_every_session_of_the_agent(tmp_path: Path) -> None:
    """RECALL-1: and in no session of another one."""
    async with opened(tmp_path, session="one") as memory:
        known = await memory.facts.remember("Ada is allergic to peanuts.")
        assert (known.how, known.fact.id, known.fact.by) == ("new", "f1", "user")
        assert memory.snapshot().facts.live == 1
        assert memory.snapshot().facts.shown[0].text == "Ada is allergic to peanuts."
    async with opened(tmp_path, session="two") as memory:
        assert said(memory) == ["Ada is allergic to peanuts."]
    async with Memory.open(tmp_path, wish=Wish(session="three", agent="other")) as memory:
        assert said(memory) == []
        assert memory.snapshot().facts.live == 0


async def test_what_is_known_already_is_not_learned_twice(tmp_path: Path) -> None:
    """RECALL-1: exactly the same, whatever its case, endings and signs."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("Ada walks the dogs at seven.")
        again = await memory.facts.remember("  ada walks the dog at Seven!\n")
        assert (again.how, again.fact.id) == ("known", "f1")
        assert said(memory) == ["Ada walks the dogs at seven."]
        sources = [memory.facts.here(3, 4)]
        again = await memory.facts.remember("Ada walks the dogs at seven.", sources=sources)
        assert again.fact.confirmed == 1
        assert again.fact.sources[0].numbers == (3, 4)


async def test_facts_are_edited_ended_and_pinned(tmp_path: Path) -> None:
    """RECALL-1: the text before an edit is kept, and an edit lets an ended fact hold again."""
    async with opened(tmp_path) as memory:
        facts = memory.facts
        await facts.remember("The server has 16 GB of memory.")
        edited = await facts.edit("f1", "The server has 32 GB of memory.")
        assert edited.earlier == ("The server has 16 GB of memory.",)
        await facts.pin("f1")
        assert memory.snapshot().facts.pinned == 1
        ended = await facts.end("f1")
        assert (ended.live, ended.why_ended) == (False, "user")
        assert ended.valid_until is not None
        view = memory.snapshot().facts
        assert (view.live, view.ended, view.pinned, view.shown) == (0, 1, 0, ())
        with pytest.raises(FactError, match="has ended already"):
            await facts.end("f1")
        with pytest.raises(FactError, match="f1 has ended"):
            await facts.pin("f1")
        assert (await facts.edit("f1", "The server has 64 GB of memory.")).live
        assert not facts.get("f1").pinned
        with pytest.raises(FactError, match="not pinned"):
            await facts.unpin("f1")
    async with opened(tmp_path, session="later") as memory:
        (fact,) = memory.facts.live()
        assert fact.text == "The server has 64 GB of memory."
        assert len(fact.earlier) == 2


async def test_a_forgotten_fact_leaves_no_text_and_its_id_is_not_used_again(
    tmp_path: Path,
) -> None:
    """RECALL-6: of the texts before an edit neither."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("The nickname is Zanzibarella.")
        await memory.facts.edit("f1", "The nickname is Quetzalina.")
        await memory.facts.forget("f1")
        assert memory.facts.all() == []
        with pytest.raises(FactError, match="no fact 'f1'"):
            memory.facts.get("f1")
        assert (await memory.facts.remember("Ada likes tea.")).fact.id == "f2"
    with sqlite3.connect(tmp_path / FILE_NAME) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    held = every_byte(tmp_path)
    assert b"Zanzibarella" not in held
    assert b"Quetzalina" not in held
    assert b"Ada likes tea." in held


@pytest.mark.parametrize("text", ["", " \n ", "x" * (LONGEST + 1)])
async def test_what_is_no_fact_is_refused(tmp_path: Path, text: str) -> None:
    """RECALL-1: nothing, and what is longer than a sentence or two."""
    async with opened(tmp_path) as memory:
        with pytest.raises(FactError):
            await memory.facts.remember(text)
        assert memory.facts.all() == []


async def test_pinned_facts_have_a_part_of_the_room(tmp_path: Path) -> None:
    """COMPACT-14: what never leaves the prompt must not fill it."""
    async with opened(tmp_path, context_window=1_000) as memory:
        for number in range(10):
            await memory.facts.remember(f"Number {number} is {'so long ' * 30}.")
        pinned = 0
        for fact in memory.facts.live():
            try:
                await memory.facts.pin(fact.id)
            except FactError as error:
                assert "Pinned facts would have about" in error.sentence  # noqa: PT017
                break
            pinned += 1
        assert 0 < pinned < 10
        assert memory.snapshot().facts.pinned == pinned


async def test_facts_are_found_by_their_words_and_by_id(tmp_path: Path) -> None:
    """RECALL-6: every word has to stand in it, in any form."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("Ada walks two dogs.")
        await memory.facts.remember("Ada has a cat.")
        assert [fact.id for fact in memory.facts.find("dog walk")] == ["f1"]
        assert [fact.id for fact in memory.facts.find("f2")] == ["f2"]
        assert [fact.id for fact in memory.facts.find("horse")] == []
        assert len(memory.facts.find("")) == 2


async def test_a_fact_leads_to_its_message_and_back(tmp_path: Path) -> None:
    """RECALL-1: the screens jump from a fact to where it was said."""
    async with opened(tmp_path) as memory:
        stored = await memory.add("user", "My cat is called Mia.")
        here = memory.facts.here(stored.number)
        await memory.facts.remember("The user's cat is called Mia.", sources=[here])
        assert [fact.id for fact in memory.facts.of(stored.number)] == ["f1"]
        assert memory.facts.of(stored.number + 1) == []
    async with opened(tmp_path, session="other") as memory:
        assert memory.facts.of(stored.number) == []


async def test_two_processes_learn_in_turn_and_at_once(tmp_path: Path) -> None:
    """STORE-5: no id is given twice, nothing is learned twice, and each sees the other's facts."""
    async with opened(tmp_path, session="one") as one, opened(tmp_path, session="two") as two:
        await one.facts.remember("Ada likes tea.")
        await two.facts.remember("Ben likes coffee.")
        texts = [f"Number {number} is taken." for number in range(20)]
        await asyncio.gather(*(m.facts.remember(text) for text in texts for m in (one, two)))
        await one.facts.refresh()
        await two.facts.refresh()
        assert sorted(said(one)) == sorted(said(two))
        assert sorted(said(one)) == sorted(["Ada likes tea.", "Ben likes coffee.", *texts])
        assert len(one.facts.state.facts) == 22


async def test_whoever_only_watches_sees_facts_and_changes_none(tmp_path: Path) -> None:
    """STORE-5: a second process follows."""
    async with opened(tmp_path) as memory:
        wish = Wish(session="a session", read_only=True)
        async with Memory.open(tmp_path, wish=wish) as watching:
            await memory.facts.remember("Ada likes tea.")
            await until_async(watching)
            for change in (
                watching.facts.remember("Ada likes coffee."),
                watching.facts.end("f1"),
                watching.facts.forget("f1"),
            ):
                with pytest.raises(ReadOnly):
                    await change


async def until_async(watching: Memory) -> None:
    """Waits until a watcher has seen a fact by itself."""
    async with asyncio.timeout(120):
        while not watching.facts.live():  # noqa: ASYNC110 (what it waits for sets no event)
            await asyncio.sleep(0.01)


async def test_a_snapshot_shows_the_weightiest(tmp_path: Path) -> None:
    """VIEW-1: pinned first, then by importance, then the newest; no more than a pane can use."""
    async with opened(tmp_path) as memory:
        for number in range(60):
            await memory.facts.remember(f"Number {number} is taken.", importance=0.5)
        await memory.facts.remember("This matters.", importance=1.0)
        await memory.facts.pin("f3")
        view = memory.snapshot().facts
        assert (view.live, len(view.shown)) == (61, 50)
        assert [fact.id for fact in view.shown[:3]] == ["f3", "f61", "f60"]


async def test_secrets_are_taken_out_of_facts(tmp_path: Path) -> None:
    """RECALL-7: they pass the same door as messages."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("The key is sk-proj-" + "a1B2" * 10)
        assert said(memory) == ["The key is [redacted: API key]"]


def found(directory: Path, words: str) -> list[str]:
    """The facts that full text finds by words."""
    with sqlite3.connect(directory / FILE_NAME) as database:
        rows = database.execute(
            "SELECT p.name FROM passage_words w JOIN passage p ON p.id = w.rowid "
            "WHERE passage_words MATCH ? AND p.kind = 'fact' ORDER BY p.id",
            (words,),
        ).fetchall()
    database.close()
    return [row[0] for row in rows]


async def test_a_search_finds_the_facts_that_hold_and_no_others(tmp_path: Path) -> None:
    """RECALL-2: as they are now; what has ended would be told as if it held."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("Ada keeps bees.")
        await memory.facts.remember("Ben keeps goats.")
        assert found(tmp_path, "keep") == ["f1", "f2"]
        await memory.facts.edit("f1", "Ada keeps hens.")
        assert (found(tmp_path, "bee"), found(tmp_path, "hen")) == ([], ["f1"])
        await memory.facts.end("f1")
        assert found(tmp_path, "hen") == []
        await memory.facts.edit("f1", "Ada keeps ducks.")
        assert found(tmp_path, "duck") == ["f1"]
        await memory.facts.forget("f1")
        assert found(tmp_path, "duck") == []
        await memory.facts.pin("f2")
        assert found(tmp_path, "goat") == ["f2"]


async def test_the_past_shows_what_was_known_then(tmp_path: Path) -> None:
    """VIEW-1, RECALL-1: a snapshot of a moment has the facts of that moment."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember("The user lives in Berlin.")
        await asyncio.sleep(0.005)  # the log tells milliseconds
        await memory.add("user", "one")
        before = memory.state.n
        await asyncio.sleep(0.005)
        await memory.facts.remember("The user has moved to Hamburg.")
        await asyncio.sleep(0.005)
        await memory.add("user", "two")
        then, now = await memory.snapshot_at(before), await memory.snapshot_at(memory.state.n)
        assert [fact.text for fact in then.facts.shown] == ["The user lives in Berlin."]
        assert [fact.text for fact in now.facts.shown] == ["The user has moved to Hamburg."]
        assert (now.facts.live, now.facts.ended) == (1, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have no pets.", "I adopted a cat."),
        ("I am a vegetarian.", "I eat meat again."),
        ("I live in Bergen.", "We have moved to Oslo."),
        ("I'm unemployed.", "I found a job at the library."),
    ],
)
async def test_what_contradicts_is_found_without_a_word_in_common(
    tmp_path: Path, old: str, new: str
) -> None:
    """RECALL-1: among many others, by what they are about."""
    async with opened(tmp_path) as memory:
        await memory.facts.remember(old)
        for number in range(40):
            await memory.facts.remember(f"I know the song number {number} of album {number * 7}.")
        remembered = await memory.facts.remember(new)
        assert [fact.text for fact in remembered.ended] == [old]
