"""The content store: marked, cleared, queried, shared with another session."""

import time
from pathlib import Path

import pytest

from memory.answer import NewMessage
from memory.config import MemoryConfig
from memory.content.handles import UnknownItem
from memory.content.patterns import BadPattern
from memory.content.receipts import handles_in
from memory.content_events import ContentStored
from memory.events import RequestEnded
from memory.memory import Memory
from memory.parts import ContentItem
from memory.results import KeptAs
from memory.wish import Wish
from tests.memory.doubles import opened

MANY = 10_000


def ids(items: list[ContentItem]) -> list[str]:
    return [item.id for item in items]


async def keep(memory: Memory, *items: ContentItem) -> None:
    """Puts items in the log as a compaction does."""
    await memory._journal.append(lambda _: ([ContentStored(items)], {}))


async def test_tags_and_relations_change(tmp_path: Path) -> None:
    """CONT-1: an item is tagged, untagged and related; also after a restart."""
    async with opened(tmp_path) as memory:
        await memory.content.store("one", "custom", tags=["a"])
        two = await memory.content.store("two", "custom", related=["c1"])
        assert two.related == ("c1",)
        one = await memory.content.mark("c1", tags=["b", "b"], without=["a"], related=["c2"])
        assert (one.tags, one.related) == (("b",), ("c2",))
        n = memory.state.n
        await memory.content.mark("c1", tags=["b"])
        assert memory.state.n == n
    async with opened(tmp_path) as memory:
        assert ids(await memory.content.query(tags=["b"])) == ["c1"]
        assert await memory.content.query(tags=["a"]) == []
        with pytest.raises(UnknownItem):
            await memory.content.mark("c1", related=["c9"])


async def test_cleared_items_are_not_listed_and_still_resolve(tmp_path: Path) -> None:
    """CONT-1, I10: clearing tidies the lists; a handle goes on naming its text."""
    async with opened(tmp_path) as memory:
        for text in ("one", "two", "three"):
            await memory.content.store(text, "custom")
        assert await memory.content.clear(["c2"]) == 1
        assert ids(await memory.content.query()) == ["c3", "c1"]
        assert await memory.content.retrieve("c2") == "two"
        assert (memory.snapshot().content_items, memory.snapshot().content_chars) == (2, 8)
        assert await memory.content.clear() == 2
        assert await memory.content.clear() == 0
        assert (await memory.content.store("four", "custom")).id == "c4"
        with pytest.raises(UnknownItem, match="cleared"):
            await memory.content.mark("c1", tags=["x"])
    async with opened(tmp_path) as memory:
        assert ids(await memory.content.items()) == ["c4"]
        assert [await memory.content.retrieve(f"c{n}") for n in (1, 2, 3)] == [
            "one", "two", "three",
        ]  # fmt: skip


async def test_items_are_found_by_their_words_and_their_time(tmp_path: Path) -> None:
    """CONT-1: all words, in source, tags or content; from a time on or up to it."""
    async with opened(tmp_path) as memory:
        store = memory.content.store
        first = await store("Parcels for Porto\nby ship", "custom", "fetch_page porto.example")
        await store("Parcels for Faro", "file", "faro.txt", ["South"])
        query = memory.content.query
        assert ids(await query(text="parcels")) == ["c2", "c1"]
        assert ids(await query(text="PORTO ship")) == ["c1"]
        assert ids(await query(text="parcels south")) == ["c2"]
        assert ids(await query(source="PORTO.example")) == ["c1"]
        assert await query(text="Lisbon") == []
        assert ids(await query(time_range=(first.at, None), limit=5)) == ["c2", "c1"]
        assert await query(time_range=(None, first.at)) == []
        assert await query(time_range=("2999-01-01", "")) == []


async def test_a_snapshot_brings_the_lists_back(tmp_path: Path) -> None:
    """CONT-1, S3: what was stored since is off the lists, what was cleared is on them again."""
    async with opened(tmp_path) as memory:
        content = memory.content
        await content.store("one", "custom", tags=["a"])
        await content.store("two", "custom")
        snapshot = await content.snapshot()
        await content.store("three", "custom")
        await content.clear(["c1"])
        await content.mark("c2", tags=["changed"])
        assert ids(list(snapshot.items)) == ["c1", "c2"]
        assert await content.restore(snapshot) == {"c1": "c1", "c2": "c2"}
        assert await content.items() == list(snapshot.items)
        assert memory.snapshot().content_items == 2
        assert await content.retrieve("c3") == "three"
        n = memory.state.n
        await content.restore(snapshot)
        assert memory.state.n == n


async def test_another_session_gets_copies_once(tmp_path: Path) -> None:
    """CONT-1, S3, CHAT-11: texts are copied, each once, and outlive the session they are from."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Explain this: 漢字 please.")
        body = memory.state.folding.verbatim[0].body
        item = ContentItem("c1", "pasted_text", body, 14, 16, 2, 1, "user")
        await keep(memory, item)
        await memory.content.store("two", "custom", "tool", ["t"], ["c1"])
        snapshot = await memory.content.snapshot()
    async with Memory.open(tmp_path, wish=Wish(session="other")) as other:
        await other.content.store("own", "custom")
        assert await other.content.restore(snapshot) == {"c1": "c2", "c2": "c3"}
        assert await other.content.restore(snapshot) == {"c1": "c2", "c2": "c3"}
        assert ids(await other.content.items()) == ["c1", "c2", "c3"]
        assert (await other.content.item("c3")).related == ("c2",)
        parent = (await other.sessions.find("a session")).id
        await other.sessions.delete(parent)
        assert await other.content.retrieve("c2") == "漢字"
        assert await other.content.retrieve("c3") == "two"


async def test_a_fork_has_its_own_lists(tmp_path: Path) -> None:
    """CONT-1, CHAT-4: what is stored or cleared in one branch is not in the other."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")
        await memory.content.store("shared", "custom")
        await memory.add("assistant", "Hi")
        branch = await memory.branches.fork(2, "fork")
        await memory.content.store("only here", "custom")
        await memory.content.clear(["c1"])
        snapshot = await memory.content.snapshot()
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as forked:
        assert ids(await forked.content.items()) == ["c1"]
        await forked.content.store("only there", "custom")
        assert await forked.content.retrieve("c2") == "only there"
        assert await forked.content.restore(snapshot) == {"c2": "c3"}
        assert await forked.content.retrieve("c3") == "only here"


async def test_a_part_is_retrieved_by_its_lines(tmp_path: Path) -> None:
    """CONT-2: a range of lines, numbered if asked for; a pattern between slashes."""
    text = "\n".join(
        f"{n} {'error' if n % 7 == 0 else 'ok'} at port {8000 + n}" for n in range(1, 31)
    )
    async with opened(tmp_path) as memory:
        await memory.content.store(text, "custom")
        retrieve = memory.content.retrieve
        assert await retrieve("c1", "lines", lines=(29, 99), numbered=True) == (
            "29: 29 ok at port 8029\n30: 30 ok at port 8030"
        )
        assert await retrieve("c1", "lines", lines=(3, 2)) == "2 ok at port 8002\n3 ok at port 8003"
        assert await retrieve("c1", "filtered", words=["/^2.*ERR/"]) == (
            "21 error at port 8021\n28 error at port 8028"
        )
        with pytest.raises(BadPattern):
            await retrieve("c1", "filtered", words=["/(/"])


async def test_what_is_only_stored_takes_no_room(tmp_path: Path) -> None:
    """CONT-1: texts stand outside the prompt, and outside this process until they are asked for."""
    async with opened(tmp_path) as memory:
        for number in range(5):
            await memory.content.store(f"{number} " + "x" * 100_000, "custom")
        assert sum(map(len, memory._journal.texts.values())) < 10_000
        assert (await memory.content.retrieve("c3")).startswith("2 xxx")


async def test_ten_thousand_items_are_queried_at_once(tmp_path: Path) -> None:
    """CONT-1: the log is read once; a query then takes milliseconds, however many items."""
    async with opened(tmp_path) as memory:
        await memory.content.store("the first one", "custom", "s", ["rare"])
        body = (await memory.content.item("c1")).body
        for start in range(2, MANY + 1, 1_000):
            many = tuple(
                ContentItem(f"c{n}", "file", body, chars=13, source=f"src/{n}.py")
                for n in range(start, min(start + 1_000, MANY + 1))
            )
            await keep(memory, *many)
        await memory.content.query()
        begun = time.process_time()
        assert ids(await memory.content.query(tags=["rare"])) == ["c1"]
        assert ids(await memory.content.query(source="src/77.py")) == ["c77"]
        assert await memory.content.query(type="code") == []
        assert len(await memory.content.query()) == 10
        assert time.process_time() - begun < 4 * 0.1


async def test_a_snapshot_shows_the_newest_items(tmp_path: Path) -> None:
    """VIEW-1, CONT-1: the newest fifty with a line on each and how the prompt shows it."""
    call = {"id": "1", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
    async with opened(tmp_path) as memory:
        await memory.content.store("id,city\n1,Porto\n2,Faro", "database_result", "sql", ["t"])
        await memory.add("user", "Read it.")
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "A note on Porto.\n" * 40, tool_call_id="1")
        await memory.settled()
        result, rows = memory.snapshot().items
        assert (rows.id, rows.in_prompt, rows.tags) == ("c1", "no", ("t",))
        assert rows.digest.startswith("table, 3 lines, columns: id, city")
        assert (result.source, result.number, result.in_prompt) == ("read_file", 3, "full")
        n = memory.state.n
        for number in range(60):
            await memory.content.store(f"text {number}", "custom")
        await memory.content.clear(["c62"])
    async with opened(tmp_path) as memory:
        await memory.settled()
        items = memory.snapshot().items
        assert [item.id for item in items[:2]] == ["c61", "c60"]
        assert len(items) in (49, 50)
        assert all(item.digest and item.at for item in items)
        then = await memory.snapshot_at(n)
        assert [item.id for item in then.items] == ["c2", "c1"]
        assert then.items[1].digest == rows.digest


async def test_what_is_retrieved_is_cited_as_what_it_is_from(tmp_path: Path) -> None:
    """CONT-4, I10: the receipt of a part names the item itself, and no copy is kept."""
    text = "\n".join(f"line {n} of the log of the ship Aurora" for n in range(400))
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "retrieve_from_memory", "arguments": '{"id": "c1"}'},
    }
    config = MemoryConfig(context_window=60_000, compaction="wait", vault=False)
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.content.store(text, "custom")
        await memory.add("user", "What does it say?")
        await memory.add("assistant", "", tool_calls=[call])
        part = await memory.content.retrieve("c1", "first", n=100)
        kept = KeptAs("c1", "custom", cites="c1")
        (stored,) = await memory.add_all([NewMessage("tool", part, "tool", (), "1", kept=kept)])
        assert stored.item == "c1"
        request = await memory.prepare(await memory.prompt())
        await memory.ended(RequestEnded(request, 1, "m", "ok"))
        receipt = str((await memory.prompt()).messages[-1]["content"])
        assert handles_in(receipt) == ["c1"]
        assert memory.state.content_items == 1
        assert await memory.content.retrieve("c1") == text


async def test_an_item_is_shown_in_full_only_where_all_of_it_stands(tmp_path: Path) -> None:
    """CONT-1, VIEW-1: what says that an item was stored, or has a part of it, does not show it."""
    text = "\n".join(f"line {n} of the log of the ship Aurora" for n in range(40))
    calls = [
        {
            "id": id,
            "type": "function",
            "function": {"name": "retrieve_from_memory", "arguments": "{}"},
        }
        for id in ("1", "2")
    ]
    config = MemoryConfig(context_window=60_000, compaction="wait", vault=False)
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.content.store(text, "custom")
        await memory.add("user", "What does it say?")
        await memory.add("assistant", "", tool_calls=calls)
        kept = KeptAs("c1", "custom", cites="c1")
        shown = []
        for id, part in (("1", text[:300]), ("2", text)):
            await memory.add_all([NewMessage("tool", part, "tool", (), id, kept=kept)])
            shown.append(memory.snapshot().items[0].in_prompt)
        assert shown == ["no", "full"]
