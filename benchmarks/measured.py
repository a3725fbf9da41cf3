"""What benchmarks measure of a session: requests against the full history, and what was lost."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import cast

from memory import Memory
from memory.content.handles import ItemHandle, messages_handle, parse_handle
from memory.content.receipts import handles_in
from memory.errors import StrataError
from memory.events import Message
from memory.loss.gathering import Source, Standing, Way, said
from memory.loss.report import loss_items
from memory.parts import ContentItem, MessageRef
from memory.pieces import ChatMessage
from memory.prompt import Prompt
from memory.refinding import FOUND_BY, refound
from memory.sharing import BLOCK_OPENS, as_sent, flat, shared
from memory.views import ItemKind, LossItem

STATES = ("kept", "retrievable", "lost")


@dataclass
class Requests:
    """The requests of a session, as sums."""

    count: int = 0
    prompt: int = 0
    full: int = 0
    shared: int = 0
    own_blocks: int = 0
    largest: int = 0
    broken: int = 0
    """Requests that do not begin with all that stood before the last turn's own block of the one
    before, though no compaction lies between and neither had to be fitted."""
    fitted: int = 0
    """Requests that leave something out or shorten it, for them alone."""
    _history: int | None = None
    _before: tuple[Prompt, int] | None = field(default=None, repr=False)

    def heard(self, memory: Memory) -> None:
        """Takes in the newest message, as a prompt that never forgets would have it."""
        tally, folding = memory._journal.tally, memory.state.folding
        if self._history is None:
            self._history = tally.request_overhead + tally.message_overhead
            if memory.state.system:
                self._history += tally.body(memory.state.system, memory.state.system_chars)
        self._history += tally.message(folding.verbatim[-1])

    def sent(self, prompt: Prompt, memory: Memory) -> None:
        """Takes in a request of a session."""
        # One may have come behind the prompt since it was made.
        then = (record.n for record in memory._records if record.n <= prompt.ledger.n)
        compacted = max(then, default=0)
        self.count += 1
        self.prompt += prompt.tokens
        self.full += self._history or 0
        self.largest = max(self.largest, prompt.tokens)
        self.fitted += _fitted(prompt)
        self.own_blocks += sum(p.tokens for p in prompt.pieces if p.place == "turn")
        if self._before is not None:
            before, at = self._before
            self.shared += shared(as_sent(before), as_sent(prompt)).tokens(prompt.tokens)
            steady = at == compacted and not _fitted(before) and not _fitted(prompt)
            self.broken += steady and not continues(before.messages, prompt.messages)
        self._before = (prompt, compacted)

    @property
    def shared_share(self) -> float:
        """Part of the prompts that the request before began with; turns' own blocks left out."""
        return self.shared / max(1, self.prompt - self.own_blocks)

    @property
    def of_full(self) -> float:
        """The prompts against the full history, as a part of it."""
        return self.prompt / max(1, self.full)

    @property
    def again(self) -> float:
        """Tokens of a request that the one before did not begin with."""
        return (self.prompt - self.shared) / max(1, self.count)


def continues(before: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> bool:
    """Whether a request begins with every byte before the last turn's own block of the other."""
    begun = "".join(map(flat, before))
    block = begun.rfind(BLOCK_OPENS)
    return "".join(map(flat, now)).startswith(begun if block < 0 else begun[:block])


def _fitted(prompt: Prompt) -> bool:
    return prompt.ledger.left_out is not None or bool(prompt.ledger.shortened)


@dataclass
class Outcome:
    """What became of items, by kind and state."""

    counts: Counter[tuple[ItemKind, str]] = field(default_factory=Counter)
    unretrieved: list[LossItem] = field(default_factory=list)
    """Items that are called retrievable and are not retrieved."""

    def add(self, other: "Outcome") -> None:
        """Takes in what became of other items."""
        self.counts += other.counts
        self.unretrieved += other.unretrieved

    def share(self, state: str, kinds: Sequence[ItemKind] = ()) -> float | None:
        """Part of the items, of these kinds if any are given, that is so; None without items."""
        mine = {key: n for key, n in self.counts.items() if not kinds or key[0] in kinds}
        whole = sum(mine.values())
        return sum(n for key, n in mine.items() if key[1] == state) / whole if whole else None


async def outcome_at_end(memory: Memory) -> Outcome:
    """What became of everything that was ever said, as the next prompt stands."""
    refs = [
        cast(Message, entry.event).ref for entry in await memory.messages(1, memory.state.messages)
    ]
    bodies = {body for ref in refs for body in (ref.body, ref.calls) if body}
    texts = await memory._journal.bodies.texts(bodies)
    sources = [Source(said(ref, texts), ref.role, ref.number, "gone") for ref in refs]
    prompt = await memory.prompt()
    extras = [str(message.get("tool_calls") or "") for message in prompt.messages]
    standing = [Standing(piece.section, piece.text) for piece in prompt.pieces if piece.text]
    standing.append(Standing("messages", "\n".join(filter(None, extras))))
    ways = await _ways(memory, prompt, refs)
    items = loss_items(sources, standing, ways)
    if memory.config.recall.enabled:
        items = await refound(memory._journal, memory.info.agent, items)
    return await judged(memory, items)


async def outcome_of_compactions(memory: Memory) -> Outcome:
    """What became of what each compaction touched, summed; each claim is tried by retrieving."""
    outcome = Outcome()
    for record in await memory.compactions():
        view = await memory.reports.compaction_view(record.event.id)
        outcome.add(await judged(memory, view.items))
    return outcome


async def judged(memory: Memory, items: Sequence[LossItem]) -> Outcome:
    """Counts items, and retrieves each that is called retrievable."""
    outcome = Outcome(Counter((item.kind, item.state) for item in items))
    retrieved: dict[str, str] = {}
    for item in items:
        if item.state != "retrievable":
            continue
        handle = item.how.split()[-1]
        if item.how.startswith(FOUND_BY) and not await _is_found(memory, item, handle):
            outcome.unretrieved.append(item)
            continue
        if handle not in retrieved:
            retrieved[handle] = await _retrieve(memory, handle)
        if item.text not in retrieved[handle]:
            outcome.unretrieved.append(item)
    return outcome


async def _is_found(memory: Memory, item: LossItem, handle: str) -> bool:
    """Whether the search that the chat has finds the item in the message that is named."""
    found = await memory.sessions.search(item.text, memory.info.agent)
    here = {place.number for place in found if place.session == memory.info.id}
    return handle in {f"m{number}" for number in here}


async def unresolved_receipts(memory: Memory) -> list[str]:
    """The handles that the next prompt cites and that give nothing (I10)."""
    prompt = await memory.prompt()
    handles = {handle for piece in prompt.pieces for handle in handles_in(piece.text)}
    return [handle for handle in sorted(handles) if not await _retrieve(memory, handle)]


async def _ways(memory: Memory, prompt: Prompt, refs: Sequence[MessageRef]) -> dict[int, list[Way]]:
    """The receipts in a prompt and the items in the store, by the messages they lead back to."""
    ways: dict[int, list[Way]] = {}
    items = {item.id: item for item in await memory.content.items()}
    for item in items.values():
        if item.number is not None:
            ways.setdefault(item.number, []).append(await _way(memory, item))
    for handle in {handle for piece in prompt.pieces for handle in handles_in(piece.text)}:
        named = parse_handle(handle)
        if isinstance(named, ItemHandle):
            continue
        text = await _retrieve(memory, messages_handle(named.first, named.last))
        for ref in refs:
            if named.first <= ref.number <= named.last:
                ways.setdefault(ref.number, []).append(Way(f"receipt {handle}", text))
    return ways


async def _way(memory: Memory, item: ContentItem) -> Way:
    return Way(f"content {item.id}", await _retrieve(memory, item.id))


async def _retrieve(memory: Memory, handle: str) -> str:
    """What a handle gives; nothing where it fails."""
    try:
        return await memory.content.retrieve(handle)
    except StrataError:
        return ""
