"""One turn of conversation as it is shown: what happens, put on the stage."""

import time
from datetime import UTC, datetime

from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Asked,
    Failed,
    Happening,
    HelperAnswered,
    Noted,
    PermissionWanted,
    ReadingPrompt,
    Reported,
    Stopped,
    ToolCalled,
    ToolEnded,
    ToolShown,
    UserAdded,
    Waiting,
)
from app.screens.calling import Calls
from app.screens.recorded import CUT_SHORT, INTERRUPTED, STOPPED, new_message, speed
from app.screens.stage import Stage
from memory.answer import StoredMessage
from memory.tokens import estimate
from widgets.entries import Entry, LiveEntry, NoticeEntry
from widgets.figures import clock, token_rate
from widgets.transcript import Block

SPEED_SECONDS = 0.5
"""Between two figures of the speed, and before the first: sooner it says little."""
NOT_ANSWERED = "Stopped before the model answered. @retry asks it again."


class TurnView:
    """Shows a message on its way to the disk, the answer as it grows, and how it ended.

    Args:
        stage: Where it is shown.
        sent: What the composer holds until it is safe.
    """

    def __init__(self, stage: Stage, sent: str) -> None:
        self._stage = stage
        self._sent = sent
        self._live: Block | None = None
        self._calls = Calls(stage)
        self._asked = False
        self._ended = False
        self._characters = 0
        self._since = 0.0
        self._told, self._told_at = "answering", 0.0

    @property
    def live(self) -> Block | None:
        """What is on its way: the first call that runs, or the answer."""
        return self._calls.first or self._live

    def show(self, happening: Happening) -> None:
        """Puts one happening on the stage."""
        match happening:
            case UserAdded():
                self._user_added(happening.message)
            case Waiting():
                self._wait(happening.reason)
            case Asked():
                self._begin()
            case ReadingPrompt() if happening.total:
                self._say(f"reading {100 * happening.done // happening.total} %")
            case AnswerGrew():
                self._grow(happening)
            case AnswerAdded() | Stopped() | Failed():
                self._end(happening)
            case ToolCalled() | ToolShown() | PermissionWanted() | ToolEnded():
                self._call(happening)
            case HelperAnswered():
                self._put(new_message(happening.message, datetime.now(UTC)))
                self._stage.transcript.go_to_end()
            case Reported() | Noted():
                self._stage.notice(happening.text, happening.tone)

    def close(self) -> None:
        """Ends it, whatever has happened."""
        self._calls.close()
        self._stage.state("turn", "")
        if self._asked and not self._ended:
            self._put(NoticeEntry(NOT_ANSWERED, "note"))

    def _user_added(self, message: StoredMessage) -> None:
        stage = self._stage
        stage.composer.accept(self._sent)
        stage.transcript.add(new_message(message, datetime.now(UTC)))
        stage.transcript.go_to_end()
        self._asked = True
        self._say("waiting for the model")

    def _begin(self) -> None:
        """A request is on its way: the first, or one with what tools have told."""
        self._ended = False
        self._characters, self._since, self._told = 0, 0.0, "answering"
        self._say("waiting for the model")

    def _call(self, happening: ToolCalled | ToolShown | PermissionWanted | ToolEnded) -> None:
        match happening:
            case ToolCalled():
                self._calls.called(happening)
            case ToolShown():
                self._calls.shown(happening)
            case PermissionWanted():
                self._calls.asked(happening)
            case ToolEnded():
                self._calls.ended(happening)

    def _wait(self, reason: str) -> None:
        self._asked = True
        self._live_block(reason)
        self._stage.state("turn", "waiting")

    def _grow(self, grew: AnswerGrew) -> None:
        if not grew.text:
            self._say("thinking")
            return
        self._say(self._speed(len(grew.text)))
        self._stage.sight.answered(self._characters)
        self._stage.transcript.grow(self._live_block(self._told), grew.text)

    def _speed(self, characters: int) -> str:
        """That the model answers, and how fast, told anew a few times a second."""
        now = time.monotonic()
        self._since = self._since or now
        self._characters += characters
        seconds = now - self._since
        if seconds >= SPEED_SECONDS and now - self._told_at >= SPEED_SECONDS:
            self._told_at = now
            self._told = f"answering  {token_rate(estimate(self._characters), seconds)}"
        return self._told

    def _end(self, end: AnswerAdded | Stopped | Failed) -> None:
        self._ended = True
        self._stage.sight.answered(0)
        now = datetime.now(UTC)
        match end:
            case AnswerAdded():
                figures = speed(end.usage.output, end.seconds, end.first_token_s)
                mark = CUT_SHORT if end.cut_short else ""
                self._put(new_message(end.message, now, figures, mark, calls=bool(end.calls)))
                self._calls.made(end.calls)
            case Stopped(message=None):
                self._put(NoticeEntry(NOT_ANSWERED, "note"))
            case Stopped(message=StoredMessage() as message):
                self._put(new_message(message, now, mark=STOPPED))
            case Failed():
                if end.kept is not None:
                    self._put(new_message(end.kept, now, mark=INTERRUPTED))
                self._put(NoticeEntry(end.text, "problem"))

    def _say(self, state: str) -> None:
        self._asked = True
        block = self._live_block(state)
        self._stage.transcript.say_state(block, state)
        self._stage.state("turn", state.split("  ", maxsplit=1)[0])

    def _live_block(self, state: str) -> Block:
        if self._live is None:
            self._live = self._stage.transcript.add(LiveEntry("strata", state, (_clock(),)))
        else:
            self._stage.transcript.say_state(self._live, state)
        return self._live

    def _put(self, entry: Entry) -> None:
        """Puts an entry where the answer was on its way, or at the end."""
        if self._live is not None:
            self._stage.transcript.replace(self._live, entry)
            self._live = None
        else:
            self._stage.transcript.add(entry)


def _clock() -> str:
    now = datetime.now(UTC)
    return clock(now.isoformat(), now)
