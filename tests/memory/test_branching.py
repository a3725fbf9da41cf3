"""Branches: a past shared without copying, a future of one's own (CHAT-4, CHAT-5)."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from memory.branching import BeforeLog, NoSuchMessage
from memory.events import Forked, Message, RequestEnded, SessionRenamed
from memory.journal import ReadOnly
from memory.memory import Memory
from memory.parts import Usage
from memory.snapshot import Snapshot
from memory.storage import branches, leases
from memory.storage.failures import Conflict
from memory.storage.glance import SHOWN, glance
from memory.storage.inspection import inspect, newest_of_each
from memory.storage.leases import SessionHeld
from memory.storage.places import FILE_NAME
from memory.storage.sessions import UnknownBranch
from memory.vault_reading import read_context
from memory.wish import Wish
from tests.memory.doubles import chat_model, database_at, kinds, opened, say, state_at
from tests.properties.invariants import check_coverage

SMALL: dict[str, Any] = {"immediate_window": 4, "recent_window": 4}


async def forked(directory: Path, messages: int, at: int, **settings: Any) -> str:
    """A session of so many messages and a branch of it after message `at`; the branch's id."""
    async with opened(directory, **{**SMALL, **settings}) as memory:
        await say(memory, messages)
        return await memory.branches.fork(at, "fork")


async def texts_of(memory: Memory) -> list[str]:
    """What was said, in its order."""
    recorded = await memory.messages(1, memory.state.messages)
    bodies = [entry.event.ref.body for entry in recorded if isinstance(entry.event, Message)]
    texts = await memory.texts(bodies)
    return [texts[body] for body in bodies]


def in_(directory: Path, branch: str) -> Any:
    """The session opened at one of its branches."""
    return opened(directory, wish=Wish(branch=branch), **SMALL)


async def test_a_branch_shares_the_past_and_has_a_future_of_its_own(tmp_path: Path) -> None:
    """CHAT-4, CHAT-5: numbers go on in both, and neither sees what the other says."""
    async with opened(tmp_path) as memory:
        await say(memory, 6)
        parent, said = memory.info.branch, await texts_of(memory)
        branch = await memory.branches.fork(4, "fork")
        await memory.add("user", "only in the parent")
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        assert await texts_of(memory) == said[:4]
        stored = await memory.add("user", "only in the branch")
        assert stored.number == 5
        assert await texts_of(memory) == [*said[:4], "only in the branch"]
    async with opened(tmp_path, wish=Wish(branch=parent)) as memory:
        assert await texts_of(memory) == [*said, "only in the parent"]


async def test_the_branch_begins_with_one_event_after_those_it_shares(tmp_path: Path) -> None:
    """CHAT-5: numbers of events are without a gap, and no text is copied."""
    async with opened(tmp_path) as memory:
        await say(memory, 5)
        before = await memory._journal.database.all("SELECT id FROM body")
        branch = await memory.branches.fork(3, "edit")
        log = await memory.log()
        assert await memory._journal.database.all("SELECT id FROM body") == before
    shared = next(e.n for e in log if isinstance(e.event, Message) and e.event.ref.number == 4) - 1
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        own = await memory.log()
        assert own[:shared] == log[:shared]
        assert [entry.n for entry in own] == list(range(1, shared + 2))
        assert own[-1].event == Forked(log_branch(memory), shared, 3, "edit")
        assert (memory.info.messages, memory.state.messages) == (3, 3)


def log_branch(memory: Memory) -> str:
    """The branch that the open one comes from."""
    return memory._journal.log.segments[0].branch


async def test_the_folding_is_that_of_the_time(tmp_path: Path) -> None:
    """CHAT-4, I1: later compactions don't hold in the branch, and it makes its own."""
    async with opened(tmp_path, **SMALL) as memory:
        await say(memory, 22)
        assert memory.state.compactions == 4
        n = [e.n for e in await memory.log() if isinstance(e.event, Message)][11] - 1
        then = (await state_at(memory, n)).folding
        prompt = (await memory.prompt()).messages
        branch = await memory.branches.fork(11, "fork")
        assert (await memory.prompt()).messages == prompt
    async with in_(tmp_path, branch) as memory:
        assert memory.state.folding == then
        check_coverage(memory.state)
        await say(memory, 8)
        assert memory.state.compactions > 1
        check_coverage(memory.state)
        await memory.undo()
        check_coverage(memory.state)


async def test_every_message_can_be_branched_from(tmp_path: Path) -> None:
    """CHAT-4: from none to the newest, again and again, from branches as well."""
    async with opened(tmp_path, **SMALL) as memory:
        await say(memory, 12)
        said = await texts_of(memory)
        made = {at: await memory.branches.fork(at, "fork") for at in range(13)}
    for at, branch in made.items():
        async with in_(tmp_path, branch) as memory:
            assert await texts_of(memory) == said[:at]
            check_coverage(memory.state)
            await say(memory, 2)
            mine = await texts_of(memory)
            again = await memory.branches.fork(max(0, at - 3), "fork")
            later = await memory.branches.fork(at + 1, "fork")
        async with in_(tmp_path, again) as memory:
            assert await texts_of(memory) == said[: max(0, at - 3)]
        async with in_(tmp_path, later) as memory:
            assert await texts_of(memory) == mine[: at + 1]
            check_coverage(memory.state)


async def test_branches_of_one_message_are_siblings(tmp_path: Path) -> None:
    """CHAT-5: an answer asked for a hundred times makes no chain of a hundred branches."""
    branch = await forked(tmp_path, 4, 3)
    for _ in range(3):
        async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
            await memory.add("assistant", "another answer")
            branch = await memory.branches.fork(3, "regenerate")
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        assert len(memory._journal.log.segments) == 2
        assert kinds(await memory.log()).count("forked") == 1
        infos = await memory.branches.list()
        assert {info.parent for info in infos[1:]} == {infos[0].id}


async def test_a_list_of_branches_tells_them_apart(tmp_path: Path) -> None:
    """CHAT-5: in the order they were begun, with what was said first in each."""
    branch = await forked(tmp_path, 4, 3)
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        await memory.add("user", "said  in\nthe branch")
        infos = await memory.branches.list()
    told = [(i.forked_at, i.reason, i.messages, i.current) for i in infos]
    assert told == [(0, "", 4, False), (3, "fork", 4, True)]
    assert infos[1].preview == "said in the branch"
    assert infos[1].parent == infos[0].id


async def test_a_session_is_listed_once_and_opened_where_it_was_used_last(tmp_path: Path) -> None:
    """CHAT-4: by the branch that was gone to last, whatever was written there."""
    branch = await forked(tmp_path, 4, 2)
    async with opened(tmp_path) as memory:
        assert memory.info.branch == branch
        (info,) = await memory.sessions.list()
        assert (info.branches, info.messages, info.branch) == (2, 2, branch)
        first = (await memory.branches.list())[0].id
    async with opened(tmp_path, wish=Wish(branch=first)):
        pass
    async with opened(tmp_path) as memory:
        assert memory.info.branch == first
        assert memory.state.messages == 4
    with pytest.raises(UnknownBranch):
        async with opened(tmp_path, wish=Wish(branch="none")):
            pass


async def test_looking_at_a_branch_changes_nothing(tmp_path: Path) -> None:
    """CHAT-4: who only reads another branch does not make it the one that is opened."""
    branch = await forked(tmp_path, 4, 2)
    async with opened(tmp_path) as memory:
        first = (await memory.branches.list())[0].id
    async with opened(tmp_path, wish=Wish(branch=first, read_only=True)) as memory:
        assert memory.state.messages == 4
    async with opened(tmp_path) as memory:
        assert memory.info.branch == branch


async def test_a_branch_keeps_model_and_title_of_now(tmp_path: Path) -> None:
    """CHAT-2, CHAT-4: a session has one title, and who answers goes on answering."""
    async with opened(tmp_path, chat=chat_model(name="old")) as memory:
        await say(memory, 2)
        await memory.use_model(chat_model(name="new"), None, None)
        await memory.rename("Rivers")
        first = memory.info.branch
        branch = await memory.branches.fork(1, "fork")
    async with opened(tmp_path, session=None, wish=Wish(branch=branch)) as memory:
        assert memory.state.model == chat_model(name="new")
        assert memory.info.model == "new"
        assert (memory.state.title, memory.state.titled_by) == ("Rivers", "user")
        await memory.rename("Lakes")
    async with opened(tmp_path, session=None, wish=Wish(branch=first)) as memory:
        assert memory.state.title == "Lakes"
        assert [e.event for e in await memory.log()][-1] == SessionRenamed("Lakes")


async def test_usage_is_counted_once(tmp_path: Path) -> None:
    """CHAT-9: of the session it is that of all its branches; the shared past counts once."""

    async def spend(memory: Memory, tokens: int, cost: float | None) -> None:
        usage = Usage(tokens, 1, 0, cost)
        await memory.ended(RequestEnded("r", 1, "m", "ok", usage=usage))

    def used(snapshot: Snapshot) -> tuple[int, int, float | None]:
        return snapshot.usage.input, snapshot.usage.output, snapshot.usage.cost

    async with opened(tmp_path) as memory:
        await say(memory, 1)
        await spend(memory, 100, 0.25)
        await say(memory, 1)
        await spend(memory, 1_000, None)
        branch = await memory.branches.fork(1, "regenerate")
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        await spend(memory, 10, 0.5)
        assert memory.state.usage == Usage(110, 2, 0, 0.75)
        assert used(memory.snapshot()) == (1_110, 3, 0.75)
        (info,) = await memory.sessions.list()
        assert info.usage == Usage(1_110, 3, 0, 0.75)
        assert await memory.sessions.usage_in_all() == info.usage
    async with opened(tmp_path) as memory:
        assert used(memory.snapshot()) == (1_110, 3, 0.75)


async def test_deleting_a_session_takes_all_its_branches(tmp_path: Path) -> None:
    """CHAT-4: nothing of it is left; while one of its branches is open, nothing goes."""
    branch = await forked(tmp_path, 6, 2)
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        await memory.add("user", "hello")
        last = await memory.branches.fork(3, "fork")
        session = memory.info.id
    async with opened(tmp_path, session="other", wish=Wish()) as other:
        async with opened(tmp_path, session=None, wish=Wish(branch=branch)):
            with pytest.raises(SessionHeld):
                await other.sessions.delete(session)
        async with opened(tmp_path, session=None, wish=Wish(branch=last)):
            held = [s.holder is not None for s in await other.sessions.list() if s.id == session]
            assert held == [True]
        await other.sessions.delete(session)
        database = other._journal.database
        assert await database.all("SELECT count(*) FROM branch") == [(1,)]
        assert await database.all("SELECT count(DISTINCT branch) FROM event") == [(1,)]


async def test_what_can_not_be_branched_from_is_refused(tmp_path: Path) -> None:
    """CHAT-4: in plain words, and nothing is written."""
    async with opened(tmp_path) as memory:
        with pytest.raises(NoSuchMessage, match="Nothing has been said yet"):
            await memory.branches.fork(0, "fork")
        await say(memory, 3)
        with pytest.raises(NoSuchMessage, match=r"no message 9 .* newest is message 3"):
            await memory.branches.fork(9, "fork")
        async with opened(tmp_path, wish=Wish(read_only=True)) as reader:
            with pytest.raises(ReadOnly):
                await reader.branches.fork(1, "fork")
            assert len(await reader.branches.list()) == 1


async def test_who_was_replaced_makes_no_branch(tmp_path: Path) -> None:
    """STORE-5, I5: the lease is looked at in the same transaction; nothing is left half made."""
    async with opened(tmp_path) as memory:
        await say(memory, 3)
        async with database_at(tmp_path) as database:
            await leases.acquire(database, memory.info.branch, "a thief", take_over=True)
            with pytest.raises(Conflict):
                await memory.branches.fork(2, "fork")
            assert await database.all("SELECT count(*) FROM branch") == [(1,)]
            assert await database.all("SELECT 1 FROM event WHERE kind = 'forked'") == []


async def test_a_branch_whose_events_are_refused_is_not_there(tmp_path: Path) -> None:
    """I5: branch and first event come together or not at all."""
    async with opened(tmp_path) as memory:
        await say(memory, 3)
        database, info = memory._journal.database, memory.info
        (stream,) = await database.one("SELECT stream FROM branch") or ("",)
        entry = (await memory.log())[0]
        twice = branches.NewBranch(stream, info.branch, 2, 1, None, [entry, entry])
        with pytest.raises(Exception, match="failed"):
            await branches.create(database, twice, memory._journal.held())
        assert await database.all("SELECT count(*) FROM branch") == [(1,)]


async def test_an_answer_on_its_way_stays_with_its_branch(tmp_path: Path) -> None:
    """CHAT-1: the draft of the parent is untouched, and becomes its message."""
    async with opened(tmp_path) as memory:
        await say(memory, 3)
        answer = memory.answer(await memory.prepare(await memory.prompt()))
        answer.grow("half of it")
        branch = await memory.branches.fork(1, "fork")
        await answer.close()
        assert (await texts_of(memory))[-1] == "half of it"
    async with opened(tmp_path, wish=Wish(branch=branch)) as memory:
        assert memory.state.messages == 1


async def test_the_first_look_sees_a_branch_as_it_will_open(tmp_path: Path) -> None:
    """ALL-7: shared messages, the beginning of the branch and its own."""
    branch = await forked(tmp_path, 11, 7)
    for own in (0, 3):
        async with in_(tmp_path, branch) as memory:
            await say(memory, own)
        seen = glance(tmp_path, Wish())
        assert seen is not None
        async with in_(tmp_path, branch) as memory:
            log = await memory.log()
        assert list(seen.recorded) == [e for e in log if isinstance(e.event, SHOWN)]
        assert seen.messages == 7 + own
        assert Forked.KIND in kinds(seen.recorded)


async def test_the_doctor_sees_every_branch_and_one_session(tmp_path: Path) -> None:
    """ALL-5: each log is whole; what is told of a session is that of its newest branch."""
    branch = await forked(tmp_path, 6, 4)
    async with in_(tmp_path, branch) as memory:
        log = await memory.log()
    with inspect(tmp_path / FILE_NAME) as database:
        rows = database.sessions()
        assert [row.n for row in log] == [row[0] for row in database.events(branch)]
    assert {row.messages for row in rows} == {4, 6}
    (newest,) = newest_of_each(rows)
    assert (newest.branch, newest.messages) == (branch, 4)


async def test_a_restored_session_branches_from_what_is_in_its_log(tmp_path: Path) -> None:
    """CHAT-4, STORE-3: what is only summarised there can't be gone back to."""
    async with opened(tmp_path, **SMALL) as memory:
        await say(memory, 12)
    (path,) = (tmp_path / "vault" / "context").glob("*.json")
    kept = read_context(json.loads(path.read_text("utf-8")), path.name)
    async with opened(tmp_path, session="restored", **SMALL) as memory:
        await memory.restore(kept)
        before = memory.state.before_log
        assert before > 1
        with pytest.raises(BeforeLog, match=f"Branches can begin at message {before} or later"):
            await memory.branches.fork(before - 1, "fork")
        first = await memory.branches.fork(before, "edit")
        said = await texts_of(memory)
    async with opened(tmp_path, session=None, wish=Wish(branch=first), **SMALL) as memory:
        assert memory.state.messages == memory.state.before_log == before
        check_coverage(memory.state)
        await memory.add("user", "otherwise")
        assert len(said) == 12 - before


async def test_the_vault_holds_the_branch_used_last(tmp_path: Path) -> None:
    """STORE-3: going back to the first branch writes its files again."""
    branch = await forked(tmp_path, 12, 6)
    (path,) = (tmp_path / "vault" / "context").glob("*.json")
    async with in_(tmp_path, branch) as memory:
        await memory.add("user", "only in the branch")
        first = (await memory.branches.list())[0].id
    assert "only in the branch" in path.read_text("utf-8")
    async with in_(tmp_path, first):
        pass
    assert "only in the branch" not in path.read_text("utf-8")
    assert "Note 12" in path.read_text("utf-8")


async def test_the_tables_stay_sound(tmp_path: Path) -> None:
    """I6: SQLite finds nothing dangling after branches of branches."""
    branch = await forked(tmp_path, 6, 4)
    async with in_(tmp_path, branch) as memory:
        await memory.add("user", "hello")
        await memory.branches.fork(5, "fork")
    with sqlite3.connect(tmp_path / FILE_NAME) as connection:
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        heads = connection.execute(
            "SELECT b.head, max(e.n) FROM branch b JOIN event e ON e.branch = b.id GROUP BY b.id"
        ).fetchall()
        assert all(head == newest for head, newest in heads)
    connection.close()
