"""What of a conversation is read for facts: people's own words, a few messages at a time. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from memory.clock import parse_time
from memory.events import Message
from memory.facts.dating import dated
from memory.facts.stating import bare, is_passed_over, sentences_of, stated
from memory.parts import Origin, Role

OWN_WORDS = 1_200
"""Characters of a message above which a user has hardly typed it: then its ends are read, where
people say what a paste is for."""
END = 400
"""Characters of either end of a long message."""
FINDINGS = 2
"""Sentences of an answer that are read, where it tells what was found out or done."""
BATCH_MESSAGES = 3
"""Messages of one request: of eight, a model of 1.5 billion parameters passed over half."""
BATCH_CHARS = 1_200
OWN_ORIGINS: frozenset[Origin] = frozenset({"user", "import", "library"})
_FINDING = re.compile(
    r"\b(?:the (?:cause|reason|problem|fix|solution|culprit) (?:is|was)|turn(?:s|ed) out|found that"
    r"|I(?:'ve| have)? (?:set|changed|configured|installed|created|fixed|moved|renamed|switched)"
    r"|(?:is|are) now|we (?:decided|agreed))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Line:
    """A message, as much of it as is read."""

    number: int
    branch: str
    """The branch it was said in."""
    role: Role
    at: str
    text: str

    @property
    def by_user(self) -> bool:
        """Whether it is the user's own."""
        return self.role == "user"


def line_of(message: Message, branch: str, at: str, text: str) -> Line | None:
    """What is read of a message; None where nothing is.

    Neither system messages, results of tools, attached files nor what another model asked for.
    """
    ref = message.ref
    if ref.item is not None or ref.role not in ("user", "assistant"):
        return None
    if ref.role == "user" and message.origin not in OWN_ORIGINS:
        return None
    said = own_words(text) if ref.role == "user" else findings(text)
    said = dated(said, parse_time(at).date())
    return Line(ref.number, branch, ref.role, at, said) if said else None


def own_words(text: str) -> str:
    """What a user states by themselves: no code, quotes, pastes, questions or requests."""
    text = bare(text)
    if len(text) > OWN_WORDS:
        text = f"{text[:END].rsplit(' ', 1)[0]} … {text[-END:].split(' ', 1)[-1]}"
    return " ".join(stated(sentences_of(text))).strip()


def findings(text: str) -> str:
    """What an answer tells to have found out or done."""
    sentences = sentences_of(bare(text))
    found = [s for s in sentences if _FINDING.search(s) and not is_passed_over(s)]
    return " ".join(found[:FINDINGS]).strip()


def batches(lines: Iterable[Line]) -> list[list[Line]]:
    """Messages in portions for one request each, none of which spans two branches."""
    portions: list[list[Line]] = []
    chars = 0
    for line in lines:
        last = portions[-1] if portions else []
        full = len(last) >= BATCH_MESSAGES or chars + len(line.text) > BATCH_CHARS
        if not last or full or line.branch != last[-1].branch:
            portions.append([])
            chars = 0
        portions[-1].append(line)
        chars += len(line.text)
    return portions
