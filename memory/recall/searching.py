"""Finds what has to do with a question: candidates by words and meaning, then features on them.

Only candidates are ranked, so a question costs about as much among a hundred thousand messages
as among a thousand.
"""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from memory import telemetry
from memory.recall.asking import Query
from memory.recall.corpus import Corpus, Frequencies, Passage, Scope
from memory.recall.features import Candidates, features_of
from memory.recall.scoring import parts_of, score_of
from memory.recall.signals import fill_in, signals_of, terms
from memory.recall.speakers import among_people, speakers_of
from memory.recall.weights import AMONG_PEOPLE, WITH_ASSISTANT

BY_WORDS = 160
BY_MEANING = 100
"""Candidates that each way of looking finds; more of them changed nothing on LoCoMo."""
WITH_NEIGHBOURS = 60
"""Of each, how many bring the messages beside them: an answer often names nothing of what was
asked in the message before it."""
MOST_LOOKED_UP = 24
"""Words of a question that are looked up, the rarest first."""
MOST_COMMON = 4_000
"""Passages that the words looked up may stand in together: what a full-text search takes time for.
The two rarest words are looked up however common they are, up to `MOST_EVER`."""
MOST_EVER = 20_000
"""The same for these two: a search counts the passages of each word, and 50,000 take it 20 ms.
The rarest word is looked up in any case."""
COMMON_SHARE = 0.1
"""A word that stands in more passages finds little; a speaker's name is such a word."""
FEW = 100
"""Passages that a word may stand in whatever their share."""
LEAST_LOOKED_UP = 2


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its score."""

    passage: Passage
    score: float
    parts: Mapping[str, float]
    """What the score consists of, by name; they sum to it."""
    cosine: float = 0.0
    """How near it is in meaning."""
    share: float = 0.0
    """Which share of the question's words it has, rare ones weighing most."""
    coverage: float = 0.0
    """The same, of those words that stand anywhere."""
    personal: bool = False
    """Whether the question is of what the user or the assistant said."""


@dataclass(frozen=True, slots=True)
class Considered:
    """The passages that are ranked for a question."""

    features: Sequence[tuple[Passage, Mapping[str, float]]]
    among_people: bool
    """Whether they are of a talk among people who are named, and not with an assistant."""


@telemetry.operation("memory.recall.search", lambda found: {"found": len(found)})
async def search(corpus: Corpus, query: Query, scope: Scope, most: int) -> tuple[Found, ...]:
    """The passages that have most to do with a question, best first.

    Args:
        corpus: What is searched.
        query: What was asked (`memory.recall.asking.understand`).
        scope: Which passages may be found.
        most: How many to find.
    """
    if most <= 0:
        return ()
    considered = await candidates_of(corpus, query, scope)
    weights = AMONG_PEOPLE if considered.among_people else WITH_ASSISTANT
    ranked = [
        (score_of(features, weights), passage, features)
        for passage, features in considered.features
    ]
    ranked.sort(key=lambda each: _rank(each[0], each[1]))
    personal = query.telling and query.about is not None
    best = ((passage, features) for _, passage, features in ranked[:most])
    return tuple(_found(*each, weights, personal=personal) for each in best)


async def candidates_of(corpus: Corpus, query: Query, scope: Scope) -> Considered:
    """The passages that are ranked for a question, with their features.

    Args:
        corpus: What is searched.
        query: What was asked.
        scope: Which passages may be found.
    """
    if not query.text.strip():
        return Considered((), among_people=False)
    frequencies = await corpus.frequencies(query.words)
    by_words, near = await _seeds(corpus, query, scope, frequencies)
    by_meaning = [id for id, _ in near]
    leading = (*by_words[:WITH_NEIGHBOURS], *by_meaning[:WITH_NEIGHBOURS])
    around = await corpus.around(list(dict.fromkeys(leading)), 1)
    ids = dict.fromkeys((*by_words, *by_meaning, *chain.from_iterable(around.values())))
    passages = await corpus.passages(list(ids))
    speakers = speakers_of(passages.values())
    features = _features(query, passages, dict(near), around, frequencies, speakers)
    fitting = [(p, features[id]) for id, p in passages.items() if in_scope(p, scope)]
    return Considered(fitting, among_people(passages.values(), speakers))


def in_scope(passage: Passage, scope: Scope) -> bool:
    """Whether a search may find a passage; whose agent it is of is not seen from it."""
    return (
        _open(scope.sessions, passage.session)
        and _open(scope.kinds, passage.kind)
        and _open(scope.roles, passage.role)
        and _open(scope.origins, passage.origin)
        and (scope.tags is None or not scope.tags.isdisjoint(passage.tags))
        and (scope.since is None or scope.since <= passage.at)
        and (scope.until is None or passage.at <= scope.until)
    )


def words_to_look_up(words: Sequence[str], frequencies: Frequencies) -> list[str]:
    """Of a question's words those that find something at little cost, the rarest first."""
    known = [word for word in words if frequencies.having.get(word)]
    rare = sorted(known, key=lambda word: (frequencies.having[word], word))[:MOST_LOOKED_UP]
    common = max(frequencies.passages * COMMON_SHARE, FEW)
    kept: list[str] = []
    cost = 0
    for word in rare:
        having = frequencies.having[word]
        cost += having
        if kept and cost > MOST_EVER:
            break
        if len(kept) >= LEAST_LOOKED_UP and (cost > MOST_COMMON or having > common):
            break
        kept.append(word)
    return kept


async def _seeds(
    corpus: Corpus, query: Query, scope: Scope, frequencies: Frequencies
) -> tuple[Sequence[int], Sequence[tuple[int, float]]]:
    """Passages found by words, and by meaning with their cosines, likeliest first."""
    words = words_to_look_up(query.words, frequencies)
    by_words = await corpus.with_words(words, scope, BY_WORDS) if words else ()
    if query.vector is None:
        return by_words, ()
    return by_words, await corpus.near(query.vector, scope, BY_MEANING)


def _found(
    passage: Passage, features: Mapping[str, float], weights: Mapping[str, float], *, personal: bool
) -> Found:
    parts = parts_of(features, weights)
    return Found(
        passage,
        math.fsum(parts.values()),
        parts,
        cosine=features["cosine"],
        share=features["share"],
        coverage=features["coverage"],
        personal=personal,
    )


def _rank(score: float, passage: Passage) -> tuple[float, str, int, int]:
    """Best first; of equals the one said first, whatever its number in the database."""
    return (-score, passage.at, passage.number, passage.id)


def _features(
    query: Query,
    passages: Mapping[int, Passage],
    cosines: Mapping[int, float],
    around: Mapping[int, Sequence[int]],
    frequencies: Frequencies,
    speakers: Mapping[str, Sequence[str]],
) -> dict[int, dict[str, float]]:
    """The features of each candidate."""
    names = {word for words in speakers.values() for word in words}
    asked = terms(query.words, frequencies, names)
    signals = {
        id: signals_of(passage, asked, cosines.get(id), query) for id, passage in passages.items()
    }
    fill_in(signals.values())
    before = dict(_pairs(around, passages))
    after = {one: other for other, one in before.items()}
    return features_of(query, asked, Candidates(signals, before, after, speakers))


def _pairs(
    around: Mapping[int, Sequence[int]], passages: Mapping[int, Passage]
) -> Iterable[tuple[int, int]]:
    """Messages with the one before each, within what was said in one go."""
    for id, near in around.items():
        known = [passages[each] for each in {id, *near} if each in passages]
        known.sort(key=lambda passage: passage.number)
        for one, other in pairwise(known):
            if (one.session, one.episode) == (other.session, other.episode):
                yield other.id, one.id


def _open(allowed: Collection[str] | None, value: str) -> bool:
    return allowed is None or value in allowed
