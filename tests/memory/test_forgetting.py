"""RECALL-6, RECALL-7: what is forgotten is really gone."""

import asyncio
import unicodedata
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import cast

import pytest

from memory import Key, letting_go, opening
from memory.config import MemoryConfig, PrivacyConfig
from memory.content.handles import UnknownItem
from memory.dooming import NothingToForget
from memory.events import Message, RequestPrepared
from memory.forgetting_events import Forgotten
from memory.memory import Memory
from memory.prompt import NotReproducible
from memory.storage import purging
from memory.storage.database import Database, Transaction
from memory.storage.forgetting import Doomed, carry_out
from memory.storage.quoted import quotes_of
from memory.wish import Wish
from tests.memory.doubles import (
    PlainIndex,
    ScriptedModel,
    WordEmbedder,
    database_at,
    every_byte,
    opened,
    words,
)

STRESS = MemoryConfig.from_values({"profile": "stress"})
SECRET = "My cat Zanzibarix sleeps at 4711 Krumlovy Lane behind the brewery."
RARE = ("Zanzibarix", "zanzibarix", "4711", "Krumlovy", "krumlovi", "brewery", "breweri")


def assert_gone(directory: Path, rare: tuple[str, ...] = RARE) -> None:
    for path in directory.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            found = [word for word in rare if word.encode() in data]
            around = [data[data.index(word.encode()) - 80 :][:160] for word in found]
            assert not found, (path.name, around)


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


async def text_of(memory: Memory, number: int) -> str:
    """What stands in the place of a message."""
    (entry,) = await memory.messages(number, number)
    body = cast(Message, entry.event).ref.body
    return (await memory.texts([body]))[body]


async def told(memory: Memory) -> list[tuple[tuple[int, int], ...]]:
    """What the log tells of what was forgotten."""
    events = [entry.event for entry in await memory.log()]
    return [event.numbers for event in events if isinstance(event, Forgotten)]


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
        assert await text_of(memory, number) == "[forgotten]"
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
        assert await told(memory) == [((number, number),)]
    assert_gone(tmp_path)


CALL = {
    "id": "a1",
    "type": "function",
    "function": {"name": "find", "arguments": '{"what": "Zanzibarix of Krumlovy"}'},
}
LONG = "\n".join(f"Line {n} of the file on Zanzibarix and the brewery." for n in range(400))


async def plant(memory: Memory) -> None:
    """The secret in everything that a session keeps."""
    await memory.rename("Where Zanzibarix sleeps")
    await memory.add("user", SECRET)
    await memory.add("assistant", "Let me see.", tool_calls=[CALL], reasoning={"text": SECRET})
    await memory.add("tool", LONG, tool_call_id="a1")
    await memory.prepare(await memory.prompt())
    await memory.content.store(f"A page says: {SECRET}", tags="zanzibarix", source="Krumlovy")
    await memory.goals.set("Feed Zanzibarix")
    await memory.tasks.add("Buy food for Zanzibarix at the brewery")
    await memory.notebook.note(SECRET)
    await memory.notebook.set_value("Krumlovy", 4711)
    await memory.notebook.set_value("places", ["Krumlovy", "Prague"])
    await memory.execution.ran(
        tool="find", arguments='{"what": "Krumlovy"}', result=LONG, ok=True, error="",
        duration_s=0.1, number=3,
    )  # fmt: skip
    await memory.facts.remember(SECRET)
    await memory.facts.edit("f1", "The cat of the house at 4711 Krumlovy Lane is old.")
    await memory.facts.pin("f1")
    await memory.preferences.set("house", "Krumlovy")
    await memory.pinning.pin_text("Zanzibarix sleeps behind the brewery.", 1)
    await memory.pinning.pin_message(1)
    for n in range(30):
        await memory.add("user" if n % 2 else "assistant", words(n))
        await memory.settled()
    await memory.goals.complete()


@pytest.mark.parametrize("key", [None, Key.random()], ids=["plain", "encrypted"])
async def test_a_text_is_forgotten_wherever_it_stands(tmp_path: Path, key: Key | None) -> None:
    """RECALL-6: messages, calls, results, content, goals, notes, values, titles, facts, pins."""
    wish = Wish(session="one")
    async with Memory.open(tmp_path, config=STRESS, wish=wish, key=key) as memory:
        await plant(memory)
        for text in ("Zanzibarix", "krumlovy", "4711", "brewery"):
            try:
                plan = await memory.forgetting.plan(f'"{text}"')
            except NothingToForget:
                continue
            assert (await memory.forgetting.carry_out(plan)).notes == []
            assert_gone(tmp_path, (text, text.lower()))
        rows = await tables(memory)
        assert [word for word in RARE if word in rows] == []
        for text in ("zanzibarix", "KRUMLOVY"):
            with pytest.raises(NothingToForget):
                await memory.forgetting.plan(f'"{text}"')
        await memory.branches.fork(4, "fork")
        memory.snapshot()
        await memory.prepare(await memory.prompt("What next?"))
    assert_gone(tmp_path)
    async with Memory.open(tmp_path, config=STRESS, wish=Wish(agent="default")) as memory:
        await memory.compact()
        await memory.reports.settled()
        assert (await memory.content.items())[0].id
    assert_gone(tmp_path)


async def tables(memory: Memory) -> str:
    """All that the tables hold, also where the file is encrypted."""
    database = memory._journal.database
    names = await database.all("SELECT name FROM sqlite_schema WHERE type = 'table'")
    parts = []
    for (name,) in names:
        if name not in ("passage_words", "passage_vocabulary"):
            parts += [str(row) for row in await database.all(f"SELECT * FROM {name}")]
    parts += [str(row) for row in await database.all("SELECT term FROM passage_vocabulary")]
    return "\n".join(parts)


async def test_who_else_has_it_open_lets_go(tmp_path: Path) -> None:
    """RECALL-6, STORE-5: on the same session, on a branch of it, and on another one."""
    async with opened(tmp_path, profile="stress", session="one") as memory:
        number = await talk(memory, 24)
        async with (
            opened(tmp_path, session="one", wish=Wish(read_only=True)) as reader,
            opened(tmp_path, session="two") as other,
        ):
            await other.add("user", "Something else.")
            await other.recall("cat brewery")
            seen = []
            reader.forgetting.watch(lambda: seen.append(reader.state.n))
            done = await memory.forgetting.carry_out(await memory.forgetting.plan(str(number)))
            assert done.notes == []
            assert seen
            assert_gone(tmp_path)
            assert not [text for text in reader._journal.texts.values() if "Zanzibarix" in text]
            assert reader.state == memory.state
        assert_gone(tmp_path)


async def test_a_branch_that_another_one_writes_gets_its_tombstone(tmp_path: Path) -> None:
    """RECALL-6, CHAT-5: who writes to it appends it."""
    async with opened(tmp_path, session="one") as memory:
        number = await talk(memory, 6)
        branch = await memory.branches.fork(5, "fork")
        async with opened(tmp_path, session=None, wish=Wish(branch=branch)) as other:
            await memory.forgetting.carry_out(await memory.forgetting.plan(str(number)))
            await other.add("user", "We go on.")
            assert await told(other) == [((number, number),)]
            assert "Zanzibarix" not in str((await other.prompt()).messages)
    assert_gone(tmp_path)


@pytest.mark.parametrize("gone", [False, True], ids=["before", "after"])
async def test_the_next_start_finishes_what_was_killed(tmp_path: Path, gone: bool) -> None:
    """RECALL-6: killed once it was written down, or once the texts had gone."""
    async with opened(tmp_path, profile="stress") as memory:
        number = await talk(memory, 24)
        doomed = (await memory.forgetting.plan(str(number))).doomed
    async with database_at(tmp_path) as database:
        id = await purging.begin(database, doomed)
        if gone:
            quotes = await quotes_of(database, doomed.streams, doomed.texts, ())

            async def write(transaction: Transaction) -> None:
                await carry_out(transaction, doomed, quotes, None)
                await purging.mark_gone(transaction, id, doomed)

            await database.write(write)
    assert b"Zanzibarix" in every_byte(tmp_path)
    async with opened(tmp_path, profile="stress", session="another"):
        assert_gone(tmp_path)
    assert_gone(tmp_path)


async def test_who_is_just_opening_it_lets_go_as_well(tmp_path: Path) -> None:
    """RECALL-6, STORE-5: texts are read before others are told that they are held."""
    went: list[bool] = []

    async def lets_go() -> None:
        went.append(True)

    async with opened(tmp_path, session="one") as memory:
        number = await talk(memory, 6)
        wish = Wish(session="one", read_only=True)
        journal, _ = await opening.open_journal(tmp_path, wish, MemoryConfig(), None)
        try:
            assert any("Zanzibarix" in text for text in journal.texts.values())
            await memory.forgetting.carry_out(await memory.forgetting.plan(str(number)))
            leaving = letting_go.LettingGo(journal, lets_go)
            await leaving.begin()
            await leaving.stop()
            await leaving.leave()
        finally:
            await journal.database.close()
    assert went


async def test_who_has_forgotten_later_lets_go_of_what_was_begun_before(tmp_path: Path) -> None:
    """RECALL-6, STORE-5: several begin to forget, and end in another order."""
    async with opened(tmp_path, session="one") as memory:
        number = await talk(memory, 6)
        doomed = (await memory.forgetting.plan(str(number))).doomed
        async with database_at(tmp_path) as database:
            await purging.begin(database, doomed)  # a process that is killed here
        await memory.forgetting.carry_out(await memory.forgetting.plan("5"))
        assert "Zanzibarix" in str((await memory.prompt()).messages)
        async with opened(tmp_path, session="another"):
            assert "Zanzibarix" not in str((await memory.prompt()).messages)
            assert_gone(tmp_path)


async def test_a_deleted_session_is_in_no_file(tmp_path: Path) -> None:
    """RECALL-6, CHAT-4: its words, summaries, vault and vectors go with it."""
    async with opened(tmp_path, profile="stress", session="one") as memory:
        await talk(memory, 24)
        (tmp_path / "index" / "space").mkdir(parents=True)
        (tmp_path / "index" / "space" / "vectors.bin").write_bytes(b"Zanzibarix")
    async with opened(tmp_path, session="two") as memory:
        await memory.add("user", "Something else.")
        await memory.sessions.delete("one")
        assert_gone(tmp_path)
    assert_gone(tmp_path)


async def test_old_things_are_forgotten_by_kind(tmp_path: Path) -> None:
    """RECALL-7: by age; what is pinned stays, and a fact lives longer the more it matters."""
    privacy = PrivacyConfig(
        keep_messages_days=30, keep_content_days=30, keep_facts_days=10, keep_summaries_days=300
    )
    async with opened(tmp_path, profile="stress", session="one") as memory:
        number = await talk(memory, 24)
        await memory.content.store("The brewery is at Krumlovy.")
        await memory.add("user", "Ada likes Oporto.")
        await memory.pinning.pin_message(25)
        await memory.facts.remember("Ada is allergic to peanuts.", importance=1.0)
        await memory.facts.remember("Ada had soup today.", importance=0.0)
        now = datetime.now(UTC)
        assert await memory.forgetting.retain(privacy, now) == ""
        told = await memory.forgetting.retain(privacy, now + timedelta(days=11))
        assert told == "1 fact"
        assert [fact.text for fact in memory.facts.all()] == ["Ada is allergic to peanuts."]
        told = await memory.forgetting.retain(privacy, now + timedelta(days=31))
        assert told == "24 messages, 1 stored text"
        assert_gone(tmp_path)
        assert "Oporto" in str((await memory.prompt()).messages)
        assert memory.facts.all()
        assert await text_of(memory, number) == "[forgotten]"
        told = await memory.forgetting.retain(privacy, now + timedelta(days=301))
        assert "summar" in told
    assert_gone(tmp_path, ("Falcon", "falcon", "soup"))


async def test_what_a_branch_pins_stays_in_the_one_it_came_from(tmp_path: Path) -> None:
    """RECALL-7, CHAT-4: pinned stays, whichever branch of the session has pinned it."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", "Ada likes Oporto.")
        await memory.add("assistant", "Noted.")
        branch = await memory.branches.fork(2, "fork")
    async with opened(tmp_path, session=None, wish=Wish(branch=branch)) as memory:
        await memory.pinning.pin_message(1)
        privacy = PrivacyConfig(keep_messages_days=30)
        later = datetime.now(UTC) + timedelta(days=31)
        assert await memory.forgetting.retain(privacy, later) == "1 message"
        assert await text_of(memory, 1) == "Ada likes Oporto."
        assert await text_of(memory, 2) == "[forgotten]"


async def test_retention_runs_at_the_start(tmp_path: Path) -> None:
    """RECALL-7: in the background, in whatever session is opened."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", SECRET)
    private = PrivacyConfig(keep_messages_days=1e-9)
    config = MemoryConfig(privacy=private)
    async with Memory.open(tmp_path, "two", config=config) as memory:
        notes: list[object] = []
        memory.watch_compaction(notes.append)
        async with asyncio.timeout(20):
            while not any("Forgotten by age" in str(note) for note in notes):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert_gone(tmp_path)


async def test_whatever_looks_back_lives_with_what_is_gone(tmp_path: Path) -> None:
    """RECALL-6, PROMPT-5, VIEW-2: requests, reports, traces, the past, undo, branches."""
    async with opened(tmp_path, profile="stress") as memory:
        await memory.add("user", SECRET)
        prompt = await memory.prompt()
        request = await memory.prepare(prompt)
        assert (await memory.request_messages(request)) == prompt.messages
        await talk(memory, 30)
        later = await memory.prepare(await memory.prompt())
        await memory.forgetting.carry_out(await memory.forgetting.plan("1-4"))
        for id in (request, later):
            with pytest.raises(NotReproducible):
                await memory.request_messages(id)
            assert "Zanzibarix" not in str((await memory.inspecting.inspect(id)).pieces)
        again = await memory.prepare(await memory.prompt())
        ledgers = [e.event for e in await memory.log() if isinstance(e.event, RequestPrepared)]
        assert ledgers[-1].request == again
        assert ledgers[-1].ledger.broken_by == "texts were forgotten"
        for compaction in await memory.compactions():
            await memory.reports.compaction_view(compaction.event.id)
        await memory.trace_message(1)
        await memory.trace("Zanzibarix")
        await memory.snapshot_at(12)
        while any(not compaction.undone for compaction in await memory.compactions()):
            await memory.undo()
        assert "Zanzibarix" not in str((await memory.prompt()).messages)
        await memory.redo()
        await memory.branches.fork(2, "fork")
        await memory.settled()
    assert_gone(tmp_path)


async def test_vectors_go_with_their_texts(tmp_path: Path) -> None:
    """RECALL-6: out of the tables and out of the index; what stays is found as before."""
    index = PlainIndex()
    async with opened(tmp_path, embedder=WordEmbedder(), index=index) as memory:
        number = await talk(memory, 8)
        await memory.settled()
        database = memory._journal.database
        before = set(index.ids)
        (id,) = [
            row[0]
            for row in await database.all("SELECT id FROM passage WHERE number = ?", (number,))
        ]
        await memory.forgetting.carry_out(await memory.forgetting.plan(str(number)))
        await memory.settled()
        assert index.ids == before - {id}
        assert await database.all("SELECT 1 FROM vector WHERE passage = ?", (id,)) == []
        assert [found for found in await memory.recall("cat brewery") if "cat" in found.text] == []
        assert await memory.recall("Falcon-2 launch")


async def test_a_text_is_forgotten_in_all_sessions_of_the_agent(tmp_path: Path) -> None:
    """RECALL-6: closed ones, titles, those of helpers, and what a killed answer left behind."""
    async with opened(tmp_path, profile="stress", session="one") as memory:
        number = await talk(memory, 20)
        owner = memory.info.id
        async with opened(tmp_path, wish=Wish(fresh=True, owner=owner), session=None) as helper:
            await helper.add("user", f"Look for it: {SECRET}")
            await helper.add("assistant", "Zanzibarix was found at the brewery.", tool_calls=[CALL])
            await helper.add("tool", LONG, tool_call_id="a1")
    async with opened(tmp_path, session="All of Zanzibarix") as memory:
        await memory.add("user", "Tell me of Krumlovy.")
        await memory.prepare(await memory.prompt())
        database = memory._journal.database

        async def write(transaction: Transaction) -> None:
            await transaction.run(
                "INSERT INTO draft VALUES (?, 'r', 'Zanzibarix', '', 'now', 'now')",
                (memory.info.branch,),
            )

        await database.write(write)
    async with opened(tmp_path, session="three") as memory:
        plan = await memory.forgetting.plan('"zanzibarix"')
        assert {found.sort for found in plan.found} == {"message", "content", "title"}
        assert "one" in {found.session for found in plan.found}
        await memory.forgetting.carry_out(plan)
        assert_gone(tmp_path, ("Zanzibarix", "zanzibarix"))
        assert [info.title for info in await memory.sessions.list()].count("All of") == 1
    async with opened(tmp_path, session="one") as memory:
        await memory.prompt()
        assert await text_of(memory, number) == "[forgotten]"
    assert_gone(tmp_path, ("Zanzibarix", "zanzibarix"))


async def test_letters_composed_in_another_way_are_the_same_text(tmp_path: Path) -> None:
    """RECALL-6: as names of files come from some systems."""
    async with opened(tmp_path, session="one") as memory:
        await memory.rename(unicodedata.normalize("NFD", "Über Krumlóvy"))
        for form in ("NFC", "NFD"):
            await memory.add("user", unicodedata.normalize(form, "Meet me in KRUMLÓVY, at noon."))
        plan = await memory.forgetting.plan("krumlóvy")
        assert [found.sort for found in plan.found] == ["message", "message", "title"]
        await memory.forgetting.carry_out(plan)
        assert memory.state.title == "Über"
    assert_gone(tmp_path, ("KRUML", "Kruml", "kruml"))


async def test_content_and_facts_are_forgotten_by_their_names(tmp_path: Path) -> None:
    """RECALL-6, I10: a receipt that cites what is gone leads to a sentence that says so."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Find it.")
        await memory.add("assistant", "", tool_calls=[CALL])
        await memory.add("tool", LONG, tool_call_id="a1")
        item = await memory.content.store(SECRET)
        await memory.facts.remember("Zanzibarix is a cat.")
        for name in ("c1", item.id, "f1", "m2"):
            await memory.forgetting.carry_out(await memory.forgetting.plan(name))
            with pytest.raises(NothingToForget):
                await memory.forgetting.plan(name)
        for id in ("c1", item.id):
            with pytest.raises(UnknownItem, match="was forgotten"):
                await memory.content.retrieve(id)
        assert await memory.content.retrieve("m3") == "[forgotten]"
        prompt = await memory.prompt("What next?")
        assert [message["role"] for message in prompt.messages[-3:]] == [
            "assistant",
            "tool",
            "user",
        ]
    assert_gone(tmp_path)


async def test_a_fact_is_forgotten_by_the_library_as_well(tmp_path: Path) -> None:
    """RECALL-6, RECALL-7: in no file when it returns, what it said before included."""
    async with opened(tmp_path) as memory:
        fact = (await memory.facts.remember("The cat is called Zanzibarix.")).fact
        await memory.facts.edit(fact.id, "The cat lives in Krumlovy.")
        assert b"Zanzibarix" in every_byte(tmp_path)
        await memory.facts.forget(fact.id)
        assert memory.facts.all() == []
        assert_gone(tmp_path)


async def test_words_leave_a_search_table_that_is_damaged(tmp_path: Path) -> None:
    """RECALL-6, STORE-4: it is emptied, and filled again from what is left."""
    async with opened(tmp_path, session="one") as memory:
        number = await talk(memory, 6)
    async with database_at(tmp_path) as database:

        async def write(transaction: Transaction) -> None:
            await transaction.run("UPDATE search SET rules = 0")

        await database.write(write)
        doomed = Doomed((await stream_of(database),), bodies=await bodies_of(database, number))
        id = await purging.begin(database, doomed)
        assert id
    async with opened(tmp_path, session="one") as memory:
        assert_gone(tmp_path)
        await memory.settled()
        assert await memory.recall("Falcon-2 launch")


async def stream_of(database: Database) -> str:
    """The stream of the only session."""
    rows = await database.all("SELECT id FROM stream WHERE kind = 'session'")
    return str(rows[0][0])


async def bodies_of(database: Database, number: int) -> tuple[str, ...]:
    """The text of a message."""
    rows = await database.all(
        "SELECT json_extract(data, '$.ref.body') FROM event WHERE number = ?", (number,)
    )
    return (str(rows[0][0]),)


async def test_who_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """RECALL-6, STORE-5: the text goes all the same; the next one is not waited for in vain."""
    monkeypatch.setattr(letting_go, "PATIENCE_S", 0.05)
    async with opened(tmp_path) as memory:
        number = await talk(memory, 4)
        stuck = purging.Reader("stuck", "another Strata (process 4711)")
        await purging.enter(memory._journal.database, stuck)
        done = await memory.forgetting.carry_out(await memory.forgetting.plan(str(number)))
        (note,) = done.notes
        assert note.startswith("Another Strata (process 4711) did not answer in time")
        await purging.leave(memory._journal.database, "stuck")
        assert_gone(tmp_path, ("Zanzibarix", "Krumlovy"))
