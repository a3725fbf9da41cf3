"""What of a model's answer may be a fact: grounded in what was said, whole, lasting. Pure."""

import re
from collections.abc import Iterable, Sequence

from memory.facts.content import content_words, names_in, numbers_in
from memory.facts.material import ORDER, Line
from memory.words import index_words

SHORTEST = 12
"""Characters of the shortest fact: "Ada is six."."""
LEAST_WORDS = 2
"""Words of content that a fact has at least."""
GROUNDED = 0.7
"""Share of a fact's words that stand in the messages: a sentence is put together anew, so some are
new (measured: true ones have .75 to 1, inventions .2 to .6)."""
STEM = 4
"""Letters by which two forms of a word are known, such as `decided` and `decision`."""
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|my|mine|me|we|our|us|you|your)\b", re.IGNORECASE)
_OF_THE_MOMENT = re.compile(
    r"^the user(?:'s question| (?:is|was|feels?|seems?) (?:very |really |so )?(?:happy|glad|excited"
    r"|thankful|grateful|curious|sorry|tired|testing|asking|thanking|looking for|wondering|unsure"
    r"|confused|pleased|satisfied|interested in knowing)"
    r"| (?:asks?|asked|thanks?|thanked|says?|said|greets?|wonders?|wondered|confirms?|confirmed"
    r"|wants to know|would like to know|needs? (?:help|an answer|advice|to know)))\b",
    re.IGNORECASE,
)
_ABOUT_THE_MODEL = re.compile(r"\bthe (?:assistant|ai|model|chatbot)\b", re.IGNORECASE)
_UNNAMED = re.compile(r"^(?:it|he|she|they|this|that|these|those|there)\b", re.IGNORECASE)


def why_refused(text: str, line: Line, portion: Sequence[Line]) -> str | None:
    """Why a sentence can't be a fact; None where it may.

    Args:
        text: The sentence, with its dates.
        line: The message that is said to tell it.
        portion: All messages that the model was shown.
    """
    return _form(text) or _moment(text) or _grounding(text, line, portion)


def _form(text: str) -> str | None:
    if len(text) < SHORTEST or len(set(content_words(text))) < LEAST_WORDS:
        return "it says too little"
    if text.rstrip()[-1] not in ".!)\"'”’。！" or "?" in text:
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


def _grounding(text: str, line: Line, portion: Iterable[Line]) -> str | None:
    said = " ".join(other.text for other in portion)
    if not numbers_in(text) <= numbers_in(f"{line.text} {line.at[:10]} {said}"):
        return "a number was not said"
    known = set(index_words(said))
    if any(not set(index_words(name)) <= known for name in names_in(text)):
        return "a name was not said"
    words = set(content_words(text))
    stems = {word[:STEM] for word in known}
    here = {word[:STEM] for word in index_words(line.text)}
    grounded = sum(word in known or word[:STEM] in stems for word in words)
    if grounded < GROUNDED * len(words) or not any(word[:STEM] in here for word in words):
        return "it was not said"
    return None
