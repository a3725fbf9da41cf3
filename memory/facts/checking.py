"""What of a model's answer may be a fact: grounded in what was said, whole, lasting. Pure."""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import date

from memory.clock import parse_time
from memory.facts.asking import LONGEST, Said
from memory.facts.content import content_words, names_in, numbers_in, plain, words_of
from memory.facts.dating import dated
from memory.facts.material import Line
from memory.facts.stating import ORDER, sentences_of
from memory.facts.vocabulary import CHANGED, LIGHT

SHORTEST = 12
"""Characters of the shortest fact: "Ada is six."."""
LEAST_WORDS = 2
"""Words of content that a fact has; of what the user is, one suffices: "The user is vegan."."""
GROUNDED = 0.7
"""Share of a fact's words that were said: a sentence is put together anew, so some are new."""
RECALLED = 0.8
"""Share of a fact's words in what was recalled for the turn from which an answer repeats it."""
YEAR_DAYS, NEAR_DAYS = 365, 60
"""Of a day without a year: which one is meant, counted from the message."""
STEM = 4
"""Letters by which two forms of a word are known, such as `decided` and `decision`."""
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|my|mine|me|we|our|us|you|your)\b", re.IGNORECASE)
_FEELINGS = "happy|glad|excited|thankful|grateful|curious|sorry|tired|unsure|confused|pleased"
_OF_THE_MOMENT = re.compile(
    rf"^let's\b|^the user (?:(?:is|was|seems?) (?:very |really |so )?(?:{_FEELINGS}|testing"
    rf"|asking|off to"
    r"|thanking|looking for|trying|wondering|satisfied|interested in knowing)"
    r"|(?:feels?|felt|agrees with|asks?|asked|thanks?|thanked|says?|said|greets?|wonders?"
    r"|wondered|confirms?|confirmed"
    r"|wants to (?:know|stop|continue|start over|thank)|would like to know|needs? (?:help"
    r"|an answer|advice|to know)"
    r"|encountered|has (?:an?|some|three|two) (?:question|ideas?|problem|error)))\b",
    re.IGNORECASE,
)
_IS = re.compile(r"^the user (?:is|has|was|owns)\b", re.IGNORECASE)
_ABOUT_THE_MODEL = re.compile(r"\bthe (?:assistant|ai|model|chatbot)\b", re.IGNORECASE)
_UNNAMED = re.compile(
    r"^(?:it|he|she|they|this|that|these|those|there)\b|\b(?:that|this|those|these)[.!]$",
    re.IGNORECASE,
)
_OF_OURS = re.compile(
    r"(?:, (?:(?:so|and|but) )?| (?:so|and|but) )(?:we|I|it|can you|could you|let me) .*$"
)
_ASIDE = re.compile(
    r"(?:, (?:(?:so|and|but) )?| (?:so|and|but) )(?:please|don't) .*$"
    r"|, so (?:keep|make|be|use|give|do|avoid|write|never|always|answer|explain|tell) .*$"
    r"|, (?:sadly|unfortunately|luckily|obviously|of course|by the way)\.?$"
)
_WANTS_ANSWERS = re.compile(r"(?<=^The user )wants to (?:answer|be answered)\b")
_OF_THE_USER = re.compile(r"^the user(?! and\b|'s\b)", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"^(?:[Hh]e|[Ss]he|[Tt]hey|[Ii]t|[A-Z][\w-]+(?: [A-Z][\w-]+)?)"
    r" (?:is|was|are|were|has|had|does|do|can|will|\w+n't|lives|works|likes|loves"
    r"|hates|eats|drinks|speaks|plays|drives|owns|wants|prefers|needs|studies|uses|takes|teaches"
    r"|moved"
    r"|bought|got|married|left|started|joined|plans|thinks|knows|earns|keeps|runs)\b"
)
"""A sentence that begins with another one's name."""
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_RULE = re.compile(
    r"\b(?:always|never|must|not allowed|only|allergic|allergy|decided|agreed|wants?|prefers?"
    r"|does not|doesn't|refuses|can't|deadline|due)\b",
    re.IGNORECASE,
)
_PASSING = re.compile(r"\b\d{4}-\d{2}(?:-\d{2})?\b")
USUAL, RULE, PASSING, ANSWERED = 0.5, 0.65, 0.35, 0.3
"""Importance: of most facts; of decisions, wishes and limits; of what happened on a day; of what
only the model told."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A fact that is borne out by what was said."""

    text: str
    line: Line
    importance: float


def accepted(said: Said, portion: Sequence[Line], recalled: Collection[str] = ()) -> Accepted | str:
    """The fact that a model's sentence is, or in a few words why it is none.

    Args:
        said: What the model wrote.
        portion: All messages that it was shown.
        recalled: What was injected into the turns of these messages; an answer may repeat it.
    """
    named = next((line for line in portion if line.number == said.number), portion[0])
    text = _cut(dated(said.text, parse_time(named.at).date()))
    line = _source(text, portion, named)
    why = _form(text) or _moment(text) or _grounding(text, line, portion) or _whose(text, line)
    if why is None and not line.by_user and _share(text, " ".join(recalled)) >= RECALLED:
        why = "it was recalled"
    return why or Accepted(text, line, _importance(text, line))


def _source(text: str, portion: Sequence[Line], named: Line) -> Line:
    """The message that bears a sentence out best; small models mix up the numbers."""
    best = max(portion, key=lambda line: _share(text, line.text))
    return named if _share(text, named.text) >= _share(text, best.text) else best


def _cut(text: str) -> str:
    """A sentence without what a small model copies behind the fact, and in usual words."""
    text = _ASIDE.sub(".", text)
    if _FIRST_PERSON.search(text):
        text = _OF_OURS.sub(".", text)
    return _WANTS_ANSWERS.sub("wants answers", text)


def _whose(text: str, line: Line) -> str | None:
    """Why it is not the user's own, where the sentence that bears it out tells of another one."""
    if not line.by_user or not _OF_THE_USER.match(text):
        return None
    sentences = sentences_of(line.text)
    best = max(sentences, key=lambda sentence: _share(text, sentence), default="")
    other = _OF_ANOTHER.match(best) is not None and _FIRST_PERSON.search(best) is None
    return "it was said of somebody else" if other else None


def _form(text: str) -> str | None:
    words = set(content_words(text))
    named = {word for name in names_in(text) for word in words_of(name)}
    least = 1 if _IS.match(text) and not words <= named else LEAST_WORDS
    if len(text) < SHORTEST or len(words | numbers_in(text)) < least:
        return "it says too little"
    if len(text) > LONGEST or text.rstrip()[-1] not in ".!)\"'”’。！" or "?" in text:
        return "it is no whole sentence"
    if ORDER.search(text):
        return "it tries to steer"
    return None


def _moment(text: str) -> str | None:
    if _OF_THE_MOMENT.search(text) or _ABOUT_THE_MODEL.search(text):
        return "it is of the moment"
    if _FIRST_PERSON.search(text) or _UNNAMED.search(text):
        return "nobody knows whom it means"
    return None


def _grounding(text: str, line: Line, portion: Sequence[Line]) -> str | None:
    told = " | ".join(part for other in portion for part in (other.text, other.at[:10]))
    if not all(map(_is_said(told, line), numbers_in(text))):
        return "a number was not said"
    known = set(words_of(plain(told)))
    if any(not set(words_of(name)) <= known for name in names_in(text)):
        return "a name was not said"
    if _share(text, told) < GROUNDED or not _share(text, line.text):
        return "it was not said"
    return None


def _is_said(told: str, line: Line) -> Callable[[str], bool]:
    """Tells which figures were said; of a day without a year the next one, or one just past."""
    said, day = numbers_in(told), parse_time(line.at).date()

    def known(number: str) -> bool:
        if number in said or not _DAY.fullmatch(number) or number[5:] not in said:
            return number in said
        try:
            away = date.fromisoformat(number) - day
        except ValueError:
            return False
        return -NEAR_DAYS <= away.days <= YEAR_DAYS - NEAR_DAYS

    return known


def _share(text: str, source: str) -> float:
    """The share of a sentence's words of content that stand in a text, in any form."""
    said = set(content_words(text))
    words = said - LIGHT - CHANGED or said
    known = set(words_of(plain(source)))
    stems = {word[:STEM] for word in known if len(word) >= STEM}
    return sum(w in known or w[:STEM] in stems for w in words) / len(words) if words else 0.0


def _importance(text: str, line: Line) -> float:
    if not line.by_user:
        return ANSWERED
    if _RULE.search(text):
        return RULE
    return PASSING if _PASSING.search(text) else USUAL
