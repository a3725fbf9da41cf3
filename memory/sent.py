"""The request before the next one, for what the two share (I9)."""

from dataclasses import dataclass, replace

from memory.forgetting_events import Forgotten
from memory.journal import Journal
from memory.parts import Ledger
from memory.pieces import ChatMessage, Piece
from memory.prompt import Prompt, pieces_of_request, texts_of
from memory.rendering import render
from memory.sharing import describe_break, shared_tokens
from memory.storage import checkpoints
from memory.tokens import Tally

FORGOTTEN = "texts were forgotten"
"""What ended the shared part where the request before had texts that nobody has any more."""


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A request as it was sent."""

    messages: tuple[ChatMessage, ...]
    pieces: tuple[Piece, ...]
    tokens: int


class LastSent:
    """Remembers the newest request of a session, and finds it in the log after a start."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._last: Prompt | PastRequest | None = None
        self._looked = False
        self._forgotten = False

    def let_go(self) -> None:
        """Lets go of its texts: some were forgotten."""
        self._last, self._looked = None, False

    async def compared(self, prompt: Prompt) -> Ledger:
        """The ledger of a prompt about to be sent, with what it shares with the one before."""
        before = await self._before()
        self._last = prompt
        broken_by = FORGOTTEN if self._forgotten else describe_break(before, prompt)
        self._forgotten = False
        return replace(
            prompt.ledger, shared_tokens=shared_tokens(before, prompt), broken_by=broken_by
        )

    async def _before(self) -> Prompt | PastRequest | None:
        if self._last is None and not self._looked:
            self._looked = True
            ledger = await self._journal.log.newest_ledger()
            if ledger is not None:
                newest = await self._journal.log.read_newest((Forgotten.KIND,), 1)
                self._forgotten = bool(newest) and newest[0].n > ledger.n
                self._last = await self._written_again(ledger)
        return self._last

    async def _written_again(self, ledger: Ledger) -> PastRequest:
        journal = self._journal
        state = await checkpoints.state_at(journal.database, journal.log, ledger.n)
        texts = await journal.bodies.texts(texts_of(state))
        pieces = pieces_of_request(state, texts, Tally.for_model(state.model, {}), ledger)
        return PastRequest(render(pieces, texts), tuple(pieces), ledger.tokens)
