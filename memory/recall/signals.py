"""What each passage alone has to do with a question: its words and its meaning. Pure."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from heapq import nlargest
from operator import itemgetter
from struct import Struct

from memory.recall.asking import Query
from memory.recall.corpus import Frequencies, Passage
from memory.recall.speakers import prefix
from memory.sought import Sought

K1, B = 0.9, 0.4
"""BM25's saturation and weight of length; found on LoCoMo's first five conversations."""
RARE_WORDS = 3
RARE, LEAST_LETTERS = 0.6, 3
"""Weight of a rare word against one that stands nowhere, and its letters at least."""
MOST_WEIGHED = 40
"""Words of a question that count, the rarest: of a paste the others tell nothing."""


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of a question with what they weigh."""

    idf: Mapping[str, float]
    total: float
    """Sum of the weights; what a passage with all of them has."""
    mean_words: float
    rarest: float
    """Weight of a word that stands nowhere."""
    unknown: int
    """How many such words there are."""
    rare: frozenset[str]
    """Words that tell much by themselves: names, addresses, numbers of more than two digits."""
    sought: Sought
    """Finds the others in a text."""


@dataclass(slots=True)
class Signals:
    """What one passage has to do with a question."""

    passage: Passage
    speaker: str | None
    """The name before its text."""
    length: int
    counts: dict[str, int]
    """Words of the question that it has, and how often."""
    bm25: float = 0.0
    """Of what it could reach, 0 to about 2."""
    coverage: float = 0.0
    """Share of the question's words that it has, by weight; without those that stand nowhere."""
    matched: float = 0.0
    """The same against three rare words, whatever else the question has: words that are common or
    of a question that shares no other ones with the talk tell little."""
    share: float = 0.0
    """Share of all of the question's words, by weight; 0 where no rare one is among them."""
    cosine: float = 0.0
    embedded: bool = False
    """Its cosine is known; `fill_in` gives the others a mean one."""


def terms(words: Sequence[str], frequencies: Frequencies, without: Collection[str] = ()) -> Terms:
    """What the words of a question weigh: rare ones most.

    Args:
        words: The words.
        frequencies: How common they are.
        without: Names of speakers, which stand before every message.
    """
    idf = {
        word: _idf(word, frequencies)
        for word in words
        # What stands nowhere tells no passage from another.
        if frequencies.having.get(word) and word not in without
    }
    if len(idf) > MOST_WEIGHED:
        idf = dict(nlargest(MOST_WEIGHED, idf.items(), key=itemgetter(1)))
    unknown = sum(not frequencies.having.get(word) for word in words)
    rarest = _idf("", frequencies)
    rare = (word for word, weight in idf.items() if weight >= RARE * rarest)
    return Terms(
        idf,
        rare=frozenset(word for word in rare if len(word) >= LEAST_LETTERS),
        total=sum(idf.values()) or 1.0,
        mean_words=max(frequencies.mean_words, 1.0),
        rarest=rarest,
        unknown=unknown,
        sought=Sought(idf),
    )


def signals_of(passage: Passage, asked: Terms, cosine: float | None, query: Query) -> Signals:
    """What a passage has to do with a question.

    Args:
        passage: The passage.
        asked: The question's words.
        cosine: Its nearness in meaning where it is known already.
        query: The question.
    """
    name = prefix(passage.text)
    counts = asked.sought.counts(passage.text)
    found = Signals(passage, name, passage.length, counts)
    found.bm25 = _bm25(counts, passage.length, asked)
    weight = sum(asked.idf[word] for word in counts)
    found.coverage = weight / asked.total
    if not asked.rare.isdisjoint(counts):
        found.share = weight / (asked.total + asked.unknown * asked.rarest)
    found.matched = weight / (RARE_WORDS * asked.rarest)
    if cosine is None:
        cosine = cosine_of(query.vector, passage.vector)
    found.cosine, found.embedded = cosine or 0.0, cosine is not None
    return found


def fill_in(signals: Collection[Signals]) -> None:
    """Gives passages without a vector the mean of the others, so that they compete by words."""
    known = [each.cosine for each in signals if each.embedded]
    mean = math.fsum(known) / len(known) if known else 0.0
    for each in signals:
        if not each.embedded:
            each.cosine = mean


def cosine_of(one: Sequence[float] | None, packed: bytes | None) -> float | None:
    """The cosine of two vectors of length one; None where one is missing or of another model."""
    if one is None or packed is None or len(packed) != 4 * len(one):
        return None
    # Of vectors of length one the distance tells the cosine, and is had in half the time.
    cosine = 1 - math.dist(one, _floats(len(one)).unpack(packed)) ** 2 / 2
    return cosine if math.isfinite(cosine) else None


@cache
def _floats(count: int) -> Struct:
    return Struct(f"<{count}f")


def bm25_of_counts(counts: Mapping[str, float], asked: Terms) -> float:
    """BM25 without regard to length, as a share of what could be reached."""
    gained = sum(asked.idf[word] * count / (count + K1) for word, count in counts.items())
    return gained / asked.total


def _bm25(counts: Mapping[str, int], length: int, asked: Terms) -> float:
    if not counts:
        return 0.0
    norm = K1 * (1 - B + B * length / asked.mean_words)
    gained = sum(
        asked.idf[word] * count * (K1 + 1) / (count + norm) for word, count in counts.items()
    )
    return gained / asked.total


def _idf(word: str, frequencies: Frequencies) -> float:
    having = min(frequencies.having.get(word, 0), frequencies.passages)
    return math.log(1 + (frequencies.passages - having + 0.5) / (having + 0.5))
