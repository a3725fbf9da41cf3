"""Commands beside the turn: carried out, with what only a screen can do of them."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Protocol

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import (
    AgentWanted,
    BranchWanted,
    CopyWanted,
    DeletionWanted,
    ForgettingWanted,
    Happening,
    LeaveWanted,
    Reported,
    SessionWanted,
    ThemeWanted,
    TimelineWanted,
    TraceWanted,
    UserAdded,
)
from app.screens.clipping import clipped
from app.screens.errands import Errands
from app.screens.recorded import new_message
from app.screens.stage import Stage
from memory.wish import Wish

MARKED = frozenset({"compact-memories", "undo", "redo"})
"""Commands whose success stands in the transcript as a mark; a report would say it twice."""


class Owner(Protocol):
    """The conversation on the stage, which others follow."""

    def open_session(self, name: str | None) -> None:
        """Opens another session, or a new one where there is no name."""

    def open_agent(self, name: str) -> None:
        """Opens the newest session of another agent, or its first."""

    def open_branch(self, wanted: BranchWanted) -> None:
        """Opens another branch, and does there what is wanted."""

    def want(self, wish: Wish | None) -> None:
        """Ends this conversation."""


class Commanding:
    """Carries out commands.

    Args:
        stage: Where it is told what comes of them.
        conversation: The open one.
        errands: Shows other screens.
        owner: Who goes on to another conversation.
    """

    def __init__(
        self, stage: Stage, conversation: Conversation, errands: Errands, owner: Owner
    ) -> None:
        self._stage = stage
        self._conversation = conversation
        self._errands = errands
        self._owner = owner

    async def typed(self, text: str, name: str) -> None:
        """A command as it was typed; what it reports stands in the transcript.

        Args:
            text: All of it.
            name: Which command that is.
        """
        async with aclosing(say(self._conversation, text)) as happenings:
            async for happening in happenings:
                match happening:
                    case Reported() if name not in MARKED or happening.tone != "plain":
                        self._stage.transcript.go_to_end()
                        self._stage.notice(clipped(happening), happening.tone, text.strip())
                    case _:
                        await self._do(happening)

    async def given(self, happenings: AsyncIterator[Happening]) -> None:
        """A command that a key gave; what it reports need not stay."""
        async for happening in happenings:
            if isinstance(happening, Reported):
                self._stage.house.say_shortly(happening.text)
            else:
                await self._do(happening)

    async def _do(self, wanted: Happening) -> None:
        """What only a screen can do."""
        match wanted:
            case BranchWanted() | SessionWanted() | AgentWanted():
                self._go(wanted)
            case LeaveWanted():
                self._owner.want(None)
            case CopyWanted():
                self._stage.house.put_on_clipboard(wanted.text, "the last answer")
            case TimelineWanted():
                await self._errands.show_timeline(None)
            case TraceWanted():
                await self._errands.show_trace(wanted.traced)
            case ThemeWanted():
                self._stage.house.choose_theme(wanted.name)
            case DeletionWanted():
                await self._errands.delete(wanted)
            case ForgettingWanted():
                await self._errands.forget(wanted)
            case UserAdded():
                self._stage.transcript.add(new_message(wanted.message, datetime.now(UTC)))
                self._stage.transcript.go_to_end()

    def _go(self, wanted: BranchWanted | SessionWanted | AgentWanted) -> None:
        """Another conversation."""
        match wanted:
            case BranchWanted():
                self._owner.open_branch(wanted)
            case SessionWanted():
                self._owner.open_session(wanted.name)
            case AgentWanted():
                self._owner.open_agent(wanted.name)
