"""Reads facts out of what a compaction folded, by the model, behind the conversation (RECALL-1).

A few messages at a time. What was found and which messages were read is one write, so that a kill
costs one request and nothing is read twice.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory import telemetry
from memory.background import Background
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import Compacted, Message, Recorded
from memory.fact_events import FactsSought
from memory.fact_keeping import FactKeeping
from memory.history import CompactionRecord
from memory.journal import Journal
from memory.parts import FactSource, Usage
from memory.protocols import Completion, LanguageModel, asked, continues_text
from memory.recall_events import Recalled
from memory.storage import checkpoints
from memory.storage.log import ALL
from memory.upkeep import Upkeep

if TYPE_CHECKING:
    from memory.facts.checking import Accepted
    from memory.facts.learning import Candidate
    from memory.facts.material import Line

LOGGER = logging.getLogger("strata.memory")
MOST_MESSAGES = 400
"""Newest messages that are read of one compaction; an import folds thousands at once."""
RESUMED = 3
"""Newest compactions whose messages are read; others stay unread where no model was there."""
LONGEST_S = 300.0
"""Longest wait for an answer: a local model lets the chat go first."""
LEAVING_S = 20.0
"""Who leaves a session waits so long; the rest is read when it is open again."""
SMALLEST_WINDOW = 2_000
"""Tokens: instructions of 350, three messages of 400 characters, and the answer."""
MOST_FAILURES = 3
"""Failures in a row after which the model is not asked again while the session is open."""


@dataclass(frozen=True, slots=True)
class Portion:
    """Messages of one request, and all those that were looked at for it."""

    lines: "Sequence[Line]"
    branch: str
    first: int
    last: int


class Extracting:
    """Reads folded messages for facts, one request after the other; no turn waits for it.

    Args:
        journal: The open session.
        config: Whether it is wished, and how the model is asked.
        upkeep: Has the model.
        facts: What is known, and learns more.
    """

    def __init__(
        self, journal: Journal, config: MemoryConfig, upkeep: Upkeep, facts: FactKeeping
    ) -> None:
        self._journal = journal
        self._config = config
        self._upkeep = upkeep
        self._facts = facts
        self._waiting: deque[tuple[int, Compacted]] = deque(maxlen=RESUMED)
        self._failures = 0
        self._background = Background("strata facts")
        journal.listen(self._note)

    def begin(self, records: Sequence[CompactionRecord]) -> None:
        """Goes on where the program ended before everything was read."""
        newest = [(r.n, r.event) for r in records[-RESUMED:] if not r.undone]
        self._waiting.extend(pair for pair in newest if pair[1].folds)
        self.start()

    def start(self) -> None:
        """Begins the work, or has it look again."""
        if not self._wished:
            self._waiting.clear()
        if self._waiting and self._asked is not None:
            self._background.begin(self._work)

    async def settled(self) -> None:
        """Waits until everything is read that can be."""
        await self._background.settled()

    async def leave(self) -> None:
        """Waits a while; what is not read then is when the session is open again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(LEAVING_S):
                await self._background.settled()
        await self.stop()

    async def stop(self) -> None:
        """Ends the work; `start` goes on with what is not read yet."""
        await self._background.stop()

    # -- inside

    @property
    def _wished(self) -> bool:
        """Whether this session is read at all: a helper's user is another model."""
        journal = self._journal
        return self._config.extract_facts and not journal.read_only and not journal.state.helping

    @property
    def _asked(self) -> LanguageModel | None:
        """The model, unless it can't do it or has failed too often."""
        model = self._upkeep.model
        if model is None or continues_text(model) or self._failures >= MOST_FAILURES:
            return None
        window = model.context_window
        return model if window is None or window >= SMALLEST_WINDOW else None

    def _note(self, recorded: Recorded) -> None:
        if isinstance(recorded.event, Compacted) and recorded.event.folds:
            self._waiting.append((recorded.n, recorded.event))
            # A model that has just failed at the summary is left alone until the next one.
            if recorded.event.by == "model" or not recorded.event.failures:
                self.start()

    async def _work(self) -> None:
        while self._waiting:
            n, event = self._waiting[0]
            try:
                if not await self._read(n, event):
                    return
            except (StrataError, TimeoutError) as error:
                # The rest waits for the next compaction, or the next start.
                self._failures += 1
                LOGGER.warning("reading for facts: %s", str(error) or "no answer in time")
                return
            if self._waiting and self._waiting[0][0] == n:
                self._waiting.popleft()

    async def _read(self, n: int, event: Compacted) -> bool:
        """Reads what a compaction folded; whether all of it could be."""
        began, found = time.monotonic(), 0
        for portion in await self._portions(n, event):
            model = self._asked
            if model is None:
                return False
            found += await self._read_portion(model, portion)
        LOGGER.info("facts: %d found, in %.1f s", found, time.monotonic() - began)
        return True

    @telemetry.operation("memory.fact.extract", lambda found: {"facts": found})
    async def _read_portion(self, model: LanguageModel, portion: Portion) -> int:
        """Reads a portion for facts; returns how many it has."""
        from memory.facts.asking import answered  # nothing of it is needed before
        from memory.facts.checking import Accepted, accepted

        answer = await self._ask(model, portion.lines) if portion.lines else Completion("{}")
        said = None if answer.calls_tool else answered(answer.text)
        self._failures = self._failures + 1 if said is None else 0
        recalled = await self._recalled(portion.lines)
        checked = [accepted(sentence, portion.lines, recalled) for sentence in said or ()]
        taken = [fact for fact in checked if isinstance(fact, Accepted)]
        sought = FactsSought(
            session=self._journal.log.stream,
            branch=portion.branch,
            first=portion.first,
            last=portion.last,
            model=model.name,
            found=len(taken),
            refused=len(checked) - len(taken),
            usage=Usage(answer.input_tokens, answer.output_tokens, cost=answer.cost),
        )
        candidates = [self._candidate(fact, model) for fact in taken]
        await self._facts.learn(candidates, also=[sought])
        return len(taken)

    async def _ask(self, model: LanguageModel, lines: "Sequence[Line]") -> Completion:
        from memory.facts.asking import TOKENS_A_MESSAGE, facts_request, schema_for

        request, tokens = facts_request(lines), TOKENS_A_MESSAGE * len(lines)
        async with asyncio.timeout(LONGEST_S):
            return await asked(
                model,
                request,
                max_tokens=tokens,
                temperature=self._config.summary_temperature,
                schema=schema_for(lines),
            )

    def _candidate(self, fact: "Accepted", model: LanguageModel) -> "Candidate":
        from memory.facts.learning import Candidate

        line = fact.line
        source = FactSource(self._journal.log.stream, line.branch, (line.number,))
        return Candidate(
            self._journal.door.clean(fact.text).text,
            valid_from=line.at,
            importance=fact.importance,
            by="model",
            sources=(source,),
            model=model.name,
            echo=not line.by_user,
        )

    async def _portions(self, n: int, event: Compacted) -> list[Portion]:
        """What is still to be read of the messages that a compaction folded, oldest first."""
        from memory.facts.material import line_of

        journal = self._journal
        before = await checkpoints.state_at(journal.database, journal.log, n - 1)
        folded = [r.number for r in before.folding.verbatim if r.number < event.verbatim_from]
        if not folded:
            return []
        first = max(folded[0], folded[-1] - MOST_MESSAGES + 1)
        recorded = await journal.log.messages(first, folded[-1], upto=n)
        await self._facts.refresh()
        unread: dict[str, list[tuple[int, Line | None]]] = {}
        texts = await journal.bodies.texts(_bodies(recorded))
        for entry in recorded:
            message, branch = entry.event, self._branch_of(entry.n)
            if isinstance(message, Message) and not self._facts.state.is_sought(
                branch, message.ref.number
            ):
                line = line_of(message, branch, entry.at, texts.get(message.ref.body, ""))
                unread.setdefault(branch, []).append((message.ref.number, line))
        return [p for branch, messages in unread.items() for p in _portioned(branch, messages)]

    def _branch_of(self, n: int) -> str:
        """The branch that an event was written to."""
        segments = self._journal.log.segments
        return next(s.branch for s in segments if s.low <= n <= s.high)

    async def _recalled(self, lines: "Sequence[Line]") -> list[str]:
        """What was injected into the turns in which the model gave these answers."""
        answers = [line.number for line in lines if not line.by_user]
        if not answers:
            return []
        log = self._journal.log
        said = await log.messages(answers[-1], answers[-1])
        # One a turn at most: those of the turns of the answers, and no others of a long log.
        turns_at_most = answers[-1] - answers[0] + 2
        upto = said[-1].n if said else ALL
        near = await log.read_newest((Recalled.KIND,), turns_at_most, upto)
        events = [entry.event for entry in near if isinstance(entry.event, Recalled)]
        # A turn begins with the user's message, and its answers follow.
        turns = {max((e.number for e in events if e.number <= n), default=0) for n in answers}
        shown = [event for event in events if event.number in turns]
        bodies = {text.body for event in shown for text in (*event.facts, *event.texts)}
        return list((await self._journal.bodies.texts(bodies)).values())


def _bodies(recorded: Sequence[Recorded]) -> list[str]:
    return [entry.event.ref.body for entry in recorded if isinstance(entry.event, Message)]


def _portioned(branch: str, messages: "Sequence[tuple[int, Line | None]]") -> list[Portion]:
    """Unread messages of a branch in portions that together cover all of them."""
    from memory.facts.material import batches

    portions: list[Portion] = []
    first = messages[0][0]
    for lines in batches(line for _, line in messages if line is not None):
        portions.append(Portion(lines, branch, first, lines[-1].number))
        first = lines[-1].number + 1
    if first <= messages[-1][0]:
        portions.append(Portion((), branch, first, messages[-1][0]))
    return portions
