"""Asks long-term memory: what of all that was said has to do with a text (`Memory.recall`)."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory import telemetry
from memory.content.moments import moment
from memory.errors import StrataError
from memory.journal import Journal
from memory.protocols import Embedder, at_once, embedded
from memory.recall.asking import understand
from memory.recall.corpus import Corpus, PassageKind, Scope
from memory.recall.packing import entry_of, pack
from memory.recall.searching import Found, search
from memory.storage import finding
from memory.storage.sessions import SessionInfo, Sessions
from memory.tokens import estimate

LOGGER = logging.getLogger("strata.memory")
KINDS: tuple[PassageKind, ...] = ("message", "fact", "summary", "content")
ROLES = ("user", "assistant", "tool")
ORIGINS = ("import", "library")
KEYS = ("kind", "source", "tag", "session", "since", "until")
RANKED = 200
"""Passages that are ranked for a budget: more than fit into any."""


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
        now: The moment of the question; the present without it.
    """

    def __init__(
        self,
        journal: Journal,
        info: SessionInfo,
        corpus: Corpus,
        *,
        across: bool,
        now: datetime | None = None,
    ) -> None:
        self._journal = journal
        self._info = info
        self._corpus = corpus
        self._across = across
        self._now = now or datetime.now(UTC)

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
        vector = await _vector_of(text, embedder)
        query = understand(text, now=self._now, vector=vector)
        found = await search(self._corpus, query, scope, max(k, RANKED))
        with telemetry.span("memory.recall.pack", self, candidates=len(found)):
            entries = (entry_of(each.passage, each, _tokens, header="") for each in found)
            kept = pack(entries, budget).kept[:k]
        streams = {entry.source.passage.session for entry in kept}
        names = await finding.names_of(self._journal.database, streams)
        return [_remembered(entry.source, entry.tokens, names) for entry in kept]

    async def scope(self, filter: Mapping[str, object]) -> Scope:
        """What a filter lets be found.

        Raises:
            BadFilter, UnknownSession, NoMoment: As `recall`.
        """
        if unknown := [key for key in filter if key not in KEYS]:
            raise BadFilter(
                f"Recall has no filter {str(unknown[0])[:40]!r}.", f"There are {', '.join(KEYS)}."
            )
        now = self._now
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


async def _vector_of(text: str, embedder: Embedder | None) -> Sequence[float] | None:
    """What a text means; None where nothing tells, and it is searched by its words alone."""
    if embedder is None:
        return None
    try:
        return (await embedded(at_once(embedder), [text]))[0]
    except StrataError as error:
        LOGGER.warning("recall goes by words alone: %s", error.sentence)
        return None


def _tokens(text: str) -> int:
    return estimate(len(text))


def _remembered(
    found: Found, tokens: int, names: Mapping[str, tuple[str, str | None]]
) -> Remembered:
    passage = found.passage
    session, title = names.get(passage.session, ("", None))
    return Remembered(
        text=passage.text,
        score=found.score,
        kind=passage.kind,
        session=session,
        title=title,
        number=passage.number,
        at=passage.at,
        role=passage.role,
        origin=passage.origin,
        tokens=tokens,
        parts=found.parts,
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
