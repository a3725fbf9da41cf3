"""What a helper does, step by step: shown while it works, summed up at its end (CHAT-11)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Asked,
    Failed,
    Happening,
    Stopped,
    ToolCalled,
    ToolEnded,
    Waiting,
)
from widgets.failure_words import failure_words
from widgets.plain import one_line

LONGEST_STEP = 100
"""Characters of a step: it stands in one row."""
Ending = Literal["answered", "failed", "rounds", "stopped"]


@dataclass(slots=True)
class Steps:
    """What has happened so far.

    Args:
        show: Takes a line about each step.
    """

    show: Callable[[str], None]
    said: str = ""
    """What the helper said last."""
    calls: int = 0
    requests: int = 0
    ending: Ending = "stopped"
    why: str = ""
    """Why it failed, as a sentence."""
    _grown: str = ""
    """What has come of an answer that is not complete."""

    def take(self, happening: Happening) -> None:
        """Takes in what happens."""
        match happening:
            case Asked():
                self.requests += 1
                self._grown = ""
            case AnswerGrew(text=text):
                self._grown += text
            case AnswerAdded():
                self._answered(happening)
            case ToolCalled():
                self._line(f"{happening.name} {happening.arguments}")
            case ToolEnded():
                self.calls += 1
                if not happening.ok:
                    self._line(f"{happening.name} failed: {failure_words(happening.error)}")
            case Waiting(reason=reason):
                self._line(reason)
            case Failed():
                self.ending = "rounds" if happening.kind == "rounds" else "failed"
                self.why = happening.sentence
                self._keep_grown()
            case Stopped():
                self._keep_grown()

    def stop(self) -> None:
        """Ends it where it is; what had come of an answer counts as said."""
        self.ending = "stopped"
        self._keep_grown()

    def _answered(self, answer: AnswerAdded) -> None:
        self._grown = ""
        self.said = answer.message.content or self.said
        if not answer.calls:
            self.ending = "answered"
        elif answer.message.content:
            self._line(answer.message.content)

    def _keep_grown(self) -> None:
        if self._grown.strip():
            self.said, self._grown = self._grown, ""

    def _line(self, text: str) -> None:
        line = one_line(text)
        self.show(f"{line if len(line) <= LONGEST_STEP else line[: LONGEST_STEP - 1] + '…'}\n")
