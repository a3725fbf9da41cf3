"""Requests as they were sent, and the next one, piece by piece (VIEW-2)."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace

from memory import telemetry
from memory.budget import Budget
from memory.errors import StrataError
from memory.events import Compacted, Event, RequestEnded, SummaryRewritten
from memory.journal import Journal
from memory.parts import SummaryRef, SummarySlot
from memory.prompt import texts_of
from memory.prompt_views import found_view, left_out_views, piece_views, pinned_in
from memory.rebuilt import Rebuilt, coming, sent
from memory.recall_events import Recalled
from memory.sharing import as_sent, describe_break, shared
from memory.state import State
from memory.storage import checkpoints
from memory.storage.bodies import ERASED
from memory.storage.log import ALL
from memory.storage.requests import RequestRow, chars_of_messages, request_rows
from memory.tokens import Tally, estimate
from memory.views import PromptView, RequestInfo

KEPT = 4
"""Requests that are kept as rebuilt: one steps from each to its neighbours."""


class Inspecting:
    """Shows the requests of an open session.

    Args:
        journal: The session.
        budget: From a state to the levels of the window; of the present one without it.
        find: Searches long-term memory for a message of a number that is not said yet.
    """

    def __init__(
        self,
        journal: Journal,
        budget: Callable[[State | None], Budget],
        find: Callable[[str, int], Awaitable[Recalled | None]],
    ) -> None:
        self._journal = journal
        self._budget = budget
        self._find = find
        self._rows: list[RequestRow] = []
        self._rebuilt: OrderedDict[str, Rebuilt] = OrderedDict()
        self._versions: dict[tuple[str, int], SummaryRef] = {}
        self._versions_upto = 0
        self._chars: dict[tuple[int, int], int] = {}

    async def requests(self) -> list[RequestInfo]:
        """The requests that were made, oldest first.

        Raises:
            StorageError: The database refused.
        """
        after = self._rows[-1].n if self._rows else 0
        journal = self._journal
        self._rows += await request_rows(journal.database, journal.log, after)
        return [RequestInfo(r.request, r.n, r.at, r.message, r.tokens) for r in self._rows]

    @telemetry.operation("memory.inspect")
    async def inspect(self, request: str | None = None, draft: str = "") -> PromptView:
        """One request.

        Args:
            request: Its id; None for the next one.
            draft: What the user is about to send with the next one.

        Raises:
            StrataError: There is no such request, or the database refused.
        """
        await self.requests()
        if request is None:
            return await self._next(draft)
        place = next((i for i, row in enumerate(self._rows) if row.request == request), None)
        if place is None:
            raise StrataError(f"There is no request {request!r} in this session.")
        return await self._past(place)

    # -- inside

    async def _next(self, draft: str) -> PromptView:
        journal = self._journal
        state = journal.state
        if draft:
            # It is searched for again once it is sent, as long as it is the same.
            state = replace(state, recalled=await self._find(draft, state.messages + 1))
            await journal.load_texts(state)
        now = coming(state, dict(journal.texts), journal.tally, self._budget(None), draft)
        return await self._view(now, len(self._rows), journal.tally)

    async def _past(self, place: int) -> PromptView:
        row = self._rows[place]
        now = await self._rebuild(row)
        view = await self._view(now, place, await self._tally(now.state))
        attempts = await self._attempts(place)
        counts = [attempt.usage.input for attempt in attempts if attempt.usage.input]
        return replace(
            view,
            request=row.request,
            n=row.n,
            at=row.at,
            message=row.message,
            model=attempts[-1].model if attempts else view.model,
            provider_tokens=counts[-1] if counts else None,
            outcome=_outcome(attempts[-1]) if attempts else None,
        )

    async def _view(self, now: Rebuilt, place: int, tally: Tally) -> PromptView:
        """A request beside the one at the place before it."""
        before = await self._rebuild(self._rows[place - 1]) if place else None
        part = shared(as_sent(before), as_sent(now)) if before else None
        older = await self._older(now.state)
        bodies = {body for ref in older.values() for body in (ref.body, ref.details) if body}
        older_texts = await self._journal.bodies.texts(bodies)
        covered = {span: await self._covered(span) for span in _covered_spans(now.state)}
        budget = self._budget(now.state)
        return PromptView(
            request=None,
            n=now.state.n,
            at=None,
            model=now.state.model.name if now.state.model else None,
            message=now.state.messages,
            pieces=piece_views(now, part, older, older_texts),
            left_out=left_out_views(now, tally, covered),
            tokens=now.tokens,
            limit=budget.room,
            window=budget.window,
            trigger=budget.trigger_at,
            shared_tokens=part.tokens(now.tokens) if part else 0,
            broken_by=describe_break(before, now, part),
            provider_tokens=None,
            outcome=None,
            exact=now.exact,
            note=now.note,
            recalled=found_view(now, tally, self._journal.log.stream),
            pinned=pinned_in(now, tally),
        )

    async def _rebuild(self, row: RequestRow) -> Rebuilt:
        if row.request not in self._rebuilt:
            self._rebuilt[row.request] = await self._read(row)
        self._rebuilt.move_to_end(row.request)
        while len(self._rebuilt) > KEPT:
            self._rebuilt.popitem(last=False)
        return self._rebuilt[row.request]

    async def _read(self, row: RequestRow) -> Rebuilt:
        journal = self._journal
        ledger = await journal.log.ledger(row.request)
        if ledger is None:
            raise StrataError(f"There is no request {row.request!r} in this session.")
        state = await checkpoints.state_at(journal.database, journal.log, ledger.n)
        wanted = texts_of(state)
        texts = {**dict.fromkeys(wanted, ERASED), **await journal.bodies.texts(wanted)}
        return sent(state, texts, await self._tally(state), ledger)

    async def _tally(self, state: State) -> Tally:
        tokenizer = state.model.tokenizer if state.model else ""
        counts = await self._journal.bodies.counts(texts_of(state), tokenizer)
        return Tally.for_model(state.model, counts)

    async def _attempts(self, place: int) -> list[RequestEnded]:
        """How the attempts at a request ended; they stand before the next request."""
        upto = self._rows[place + 1].n if place + 1 < len(self._rows) else ALL
        row = self._rows[place]
        events = await self._journal.log.read(row.n, upto, kinds=(RequestEnded.KIND,))
        ended = [entry.event for entry in events if isinstance(entry.event, RequestEnded)]
        return [attempt for attempt in ended if attempt.request == row.request]

    async def _older(self, state: State) -> dict[str, SummaryRef]:
        """The version before each summary in force."""
        upto = self._journal.state.n
        if self._versions_upto < upto:
            kinds = (Compacted.KIND, SummaryRewritten.KIND)
            for entry in await self._journal.log.read(self._versions_upto, upto, kinds=kinds):
                for slot, ref in _put_in_force(entry.event):
                    self._versions.setdefault((slot, ref.version), ref)
            self._versions_upto = upto
        folding = state.folding
        standing = {"long_term": folding.long_term, "short_term": folding.short_term}
        return {
            slot: self._versions[slot, ref.version - 1]
            for slot, ref in standing.items()
            if ref is not None and (slot, ref.version - 1) in self._versions
        }

    async def _covered(self, span: tuple[int, int]) -> int:
        """About how many tokens the messages have that a summary stands for."""
        if span not in self._chars:
            journal = self._journal
            self._chars[span] = await chars_of_messages(journal.database, journal.log, *span)
        return estimate(self._chars[span])


def _put_in_force(event: Event) -> Iterator[tuple[SummarySlot, SummaryRef]]:
    match event:
        case Compacted(short_term=short, long_term=long):
            if short is not None:
                yield "short_term", short
            if long is not None:
                yield "long_term", long
        case SummaryRewritten(slot=slot, summary=summary):
            yield slot, summary


def _covered_spans(state: State) -> list[tuple[int, int]]:
    folding = state.folding
    return [(ref.first, ref.last) for ref in (folding.long_term, folding.short_term) if ref]


def _outcome(attempt: RequestEnded) -> str:
    return f"{attempt.outcome}: {attempt.error}" if attempt.error else attempt.outcome
