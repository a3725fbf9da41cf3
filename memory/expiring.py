"""What has become too old to be kept, by kind (RECALL-7).

Age goes before everything but pins: what is old goes also where it stands in a window. Messages
that are pinned, system messages and pinned facts stay. A fact lives longer the more it matters.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory.clock import format_time, parse_time
from memory.config import PrivacyConfig
from memory.dooming import facts_of
from memory.storage import checkpoints
from memory.storage.agents import Agents
from memory.storage.database import Database
from memory.storage.forgetting import Doomed
from memory.storage.log import Log, Segment
from memory.storage.unsent import older

WEIGHT = 3.0
"""How much longer a fact lives that matters most: once its days, and three times more."""
_OLD = (
    "SELECT b.stream, e.branch, e.n, e.number, e.data "
    "FROM event e JOIN branch b ON b.id = e.branch "
    "JOIN body t ON t.id = json_extract(e.data, '$.ref.body') AND t.text IS NOT NULL "
    "WHERE e.kind = 'message' AND e.at < ? "
    "AND (json_extract(e.data, '$.ref.role') = 'tool') = ? "
    "AND json_extract(e.data, '$.ref.role') <> 'system'"
)
_STORED = (
    "SELECT b.stream, e.data FROM branch b CROSS JOIN event e INDEXED BY event_kind "
    "ON e.branch = b.id AND e.kind = 'content_stored' "
    "AND e.kind NOT IN ('message', 'request', 'attempt') WHERE e.at < ?"
)
_SUMMED_UP = (
    "SELECT b.stream, e.data FROM branch b CROSS JOIN event e INDEXED BY event_kind "
    "ON e.branch = b.id AND e.kind IN ('compaction', 'summary_rewritten', 'restored') "
    "AND e.kind NOT IN ('message', 'request', 'attempt')"
)
_BRANCHES = "SELECT id FROM branch WHERE stream = ?"
_LEFT = "SELECT id FROM body WHERE text IS NOT NULL AND id IN (SELECT value FROM json_each(?))"


@dataclass(slots=True)
class Expired:
    """What is too old."""

    streams: dict[str, None] = field(default_factory=dict)
    bodies: dict[str, None] = field(default_factory=dict)
    calls: dict[str, None] = field(default_factory=dict)
    reasoning: dict[str, None] = field(default_factory=dict)
    items: dict[tuple[str, str], None] = field(default_factory=dict)
    summaries: dict[str, None] = field(default_factory=dict)
    facts: list[tuple[str, str]] = field(default_factory=list)
    fact_bodies: list[str] = field(default_factory=list)
    unsent: list[str] = field(default_factory=list)
    """Branches."""
    messages: int = 0
    contents: int = 0

    @property
    def doomed(self) -> Doomed:
        """What is to go."""
        return Doomed(
            tuple(self.streams),
            bodies=tuple(self.bodies),
            calls=tuple(self.calls),
            reasoning=tuple(self.reasoning),
            items=tuple(self.items),
            facts=tuple(self.facts),
            fact_bodies=tuple(self.fact_bodies),
            summaries=tuple(self.summaries),
            unsent=tuple(self.unsent),
            by="age",
        )

    @property
    def told(self) -> str:
        """How much it is, in words; empty for nothing."""
        kinds = {
            "message": self.messages,
            "stored text": self.contents,
            "fact": len(self.facts),
            "summary": len(self.summaries),
            "unsent text": len(self.unsent),
        }
        parts = [f"{n:,} {_plural(kind, n)}" for kind, n in kinds.items() if n]
        return ", ".join(parts)


def keeps_for_ever(privacy: PrivacyConfig) -> bool:
    """Whether nothing ever becomes too old."""
    return not (
        privacy.keep_messages_days
        or privacy.keep_content_days
        or privacy.keep_facts_days
        or privacy.keep_summaries_days
    )


async def expired(database: Database, privacy: PrivacyConfig, now: datetime) -> Expired:
    """What has become too old by now, in all sessions of all agents.

    Raises:
        StorageError: The database refused.
    """
    found = Expired()
    if privacy.keep_messages_days:
        oldest = _before(now, privacy.keep_messages_days)
        found.messages = await _messages(database, found, oldest, tools=False)
        found.unsent = await older(database, oldest)
    if privacy.keep_content_days:
        oldest = _before(now, privacy.keep_content_days)
        found.contents = await _messages(database, found, oldest, tools=True)
        found.contents += await _items(database, found, oldest)
    if privacy.keep_summaries_days:
        await _summaries(database, found, _before(now, privacy.keep_summaries_days))
    if privacy.keep_facts_days:
        await _facts(database, found, privacy.keep_facts_days, now)
    return found


async def _messages(database: Database, found: Expired, oldest: str, *, tools: bool) -> int:
    rows = await database.all(_OLD, (oldest, tools))
    pinned: dict[str, list[_Pinned]] = {}
    staying: set[str] = set()
    aged: list[tuple[str, dict[str, Any]]] = []
    for stream, branch, n, number, data in rows:
        if stream not in pinned:
            pinned[stream] = await _pinned(database, stream)
        ref = json.loads(data)["ref"]
        if any(one.has(branch, n, number) for one in pinned[stream]):
            staying.add(ref["body"])
        aged.append((stream, ref))
    before = len(found.bodies)
    for stream, ref in aged:
        if ref["body"] not in staying:
            found.streams[stream] = None
            found.bodies[ref["body"]] = None
            if ref.get("calls"):
                found.calls[ref["calls"]] = None
            if ref.get("reasoning"):
                found.reasoning[ref["reasoning"]] = None
    return len(found.bodies) - before


@dataclass(frozen=True, slots=True)
class _Pinned:
    """The messages that one branch of a session keeps word for word, also of those it came from."""

    numbers: frozenset[int]
    segments: tuple[Segment, ...]

    def has(self, branch: str, n: int, number: int) -> bool:
        """Whether a message of an event is one of them."""
        return number in self.numbers and any(
            part.branch == branch and part.low <= n <= part.high for part in self.segments
        )


async def _pinned(database: Database, stream: str) -> list[_Pinned]:
    """What the branches of a session keep, as far as they keep anything."""
    found: list[_Pinned] = []
    for (branch,) in await database.all(_BRANCHES, (stream,)):
        log = await Log.open(database, branch)
        state = await checkpoints.state_at(database, log)
        numbers = state.pinned_numbers | {ref.number for ref in state.folding.pinned}
        if numbers:
            found.append(_Pinned(numbers, log.segments))
    return found


async def _items(database: Database, found: Expired, oldest: str) -> int:
    """Content with texts of its own; what is part of a message goes with it."""
    items = {
        item["body"]: (stream, item["id"])
        for stream, data in await database.all(_STORED, (oldest,))
        for item in json.loads(data).get("items", ())
        if item.get("number") is None
    }
    left = await database.all(_LEFT, (json.dumps(list(items)),))
    fresh = [body for (body,) in left if body not in found.bodies]
    for body in fresh:
        found.streams[items[body][0]] = None
        found.bodies[body] = None
        found.items[items[body]] = None
    return len(fresh)


async def _summaries(database: Database, found: Expired, oldest: str) -> None:
    aged: dict[str, str] = {}
    for stream, data in await database.all(_SUMMED_UP):
        for summary in _summaries_in(json.loads(data)):
            if summary["made_at"] < oldest:
                aged |= {body: stream for body in (summary["body"], summary.get("details")) if body}
    for (body,) in await database.all(_LEFT, (json.dumps(list(aged)),)):
        found.streams[aged[body]] = None
        found.summaries[body] = None


def _summaries_in(fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for key in ("long_term", "short_term", "summary"):
        if fields.get(key):
            yield fields[key]


async def _facts(database: Database, found: Expired, days: float, now: datetime) -> None:
    for agent in await Agents(database).names():
        stream, facts = await facts_of(database, agent)
        for fact in facts.values():
            lives = timedelta(days=days * (1 + WEIGHT * fact.importance))
            changed = parse_time(fact.changed_at or fact.learned_at)
            if not fact.pinned and now - changed > lives:
                found.facts.append((stream, fact.id))
                found.fact_bodies += (fact.body, *fact.earlier)


def _before(now: datetime, days: float) -> str:
    return format_time(now - timedelta(days=days))


def _plural(kind: str, n: int) -> str:
    if n == 1:
        return kind
    return "summaries" if kind == "summary" else f"{kind}s"
