"""RECALL-2: what was said, summed up and stored can be found by its words, and nothing else can."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.doctor.search import search_checks
from memory import Memory, MemoryConfig
from memory.answer import NewMessage
from memory.errors import StrataError
from memory.recall.corpus import Passage, Scope
from memory.recall.library import Library
from memory.storage.catching_up import behind, catch_up, renew_passages, renew_words
from memory.storage.cutting import LONGEST, spans
from memory.storage.database import Database
from memory.storage.inspection import inspect
from memory.storage.inspection_search import look_at_search
from memory.storage.places import FILE_NAME
from memory.storage.reach import Limb, reaches
from memory.storage.sessions import Sessions
from memory.wish import Wish
from memory.words import index_words
from tests.memory.doubles import ScriptedModel, crash, database_at, opened, say

ME = Scope("default")
CONFIG = MemoryConfig(profile="stress", vault=False)
STEPS = ("add", "add", "compact", "undo", "store", "clear", "fork", "kill")
COLUMNS = "kind, name, body, first, last, branch, number, role, tags, hidden, words"
ALL = f"SELECT {COLUMNS} FROM passage ORDER BY branch, body, first"


async def found(memory: Memory, text: str, scope: Scope = ME) -> list[Passage]:
    """What is found by the words of a text."""
    return await found_in(memory._journal.database, text, scope)


async def found_in(database: Database, text: str, scope: Scope = ME) -> list[Passage]:
    library = Library(database)
    words = index_words(text)
    ids = await library.with_words(words, scope, 1_000)
    passages = await library.passages(ids)
    return [passages[id] for id in ids]


async def texts(memory: Memory, text: str, scope: Scope = ME) -> list[str]:
    return sorted(passage.text for passage in await found(memory, text, scope))


async def assert_search_is_whole(database: Database) -> None:
    """Every word of every passage is in the search table once, and nothing else is."""
    rows = await database.all(
        "SELECT p.id, index_words(b.text, p.first, p.last), p.words "
        "FROM passage p JOIN body b ON b.id = p.body"
    )
    wanted: dict[str, int] = {}
    for _, words, count in rows:
        assert count == len(words.split())
        for word in words.split():
            wanted[word] = wanted.get(word, 0) + 1
    assert wanted == dict(await database.all("SELECT term, cnt FROM passage_vocabulary"))


# -- what is found


async def test_what_was_said_is_found_at_once(tmp_path: Path) -> None:
    """RECALL-2: a message and its words are one write; who said it and when is known."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "We paint the garden fence in Lisbon.", origin="user")
        await memory.add("assistant", "Painting fences takes two days.", origin="model")
        one, other = await found(memory, "painted fence")
        assert {one.role, other.role} == {"user", "assistant"}
        assert {one.number, other.number} == {1, 2}
        assert one.episode == other.episode
        assert one.session == memory._journal.log.stream
        assert await found(memory, "harbour") == []
        await assert_search_is_whole(memory._journal.database)


async def test_what_nobody_said_is_not_found(tmp_path: Path) -> None:
    """RECALL-1: system messages, calls without a text, and what helpers say among themselves."""
    async with opened(tmp_path) as memory:
        await memory.add("system", "Speak of falcons.")
        call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "falcon"}}
        await memory.add("assistant", "", tool_calls=[call])
        helper = Wish(session="helper", owner=memory.info.id, agent="default")
        async with Memory.open(tmp_path, wish=helper) as other:
            await other.add("user", "A task about falcons.")
        assert await found(memory, "falcon") == []


async def test_a_tools_result_is_found_once_as_content(tmp_path: Path) -> None:
    """CONT-1, RECALL-2: with its tags; off the lists it is not found, back on them it is."""
    async with opened(tmp_path) as memory:
        call = {"id": "a", "type": "function", "function": {"name": "fetch", "arguments": "{}"}}
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "The harbour opens at nine.", tool_call_id="a", origin="tool")
        (item,) = await memory.content.items()
        (passage,) = await found(memory, "harbour")
        assert (passage.kind, passage.role, passage.number) == ("content", "tool", 2)
        await memory.content.mark(item, tags=["port"])
        kept = await memory.content.snapshot()
        assert len(await found(memory, "harbour", Scope("default", tags=frozenset({"port"})))) == 1
        assert await found(memory, "harbour", Scope("default", tags=frozenset({"sea"}))) == []
        await memory.content.clear()
        assert await found(memory, "harbour") == []
        await memory.content.restore(kept)
        assert len(await found(memory, "harbour")) == 1


async def test_a_paste_is_found_as_the_message_it_stands_in(tmp_path: Path) -> None:
    """RECALL-2: each text once, whatever it is kept as besides."""
    async with opened(tmp_path, paste_chars=200) as memory:
        await memory.add("user", "Look:\n" + "harbour log line\n" * 40, origin="user")
        assert await memory.content.items()
        assert {passage.kind for passage in await found(memory, "harbour")} == {"message"}


async def test_a_long_text_is_found_in_parts(tmp_path: Path) -> None:
    """RECALL-2: each part by its own words, and all parts are the text."""
    said = "\n\n".join(f"Chapter {n} tells of word{n}. " * 12 for n in range(30))
    async with opened(tmp_path) as memory:
        await memory.add("user", said)
        (passage,) = await found(memory, "word17")
        assert passage.text == said[passage.start : passage.start + len(passage.text)]
        assert len(passage.text) <= LONGEST
        rows = await memory._journal.database.all("SELECT first, last FROM passage ORDER BY id")
        assert "".join(said[first:last] for first, last in rows) == said


async def test_an_enormous_text_is_found_after_a_moment(tmp_path: Path) -> None:
    """RECALL-2, ALL-7: its words are looked for behind the conversation."""
    said = "".join(f"entry{n} was written. " for n in range(12_000))
    async with opened(tmp_path) as memory:
        await memory.add("user", said)
        await memory.settled()
        assert await found(memory, "entry11999")
        await assert_search_is_whole(memory._journal.database)


async def test_only_summaries_in_force_are_found(tmp_path: Path) -> None:
    """RECALL-2: a superseded one leaves; an undone compaction brings the older one back."""

    async def bodies(memory: Memory) -> set[str]:
        rows = await memory._journal.database.all("SELECT body FROM passage WHERE kind = 'summary'")
        return {body for (body,) in rows}

    def in_force(memory: Memory) -> set[str]:
        known = (memory.state.folding.long_term, memory.state.folding.short_term)
        held = [body for summary in known if summary for body in (summary.body, summary.details)]
        return {body for body in held if body is not None}

    async with opened(tmp_path, profile="stress", vault=False) as memory:
        await say(memory, 40)
        compactions = await memory.compactions()
        assert len(compactions) > 2
        assert await bodies(memory) == in_force(memory) != set()
        before = in_force(memory)
        await memory.undo()
        assert await bodies(memory) == in_force(memory) != before
        await memory.redo()
        assert await bodies(memory) == in_force(memory) == before
        other = ScriptedModel(["Ada is in Lisbon."])
        preview = await memory.rewriting.preview("short_term", "Only the places.", other)
        await memory.rewriting.accept(preview)
        assert await bodies(memory) == in_force(memory) != before
        await assert_search_is_whole(memory._journal.database)


async def test_what_was_redacted_is_not_found(tmp_path: Path) -> None:
    """RECALL-7: the words are those of the stored text."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "my key is sk-proj-abcdefghijklmnopqrstuvwx1234")
        vocabulary = await memory._journal.database.all("SELECT term FROM passage_vocabulary")
        assert not any("abcdefgh" in term for (term,) in vocabulary)


# -- branches and sessions


async def test_an_edited_question_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    """RECALL-2, CHAT-5: what was abandoned is not found, the shared past once; going back works."""
    async with opened(tmp_path) as memory:
        for text in ("shared fox", "shared answer", "old owl", "old answer"):
            await memory.add("user" if "answer" not in text else "assistant", text)
        first = memory.info.branch
        branch = await memory.branches.fork(2, "edit")
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as memory:
        await memory.add("user", "new owl")
        assert await texts(memory, "owl") == ["new owl"]
        assert await texts(memory, "fox") == ["shared fox"]
    async with Memory.open(tmp_path, wish=Wish(branch=first)) as memory:
        assert await texts(memory, "owl") == ["old owl"]
        assert await texts(memory, "fox") == ["shared fox"]


async def test_a_branch_begun_on_purpose_lives_beside_the_other(tmp_path: Path) -> None:
    """RECALL-2, CHAT-4: both are found."""
    async with opened(tmp_path) as memory:
        for text in ("shared fox", "old owl"):
            await memory.add("user", text)
        branch = await memory.branches.fork(1, "fork")
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as memory:
        await memory.add("user", "new owl")
        assert await texts(memory, "owl") == ["new owl", "old owl"]


def test_alternatives_of_alternatives() -> None:
    """RECALL-2: of each set the one used last; what was begun on purpose keeps its past."""
    limbs = [
        Limb("a", "", 0, "", "1"),
        Limb("b", "a", 5, "regenerate", "3"),
        Limb("c", "a", 5, "regenerate", "2"),
        Limb("d", "b", 8, "edit", "4"),
        Limb("e", "a", 7, "fork", "2"),
    ]
    reach = reaches(limbs)
    assert (reach["a"], reach["b"], reach["c"]) == (7, 8, 0)
    assert reach["d"] > 1_000
    assert reach["e"] > 1_000


async def test_other_agents_do_not_find_it(tmp_path: Path) -> None:
    """RECALL-3: a search is one agent's; its sessions can be told apart."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", "the owl of one")
        here = memory._journal.log.stream
    async with opened(tmp_path, session="two") as memory:
        await memory.add("user", "the owl of two")
        assert len(await found(memory, "owl")) == 2
        assert await texts(memory, "owl", Scope("default", frozenset({here}))) == ["the owl of one"]
    async with opened(tmp_path, session=None, wish=Wish(agent="other")) as memory:
        await memory.add("user", "the other owl")
        assert await texts(memory, "owl", Scope("other")) == ["the other owl"]


async def test_a_deleted_session_leaves_no_word(tmp_path: Path) -> None:
    """CHAT-4, RECALL-7: neither in the search table nor among passages."""
    async with opened(tmp_path, session="kept") as memory:
        await memory.add("user", "a fox")
    async with opened(tmp_path, session="gone") as memory:
        await memory.add("user", "an owl " * 500)
    async with database_at(tmp_path) as database:
        await Sessions(database).delete("gone")
        words = await database.all("SELECT term FROM passage_vocabulary ORDER BY term")
        assert [word for (word,) in words] == ["a", "fox"]


async def test_filters_hold_for_what_is_asked(tmp_path: Path) -> None:
    """RECALL-3: by kind, who said it, where it came from and time."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "an owl", origin="user")
        await memory.add("assistant", "the owl", origin="model")
        await memory.content.store("owl facts", tags=["bird"])
        at = (await found(memory, "owl"))[0].at
        assert await texts(memory, "owl", Scope("default", roles=frozenset({"user"}))) == ["an owl"]
        origins = Scope("default", origins=frozenset({"model"}))
        assert await texts(memory, "owl", origins) == ["the owl"]
        kinds = Scope("default", kinds=frozenset({"content"}))
        assert await texts(memory, "owl", kinds) == ["owl facts"]
        assert await found(memory, "owl", Scope("default", until="2020-01-01")) == []
        assert await found(memory, "owl", Scope("default", since=at))


async def test_neighbours_are_told_in_order(tmp_path: Path) -> None:
    """RECALL-3: the messages beside one, a tool's exchange between them left out."""
    async with opened(tmp_path) as memory:
        call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        await memory.add("user", "one owl")
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "result", tool_call_id="a", origin="tool")
        await memory.add("assistant", "two")
        await memory.add("user", "three")
        library = Library(memory._journal.database)
        (id,) = await library.with_words(("two",), ME, 10)
        around = await library.around([id], 1)
        beside = await library.passages(around[id])
        assert [beside[each].text for each in around[id]] == ["one owl", "three"]


async def test_how_common_words_are(tmp_path: Path) -> None:
    """RECALL-3: counts grow with what is said."""
    async with opened(tmp_path) as memory:
        library = Library(memory._journal.database)
        assert (await library.frequencies(["owl"])).passages == 0
        for n in range(30):
            await memory.add("user", f"an owl and word{n}")
        frequencies = await library.frequencies(["owl", "word3", "never"])
        assert (frequencies.passages, frequencies.mean_words) == (30, 4.0)
        assert dict(frequencies.having) == {"owl": 30, "word3": 1}
        await memory.add_all([NewMessage("user", f"an owl of {n}", "user") for n in range(10)])
        at_once = await asyncio.gather(
            library.frequencies(["owl", "word4"]), library.frequencies(["owl", "word5"])
        )
        assert [set(each.having) for each in at_once] == [{"owl", "word4"}, {"owl", "word5"}]


# -- older, damaged, anew


async def test_it_can_be_made_anew_from_the_log(tmp_path: Path) -> None:
    """RECALL-2: the same passages, episodes included."""
    columns = (
        "kind, name, body, first, last, branch, n, number, episode, role, at, tags, hidden, words"
    )
    query = f"SELECT {columns} FROM passage ORDER BY branch, n, body, first"
    async with opened(tmp_path, session="one", profile="stress") as memory:
        for n in range(40):
            await memory.add("user" if n % 2 else "assistant", f"note {n} of the owl. " * (n + 1))
            await memory.settled()
        await memory.content.store("stored owl", tags=["bird"])
        branch = await memory.branches.fork(30, "edit")
        before_fork = await memory._journal.database.all(query)
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as memory:
        await memory.add("user", "another owl")
        database = memory._journal.database
        before = await database.all(query)
        await renew_passages(database)
        await memory.settled()
        assert await database.all(query) == before != before_fork
        await assert_search_is_whole(database)


@pytest.mark.parametrize("noise", range(8))
async def test_a_damaged_search_table_is_made_anew(tmp_path: Path, noise: int) -> None:
    """STORE-4: what is said meanwhile is kept, and all of it is found again."""
    async with opened(tmp_path) as memory:
        for n in range(20):
            await memory.add("user", f"an owl and word{n}")
    async with database_at(tmp_path) as database:
        damage = "UPDATE passage_words_data SET block = ? WHERE id > 1"
        await database.all(damage, (random.Random(noise).randbytes(40),))
    async with opened(tmp_path) as memory:
        await memory.add("user", "one more owl")
        await memory.recall("owl")
        await memory.settled()
        await memory.settled()
        assert len(await found(memory, "owl")) == 21
        await assert_search_is_whole(memory._journal.database)


async def test_words_can_be_renewed_beside_what_is_said(tmp_path: Path) -> None:
    """RECALL-2: nothing is found twice or lost."""
    async with opened(tmp_path) as memory:
        for n in range(120):
            await memory.add("user", f"an owl and word{n}")
        await renew_words(memory._journal.database)
        await memory.add("user", "the last owl")
        await memory.settled()
        assert len(await found(memory, "owl")) == 121
        await assert_search_is_whole(memory._journal.database)


@settings(max_examples=100)
@given(st.text(alphabet="ab .\n。", max_size=20_000))
def test_parts_are_the_whole_text(text: str) -> None:
    """RECALL-2: nothing of a text is lost or doubled."""
    parts = spans(text)
    assert "".join(text[first:last] for first, last in parts) == text
    assert all(last - first <= LONGEST for first, last in parts)


@pytest.mark.parametrize("length", [3_000_000])
def test_enormous_texts_have_few_parts(length: int) -> None:
    assert len(spans("word " * (length // 5))) <= 600


@settings(max_examples=12, deadline=None)
@given(
    st.lists(
        st.sampled_from(("add", "add", "compact", "undo", "store", "clear", "fork", "kill")),
        max_size=25,
    )
)
def test_the_search_is_what_the_log_says(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    """RECALL-2: after anything, a kill included, it is the same as one made anew from the log."""
    asyncio.run(_do(tmp_path_factory.mktemp("random"), steps))


async def _do(directory: Path, steps: list[str]) -> None:
    wish = Wish(session="random")
    for part in _until_reopened(steps):
        opening = Memory.open(directory, wish=wish, config=CONFIG)
        memory = await opening.__aenter__()
        branch = memory.info.branch
        for place, step in enumerate(part[:-1]):
            await _step(memory, step, place)
        if part[-1] == "fork" and memory.state.messages:
            branch = await memory.branches.fork(memory.state.messages // 2, "edit")
        if part[-1] == "kill":
            crash(memory)
            await memory._journal.database.close()
        else:
            await opening.__aexit__(None, None, None)
        wish = Wish(branch=branch, take_over=True)
    async with database_at(directory) as database:
        await assert_search_is_whole(database)
        before = await database.all(ALL)
        await renew_passages(database)
        while (left := await behind(database)).any:
            await catch_up(database, left)
        assert await database.all(ALL) == before
        await assert_search_is_whole(database)


def _until_reopened(steps: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for step in steps:
        parts[-1].append(step)
        if step in ("fork", "kill"):
            parts.append([])
    parts[-1].append("end")
    return parts


async def _step(memory: Memory, step: str, place: int) -> None:
    match step:
        case "add":
            await say(memory, 3, 300)
        case "compact":
            await memory.compact()
        case "undo":
            with contextlib.suppress(StrataError):
                await memory.undo()
        case "store":
            await memory.content.store(f"stored {place}", tags=["kept"])
        case "clear":
            await memory.content.clear()


async def test_the_doctor_sees_what_can_not_be_found(tmp_path: Path) -> None:
    """ALL-5, RECALL-2: complete, with something missing, with something too much, damaged."""
    async with opened(tmp_path) as memory:
        for n in range(5):
            await memory.add("user", f"an owl and word{n}")
        await memory.add("assistant", "  ", reasoning={"reasoning_content": "hm"})
    assert _looked_at(tmp_path) == (5, 0, 0, 0)
    async with database_at(tmp_path) as database:
        await database.all("DELETE FROM passage WHERE number = 2")
    assert _looked_at(tmp_path) == (4, 1, 1, 0)
    async with database_at(tmp_path) as database:
        await renew_passages(database)
        while (left := await behind(database)).any:
            await catch_up(database, left)
    assert _looked_at(tmp_path) == (5, 0, 0, 0)
    for noise in range(8):
        async with database_at(tmp_path) as database:
            damage = "UPDATE passage_words_data SET block = ? WHERE id > 1"
            await database.all(damage, (random.Random(noise).randbytes(40),))
        assert search_checks_of(tmp_path) == "note"


def search_checks_of(directory: Path) -> str:
    with inspect(directory / FILE_NAME) as database:
        (check,) = search_checks(database)
    return check.state


def _looked_at(directory: Path) -> tuple[int, int, int, int]:
    with inspect(directory / FILE_NAME) as database:
        found = look_at_search(database)
    assert found.sound == (not found.surplus)
    return found.passages, found.missing, found.surplus, found.behind
