"""The way of a text through memory, as the log tells it. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

from memory.content_events import ContentStored
from memory.events import (
    Compacted,
    CompactionRedone,
    CompactionUndone,
    Message,
    Pinned,
    Recorded,
    ResultsReceipted,
    SummaryRewritten,
    Unpinned,
)
from memory.loss.bearing import (
    bearer_of,
    message_of,
    name_of,
    successor_of,
    summaries_in,
    window_from,
)
from memory.loss.presence import Presence, Wanted
from memory.parts import Edit, EditStage, MessageRef, SummaryRef
from memory.storage.bodies import ERASED
from memory.views import PlaceKind, Trace, TraceStep

SPEAKERS = {
    "user": "You said it",
    "assistant": "The model said it",
    "tool": "A tool returned it",
    "system": "It was set",
}
DONE: Mapping[EditStage, str] = {
    "budget": "was cut to its beginning and end",
    "snip": "was left out",
    "micro": "was shortened",
    "shown": "had been shown in full",
}
NOTHING = Presence(0.0, "")


@dataclass
class Way:
    """Follows one text from event to event.

    Args:
        wanted: The text.
        texts: Texts by body id.
        number: The message it was said in; None for a text that a summary began.
    """

    wanted: Wanted
    texts: Mapping[str, str]
    number: int | None
    steps: list[TraceStep] = field(default_factory=list)
    where: str = ""
    """What has it now, to begin a sentence with; empty once nothing has."""
    left: str = ""
    """When and by what it left the prompt."""
    first: int = 1
    """The first message of the window."""
    _edit: Edit | None = None
    _summary: SummaryRef | None = None
    _pins: dict[str, str] = field(default_factory=dict)
    _stored: list[str] = field(default_factory=list)
    _folded: bool = False
    _message: int | None = None
    """The newest message when the last compaction was planned."""

    def begin_as_message(self, recorded: Recorded, ref: MessageRef) -> None:
        """It was said."""
        text = self.texts.get(ref.body, "")
        speaker = SPEAKERS[ref.role]
        self._step(recorded, "message", f"{speaker} in message {ref.number:,}.", text, ref.number)
        self.where = f"message {ref.number:,} stands word for word"

    def begin_as_summary(self, recorded: Recorded, name: str, summary: SummaryRef) -> None:
        """A summary said it first."""
        self._summary = summary
        self._message = message_of(recorded)
        written = f"It was first written in the {name} summary, version {summary.version}."
        self._step(recorded, "summary", written, self.said_by(summary), self._message)
        self.where = f"the {name} summary says it"

    def follow(self, recorded: Recorded) -> None:
        """What one event does to it."""
        match recorded.event:
            case Compacted() | CompactionRedone():
                self._compacted(recorded, recorded.event)
            case CompactionUndone():
                self._undone(recorded, recorded.event)
            case SummaryRewritten() as event:
                if self._summary is not None and event.replaces == self._summary.body:
                    self._carried(recorded, name_of(event.slot), event.summary, "written anew")
            case ResultsReceipted(edits=edits):
                self._receipted(recorded, edits)
            case Pinned() as event:
                self._pinned(recorded, event)
            case Unpinned(id=id):
                self._unpinned(recorded, id)
            case ContentStored(items=items):
                self._store(recorded, [item.id for item in items if item.number == self.number])
        self.first = window_from(recorded, self.first)

    def traced(self) -> Trace:
        """The way as it is known now."""
        pinned = bool(self._pins)
        where = "you pinned it" if pinned else self.where
        return Trace(
            text=self.wanted.text,
            number=self.number,
            steps=tuple(self.steps),
            in_prompt=bool(where),
            answer=f"It is in the prompt: {where}." if where else f"{self.left}{self._way_back()}",
        )

    # -- inside

    def _compacted(self, recorded: Recorded, event: Compacted | CompactionRedone) -> None:
        self._message = event.message
        again = "again " if isinstance(event, CompactionRedone) else ""
        if self.number is None or self._folded:
            self._merge(recorded, event)
        elif event.folds and self.number < event.verbatim_from:
            # System messages leave the window and stay word for word all the same.
            if all(ref.number != self.number for ref in event.pinned):
                self._fold(recorded, event, again)
        else:
            for edit in event.edits:
                if edit.number == self.number:
                    self._edited(recorded, edit, again)

    def _receipted(self, recorded: Recorded, edits: Sequence[Edit]) -> None:
        for edit in edits:
            if edit.number == self.number and not self._folded:
                self._edited(recorded, edit, "")

    def _fold(self, recorded: Recorded, event: Compacted | CompactionRedone, again: str) -> None:
        bearer = bearer_of(self.number, event.long_term, event.short_term)
        self._edit, self._folded = None, True
        if bearer is None:
            self.left = f"It left the prompt with the compaction at message {event.message:,}"
            self.where = ""
            what = f"Message {self.number:,} {again}left the window without a summary."
            self._step(recorded, "left", what, "")
            return
        name, summary = bearer
        self._carried(recorded, name, summary, f"{again}folded{self._company(event)}")

    def _company(self, event: Compacted | CompactionRedone) -> str:
        """The messages that left the window together."""
        apart = {ref.number for ref in event.pinned}
        numbers = [n for n in range(self.first, event.verbatim_from) if n not in apart]
        several = len(numbers) > 1
        return f", with messages {numbers[0]:,} to {numbers[-1]:,}," if several else ""

    def _edited(self, recorded: Recorded, edit: Edit, again: str) -> None:
        self._edit = edit
        text = self.texts.get(edit.body, "") if edit.body else ""
        presence = self.wanted.presence(text)
        cited = ", ".join(edit.items) or f"m{edit.number}"
        why = f" ({edit.why})" if edit.why else ""
        what = f"Message {edit.number:,} {again}{DONE[edit.stage]}{why}; "
        if presence.share:
            what += f"what stands in its place {presence.words}."
            self.where = f"message {edit.number:,} stands shortened and {presence.words}"
        else:
            what += f"it stands behind the receipt {cited}."
            self.where = ""
            self.left = f"{self._when()} when message {edit.number:,} {DONE[edit.stage]}"
        self._step(recorded, "edited" if presence.share else "receipt", what, text)

    def _merge(self, recorded: Recorded, event: Compacted | CompactionRedone) -> None:
        """Its summary may have become another one, or part of it."""
        old = self._summary
        if old is None:
            return
        bearer = successor_of(old, self.number, event.long_term, event.short_term)
        if bearer is None:
            self._lose(recorded, "The summary that stood for it was let go.")
            return
        name, summary = bearer
        if summary.body != old.body:
            self._carried(recorded, name, summary, "merged")
        elif self.where and f"the {name}" not in self.where:
            what = f"The summary became the {name} summary as it is."
            self._step(recorded, "summary", what, self.said_by(summary))
            self.where = f"the {name} summary {self._presence(summary).words}"
            self._summary = summary

    def _carried(self, recorded: Recorded, name: str, summary: SummaryRef, how: str) -> None:
        """Another summary stands for it; told where that changes what is said."""
        before = self._presence(self._summary).share if self._summary else None
        presence = self._presence(summary)
        body = self.wanted.presence(self.texts.get(summary.body, ""))
        self._summary = summary
        if before is not None and before == presence.share and f"the {name}" in self.where:
            return
        was_gone = before == 0.0
        place: PlaceKind = "summary" if presence.share else "left"
        if presence.share > body.share:
            place = "details"
        said = presence.words
        if place == "details":
            whole = presence.share == 1.0 and body.share == 0.0
            said = "keeps it in its details" if whole else f"{said}, with its details"
        self.where = f"the {name} summary {said}" if presence.share else ""
        if was_gone and not presence.share:
            return
        what = f"It was {how} into the {name} summary, which {said}."
        if how == "written anew":
            what = f"The {name} summary was written anew: it {said}."
        if not presence.share:
            self.left = f"{self._when()} when it was {how} into the {name} summary"
        self._step(recorded, place, what, self.said_by(summary))

    def _undone(self, recorded: Recorded, event: CompactionUndone) -> None:
        edits = {edit.number: edit for edit in event.edits}
        back = any(ref.number == self.number for ref in event.restored)
        if back or (self.number is not None and not self._folded):
            edit = edits.get(self.number or 0)
            if not back and edit == self._edit:
                return
            self._summary, self._edit, self._folded, self.left = None, None, False, ""
            self.where = f"message {self.number:,} stands word for word"
            if edit is not None:
                self._edited(recorded, edit, "again ")
                return
            what = f"Its compaction was taken back: message {self.number:,} stands as it was."
            self._step(recorded, "window", what, "")
        elif self._summary is not None:
            bearer = bearer_of(self.number, event.long_term, event.short_term)
            if self.number is None:
                bearer = successor_of(self._summary, None, event.long_term, event.short_term)
            if bearer is None:
                self._lose(recorded, "The compaction that wrote it was taken back.")
            elif bearer[1].body != self._summary.body:
                self._summary = None
                self._carried(recorded, *bearer, "put back")

    def _pinned(self, recorded: Recorded, event: Pinned) -> None:
        text = self.texts.get(event.body, "")
        whole = event.whole and event.number == self.number
        if whole or self.wanted.presence(text).share == 1.0:
            self._pins[event.id] = text
            what = "You pinned its message." if whole else "You pinned it."
            self._step(recorded, "pin", what, text)

    def _unpinned(self, recorded: Recorded, id: str) -> None:
        if self._pins.pop(id, None) is not None:
            self._step(recorded, "pin", "The pin was taken away.", "")

    def _store(self, recorded: Recorded, ids: Sequence[str]) -> None:
        if self.number is not None and ids:
            self._stored += ids
            what = f"It was stored in full outside the prompt as {', '.join(ids)}."
            self._step(recorded, "content", what, "")

    def _lose(self, recorded: Recorded, what: str) -> None:
        if self.where:
            self.left = f"{self._when()}: {what[0].lower()}{what[1:-1]}"
            self._step(recorded, "left", what, "")
        self.where, self._summary = "", None

    def _presence(self, summary: SummaryRef) -> Presence:
        return self.wanted.presence(self.said_by(summary))

    def said_by(self, summary: SummaryRef) -> str:
        """What a summary and its details say."""
        bodies = [body for body in (summary.body, summary.details) if body is not None]
        return "\n".join(text for body in bodies if (text := self.texts.get(body, "")) != ERASED)

    def _when(self) -> str:
        at = f" at message {self._message:,}" if self._message else ""
        return f"It left the prompt{at}"

    def _way_back(self) -> str:
        if self.number is None:
            return "."
        handles = [*self._stored[-1:], f"m{self.number}"]
        return f"; @retrieve {handles[0]} shows it."

    def _step(
        self, recorded: Recorded, place: PlaceKind, what: str, text: str, message: int | None = None
    ) -> None:
        excerpt = self.wanted.excerpt(text) if text else ""
        newest = message if message is not None else self._message
        self.steps.append(TraceStep(recorded.n, recorded.at, newest, place, what, excerpt))


def way_of_message(
    wanted: Wanted, said: Recorded, changes: Iterable[Recorded], texts: Mapping[str, str]
) -> Trace:
    """The way of a text that was said in a message.

    Args:
        wanted: The text.
        said: The message's event.
        changes: The events of the kinds `CHANGES`, oldest first.
        texts: Texts by body id.
    """
    ref = cast(Message, said.event).ref
    way = Way(wanted, texts, ref.number)
    way.begin_as_message(said, ref)
    for recorded in changes:
        if recorded.n > said.n:
            way.follow(recorded)
        else:
            way.first = window_from(recorded, way.first)
    return way.traced()


def way_of_summary(
    wanted: Wanted, changes: Sequence[Recorded], texts: Mapping[str, str]
) -> Trace | None:
    """The way of a text that no message has, from the first summary that says it."""
    for place, recorded in enumerate(changes):
        for name, summary in reversed(summaries_in(recorded)):
            way = Way(wanted, texts, None)
            if wanted.is_in(way.said_by(summary)):
                way.begin_as_summary(recorded, name, summary)
                for later in changes[place + 1 :]:
                    way.follow(later)
                return way.traced()
    return None
