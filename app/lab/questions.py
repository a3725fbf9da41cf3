"""Talks with questions and the turns that answer them, in LoCoMo's format (LAB-3).

Evidence is read apart from the questions, so that nothing that ranks ever holds it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.lab.recorded import file_text, is_locomo, session_keys
from app.transfer.messages import UnreadableRecording, whole_document
from memory.clock import format_time
from memory.parts import Role

TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M", "%Y-%m-%d %H:%M:%S")
"""LoCoMo's, and what other collections write."""
ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant"}
_TURN_ID = re.compile(r"D:?(\d+):(\d+)")


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of a talk."""

    id: str
    speaker: str
    role: Role
    text: str
    session: int
    date: str
    """When the session was, as the file writes it."""
    at: str
    """The same as UTC, ISO 8601; empty where it can't be read."""

    @property
    def line(self) -> str:
        """The turn as it is told and remembered."""
        return f"{self.speaker}: {self.text}"

    @property
    def header(self) -> str:
        """What stands above the turns of its session."""
        return f"## {self.date}"


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a talk."""

    index: int
    """Its place in `qa`."""
    text: str
    category: int


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation over many sessions, and what is asked about it."""

    name: str
    turns: tuple[Turn, ...]
    questions: tuple[Question, ...]


@dataclass(slots=True)
class Evidence:
    """The turns that answer each question, by talk and index."""

    turns: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    ids: int = 0
    """Ids that name a turn."""
    repaired: int = 0
    """Of them those that were malformed."""
    skipped: list[str] = field(default_factory=list)
    """What names no turn."""


def read_questions(path: Path) -> tuple[list[Talk], Evidence]:
    """The talks of a LoCoMo file with their questions, and apart from them the evidence.

    Raises:
        UnreadableRecording: The file can't be read, or has no such talks.
    """
    document = whole_document(file_text(path))
    if not is_locomo(document):
        raise UnreadableRecording(
            f"{path} is not in LoCoMo's format.",
            "It must be a list of conversations with sessions of turns, and questions (qa).",
        )
    talks, evidence = [], Evidence()
    for place, entry in enumerate(document, start=1):
        name = str(entry.get("sample_id") or f"conversation-{place}")
        try:
            talk = _talk(name, entry)
            _add_evidence(evidence, talk, entry["qa"])
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise UnreadableRecording(
                f"The conversation {name!r} of {path} is not in LoCoMo's format.",
                "It needs speaker_a, sessions of turns with speaker, dia_id and text, and qa with "
                "question, category and evidence.",
            ) from error
        talks.append(talk)
    return talks, evidence


def evidence_ids(written: str) -> tuple[str, ...]:
    """The turns that an entry of evidence names: several in one, zeros and colons too many."""
    return tuple(f"D{int(session)}:{int(turn)}" for session, turn in _TURN_ID.findall(written))


def time_of(written: str) -> str:
    """The time of a session as UTC, ISO 8601; empty where it can't be read."""
    for form in TIMES:
        with suppress(ValueError):
            return format_time(datetime.strptime(written.strip(), form).replace(tzinfo=UTC))
    with suppress(ValueError):
        moment = datetime.fromisoformat(written.strip())
        return format_time(moment if moment.tzinfo else moment.replace(tzinfo=UTC))
    return ""


def _talk(name: str, entry: Mapping[str, Any]) -> Talk:
    questions = tuple(
        Question(index, str(asked["question"]), int(asked.get("category") or 0))
        for index, asked in enumerate(entry["qa"])
    )
    return Talk(name, tuple(_turns(entry["conversation"])), questions)


def _turns(conversation: Mapping[str, Any]) -> Iterator[Turn]:
    user = conversation["speaker_a"]
    for session, key in enumerate(session_keys(conversation), start=1):
        date = str(conversation.get(f"{key}_date_time") or "")
        at = time_of(date)
        for turn in conversation[key]:
            speaker = str(turn["speaker"])
            role = ROLES.get(speaker.lower(), "user" if speaker == user else "assistant")
            text = str(turn["text"])
            yield Turn(str(turn["dia_id"]), speaker, role, text, session, date, at)


def _add_evidence(evidence: Evidence, talk: Talk, asked: Sequence[Mapping[str, Any]]) -> None:
    known = {turn.id for turn in talk.turns}
    for index, question in enumerate(asked):
        named: set[str] = set()
        for written in map(str, question.get("evidence") or ()):
            ids = (written,) if written in known else evidence_ids(written)
            there = [id for id in ids if id in known]
            evidence.ids += len(there)
            evidence.repaired += sum(id != written for id in there)
            if len(there) < max(len(ids), 1):
                evidence.skipped.append(written)
            named.update(there)
        if named:
            evidence.turns[talk.name, index] = frozenset(named)
