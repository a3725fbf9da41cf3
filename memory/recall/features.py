"""What is known of each candidate, as numbers that a linear scorer weighs. Pure.

Each feature is about 0 to 1, whatever the question and however long the talk.
"""

import math
import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from memory.recall.asking import Query
from memory.recall.corpus import Passage
from memory.recall.signals import Signals, Terms, bm25_of_counts
from memory.recall.times import Span, day_of, tells_time
from memory.sought import Sought
from memory.words import index_words

ENOUGH_WORDS = 12
"""A longer message is not likelier for its length; shorter ones are thanks and greetings."""
LONG_WORDS = 120
"""From here on a message costs more room than it is likely to be worth."""
WORDY = 40
"""The same among the answers of an assistant, which are long."""
SLACK_DAYS = 10
"""What happened on a day is often told of some days later."""
FADING_DAYS = 20
HALF_LIFE_DAYS = 60.0
WIDE_DAYS = 100
"""Days of a span that says little: a whole year."""
_DIGIT = re.compile(r"\b\d(?!\d?[.)] )")
"""A figure that does not number the items of a list."""
_ENDS = re.compile(r"(?<=[.!?？؟\n])")
MARKS = ("?", "？", "؟")
NUMBER_WORDS = "two three four five six seven eight nine ten dozen twice hundred thousand couple"


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is ranked: passages with what they have to do with the question, and their order."""

    signals: Mapping[int, Signals]
    before: Mapping[int, int]
    """The message before a message of the same session."""
    after: Mapping[int, int]
    speakers: Mapping[str, Sequence[str]]
    """Names that messages begin with, and the words of the names."""


def features_of(query: Query, asked: Terms, candidates: Candidates) -> dict[int, dict[str, float]]:
    """The features of each candidate by name; those that are 0 may be missing."""
    episodes = _episodes(asked, candidates)
    wanted = {
        name
        for name, words in candidates.speakers.items()
        if words and query.all_words.issuperset(words)
    }
    found: dict[int, dict[str, float]] = {}
    for id, own in candidates.signals.items():
        asked_before = candidates.signals.get(candidates.before.get(id, -1), own)
        coverage = max(own.coverage, asked_before.coverage)
        features = _own(query, own)
        features |= _wanted_form(query, own.passage, coverage)
        features |= _speaking(query, own, wanted)
        features |= _beside(id, candidates)
        features |= episodes.get((own.passage.session, own.passage.episode), {})
        found[id] = features
    return found


def _own(query: Query, own: Signals) -> dict[str, float]:
    passage = own.passage
    length = max(own.length, 1)
    features = {
        "coverage": own.coverage,
        "matched": own.matched,
        "share": own.share if query.telling else 0.0,
        "cosine": own.cosine,
        "length": math.log2(1 + min(length, ENOUGH_WORDS)) / math.log2(1 + ENOUGH_WORDS),
        "long": math.log2(max(length / LONG_WORDS, 1.0)),
        "wordy": math.log2(max(length / WORDY, 1.0)),
        "question": _question(passage.text),
        "asks": _asking(passage.text),
        "importance": passage.importance,
        "pinned": float(passage.pinned),
        "recency": _recency(query, passage),
    }
    if passage.kind != "message":
        features[passage.kind] = 1.0
    if query.asks_latest:
        features["latest"] = features["recency"]
    if query.spans:
        features["dates"] = _dates(query.spans, passage)
    return features


def _wanted_form(query: Query, passage: Passage, coverage: float) -> dict[str, float]:
    """Whether a text has the form of an answer, as far as it, or what it may reply to, is about it.

    Args:
        query: The question.
        passage: The passage.
        coverage: Share of the question's words that it has, or the message before it.
    """
    features: dict[str, float] = {}
    if not coverage:
        return features
    if query.asks_when:
        features["when"] = coverage * tells_time(passage.text)
    if query.asks_number:
        features["number"] = coverage * _has_number(passage.text)
    return features


def _speaking(query: Query, own: Signals, wanted: Collection[str]) -> dict[str, float]:
    """Whether the one who is asked about says it."""
    if wanted:
        return {"speaker": float(own.speaker in wanted) / len(wanted) ** 0.5}
    if query.about is not None:
        return {"speaker": float(own.passage.role == query.about)}
    return {}


def _beside(id: int, candidates: Candidates) -> dict[str, float]:
    """What the messages one and two steps away have to do with the question."""
    signals, before, after = candidates.signals, candidates.before, candidates.after
    features = dict.fromkeys(("near_cosine", "near_bm25", "far_bm25"), 0.0)
    for step in (before, after):
        beside = step.get(id, -1)
        near = signals.get(beside)
        if near is None:
            continue
        features["near_cosine"] += near.cosine / 2
        features["near_bm25"] += near.bm25 / 2
        far = signals.get(step.get(beside, -1))
        features["far_bm25"] += far.bm25 / 2 if far is not None else 0.0
    previous = signals.get(before.get(id, -1))
    if previous is not None:
        features["answers_bm25"] = _question(previous.passage.text) * previous.bm25
    return features


def _episodes(asked: Terms, candidates: Candidates) -> dict[tuple[str, int], dict[str, float]]:
    """What the passages of each episode have together to do with the question."""
    counts: dict[tuple[str, int], dict[str, int]] = defaultdict(lambda: defaultdict(int))
    cosines: dict[tuple[str, int], list[float]] = defaultdict(list)
    for own in candidates.signals.values():
        if own.passage.kind != "message":
            continue
        key = (own.passage.session, own.passage.episode)
        cosines[key].append(own.cosine)
        for word in own.counts:
            counts[key][word] += 1
    return {
        key: {
            "episode_bm25": bm25_of_counts(counts[key], asked),
            "episode_cosine": sum(sorted(near)[-3:]) / 3,
        }
        for key, near in cosines.items()
    }


def _question(text: str) -> float:
    """How much of a text asks: 1 where it ends with a question, half where one is in it."""
    text = text.rstrip()
    if text.endswith(MARKS):
        return 1.0
    return 0.5 if "?" in text else 0.0


def _asking(text: str) -> float:
    """The share of a text that is questions: what only asks tells nothing."""
    if not any(mark in text for mark in MARKS):
        return 0.0
    return sum(len(part) for part in _ENDS.split(text) if part.endswith(MARKS)) / len(text)


def _has_number(text: str) -> bool:
    return _DIGIT.search(text) is not None or _number_words().any_in(text)


@cache
def _number_words() -> Sought:
    return Sought(index_words(NUMBER_WORDS))


def _dates(spans: Sequence[Span], passage: Passage) -> float:
    day = day_of(passage.at)
    if day is None:
        return 0.0
    best = 0.0
    for span in spans:
        off = span.days_off(day)
        late = 0 < off <= SLACK_DAYS
        worth = 1.0 if off == 0 else 0.9 if late else 0.5 * math.exp(-abs(off) / FADING_DAYS)
        if (span.last - span.first).days > WIDE_DAYS:
            worth /= 2
        best = max(best, worth)
    return best


def _recency(query: Query, passage: Passage) -> float:
    day = day_of(passage.at)
    if query.now is None or day is None:
        return 0.0
    age = max((query.now.date() - day).days, 0)
    return float(0.5 ** (age / HALF_LIFE_DAYS))
