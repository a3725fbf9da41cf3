"""States kept along the log, so that nobody folds from the beginning. Disposable."""

from functools import cache

from pydantic import TypeAdapter, ValidationError

from memory.fold import FOLD_VERSION, fold
from memory.state import State
from memory.storage.database import Database, Transaction
from memory.storage.log import ALL, Log

EVERY = 500
"""Events between two checkpoints."""


async def state_at(database: Database, log: Log, n: int = ALL) -> State:
    """The state after event `n` of a branch: nearest checkpoint, then the events since."""
    start = await nearest(database, log, n)
    return fold(await log.read(after=start.n, upto=n), start)


async def keep(database: Database, branch: str, state: State) -> None:
    """Writes a checkpoint of the state, in place of an older one among the same 500 events."""
    data = _adapter().dump_json(state, exclude_defaults=True).decode()

    async def write(transaction: Transaction) -> None:
        await transaction.run(
            "DELETE FROM checkpoint WHERE branch = ? AND n BETWEEN ? AND ?",
            (branch, state.n - state.n % EVERY, state.n),
        )
        await transaction.run(
            "INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)",
            (branch, state.n, FOLD_VERSION, data),
        )

    await database.write(write)


def is_due(before: int, after: int) -> bool:
    """Whether a checkpoint belongs between two heads."""
    return before // EVERY != after // EVERY


async def nearest(database: Database, log: Log, n: int) -> State:
    """The state of the last checkpoint up to event `n` of a branch; an empty one without any."""
    for segment in reversed(log.segments):
        row = await database.one(
            "SELECT n, data FROM checkpoint WHERE branch = ? AND n <= ? AND fold_version = ? "
            "ORDER BY n DESC LIMIT 1",
            (segment.branch, min(n, segment.high), FOLD_VERSION),
        )
        if row is not None:
            try:
                state = _adapter().validate_json(row[1])
            except ValidationError:
                # A checkpoint is only a shortcut: the log itself gives the same state.
                continue
            if state.n == row[0]:
                return state
    return State()


@cache
def _adapter() -> TypeAdapter[State]:
    return TypeAdapter(State)
