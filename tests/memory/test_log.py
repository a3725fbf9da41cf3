"""The log: compare-and-swap, branches, checkpoints."""

from pathlib import Path

import pytest

from memory.answer import NewMessage
from memory.events import (
    Event,
    Message,
    RequestPrepared,
    SessionRenamed,
    SessionStarted,
)
from memory.fold import FOLD_VERSION, fold
from memory.ids import new_id
from memory.memory import Memory
from memory.parts import Ledger
from memory.privacy import Door
from memory.state import State
from memory.storage import checkpoints, leases
from memory.storage.database import Database, Transaction
from memory.storage.failures import Conflict
from memory.storage.log import Batch, Log, numbered
from memory.storage.sessions import SessionInfo, Sessions
from tests.memory.doubles import database_at, opened, ref, say

DOOR = Door()


async def new_session(database: Database) -> SessionInfo:
    return await Sessions(database).create(user="ada", agent="default", title="t")


async def append(database: Database, log: Log, head: int, *events: Event) -> None:
    lease = await leases.acquire(database, log.branch, "a test", take_over=True)
    bodies = {e.ref.body: DOOR.clean("hello") for e in events if isinstance(e, Message)}
    await log.append(Batch(numbered(events, head), bodies), lease)


async def fork(database: Database, log: Log, n: int) -> str:
    """A branch that sees its parent's events up to `n`."""
    branch = new_id()

    async def write(transaction: Transaction) -> None:
        await transaction.run(
            "INSERT INTO branch (id, stream, parent, parent_n, created_at, head, updated_at) "
            "VALUES (?, ?, ?, ?, '', ?, '')",
            (branch, log.stream, log.branch, n, n),
        )

    await database.write(write)
    return branch


def titles(events: list[Event]) -> list[str]:
    return [event.title for event in events if isinstance(event, SessionRenamed)]


async def read(log: Log) -> list[Event]:
    return [recorded.event for recorded in await log.read()]


async def test_an_append_at_a_head_that_moved_changes_nothing(tmp_path: Path) -> None:
    """STORE-5, I5: the second of two writers is refused, and leaves no trace."""
    async with database_at(tmp_path) as database:
        info = await new_session(database)
        log = await Log.open(database, info.branch)
        await append(database, log, 0, SessionRenamed("first"))

        with pytest.raises(Conflict, match="Another Strata has written"):
            await append(database, log, 0, Message(ref(1, body="lost"), "user"))

        assert titles(await read(log)) == ["first"]
        assert await database.all("SELECT 1 FROM body") == []


async def test_an_append_without_the_lease_changes_nothing(tmp_path: Path) -> None:
    """STORE-5: who was replaced can't write any more."""
    async with database_at(tmp_path) as database:
        info = await new_session(database)
        log = await Log.open(database, info.branch)
        old = await leases.acquire(database, info.branch, "old")
        await leases.acquire(database, info.branch, "new", take_over=True)

        with pytest.raises(Conflict, match="taken this session over"):
            await log.append(Batch(numbered([SessionRenamed("x")], 0)), old)

        assert await read(log) == []


async def test_all_events_of_a_batch_or_none(tmp_path: Path) -> None:
    """I5: a batch whose last event is refused leaves none of the others."""
    async with database_at(tmp_path) as database:
        info = await new_session(database)
        log = await Log.open(database, info.branch)
        twice = [Message(ref(1), "user"), Message(ref(1, body="other"), "user")]

        with pytest.raises(Exception, match="failed"):
            await append(database, log, 0, *twice)

        assert await read(log) == []
        assert (await database.all("SELECT head, messages FROM branch")) == [(0, 0)]


async def test_a_fork_sees_its_parents_events_and_its_own(tmp_path: Path) -> None:
    """Branches: numbering goes on, and neither sees what the other adds later."""
    async with database_at(tmp_path) as database:
        parent = await Log.open(database, (await new_session(database)).branch)
        await append(database, parent, 0, *[SessionRenamed(f"p{n}") for n in range(1, 5)])
        child = await Log.open(database, await fork(database, parent, 2))
        await append(database, child, 2, SessionRenamed("c3"), SessionRenamed("c4"))
        grandchild = await Log.open(database, await fork(database, child, 3))
        await append(database, parent, 4, SessionRenamed("p5"))
        await append(database, grandchild, 3, SessionRenamed("g4"))

        assert titles(await read(parent)) == ["p1", "p2", "p3", "p4", "p5"]
        assert titles(await read(child)) == ["p1", "p2", "c3", "c4"]
        assert titles(await read(grandchild)) == ["p1", "p2", "c3", "g4"]
        assert [r.n for r in await grandchild.read()] == [1, 2, 3, 4]
        newest = await grandchild.read_newest([SessionRenamed.KIND], 3)
        assert [r.n for r in newest] == [2, 3, 4]
        assert titles([r.event for r in newest]) == ["p2", "c3", "g4"]


async def test_messages_of_a_fork_are_found_by_number(tmp_path: Path) -> None:
    """Branches: the parent's later messages of the same numbers are not seen."""
    async with database_at(tmp_path) as database:
        parent = await Log.open(database, (await new_session(database)).branch)
        spoken = [Message(ref(n, body=f"p{n}"), "user") for n in range(1, 4)]
        await append(database, parent, 0, *spoken)
        child = await Log.open(database, await fork(database, parent, 2))
        await append(database, child, 2, Message(ref(3, body="c3"), "user"))

        found = [r.event for r in await child.messages(1, 9)]

        assert [e.ref.body for e in found if isinstance(e, Message)] == ["p1", "p2", "c3"]


async def test_a_request_is_found_without_reading_the_log(tmp_path: Path) -> None:
    """PROMPT-5, ALL-7: what it costs to find one does not grow with their number."""
    async with database_at(tmp_path) as database:
        log = await Log.open(database, (await new_session(database)).branch)
        prepared = [request_prepared(n) for n in range(2_000)]
        await append(database, log, 0, *prepared[:20])
        short = [await steps_to_find(database, log, event) for event in prepared[:20]]
        await append(database, log, 20, *prepared[20:])
        long = [await steps_to_find(database, log, event) for event in prepared[::99]]

        assert max(long) < 2 * max(short)
        assert await log.ledger("request 2000") is None


async def test_a_fork_has_the_requests_of_its_parent_up_to_the_fork(tmp_path: Path) -> None:
    """PROMPT-5: a request that the parent made later is none of the fork's."""
    async with database_at(tmp_path) as database:
        parent = await Log.open(database, (await new_session(database)).branch)
        await append(database, parent, 0, *[request_prepared(n) for n in range(4)])
        child = await Log.open(database, await fork(database, parent, 2))
        await append(database, child, 2, request_prepared(9))

        found = [await child.ledger(f"request {n}") for n in (0, 1, 2, 3, 9)]

        assert [ledger.n if ledger else None for ledger in found] == [0, 1, None, None, 9]


def request_prepared(n: int) -> RequestPrepared:
    """A request whose ledger tells its number by the state it names."""
    ledger = Ledger(
        renderer=1,
        n=n,
        digest="",
        system=None,
        long_term=None,
        short_term=None,
        first=1,
        last=n,
        left_out=None,
        shortened=(),
    )
    return RequestPrepared(f"request {n}", ledger)


async def steps_to_find(database: Database, log: Log, event: RequestPrepared) -> int:
    """How many steps of its machine SQLite takes to find a request."""
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    await database._connection.set_progress_handler(count, 1)
    assert await log.ledger(event.request) == event.ledger
    await database._connection.set_progress_handler(None, 0)  # type: ignore[arg-type]
    return steps


async def test_events_of_rare_kinds_are_read_in_order(tmp_path: Path) -> None:
    """The newest of several kinds, oldest first."""
    async with database_at(tmp_path) as database:
        log = await Log.open(database, (await new_session(database)).branch)
        events: list[Event] = [SessionStarted("default", "ada")]
        events += [SessionRenamed(f"t{n}") for n in range(6)]
        await append(database, log, 0, *events)

        newest = await log.read_newest([SessionStarted.KIND, SessionRenamed.KIND], 3)

        assert [recorded.n for recorded in newest] == [5, 6, 7]


async def test_a_checkpoint_gives_the_state_that_the_whole_log_gives(tmp_path: Path) -> None:
    """The fold from a checkpoint and from the beginning are equal, at every event."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 30)
        journal = memory._journal
        whole = await memory.log()
        await checkpoints.keep(journal.database, journal.log.branch, fold(whole[:20]))

        for n in (20, 21, 30, len(whole)):
            at = await checkpoints.state_at(journal.database, journal.log, n)
            assert at == fold(whole[:n])


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data", "not json"),
        ("data", '{"n": "many"}'),
        ("data", "{}"),
        ("data", '{"n": 7}'),
        ("fold_version", FOLD_VERSION + 1),
    ],
)
async def test_a_checkpoint_that_cannot_be_used_is_ignored(
    tmp_path: Path, column: str, value: object
) -> None:
    """Checkpoints are disposable: the log gives the same state."""
    async with opened(tmp_path, profile="stress") as memory:
        await say(memory, 12)
        journal = memory._journal
        await checkpoints.keep(journal.database, journal.log.branch, memory.state)

        async def damage(transaction: Transaction) -> None:
            await transaction.run(f"UPDATE checkpoint SET {column} = ?", (value,))

        await journal.database.write(damage)

        assert await checkpoints.state_at(journal.database, journal.log) == memory.state


async def test_checkpoints_come_every_five_hundred_events(tmp_path: Path) -> None:
    """Nobody folds a long log from its beginning."""
    async with opened(tmp_path, policy="none") as memory:
        await add_quickly(memory, 1_100)
        rows = await memory._journal.database.all("SELECT n FROM checkpoint ORDER BY n")

        assert len(rows) == 2
        assert all(n >= 500 for (n,) in rows)


async def test_a_checkpoint_that_cannot_be_written_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """I5: the message is on disk, so it must not be reported as lost."""

    async def refuse(*_: object) -> None:
        raise Conflict("no room")

    async with opened(tmp_path, policy="none") as memory:
        await add_quickly(memory, 490)
        monkeypatch.setattr(checkpoints, "keep", refuse)
        for _ in range(20):
            await memory.add("user", "hello")

        assert memory.state.messages == 510
        assert fold(await memory.log()) == memory.state


async def add_quickly(memory: Memory, count: int) -> None:
    await memory.add_all([NewMessage("user", f"message {n}", "import") for n in range(count)])


async def test_an_empty_log_folds_to_nothing() -> None:
    """The fold begins from an empty state."""
    assert fold([]) == State()
