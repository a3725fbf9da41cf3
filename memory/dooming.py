"""What would go if something were forgotten: messages, content, facts, or whatever has a text."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from memory.content_events import ContentStored
from memory.errors import StrataError
from memory.events import Message
from memory.fact_events import FACT_EVENTS
from memory.facts.folding import Fact, fold_facts
from memory.journal import Journal
from memory.parts import ContentItem, MessageRef
from memory.quoting import Quotes, flat
from memory.storage.agents import Agents
from memory.storage.bodies import ERASED
from memory.storage.database import Database
from memory.storage.forgetting import Doomed, numbers_of
from memory.storage.quoted import cuts, quotes_of
from memory.storage.search import patterns
from memory.storage.unsent import begun_with

Sort = Literal["message", "content", "fact", "title", "unsent"]
AT_ONCE = 500
FACT_KINDS = tuple(event.KIND for event in FACT_EVENTS)
_HOLDING = (
    "SELECT b.id, b.stream, b.text FROM stream s JOIN body b ON b.stream = s.id "
    "WHERE b.text IS NOT NULL AND (s.agent = ?1 OR s.owner IN "
    "(SELECT o.id FROM stream o WHERE o.agent = ?1)) AND b.text LIKE ?2 AND b.text LIKE ?3"
)
_TITLED = "SELECT id, name, title FROM stream WHERE agent = ? AND title IS NOT NULL"
_SAYING = (
    "SELECT e.branch, e.data, b.stream FROM json_each(?1) w CROSS JOIN branch b "
    "CROSS JOIN event e INDEXED BY event_body ON e.branch = b.id AND e.kind = 'message' "
    "AND json_extract(e.data, '$.ref.body') = w.value "
    "WHERE b.stream IN (SELECT value FROM json_each(?2))"
)
_CALLING = (
    "SELECT e.branch, e.data, b.stream FROM branch b JOIN event e ON e.branch = b.id "
    "AND e.kind = 'message' WHERE b.stream IN (SELECT value FROM json_each(?2)) "
    "AND instr(e.data, '\"extra_chars\"') "
    "AND (json_extract(e.data, '$.ref.calls') IN (SELECT value FROM json_each(?1)) "
    "OR json_extract(e.data, '$.ref.reasoning') IN (SELECT value FROM json_each(?1)))"
)
_STORING = (
    "SELECT b.stream, e.data FROM branch b CROSS JOIN event e INDEXED BY event_kind "
    "ON e.branch = b.id AND e.kind = 'content_stored' "
    "AND e.kind NOT IN ('message', 'request', 'attempt') "
    "WHERE b.stream IN (SELECT value FROM json_each(?))"
)


class NothingToForget(StrataError):
    """What was named is not there, or has been forgotten already."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that would go."""

    sort: Sort
    name: str
    """A message's number, an item's handle, a fact's id; empty where its sort says it."""
    session: str
    """Where it is; empty for this one, and for what the agent knows from all of them."""
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What would go, and what would be cut since it quotes it."""

    doomed: Doomed
    found: tuple[Found, ...]
    quoting: Counter[str]
    """Texts that quote, by the kind of the event that names them."""
    untouched: int = 0
    """System prompts and memory files that have the words: they come from the configuration."""


class Dooming:
    """Finds out what would go; changes nothing.

    Args:
        journal: The open session.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._database = journal.database

    async def messages(self, first: int, last: int) -> Plan:
        """Messages of this session, with the facts that were learned from them alone.

        Raises:
            NothingToForget: There are none that have a text.
        """
        recorded = await self._journal.log.messages(first, last)
        refs = [entry.event.ref for entry in recorded if isinstance(entry.event, Message)]
        texts = await self._journal.bodies.texts(ref.body for ref in refs)
        refs = [ref for ref in refs if texts[ref.body] != ERASED]
        if not refs:
            which = f"message {first:,}" if first == last else f"messages {first:,} to {last:,}"
            raise NothingToForget(f"There is no text of {which} to forget.")
        stream = self._journal.log.stream
        found = [Found("message", str(ref.number), "", texts[ref.body]) for ref in refs]
        return await self.plan(_of_refs((stream,), refs), found)

    async def item(self, item: ContentItem) -> Plan:
        """Stored content; the message that it is part of goes with it."""
        text = (await self._journal.bodies.texts([item.body]))[item.body]
        if text == ERASED:
            raise NothingToForget(f"{item.id} was forgotten already.")
        stream = self._journal.log.stream
        rows = await self._database.all(_SAYING, (_json([item.body]), _json([stream])))
        found = [Found("content", item.id, "", text[item.start : item.end])]
        if rows:
            refs = [_ref(data) for _, data, _ in rows]
            found += [Found("message", str(refs[0].number), "", text)]
            return await self.plan(_of_refs((stream,), refs), found)
        doomed = Doomed((stream,), bodies=(item.body,), items=((stream, item.id),))
        return await self.plan(doomed, found)

    async def fact(self, id: str) -> Plan:
        """A fact by its id, with the texts it had before."""
        agent = self._journal.state.agent
        stream, facts = await facts_of(self._database, agent)
        fact = facts.get(id)
        if fact is None:
            raise NothingToForget(f"There is no fact {id!r}.", "@facts lists them.")
        text = (await self._journal.bodies.texts([fact.body]))[fact.body]
        doomed = Doomed((), facts=((stream, id),), fact_bodies=(fact.body, *fact.earlier))
        return Plan(doomed, (Found("fact", id, "", text),), Counter())

    async def text(self, text: str) -> Plan:
        """Whatever has these words, in all sessions of the agent.

        Raises:
            NothingToForget: Nothing has them.
        """
        wanted, agent = flat(text), self._journal.state.agent
        if not wanted:
            raise NothingToForget("Say what: @forget TEXT.")
        holding = {
            body: (stream, held)
            for body, stream, held in await self._database.all(_HOLDING, (agent, *patterns(text)))
            if wanted in flat(held) or wanted in flat(held.replace("\\", ""))
        }
        titles = [
            (stream, name, title)
            for stream, name, title in await self._database.all(_TITLED, (agent,))
            if wanted in flat(title)
        ]
        begun = await begun_with(self._database, agent, text)
        having = [*holding.values(), *titles, *begun]
        streams = tuple(dict.fromkeys(row[0] for row in having))
        said = await self._messages_with(holding, streams)
        items = await self._items_with(holding, streams)
        facts = await self._facts_with(agent, holding)
        doomed = _of_refs(streams, [ref for _, ref in said])
        doomed = replace(
            doomed,
            bodies=tuple(dict.fromkeys([*doomed.bodies, *(item.body for _, item in items)])),
            items=tuple((stream, item.id) for stream, item in items),
            facts=tuple((stream, fact.id) for stream, fact in facts),
            fact_bodies=tuple(body for _, fact in facts for body in (fact.body, *fact.earlier)),
            needles=(text,),
        )
        elsewhere = [stream for stream in streams if stream != self._journal.log.stream]
        names = {row[0]: row[2] or row[1] for row in await self._names(elsewhere)}
        found = [
            *(Found("message", str(r.number), names.get(s, ""), holding.get(r.body, ("", ""))[1])
              for s, r in said),
            *(Found("content", i.id, names.get(s, ""), holding[i.body][1]) for s, i in items),
            *(Found("fact", fact.id, "", holding.get(fact.body, ("", ""))[1]) for _, fact in facts),
            *(Found("title", "", name, title) for _, name, title in titles),
            *(Found("unsent", "", name, text) for _, name, text in begun),
        ]  # fmt: skip
        plan = await self.plan(doomed, found)
        taken = {*doomed.texts, *doomed.fact_bodies}
        left = len(holding.keys() - taken) - sum(plan.quoting.values())
        if not found and not plan.quoting:
            raise NothingToForget("Nothing that is kept has these words.")
        return replace(plan, untouched=max(0, left))

    async def plan(self, doomed: Doomed, found: Sequence[Found]) -> Plan:
        """The plan for texts that are to go: facts that they alone bear out go with them."""
        quotes = await quotes_of(self._database, doomed.streams, doomed.texts, doomed.needles)
        doomed, more = await self._with_facts(doomed, quotes)
        cut = await cuts(self._database, doomed.streams, quotes, doomed.texts)
        parts = await self._parts_of(doomed, found)
        return Plan(doomed, (*found, *parts, *more), Counter(each.kind for each in cut))

    async def _parts_of(self, doomed: Doomed, found: Sequence[Found]) -> list[Found]:
        """What is stored of the messages that go, and goes with them."""
        here = self._journal.log.stream
        items = await self._items_with(doomed.bodies, doomed.streams, of_messages=True)
        names = {row[0]: row[2] or row[1] for row in await self._names([s for s, _ in items])}
        texts = await self._journal.bodies.texts(item.body for _, item in items)
        parts = [
            Found(
                "content",
                item.id,
                "" if stream == here else names.get(stream, ""),
                texts[item.body][item.start : item.end],
            )
            for stream, item in items
        ]
        told = {(each.name, each.session) for each in found if each.sort == "content"}
        return [part for part in parts if (part.name, part.session) not in told]

    async def _with_facts(self, doomed: Doomed, quotes: Quotes) -> tuple[Doomed, list[Found]]:
        agent = self._journal.state.agent
        stream, facts = await facts_of(self._database, agent)
        if not facts:
            return doomed, []
        numbers = await numbers_of(self._database, doomed)
        gone = {branch: set(of) for branch, of in numbers.items()}
        known = {id for _, id in doomed.facts}
        texts = await self._journal.bodies.texts(fact.body for fact in facts.values())
        more = [
            fact
            for fact in facts.values()
            if fact.id not in known and _only_from(fact, gone, texts[fact.body], quotes)
        ]
        doomed = replace(
            doomed,
            facts=(*doomed.facts, *((stream, fact.id) for fact in more)),
            fact_bodies=(
                *doomed.fact_bodies,
                *(body for fact in more for body in (fact.body, *fact.earlier)),
            ),
        )
        return doomed, [Found("fact", fact.id, "", texts[fact.body]) for fact in more]

    async def _messages_with(
        self, holding: Collection[str], streams: Sequence[str]
    ) -> list[tuple[str, MessageRef]]:
        values = (_json(holding), _json(streams))
        rows = [
            *await self._database.all(_SAYING, values),
            *await self._database.all(_CALLING, values),
        ]
        refs = {ref.body: (stream, ref) for _, data, stream in rows for ref in [_ref(data)]}
        return sorted(refs.values(), key=lambda each: (each[0], each[1].number))

    async def _items_with(
        self, holding: Collection[str], streams: Sequence[str], *, of_messages: bool = False
    ) -> list[tuple[str, ContentItem]]:
        """Items with texts of their own, or those that go with their messages."""
        rows = await self._database.all(_STORING, (_json(streams),))
        found: dict[tuple[str, str], tuple[str, ContentItem]] = {}
        for stream, data in rows:
            for item in _items(data):
                if item.body in holding and (item.number is not None) == of_messages:
                    found.setdefault((item.body, item.id if of_messages else ""), (stream, item))
        return list(found.values())

    async def _facts_with(self, agent: str, holding: Collection[str]) -> list[tuple[str, Fact]]:
        stream, facts = await facts_of(self._database, agent)
        return [
            (stream, fact)
            for fact in facts.values()
            if any(body in holding for body in (fact.body, *fact.earlier))
        ]

    async def _names(self, streams: Sequence[str]) -> list[Any]:
        return await self._database.all(
            "SELECT id, name, title FROM stream WHERE id IN (SELECT value FROM json_each(?))",
            (_json(streams),),
        )


async def facts_of(database: Database, agent: str) -> tuple[str, dict[str, Fact]]:
    """The stream of an agent and its facts by id.

    Raises:
        StorageError: The database refused.
    """
    agents = Agents(database)
    recorded = await agents.read_after(agent, 0, FACT_KINDS)
    return await agents.stream(agent), dict(fold_facts(recorded).facts)


def _only_from(fact: Fact, gone: dict[str, set[int]], text: str, quotes: Quotes) -> bool:
    """Whether nothing that stays bears a fact out, or it has words of what goes."""
    said = [(source.branch, number) for source in fact.sources for number in source.numbers]
    left = [number not in gone.get(branch, ()) for branch, number in said]
    return bool(said) and (not any(left) or (not all(left) and quotes.stand_in(text)))


def _of_refs(streams: tuple[str, ...], refs: Sequence[MessageRef]) -> Doomed:
    return Doomed(
        streams,
        bodies=tuple(dict.fromkeys(ref.body for ref in refs)),
        calls=tuple(dict.fromkeys(ref.calls for ref in refs if ref.calls)),
        reasoning=tuple(dict.fromkeys(ref.reasoning for ref in refs if ref.reasoning)),
    )


def _ref(data: str) -> MessageRef:
    fields = json.loads(data)["ref"]
    fields["call_ids"] = tuple(fields.get("call_ids", ()))
    return MessageRef(**fields)


def _items(data: str) -> Sequence[ContentItem]:
    from memory.codec import decode

    event = decode(ContentStored.KIND, ContentStored.VERSION, data)
    return event.items if isinstance(event, ContentStored) else ()


def _json(values: Collection[str]) -> str:
    return json.dumps(list(values))
