"""Going between the branches of a session, and beginning one by editing or asking again."""

from collections.abc import AsyncIterator
from typing import Protocol

from app.chat.branch_commands import branch_name, edit, fork, go_to, regenerate
from app.chat.conversation import Conversation
from app.chat.happenings import Happening
from app.screens.stage import Stage
from widgets.entries import MessageEntry
from widgets.transcript.reader import Wish

EDITING = "Editing message {}: Enter sends it in a new branch, Esc leaves it."
BUSY = "An answer is on its way; Esc stops it."
READING = "Read-only here: Ctrl+R takes the session over."
NO_MODEL = "No model answers yet; choose one first."
NOT_YOURS = "Only what you wrote yourself can be edited."


class Owner(Protocol):
    """The conversation on the stage."""

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""

    def carry(self, happenings: AsyncIterator[Happening]) -> None:
        """Does what comes of a command."""


class Branching:
    """What the user does with branches by keys.

    Args:
        stage: Where the conversation is shown.
        conversation: The open one.
        owner: Who carries it out.
    """

    def __init__(self, stage: Stage, conversation: Conversation, owner: Owner) -> None:
        self._stage = stage
        self._conversation = conversation
        self._owner = owner
        self._editing = 0
        self._sending = False

    async def show(self) -> None:
        """Says which branch is open, where there are several."""
        infos = await self._conversation.memory.branches.list()
        self._stage.tell(branch=branch_name(infos).lower())

    @property
    def editing(self) -> bool:
        """Whether what is in the composer takes the place of an old message."""
        return bool(self._editing)

    def leave_edit(self) -> bool:
        """Leaves the old message as it was; False where none is being edited."""
        if not self._editing:
            return False
        self._end_edit()
        self._stage.composer.leave()
        return True

    def forget_edit(self) -> None:
        """Edits no more, since something else was sent."""
        if self._editing:
            self._end_edit()
            self._stage.composer.changing = False

    def send(self, text: str) -> None:
        """Sends what has become of the old message; the text stays until it is safe."""
        if not self._sending:
            self._sending = True
            self._owner.carry(self._sent(text))

    def wish(self, wish: Wish, entry: MessageEntry | None) -> None:
        """Does what a key of the transcript asks for."""
        if self._conversation.memory.read_only:
            self._say(READING)
        elif wish == "edit":
            self._edit(entry)
        elif self._owner.busy:
            self._say(BUSY)
        elif wish == "again" and self._conversation.undecided:
            self._say(NO_MODEL)
        else:
            begin = fork if wish == "fork" else regenerate
            self._owner.carry(begin(self._conversation, entry.number if entry else None))

    def next(self) -> None:
        """Goes to the next branch."""
        if self._owner.busy:
            self._say(BUSY)
        else:
            self._owner.carry(go_to(self._conversation, None))

    async def _sent(self, text: str) -> AsyncIterator[Happening]:
        """The old message is left only when a branch is there for the new one."""
        try:
            async for happening in edit(self._conversation, self._editing, text):
                self._end_edit()
                yield happening
        finally:
            self._sending = False

    def _edit(self, entry: MessageEntry | None) -> None:
        if entry is None or entry.speaker != "you":
            self._say(NOT_YOURS)
            return
        self._editing = entry.number
        self._stage.composer.change(entry.text)
        self._stage.hints.show(doing=EDITING.format(entry.number))
        self._stage.house.refresh_bindings()

    def _end_edit(self) -> None:
        self._editing = 0
        self._stage.hints.show(doing="")
        self._stage.house.refresh_bindings()

    def _say(self, text: str) -> None:
        self._stage.house.say_shortly(text)
