"""Who may write to a branch: one holder at a time, with an epoch that only grows."""

import os
import platform
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from memory.clock import format_time, parse_time
from memory.errors import StrataError
from memory.ids import new_id
from memory.processes import process_lives
from memory.storage.database import Database, Row, Transaction
from memory.storage.failures import Conflict

LEASE_SECONDS = 20
"""A holder that has not renewed for this long may be replaced."""
RENEW_SECONDS = 5


class SessionHeld(StrataError):
    """Another process writes to the session."""

    def __init__(self, label: str) -> None:
        super().__init__(
            f"The session is open in {label}.",
            "Close it there, or name another session with --session NAME.",
        )
        self.label = label


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to append to a branch, while `epoch` is the newest."""

    branch: str
    holder: str
    epoch: int


async def acquire(database: Database, branch: str, label: str, *, take_over: bool = False) -> Lease:
    """Takes the lease of a branch.

    Args:
        database: Where the branch is.
        branch: The branch's id.
        label: What the holder is, for others to read, such as "the chat (process 4711)".
        take_over: Take it from a living holder as well.

    Raises:
        SessionHeld: Somebody living holds it.
    """
    holder = new_id()

    async def write(transaction: Transaction) -> Lease:
        row = await transaction.one(
            "SELECT label, host, pid, epoch, expires_at FROM lease WHERE branch = ?", (branch,)
        )
        if row is not None and not take_over and _is_alive(row):
            raise SessionHeld(row[0])
        epoch = 1 if row is None else row[3] + 1
        await transaction.run(
            "INSERT OR REPLACE INTO lease VALUES (?, ?, ?, ?, ?, ?, ?)",
            (branch, holder, label, platform.node(), os.getpid(), epoch, _expiry()),
        )
        return Lease(branch, holder, epoch)

    return await database.write(write)


async def renew(database: Database, lease: Lease) -> None:
    """Puts off the lease's end.

    Raises:
        Conflict: The session was taken over.
    """

    async def write(transaction: Transaction) -> None:
        await assert_held(transaction, lease)
        await transaction.run(
            "UPDATE lease SET expires_at = ? WHERE branch = ?", (_expiry(), lease.branch)
        )

    await database.write(write)


async def release(database: Database, lease: Lease) -> None:
    """Gives the lease back; its epoch stays, so that an old holder can't come back."""

    async def write(transaction: Transaction) -> None:
        await transaction.run(
            "UPDATE lease SET expires_at = '', pid = 0 WHERE branch = ? AND holder = ?",
            (lease.branch, lease.holder),
        )

    await database.write(write)


async def holder_of(database: Database | Transaction, branch: str) -> str | None:
    """The label of the living holder of a branch, or None."""
    row = await database.one(
        "SELECT label, host, pid, epoch, expires_at FROM lease WHERE branch = ?", (branch,)
    )
    return None if row is None else living_holder(row)


def living_holder(row: Row) -> str | None:
    """The label in a row of leases (label, host, pid, epoch, expiry) if its process lives."""
    return row[0] if _is_alive(row) else None


async def assert_held(transaction: Transaction, lease: Lease) -> None:
    """Refuses the transaction where the lease has passed to somebody else.

    Raises:
        Conflict: It has.
    """
    row = await transaction.one(
        "SELECT 1 FROM lease WHERE branch = ? AND holder = ? AND epoch = ?",
        (lease.branch, lease.holder, lease.epoch),
    )
    if row is None:
        raise Conflict(
            "Another Strata has taken this session over.",
            "What was said up to then is kept. Open the session again to go on here.",
        )


def _expiry() -> str:
    return format_time(datetime.now(UTC) + timedelta(seconds=LEASE_SECONDS))


def _is_alive(row: Row) -> bool:
    _, host, pid, _, expires_at = row
    if not expires_at or parse_time(expires_at) < datetime.now(UTC):
        return False
    return host != platform.node() or process_lives(pid)
