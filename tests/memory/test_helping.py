"""CHAT-11, S3: what a helper and whom it works for have of each other's memory."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from memory import Memory
from memory.agent_events import Delegated, HelpingBegun
from memory.answer import NewMessage
from memory.content.handles import UnknownItem
from memory.errors import StrataError
from memory.events import Message, RequestEnded
from memory.parts import HELPERS_OWN, MemoryScope, Usage
from memory.storage.leases import SessionHeld
from memory.wish import Wish

CALL = {"id": "k1", "type": "function", "function": {"name": "fetch_page", "arguments": "{}"}}
PAGE = "# Boats\n\nA boat is built of oak. " + "Planks are bent over steam. " * 80
OWN = f"c{HELPERS_OWN + 1}"


@asynccontextmanager
async def helping(owner: Memory, folder: Path, scope: MemoryScope) -> AsyncIterator[Memory]:
    """A helper at work for an open session."""
    wish = Wish(fresh=True, owner=owner.info.id)
    async with Memory.open(folder, "Helper: doors", wish=wish) as helper:
        await owner.take_on(helper, scope, "call_1")
        yield helper
        owner.dismiss(helper)


async def fetched(helper: Memory, text: str = PAGE) -> str:
    """The item under which a helper's tool result is kept."""
    await helper.add("assistant", "", tool_calls=[CALL])
    (message,) = await helper.add_all([NewMessage("tool", text, "tool", tool_call_id="k1")])
    assert message.item is not None
    return message.item


async def test_both_logs_tell_of_it(tmp_path: Path) -> None:
    """CHAT-11: whose helper it is, and where its steps are."""
    async with Memory.open(tmp_path, "mine") as mine, helping(mine, tmp_path, "shared") as helper:
        [told] = [e.event for e in await mine.log() if isinstance(e.event, Delegated)]
        assert told == Delegated("call_1", helper.info.id, helper.info.branch, "shared")
        [begun] = [e.event for e in await helper.log() if isinstance(e.event, HelpingBegun)]
        assert begun == HelpingBegun(mine.info.id, mine.info.branch, "shared")
        assert helper.state.helping == begun


async def test_with_a_shared_memory_a_handle_means_the_same_on_both_sides(tmp_path: Path) -> None:
    """S3, CONT-1: what a helper finds is stored here first, and cited there."""
    async with Memory.open(tmp_path, "mine") as mine:
        before = await mine.content.store("The key is under the mat.", source="user")
        async with helping(mine, tmp_path, "shared") as helper:
            assert await helper.content.retrieve(before.id) == "The key is under the mat."
            page = await fetched(helper)
            note = await helper.content.store("Oak it is.", tags=["wood"])
            assert [item.id for item in await helper.content.query(tags=["wood"])] == [note.id]
            await helper.content.mark(page, tags=["read"])
        assert [item.id for item in await mine.content.items()] == [before.id, page, note.id]
        item = await mine.content.item(page)
        assert (item.type, item.source, item.tags) == (
            "web_content",
            "fetch_page",
            ("helper", "read"),
        )
        assert await mine.content.retrieve(page) == PAGE


async def test_its_receipts_resolve_later_and_its_own_items_are_its_own(tmp_path: Path) -> None:
    """I10: opened by itself, a helper's session finds in its owner's log what it cites."""
    async with Memory.open(tmp_path, "mine") as mine:
        async with helping(mine, tmp_path, "shared") as helper:
            page = await fetched(helper)
            branch = helper.info.branch
        mine_too = await mine.content.store("Later.", source="user")
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as opened:
        assert await opened.content.retrieve(page) == PAGE
        assert await opened.content.retrieve(page, "first", n=1) == "# Boats"
        assert await opened.content.retrieve("m1") != PAGE
        assert opened.snapshot().content_items == 0
        own = await opened.content.store("Said here.")
        assert own.id == OWN
        assert await fetched(opened, "Found later. " * 40) == f"c{HELPERS_OWN + 2}"
        assert opened.snapshot().content_items == 2
        assert {item.id for item in await opened.content.items()} == {
            page, mine_too.id, OWN, f"c{HELPERS_OWN + 2}",
        }  # fmt: skip
        with pytest.raises(StrataError, match="belongs to the session"):
            await opened.content.clear([page])
        with pytest.raises(UnknownItem):
            await opened.content.retrieve("c77")
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as opened:
        assert await opened.content.retrieve(OWN) == "Said here."
        assert await opened.content.retrieve(page) == PAGE
    async with Memory.open(tmp_path, "mine") as mine:
        assert await mine.content.retrieve(page) == PAGE
        with pytest.raises(UnknownItem):
            await mine.content.retrieve(OWN)


async def test_whoever_watches_a_helper_at_work_finds_what_it_cites(tmp_path: Path) -> None:
    """CHAT-11, I10, STORE-5: also what it has stored since it was looked at first."""
    async with Memory.open(tmp_path, "mine") as mine, helping(mine, tmp_path, "shared") as helper:
        first = await fetched(helper)
        wish = Wish(branch=helper.info.branch, read_only=True)
        async with Memory.open(tmp_path, wish=wish) as watching:
            assert await watching.content.retrieve(first) == PAGE
            second = await fetched(helper, "Found later. " * 40)
            await watching.refresh()
            assert await watching.content.retrieve(second) == "Found later. " * 40


async def test_a_snapshot_is_a_copy_from_which_nothing_flows_back(tmp_path: Path) -> None:
    """S3: the helper has what was stored at its start."""
    async with Memory.open(tmp_path, "mine") as mine:
        await mine.content.clear([(await mine.content.store("Gone.")).id])
        kept = await mine.content.store("The key is under the mat.", tags=["key"])
        async with helping(mine, tmp_path, "snapshot") as helper:
            later = await mine.content.store("Too late.")
            [copy] = await helper.content.items()
            assert (copy.id, copy.tags) == ("c1", ("key",))
            assert await helper.content.retrieve("c1") == "The key is under the mat."
            assert await fetched(helper) == "c2"
            await helper.content.mark("c1", tags=["seen"])
        assert [item.id for item in await mine.content.items()] == [kept.id, later.id]
        assert (await mine.content.item(kept.id)).tags == ("key",)


async def test_an_isolated_helper_has_a_memory_of_its_own(tmp_path: Path) -> None:
    """S3: nothing comes in, nothing goes out."""
    async with Memory.open(tmp_path, "mine") as mine:
        kept = await mine.content.store("The key is under the mat.")
        async with helping(mine, tmp_path, "isolated") as helper:
            assert await helper.content.items() == []
            assert await fetched(helper) == "c1"
        assert [item.id for item in await mine.content.items()] == [kept.id]


async def test_helpers_are_listed_with_how_they_ended(tmp_path: Path) -> None:
    """CHAT-11: one that answered, one that was cut off, one that works."""
    async with Memory.open(tmp_path, "mine") as mine:
        async with helping(mine, tmp_path, "isolated") as helper:
            await helper.add("assistant", "Two doors.")
        async with helping(mine, tmp_path, "shared") as helper:
            await fetched(helper)
        async with helping(mine, tmp_path, "snapshot"):
            listed = await mine.helpers()
    assert [(h.number, h.scope, h.progress) for h in listed] == [
        (1, "isolated", "done"),
        (2, "shared", "not done"),
        (3, "snapshot", "working"),
    ]


async def test_what_it_used_counts_for_its_owner(tmp_path: Path) -> None:
    """PROMPT-5: a session's sums hold what its helpers have used, at once and later."""
    async with Memory.open(tmp_path, "mine") as mine:
        async with helping(mine, tmp_path, "shared") as helper:
            used = Usage(100, 20)
            await helper.ended(RequestEnded("r1", 1, "m", "ok", usage=used))
        assert mine.snapshot().usage.input == 100
    async with Memory.open(tmp_path, "mine") as mine:
        assert mine.snapshot().usage.output == 20
        [listed] = await mine.sessions.list()
        assert listed.usage.input == 100


async def test_it_can_not_be_deleted_under_whoever_reads_its_helper(tmp_path: Path) -> None:
    """CHAT-4: what is open somewhere is not deleted, and a helper goes with its owner."""
    async with Memory.open(tmp_path, "mine") as mine:
        name = mine.info.id
        async with helping(mine, tmp_path, "isolated") as helper:
            branch = helper.info.branch
    async with Memory.open(tmp_path, wish=Wish(branch=branch)) as opened:
        with pytest.raises(SessionHeld):
            await opened.sessions.delete(name)


async def test_it_keeps_no_readable_files(tmp_path: Path) -> None:
    """STORE-3, CHAT-4: what stands in the vault is removed with a session, so nothing else may."""
    async with Memory.open(tmp_path, "mine") as mine:
        async with helping(mine, tmp_path, "isolated") as helper:
            await helper.add("user", "Count the doors.")
            await helper.add("assistant", "Two.")
            id = helper.info.id
        assert [e for e in await mine.log() if isinstance(e.event, Message)] == []
    started = id.rsplit(":", 3)[-1]
    files = [path for path in (tmp_path / "vault").rglob("*") if started in str(path)]
    assert files == []
