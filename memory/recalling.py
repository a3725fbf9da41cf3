"""Asks long-term memory: what of all that was said has to do with a text (`Memory.recall`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.content.moments import moment
from memory.errors import StrataError
from memory.journal import Journal
from memory.protocols import Embedder
from memory.recall.corpus import Corpus, Passage, PassageKind, Scope
from memory.recall.fusing import fused
from memory.storage import finding
from memory.storage.sessions import SessionInfo, Sessions
from memory.tokens import estimate

KINDS: tuple[PassageKind, ...] = ("message", "fact", "summary", "content")
ROLES = ("user", "assistant", "tool")
ORIGINS = ("import", "library")
KEYS = ("kind", "source", "tag", "session", "since", "until")
RANKED = 200
"""Passages that are ranked for a budget: more than fit into any."""
LINE_TOKENS = 4
"""Tokens of what stands around a passage: who said it, and the end of the line."""


class BadFilter(StrataError):
    """What recall was to be limited to can't be understood."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """A passage that has to do with what was asked."""

    text: str
    score: float
    """Of one question the higher one is the better one."""
    kind: PassageKind
    session: str
    """The session's id; empty for what the agent knows from all of them."""
    title: str | None
    number: int
    """The message's number in its session; 0 for what is no message."""
    at: str
    """When it was said (UTC, ISO 8601)."""
    role: str
    """Who said it; for what nobody said, who made it."""
    origin: str
    """Where it came from."""
    tokens: int
    """Of its line, by estimate."""
    parts: Mapping[str, float] = field(default_factory=dict)
    """What the score consists of, by name."""
    tags: tuple[str, ...] = ()
    passage: int = 0
    """Its number in the search tables."""
    body: str = ""
    """The body of the text that it is part of."""
    start: int = 0
    """The character of the body at which it begins."""


class Recalling:
    """Searches the passages of an open session's agent.

    Args:
        journal: The open session.
        info: Its line in the list.
        corpus: The passages.
        across: Whether other sessions of the agent may be found.
    """

    def __init__(self, journal: Journal, info: SessionInfo, corpus: Corpus, *, across: bool):
        self._journal = journal
        self._info = info
        self._corpus = corpus
        self._across = across

    async def recall(
        self,
        text: str,
        k: int,
        budget: int,
        filter: Mapping[str, object],
        embedder: Embedder | None,
    ) -> list[Remembered]:
        """The passages that have most to do with a text, best first.

        Raises:
            BadFilter: The filter has a key or a value that is not known.
            UnknownSession: It names a session that is not there.
            NoMoment: It has a time that is none.
            StorageError: The database refused.
        """
        scope = await self.scope(filter)
        if k <= 0 or not text.strip():
            return []
        vector = None
        if embedder is not None:
            try:
                (vector,) = await embedder.embed([text])
            except StrataError:
                vector = None  # what it says is found all the same
        found = await fused(self._corpus, text, vector, scope, max(k, RANKED))
        return await self._packed(found, k, budget)

    async def scope(self, filter: Mapping[str, object]) -> Scope:
        """What a filter lets be found.

        Raises:
            BadFilter, UnknownSession, NoMoment: As `recall`.
        """
        if unknown := [key for key in filter if key not in KEYS]:
            raise BadFilter(
                f"Recall has no filter {str(unknown[0])[:40]!r}.", f"There are {', '.join(KEYS)}."
            )
        now = datetime.now(UTC)
        sources = _several(filter, "source", (*ROLES, *ORIGINS))
        roles, origins = sources & set(ROLES), sources & set(ORIGINS)
        if roles and origins:
            raise BadFilter(
                "A source is either who said it or where it came from, not both.",
                f"Ask for {', '.join(ROLES)}, or for {', '.join(ORIGINS)}.",
            )
        return Scope(
            agent=self._info.agent,
            sessions=await self._sessions(filter),
            kinds=frozenset(_several(filter, "kind", KINDS)) or None,  # type: ignore[arg-type]
            roles=frozenset(roles) or None,
            origins=frozenset(origins) or None,
            tags=frozenset(_several(filter, "tag")) or None,
            since=_moment(filter, "since", now),
            until=_moment(filter, "until", now),
        )

    async def _sessions(self, filter: Mapping[str, object]) -> frozenset[str] | None:
        database, named = self._journal.database, _several(filter, "session")
        if not named:
            if self._across:
                return None
            own = [self._journal.log.stream]
            return frozenset(own + await finding.agent_streams(database, self._info.agent))
        infos = [await Sessions(database).find(name, self._info.agent) for name in named]
        return frozenset(await finding.streams_of(database, [info.branch for info in infos]))

    async def _packed(
        self, found: Iterable[tuple[Passage, float, Mapping[str, float]]], k: int, budget: int
    ) -> list[Remembered]:
        """The first `k` that fit into the budget; what doesn't fit is passed over."""
        chosen: list[tuple[Passage, float, Mapping[str, float], int]] = []
        left = budget
        for passage, score, parts in found:
            tokens = estimate(len(passage.text)) + LINE_TOKENS
            if tokens <= left:
                left -= tokens
                chosen.append((passage, score, parts, tokens))
            if len(chosen) == k:
                break
        streams = {passage.session for passage, *_ in chosen}
        names = await finding.names_of(self._journal.database, streams)
        return [_remembered(each, names) for each in chosen]


def _remembered(
    chosen: tuple[Passage, float, Mapping[str, float], int],
    names: Mapping[str, tuple[str, str | None]],
) -> Remembered:
    passage, score, parts, tokens = chosen
    session, title = names.get(passage.session, ("", None))
    return Remembered(
        text=passage.text,
        score=score,
        kind=passage.kind,
        session=session,
        title=title,
        number=passage.number,
        at=passage.at,
        role=passage.role,
        origin=passage.origin,
        tokens=tokens,
        parts=parts,
        tags=passage.tags,
        passage=passage.id,
        body=passage.body,
        start=passage.start,
    )


def _several(
    filter: Mapping[str, object], key: str, known: Iterable[str] | None = None
) -> set[str]:
    """The values of a key, of which there may be one or several."""
    given = filter.get(key)
    if given is None or given == "":
        return set()
    values = [given] if isinstance(given, str) else given
    if not isinstance(values, Iterable):
        raise BadFilter(f"The filter {key} takes a text or several.")
    wanted = {str(value) for value in values}
    if known is not None and (wrong := wanted.difference(known)):
        raise BadFilter(
            f"There is no {key} {min(wrong)[:40]!r} to recall from.",
            f"There are {', '.join(known)}.",
        )
    return wanted


def _moment(filter: Mapping[str, object], key: str, now: datetime) -> str | None:
    given = filter.get(key)
    if given is None or given == "":
        return None
    if isinstance(given, datetime):
        given = (given if given.tzinfo else given.replace(tzinfo=UTC)).isoformat()
    return moment(str(given), now) or None
