"""Counts texts: what the next prompt needs at once, the others behind the conversation."""

import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace

from memory import telemetry
from memory.background import Background
from memory.errors import StrataError
from memory.journal import Journal
from memory.parts import MessageRef
from memory.prompt import texts_of
from memory.state import State
from memory.tokens import Tally, TokenCounter, ToolCounter
from memory.work import Work
from memory.working import Shown, working_lines

LOGGER = logging.getLogger("strata.memory")
LONGEST_COUNTED = 400_000
"""Characters above which a text's tokens stay an estimate: it can't stand in a prompt in full."""
NEEDED_SHARE = 1.5
"""The newest messages are counted up to this part of the largest prompt, by their estimates: those
are up to a third too high in some languages, and more messages then fit than was thought."""
PORTION = 128
"""Texts that are counted together behind the conversation: about a second of a local model's."""


@dataclass(slots=True)
class Counting:
    """Counts the texts of a session, each once, while there is a counter.

    Args:
        journal: The session.
        counter: Who counts; None where all stays estimated.
        limit: The largest prompt, in tokens.
    """

    journal: Journal
    counter: TokenCounter | None
    limit: Callable[[], int]
    _background: Background = field(default_factory=lambda: Background("strata counting"))

    async def needed(self) -> None:
        """Counts what the next prompt can show.

        A counter that fails leaves estimates in force: a turn never waits for it twice.
        """
        if self.counter is not None:
            await self.journal.use_tokenizer(self.counter.tokenizer)
            await self._count(self.counter, self._missing(_in_sight(self._state, self._room)))

    def begin_rest(self) -> None:
        """Begins to count all others, the newest messages first."""
        if self.counter is not None and not self.journal.read_only:
            self._background.begin(self._rest)

    async def settled(self) -> None:
        """Waits until all are counted."""
        await self._background.settled()

    async def stop(self) -> None:
        """Leaves the rest as estimates; a later start goes on."""
        await self._background.stop()

    @property
    def _state(self) -> State:
        return self.journal.state

    @property
    def _room(self) -> int:
        return round(NEEDED_SHARE * self.limit())

    async def _rest(self) -> None:
        while (counter := self.counter) and counter.tokenizer == self.journal.tokenizer:
            missing = self._missing([*_newest_first(self._state), *_standing(self._state)])
            portion = dict(list(missing.items())[:PORTION])
            if not portion or not await self._count(counter, portion):
                return

    def _missing(self, bodies: Collection[str]) -> dict[str, str]:
        counted, texts = self.journal.counts, self.journal.texts
        return {
            body: text
            for body in bodies
            if body not in counted and len(text := texts[body]) <= LONGEST_COUNTED
        }

    async def _count(self, counter: TokenCounter, missing: Mapping[str, str]) -> bool:
        """Counts and keeps; False where the counter failed."""
        if not missing:
            return True
        try:
            counts = await self._counts_of(counter, missing)
        except StrataError as error:
            LOGGER.warning("counting failed: %s", error.sentence)
            return False
        self.journal.keep_counts(counts, counter.tokenizer)
        if not self.journal.read_only:
            await self.journal.bodies.keep_counts(counts, counter.tokenizer)
        return True

    @telemetry.operation("memory.count", lambda counts: {"texts": len(counts)})
    async def _counts_of(self, counter: TokenCounter, missing: Mapping[str, str]) -> dict[str, int]:
        """The tokens of texts; of the tools as plain text only where nobody knows better."""
        counts = await self._count_tools(counter, missing)
        plain = {body: text for body, text in missing.items() if body not in counts}
        if plain:
            tokens = await counter.count(list(plain.values()))
            counts |= zip(plain, tokens, strict=True)
        return counts

    async def _count_tools(
        self, counter: TokenCounter, missing: Mapping[str, str]
    ) -> dict[str, int]:
        """The tokens of the tools as the model's template writes them, where it is known."""
        offered = self._state.tools
        body = offered.body if offered is not None else None
        if body is None or body not in missing or not isinstance(counter, ToolCounter):
            return {}
        tokens = await counter.count_tools(json.loads(missing[body]))
        return {} if tokens is None else {body: tokens}


def _in_sight(state: State, room: int) -> set[str]:
    """The bodies of all but the messages, and of the newest messages up to `room` tokens."""
    bodies = _standing(state)
    estimates = Tally.for_model(state.model, {})
    for ref in reversed(state.folding.verbatim):
        if room <= 0:
            break
        room -= estimates.message(ref)
        bodies.update(_bodies_of(ref))
    return bodies


def _newest_first(state: State) -> Iterator[str]:
    return (body for ref in reversed(state.folding.verbatim) for body in _bodies_of(ref))


def _standing(state: State) -> set[str]:
    """The bodies of a prompt besides the messages of the window.

    Working memory tells most of its texts shortened, by their lengths alone.
    """
    parts = (part for line in working_lines(state) for part in line.segments)
    whole = {part.text.body for part in parts if isinstance(part, Shown) and part.most is None}
    bare = replace(state, work=Work(), folding=replace(state.folding, verbatim=()))
    return texts_of(bare) | whole


def _bodies_of(ref: MessageRef) -> Iterator[str]:
    return (body for body in (ref.body, ref.calls, ref.reasoning) if body is not None)
