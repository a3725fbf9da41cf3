"""What of a conversation is read for facts: people's own words, a few messages at a time. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memory.events import Message
from memory.parts import Role

OWN_WORDS = 1_200
"""Characters of a message above which a user has hardly typed it: then its ends are read, where
people say what a paste is for."""
END = 400
"""Characters of either end of a long message."""
ANSWER = 300
"""Characters of the model's answer that are shown: what the user's words are about."""
BATCH_MESSAGES = 3
"""Messages of one request. Small models find less in more."""
BATCH_CHARS = 1_200
_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_SENTENCE = re.compile(r"(?<=[.!?…。！？])\s+")
ORDER = re.compile(
    r"\b(?:ignore|disregard|forget)\b.{0,40}\b(?:instructions?|prompts?|rules|above|previous|prior)\b"
    r"|\bsystem prompt\b|\byou are now\b|\bwrite down that\b",
    re.IGNORECASE,
)
"""Sentences that try to steer whoever reads them."""
_QUOTED = re.compile(r"^\s*>.*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Line:
    """A message, or what is read of it."""

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


def is_readable(message: Message) -> bool:
    """Whether a message may be read: said by the user or the model, not attached or pasted."""
    ref = message.ref
    return ref.role in ("user", "assistant") and ref.item is None and not ref.interrupted


def own_words(text: str) -> str:
    """What somebody states by themselves in a message: no code, quotes, pastes or questions."""
    text = _QUOTED.sub("", _FENCED.sub(" ", text))
    text = " ".join(text.split())
    if len(text) > OWN_WORDS:
        text = f"{_clipped(text, END)} … {_tail(text, END)}"
    return " ".join(s for s in _SENTENCE.split(text) if not _is_passed_over(s)).strip()


def _is_passed_over(sentence: str) -> bool:
    return sentence.rstrip().endswith("?") or ORDER.search(sentence) is not None


def batches(lines: Iterable[Line]) -> list[list[Line]]:
    """Messages in portions for one request each; an exchange stays together where it can.

    A portion without words of the user has nothing that is asked for, and is left out.
    """
    portions: list[list[Line]] = []
    chars = 0
    for line in lines:
        full = portions and (
            len(portions[-1]) >= BATCH_MESSAGES or chars + len(line.text) > BATCH_CHARS
        )
        if not portions or full or line.branch != portions[-1][-1].branch:
            portions.append([])
            chars = 0
        portions[-1].append(line)
        chars += len(line.text)
    return portions


def worth_asking(portion: Sequence[Line]) -> bool:
    """Whether the user says anything in a portion that may hold a fact."""
    return any(line.by_user and len(line.text.split()) > 2 for line in portion)  # noqa: PLR2004


def _clipped(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[:most].rsplit(' ', 1)[0]} …"


def _tail(text: str, most: int) -> str:
    return text[-most:].split(" ", 1)[-1]
