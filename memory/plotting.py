"""The turns of a session in figures: for plots, and for going back in time (VIEW-4, VIEW-7)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from memory import undoing
from memory.events import Compacted, CompactionRedone, CompactionUndone
from memory.history import HISTORY_KINDS, CompactionRecord
from memory.journal import Journal
from memory.prompt import prompt_tokens, section_tokens
from memory.state import Folding, State
from memory.storage.points import (
    MessageFigures,
    RequestFigures,
    message_figures,
    request_figures,
)
from memory.tokens import CHARS_PER_TOKEN, Tally
from memory.views import TurnPoint


class Change(NamedTuple):
    """A compaction, or one taken back or redone: what the prompt came to have by it."""

    n: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What the log tells of all turns, each list oldest first."""

    messages: Sequence[MessageFigures]
    requests: Sequence[RequestFigures]
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Fixed:
    """Tokens that a request has whatever was said: both counts of a turn have them."""

    before: int
    """Of a prompt with nothing but the system prompt."""
    files: int = 0
    """Of memory files, in the prompt as it would be now."""
    beside: int = 0
    """Of tools and working memory, in that prompt."""
    message: int = 0
    """What a template adds to a message."""
    lead: int = 0
    """What it adds to memory files, where they stand without a system prompt."""

    def of(self, files: int, beside: int) -> int:
        """All of them in a request with so many tokens of files, and of tools and work."""
        return self.before + files + (self.lead if files else 0) + beside


async def turn_points(journal: Journal) -> tuple[TurnPoint, ...]:
    """The turns of a session, oldest first.

    A turn is a request. Where none was made, as in what was imported, a message of the user stands
    for its turn, and in a session without any request each message does; its prompt is then what
    it would have been.

    Raises:
        StorageError: The database refused.
    """
    state = journal.state
    tokenizer = state.model.tokenizer if state.model else ""
    messages = await message_figures(journal.database, journal.log, tokenizer, CHARS_PER_TOKEN)
    requests = await request_figures(journal.database, journal.log)
    changes = [Change(*change) for change in await _changes(journal)]
    tally = Tally.for_model(state.model, journal.counts)
    now = section_tokens(state, tally)
    fixed = Fixed(
        before=prompt_tokens(_unspoken(state), tally),
        files=now["files"],
        beside=now["tools"] + now["working"],
        message=tally.message_overhead,
        lead=tally.message_overhead if state.system is None else 0,
    )
    return tuple(points(Figures(messages, requests, changes), fixed))


async def marks(journal: Journal) -> tuple[CompactionRecord, ...]:
    """Every compaction of a session, oldest first, for marks beside its turns."""
    return await undoing.compactions(journal)


def points(figures: Figures, fixed: Fixed) -> Iterator[TurnPoint]:
    """The turns, from what the log tells of them. Pure.

    The full history of a request is all that had been said, beside the same system prompt, files,
    tools and working memory as the request had itself: what was left out is summaries, facts and
    what was recalled, which stand for what was said. A turn without a request has those of the
    last request before it, or in a session without any, those that a request would have now.

    Args:
        figures: What the log tells.
        fixed: What requests have beside what was said.
    """
    asked = bool(figures.requests)
    beside = fixed.before if asked else fixed.of(fixed.files, fixed.beside)
    said, standing = 0, beside
    message = 0
    waiting: TurnPoint | None = None
    for event in _in_order(figures):
        if isinstance(event, MessageFigures):
            opens = event.role == "user" or not asked
            if opens and waiting is not None:
                yield waiting
            said += event.tokens + fixed.message
            standing += event.tokens + fixed.message
            message = event.number
            if opens:
                waiting = TurnPoint(event.n, message, standing, beside + said, asked=False)
        elif isinstance(event, RequestFigures):
            waiting = None
            now = fixed.of(event.files, event.beside)
            standing += now - beside
            beside = now
            yield TurnPoint(event.n, message, event.tokens, beside + said)
        else:
            standing = event.tokens
    if waiting is not None:
        yield waiting


def _in_order(figures: Figures) -> list[MessageFigures | RequestFigures | Change]:
    # Three runs that are sorted already: sorting them together costs little more than reading them.
    together: list[MessageFigures | RequestFigures | Change]
    together = [*figures.messages, *figures.requests, *figures.changes]
    return sorted(together, key=itemgetter(0))


async def _changes(journal: Journal) -> list[tuple[int, int]]:
    """After which events the prompt had how many tokens by a compaction."""
    found: list[tuple[int, int]] = []
    compacted: dict[str, Compacted] = {}
    for recorded in await journal.log.read(kinds=HISTORY_KINDS):
        match recorded.event:
            case Compacted() as event:
                compacted[event.id] = event
                found.append((recorded.n, event.tokens_after))
            case CompactionUndone(compactions=ids) if ids and ids[0] in compacted:
                found.append((recorded.n, compacted[ids[0]].tokens_before))
            case CompactionRedone(compaction=id) if id in compacted:
                found.append((recorded.n, compacted[id].tokens_after))
    return found


def _unspoken(state: State) -> State:
    """The session before anything was said in it."""
    return State(system=state.system, system_chars=state.system_chars, folding=Folding())
