"""Which events of a session's branches can be found, where one took the place of another.

An edited question or an answer made again begins a branch beside what was said before; what is
found is the one that was used last, so going back makes the older one found again. A branch that
was begun as such lives beside the one it came from, and both are found.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.storage.database import Transaction
from memory.storage.log import ALL
from memory.storage.passages import ABANDONED

ROWS = (
    "SELECT b.id, ifnull(b.parent, ''), ifnull(b.parent_n, 0), "
    "ifnull(json_extract(f.data, '$.reason'), ''), b.updated_at, b.hidden "
    "FROM branch b LEFT JOIN event f "
    "ON f.branch = b.id AND f.n = b.parent_n + 1 AND f.kind = 'forked' "
    "WHERE b.stream = ? ORDER BY b.created_at, b.id"
)
ALTERNATIVES = ("edit", "regenerate")


@dataclass(frozen=True, slots=True)
class Limb:
    """A branch as one that takes the place of another, or does not."""

    id: str
    parent: str
    parent_n: int
    reason: str
    used: str
    """When it was last written or gone to."""
    hidden: int = 0


async def follow_branches(transaction: Transaction, stream: str) -> None:
    """Has passages of what was abandoned left out of searches, and those of the rest found."""
    rows = await transaction.all(ROWS, (stream,))
    if len(rows) == 1:
        return
    for branch, last in reaches([Limb(*row) for row in rows]).items():
        await transaction.run(
            f"UPDATE passage SET hidden = hidden | {ABANDONED} "
            f"WHERE branch = ? AND n > ? AND NOT hidden & {ABANDONED}",
            (branch, last),
        )
        await transaction.run(
            f"UPDATE passage SET hidden = hidden & ~{ABANDONED} "
            f"WHERE branch = ? AND n <= ? AND hidden & {ABANDONED}",
            (branch, last),
        )


def reaches(limbs: Sequence[Limb]) -> dict[str, int]:
    """For each branch the last of its events that can be found. Pure.

    Args:
        limbs: The branches of a session, parents before their children.
    """
    children: dict[str, list[Limb]] = {limb.id: [] for limb in limbs}
    for limb in limbs:
        if limb.parent in children:
            children[limb.parent].append(limb)
    used: dict[str, str] = {}
    for limb in reversed(limbs):
        own = "" if limb.hidden else limb.used
        used[limb.id] = max((own, *(used[child.id] for child in children[limb.id])))
    reach: dict[str, int] = {}
    for limb in limbs:
        last = reach.setdefault(limb.id, 0 if limb.hidden else ALL)
        for place in sorted({c.parent_n for c in children[limb.id] if c.reason in ALTERNATIVES}):
            last = min(last, _contest(limb, place, children[limb.id], used, reach))
        # Whoever began a branch on purpose keeps the past that it shares.
        kept = [c.parent_n for c in children[limb.id] if limb.hidden or _lives(c)]
        reach[limb.id] = max((last, *kept)) if last < ALL else ALL
    return reach


def _contest(
    limb: Limb, place: int, children: Iterable[Limb], used: dict[str, str], reach: dict[str, int]
) -> int:
    """How far a branch is found where others stand in the place of what follows an event."""
    there = [c for c in children if c.parent_n == place and c.reason in ALTERNATIVES]
    beyond = [used[c.id] for c in children if c.parent_n > place]
    own = max(("" if limb.hidden else limb.used, *beyond))
    newest = max(there, key=lambda child: used[child.id])
    stays = own > used[newest.id]
    for child in there:
        if stays or child.id != newest.id:
            reach[child.id] = 0
    if stays:
        return ALL
    for child in children:
        if child.parent_n > place and child.reason in ALTERNATIVES:
            reach[child.id] = 0
    return place


def _lives(limb: Limb) -> bool:
    return limb.reason not in ALTERNATIVES and not limb.hidden
