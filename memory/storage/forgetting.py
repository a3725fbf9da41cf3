"""Takes texts away for good: one transaction, after which nothing but the file's pages has them."""

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter

from memory.clock import utc_now
from memory.codec import encode
from memory.events import Event
from memory.fact_events import FactForgotten
from memory.forgetting_events import Forgotten, ForgottenBy
from memory.parts import Origin, Role
from memory.quoting import Quotes, without_arguments
from memory.storage import passages, unsent
from memory.storage.bodies import erase
from memory.storage.database import Row, Transaction
from memory.storage.leases import living_holder
from memory.storage.passages import Place
from memory.storage.quoted import Cut, Reader, cuts, with_helpers
from memory.storage.sources import PassageKind, Source

_WORDY: Mapping[str, frozenset[str]] = {
    "session_started": frozenset({"title"}),
    "session_renamed": frozenset({"title"}),
    "value_set": frozenset({"name"}),
    "value_removed": frozenset({"name"}),
    "preference_set": frozenset({"name"}),
    "preferences": frozenset({"name"}),
    "step": frozenset({"name"}),
    "compaction_failed": frozenset({"reason"}),
    "content_stored": frozenset({"source", "tags"}),
    "content_marked": frozenset({"tags"}),
    "recalled": frozenset({"why_not"}),
}
"""Words that stand in events themselves, by kind: names and titles."""
_NAMING = (
    "SELECT e.branch, e.n, e.kind, e.data FROM branch b CROSS JOIN event e INDEXED BY event_kind "
    "ON e.branch = b.id AND e.kind NOT IN ('message', 'request', 'attempt') "
    "WHERE b.stream IN (SELECT value FROM json_each(?)) "
    "AND e.kind IN (SELECT value FROM json_each(?))"
)
_SAYING = (
    "SELECT e.branch, e.n, e.number FROM json_each(?1) w CROSS JOIN branch b "
    "CROSS JOIN event e INDEXED BY event_body ON e.branch = b.id AND e.kind = 'message' "
    "AND json_extract(e.data, '$.ref.body') = w.value "
    "WHERE b.stream IN (SELECT value FROM json_each(?2))"
)
_COLUMNS = (
    "kind, body, role, origin, name, number, importance, pinned, tags, at, "
    "stream, branch, n, hidden"
)


@dataclass(frozen=True, slots=True)
class Doomed:
    """What is to go, by ids; the same wherever it is carried out, also after a kill."""

    streams: tuple[str, ...]
    """The sessions it is from, whose texts are gone through for quotes."""
    bodies: tuple[str, ...] = ()
    """Texts of messages and stored content."""
    calls: tuple[str, ...] = ()
    reasoning: tuple[str, ...] = ()
    items: tuple[tuple[str, str], ...] = ()
    """Content with texts of its own: stream and id."""
    facts: tuple[tuple[str, str], ...] = ()
    """The streams of agents, and ids of facts."""
    fact_bodies: tuple[str, ...] = ()
    summaries: tuple[str, ...] = ()
    """Summaries that go by their age, not for what they quote."""
    needles: tuple[str, ...] = ()
    unsent: tuple[str, ...] = ()
    """Branches in which what was begun to be written is too old."""
    by: ForgottenBy = "user"

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that quotes would be of."""
        return (*self.bodies, *self.calls, *self.reasoning)

    def __bool__(self) -> bool:
        named = self.bodies or self.facts or self.items or self.summaries
        return bool(named or self.needles or self.unsent)


@dataclass(slots=True)
class Gone:
    """What one transaction took away."""

    at: str
    passages: list[int] = field(default_factory=list)
    cut: Counter[str] = field(default_factory=Counter)
    """Texts that quoted, by the kind of the event that names them."""
    renamed: bool = False
    """Whether words stood in events, so that states have to be made anew."""


async def carry_out(
    transaction: Transaction, doomed: Doomed, quotes: Quotes, own: str | None
) -> Gone:
    """Takes everything away that is to go, in the transaction.

    Args:
        transaction: The transaction.
        doomed: What is to go.
        quotes: By what quotes of it are known.
        own: The branch whose lease is ours; None where there is none.
    """
    gone = Gone(utc_now())
    found = await cuts(transaction, doomed.streams, quotes, (*doomed.texts, *doomed.summaries))
    gone.cut.update(cut.kind for cut in found)
    erased = (*doomed.bodies, *doomed.fact_bodies, *doomed.summaries)
    whole = json.dumps([*erased, *doomed.calls, *doomed.reasoning])
    await _note_bytes(transaction, whole)
    gone.passages += await passages.remove(
        transaction, "p.body IN (SELECT value FROM json_each(?))", (json.dumps(erased),)
    )
    await erase(transaction, erased, gone.at)
    await _empty_parts(transaction, doomed)
    gone.passages += await replace_texts(transaction, found)
    await unsent.remove(transaction, doomed.unsent)
    await unsent.cut(transaction, doomed.streams, quotes)
    gone.renamed = await _rename(transaction, doomed.streams, quotes)
    await _drop_copies(transaction, doomed.streams, renamed=gone.renamed)
    await _leave_tombstones(transaction, doomed, sum(gone.cut.values()), own)
    await _end_facts(transaction, doomed, gone.at)
    return gone


async def replace_texts(transaction: Transaction, found: Sequence[Cut]) -> list[int]:
    """Puts what is left of texts in their place, and makes them findable by it; passages gone."""
    bodies = json.dumps([cut.body for cut in found])
    which = "p.body IN (SELECT value FROM json_each(?))"
    rows = await transaction.all(
        f"SELECT DISTINCT {_COLUMNS} FROM passage p WHERE {which}", (bodies,)
    )
    gone = await passages.remove(transaction, which, (bodies,))
    await transaction.many(
        "UPDATE stream SET bytes = bytes - ?2 WHERE id = (SELECT stream FROM body WHERE id = ?1)",
        [(cut.body, len(cut.before.encode()) - len(cut.after.encode())) for cut in found],
    )
    await transaction.many(
        "UPDATE body SET text = ?2 WHERE id = ?1", [(cut.body, cut.after) for cut in found]
    )
    await transaction.many("DELETE FROM token_count WHERE body = ?", [(c.body,) for c in found])
    for row in rows:
        await _find_again(transaction, row)
    return gone


async def _find_again(transaction: Transaction, row: Row) -> None:
    kind, body, role, origin, name, number, importance, pinned, tags, at, *place, hidden = row
    stream, branch, n = place
    source = Source(
        kind=cast(PassageKind, kind),
        body=body,
        role=cast(Role, role),
        origin=cast(Origin, origin),
        name=name,
        number=number,
        importance=importance,
        pinned=bool(pinned),
        tags=tuple(json.loads(tags)),
        at=at,
    )
    await passages.add(transaction, Place(stream, branch, n, at), source)
    if hidden:
        await transaction.run(
            "UPDATE passage SET hidden = ? WHERE body = ? AND branch = ? AND n = ?",
            (hidden, body, branch, n),
        )


async def _note_bytes(transaction: Transaction, bodies: str) -> None:
    await transaction.run(
        "UPDATE stream SET bytes = max(0, bytes - (SELECT ifnull(sum(length(CAST(b.text AS BLOB)))"
        ", 0) FROM body b WHERE b.stream = stream.id "
        "AND b.id IN (SELECT value FROM json_each(?1)))) WHERE id IN "
        "(SELECT stream FROM body WHERE id IN (SELECT value FROM json_each(?1)))",
        (bodies,),
    )


async def _empty_parts(transaction: Transaction, doomed: Doomed) -> None:
    """Empties calls and reasoning; ids and names stay, so that results still have their calls."""
    await transaction.many(
        "DELETE FROM token_count WHERE body = ?",
        [(body,) for body in (*doomed.calls, *doomed.reasoning)],
    )
    await transaction.many(
        "UPDATE body SET text = '{}' WHERE id = ? AND text IS NOT NULL",
        [(body,) for body in doomed.reasoning],
    )
    for body in doomed.calls:
        row = await transaction.one("SELECT text FROM body WHERE id = ?", (body,))
        if row is not None and row[0] is not None:
            await transaction.run(
                "UPDATE body SET text = ? WHERE id = ?", (without_arguments(row[0]), body)
            )


async def _rename(transaction: Transaction, streams: Collection[str], quotes: Quotes) -> bool:
    """Takes quotes out of titles and names; whether there were any."""
    within = json.dumps(await with_helpers(transaction, streams))
    titles = await transaction.all(
        "SELECT id, title FROM stream WHERE title IS NOT NULL "
        "AND id IN (SELECT value FROM json_each(?))",
        (within,),
    )
    named = [(left, id) for id, title in titles if (left := quotes.title(title)) is not None]
    await transaction.many("UPDATE stream SET title = ? WHERE id = ?", named)
    changed = []
    for branch, n, kind, data in await transaction.all(_NAMING, (within, json.dumps([*_WORDY]))):
        fields = json.loads(data)
        left = _named(fields, _WORDY[kind], quotes)
        if left != fields:
            changed.append((json.dumps(left, ensure_ascii=False), branch, n))
    await transaction.many("UPDATE event SET data = ? WHERE branch = ? AND n = ?", changed)
    return bool(named or changed)


def _named(value: Any, keys: frozenset[str], quotes: Quotes, *, wordy: bool = False) -> Any:
    if isinstance(value, dict):
        return {key: _named(part, keys, quotes, wordy=key in keys) for key, part in value.items()}
    if isinstance(value, list):
        return [_named(part, keys, quotes, wordy=wordy) for part in value]
    if wordy and isinstance(value, str):
        left = quotes.title(value)
        return value if left is None else left
    return value


async def _drop_copies(
    transaction: Transaction, streams: Collection[str], *, renamed: bool
) -> None:
    """Drops what can be made again, or was only on its way."""
    within = json.dumps(await with_helpers(transaction, streams))
    branches = "(SELECT id FROM branch WHERE stream IN (SELECT value FROM json_each(?)))"
    await transaction.run("DELETE FROM summary_cache")
    await transaction.run(f"DELETE FROM draft WHERE branch IN {branches}", (within,))
    if renamed:
        await transaction.run(f"DELETE FROM checkpoint WHERE branch IN {branches}", (within,))


async def _leave_tombstones(
    transaction: Transaction, doomed: Doomed, cut: int, own: str | None
) -> None:
    numbers = await numbers_of(transaction, doomed)
    items: dict[str, list[str]] = defaultdict(list)
    for stream, item in doomed.items:
        items[stream].append(item)
    rows = await transaction.all(
        "SELECT b.id, b.stream FROM branch b JOIN stream s ON s.id = b.stream "
        "WHERE s.kind = 'session' AND s.id IN (SELECT value FROM json_each(?))",
        (json.dumps(doomed.streams),),
    )
    for branch, stream in rows:
        told = Forgotten(
            ranges(numbers.get(branch, ())), tuple(items.get(stream, ())), cut, doomed.by
        )
        if told.numbers or told.items or (cut and len(doomed.streams) == 1):
            await _tell_branch(transaction, branch, told, own)


async def _tell_branch(
    transaction: Transaction, branch: str, told: Forgotten, own: str | None
) -> None:
    """Appends a tombstone, or leaves it to the process that writes to the branch."""
    lease = await transaction.one(
        "SELECT label, host, pid, epoch, expires_at FROM lease WHERE branch = ?", (branch,)
    )
    if branch != own and lease is not None and living_holder(lease) is not None:
        await transaction.run(
            "INSERT INTO tombstone (branch, data) VALUES (?, ?)", (branch, encode(told))
        )
    else:
        await append_beside(transaction, branch, [told])


async def append_beside(transaction: Transaction, branch: str, events: Sequence[Event]) -> None:
    """Appends events to a branch that nobody else writes to."""
    row = await transaction.one("SELECT head FROM branch WHERE id = ?", (branch,))
    if row is None:
        return
    at = utc_now()
    await transaction.many(
        "INSERT INTO event VALUES (?, ?, ?, ?, ?, NULL, ?)",
        [
            (branch, n, at, event.KIND, event.VERSION, encode(event))
            for n, event in enumerate(events, start=row[0] + 1)
        ],
    )
    await transaction.run("UPDATE branch SET head = ? WHERE id = ?", (row[0] + len(events), branch))


async def numbers_of(transaction: Reader, doomed: Doomed) -> Mapping[str, Iterable[int]]:
    """The numbers of the messages in each branch that has them, also by its parents."""
    bodies, streams = json.dumps(doomed.bodies), json.dumps(doomed.streams)
    said: dict[str, dict[int, int]] = defaultdict(dict)
    for branch, n, number in await transaction.all(_SAYING, (bodies, streams)):
        said[branch][n] = number
    rows = await transaction.all(
        "SELECT id, parent, ifnull(parent_n, 0) FROM branch "
        "WHERE stream IN (SELECT value FROM json_each(?)) ORDER BY created_at, id",
        (streams,),
    )
    for branch, parent, upto in rows:
        shared = {n: number for n, number in said.get(parent or "", {}).items() if n <= upto}
        said[branch] = shared | said.get(branch, {})
    return {branch: sorted(of.values()) for branch, of in said.items()}


async def _end_facts(transaction: Transaction, doomed: Doomed, at: str) -> None:
    """Ends facts in their agents' streams; their texts are erased with the others."""
    by_stream: dict[str, list[Event]] = defaultdict(list)
    for stream, id in doomed.facts:
        by_stream[stream].append(FactForgotten(id))
    for stream, events in by_stream.items():
        row = await transaction.one("SELECT id FROM branch WHERE stream = ?", (stream,))
        if row is not None:
            await append_beside(transaction, row[0], events)


def ranges(numbers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """Numbers as ranges (inclusive)."""
    found: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        if found and found[-1][1] == number - 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return tuple(found)


def to_json(doomed: Doomed) -> str:
    """As it stands in the database while it is carried out."""
    return _adapter().dump_json(doomed, exclude_defaults=True).decode()


def from_json(text: str) -> Doomed:
    """What `to_json` wrote."""
    return _adapter().validate_json(text)


@cache
def _adapter() -> TypeAdapter[Doomed]:
    return TypeAdapter(Doomed)
