"""A conversation that is open, on the stage: what is typed goes in, what happens is shown."""

import asyncio
import gc
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Sequence,
)
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from app.chat.branch_commands import WAITING
from app.chat.commands import find_command, say, takes_a_turn
from app.chat.conversation import Conversation
from app.chat.delegate_command import answered_by
from app.chat.happenings import AnswerGrew, BranchWanted, ForTheScreen, Happening
from app.screens import offering
from app.screens.answering import Answering
from app.screens.branching import Branching
from app.screens.brought import tell_recalled
from app.screens.commanding import Commanding
from app.screens.drawing import Drawing
from app.screens.errands import Errands
from app.screens.files_watched import watch_files
from app.screens.following import Following
from app.screens.marks import Marks
from app.screens.paging import Paging
from app.screens.pinned import Pins
from app.screens.servers_told import tell_failures
from app.screens.stage import FROZEN_KEYS, KEYS, READING_KEYS, Stage
from app.screens.turns import TurnView
from app.screens.works import Works
from memory.errors import StrataError
from memory.events import Recorded
from memory.storage.sessions import SessionInfo
from memory.upkeep import Notice
from memory.wish import Wish
from widgets.entries import Entry, MessageEntry

LOOK_SECONDS = 0.5
"""Between two looks at whether the session has been taken over."""
STOP_SECONDS = 2.0
"""Longest wait for an answer to be kept when the conversation is left."""

ANSWERING = "Sent when the answer is complete; Esc stops the answer."
TAKEN_OVER = (
    "Another Strata has taken this session over. What was said up to then is kept; here it is "
    "read-only now. Ctrl+R takes it back."
)
EMPTY = "Nothing has been said yet. What you write is answered below, and kept on this machine."
NO_MODEL = "No model answers yet: choose one, and it is sent."
FROZEN = "Read-only: the data directory can't be written."
READING = "Read-only: open elsewhere. Ctrl+R takes it over."
WRITING = "Write a message; @ lists the commands"


class Talk:
    """Shows a conversation and carries out what the user wants of it.

    Args:
        stage: Where it is shown.
        conversation: Open, until `leave` has returned.
        wish: How it was opened.
        choose: Asks which model shall answer, where there is none; None is later.
    """

    def __init__(
        self,
        stage: Stage,
        conversation: Conversation,
        wish: Wish,
        choose: Callable[[], Awaitable[str | None]],
    ) -> None:
        self._stage = stage
        self._conversation = conversation
        self._memory = conversation.memory
        self._wish = replace(
            wish,
            session=self._memory.info.id,
            branch=self._memory.info.branch,
            fresh=False,
            take_over=False,
        )
        self.errands = Errands(stage, conversation, self)
        """Opens other screens."""
        self.branching = Branching(stage, conversation, self)
        self.paging = Paging(self._memory, stage.transcript)
        """Brings messages into sight."""
        self.pins = Pins(self._memory, stage.transcript, stage.house.say_shortly)
        self.then: BranchWanted | None = None
        """What is to happen in the branch that is wanted next."""
        self.to_delete: str | None = None
        """The session itself, once it is closed, where the user wants that."""
        self._wanted: asyncio.Future[Wish | None] = asyncio.get_running_loop().create_future()
        self._turn: asyncio.Task[None] | None = None
        self._view: TurnView | None = None
        self._works = Works(stage)
        changed = self.errands.memory_changed
        self._drawing = Drawing(stage, conversation, changed, lambda: self.busy)
        self._answering = Answering(stage, conversation, self._drawing, choose)
        self._commanding = Commanding(stage, conversation, self.errands, self)
        self._marks = Marks(stage, self._memory, lambda: self._view.live if self._view else None)
        self._following = Following(self.paging, stage.transcript)
        self._memory.forgetting.watch(lambda: self.run(self._show_again()))

    async def wanted(self) -> Wish | None:
        """Waits until another session is wanted, or None: the end of the program."""
        return await self._wanted

    # -- what the user wants

    def submit(self, text: str) -> None:
        """Carries out a message or a command; the composer keeps what can't go yet."""
        try:
            found = find_command(text)
        except StrataError as error:
            self._stage.notice(str(error), "problem")
            return
        if self._memory.read_only:
            self._stage.composer.hold(READING)
        elif found is None and self._conversation.undecided:
            self._stage.composer.hold(NO_MODEL)
            self._ask_for_model()
        elif self.busy and (found is None or takes_a_turn(*found) or found[0].name in WAITING):
            self._stage.composer.hold(ANSWERING)
        elif found is not None:
            self.branching.forget_edit()
            self._stage.composer.accept(text)
            if takes_a_turn(*found):
                self._begin_turn(text)
            else:
                self.run(self._command(text, found[0].name))
        elif self.branching.editing:
            self.branching.send(text)
        else:
            self._begin_turn(text)

    async def _show_again(self) -> None:
        """Shows what is left where texts were forgotten, here or by another Strata."""
        if self._turn is not None:
            await asyncio.wait({self._turn})
        await self.paging.show_newest()

    @property
    def busy(self) -> bool:
        """Whether an answer is on its way."""
        return self._turn is not None and not self._turn.done()

    def stop(self) -> None:
        """Leaves an old message as it was; else stops the answer that is on its way."""
        if not self.branching.leave_edit():
            self._conversation.stop()

    def begin(self, wanted: BranchWanted) -> None:
        """Does in this branch what it was gone to for."""
        if wanted.told:
            self._stage.house.say_shortly(wanted.told)
        if wanted.number:
            self.run(self.paging.go_to(wanted.number))
        if wanted.text:
            self._begin_turn(wanted.text, self._conversation.turn(wanted.text))
        elif wanted.answer:
            self._begin_turn("@retry")

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Does something beside the turn; what goes wrong is told."""
        self._works.start(work)

    async def command(self, text: str) -> None:
        """Carries out an @command as if it had been typed."""
        found = find_command(text)
        if found is not None:
            await self._command(text, found[0].name)

    async def show_turn(self, happenings: AsyncGenerator[Happening, None]) -> None:
        """Shows a turn that happens without the composer, to its end."""
        self._begin_turn("", happenings)
        if self._turn is not None:
            await asyncio.wait({self._turn})

    def carry(self, happenings: AsyncIterator[Happening]) -> None:
        """Does what comes of a command that a key gave."""
        self.run(self._commanding.given(happenings))

    def reopen(self) -> None:
        """Opens the session for writing, if it is only read here; else tries the model again."""
        if self._memory.read_only:
            self.want(replace(self._wish, read_only=False))
        elif self._conversation.undecided:
            self._ask_for_model()
        elif self._conversation.unreachable:
            self.run(self._answering.load())

    @property
    def can_reopen(self) -> bool:
        """Whether `reopen` would do something."""
        conversation = self._conversation
        return self._memory.read_only or conversation.undecided or conversation.unreachable

    def copy_answer(self) -> None:
        """Copies the last answer."""
        self.run(self._command("@copy", "copy"))

    def open_session(self, name: str | None, number: int = 0) -> None:
        """Opens another session, or a new one where there is no name.

        Args:
            name: Its title or its id.
            number: The message that is to be seen in it; 0 for the newest.
        """
        if number and name == self._memory.info.id:
            self.run(self.paging.go_to(number))
            return
        if name == self._wish.session:
            self._stage.house.say_shortly("That session is open already.")
            return
        fresh = name is None
        self.then = BranchWanted("", number=number) if number else None
        wish = replace(self._wish, agent=self._conversation.memory.info.agent)
        self.want(replace(wish, session=name, branch=None, fresh=fresh, create=fresh))

    def open_agent(self, name: str) -> None:
        """Opens the newest session of another agent, or its first."""
        if name == self._conversation.memory.info.agent:
            self._stage.house.say_shortly(f"You talk with {name} already.")
            return
        wish = replace(self._wish, agent=name, session=None, branch=None)
        self.want(replace(wish, fresh=False, create=True))

    def open_branch(self, wanted: BranchWanted) -> None:
        """Opens another branch, and does there what is wanted."""
        self.then = wanted
        self.want(replace(self._wish, branch=wanted.branch))

    def open_helper(self, number: int) -> None:
        """Opens the steps of the helper whose answer is the message of a number."""
        self.carry(answered_by(self._conversation, number))

    def delete_this(self) -> None:
        """Ends the session, deletes it, and begins a new one; the user has been asked."""
        self.to_delete = self._memory.info.id
        self.open_session(None)

    async def sessions(self) -> Sequence[SessionInfo]:
        """All sessions, the one used last first."""
        return await self._memory.sessions.list()

    def want(self, wish: Wish | None) -> None:
        """Ends this conversation: another session, or None to leave the program."""
        if not self._wanted.done():
            self._wanted.set_result(wish)

    # -- coming and going

    async def enter(self, note: str = "") -> None:
        """Shows the conversation and everything that goes on in it from here on.

        Args:
            note: What the user should know first.
        """
        stage = self._stage
        self._memory.listen(self._recorded)
        self._memory.watch_compaction(self._compacting)
        await self._show_newest()
        await self.branching.show()
        if note:
            stage.notice(note, "note")
        reading = self._memory.read_only
        stage.composer.disabled = reading
        read = (FROZEN, FROZEN_KEYS) if self._memory.frozen else (READING, READING_KEYS)
        stage.composer.placeholder, keys = read if reading else (WRITING, KEYS)
        stage.hints.show(keys=keys)
        stage.transcript.say_when_empty(EMPTY if not reading else "")
        stage.composer.commands = offering.commands()
        stage.state("memory", "read-only" if reading else "", working=False)
        self._drawing.now()
        # What is here now stays: a collection that walks all of it takes several frames.
        gc.freeze()
        if reading:
            self.run(self._following.run())
        else:
            stage.composer.focus()
            self.run(self._offer_values())
            self.run(self._answering.load())
            self.run(self._watch_lease())
            self.run(watch_files(stage, self._conversation, self._count_anew))
            self.run(tell_failures(stage, self._conversation.backend.mcp))

    async def leave(self) -> None:
        """Ends what is on its way; what has arrived of an answer is kept."""
        self._conversation.stop()
        self.branching.leave_edit()
        if self._turn is not None:
            self._stage.state("memory", "closing")
            await asyncio.wait({self._turn}, timeout=STOP_SECONDS)
        await self._works.end()
        self._drawing.close()
        for source in ("memory", "turn", "compaction", "model"):
            self._stage.state(source, "")

    # -- turns and commands

    def _begin_turn(self, text: str, said: AsyncGenerator[Happening, None] | None = None) -> None:
        self._turn = self._works.start(self._carry_out(text, said))

    async def _carry_out(self, text: str, said: AsyncGenerator[Happening, None] | None) -> None:
        """A turn with the model, from the composer to its end."""
        view = self._view = TurnView(self._stage, text)
        model = self._conversation.model
        try:
            async with aclosing(said or say(self._conversation, text)) as happenings:
                async for happening in happenings:
                    view.show(happening)
                    if not isinstance(happening, AnswerGrew | ForTheScreen):
                        self._drawing.soon()
            if self._conversation.model != model:
                self._answering.keep()
        finally:
            view.close()
            self._view = None
            if self._conversation.info is not None:
                self._stage.state("model", "")
            self._drawing.now()
            self.run(self._drawing.settled())
        asyncio.get_running_loop().call_soon(self._stage.composer.release)

    async def _offer_values(self) -> None:
        """Tells the composer what can stand after a command."""
        self._stage.composer.values = offering.values(await self.sessions())

    def _ask_for_model(self) -> None:
        if not self._answering.choosing:
            self.run(self._answering.load())

    async def _command(self, text: str, name: str) -> None:
        """A command beside the turn."""
        await self._commanding.typed(text, name)
        self._drawing.now()

    # -- memory

    def _recorded(self, recorded: Recorded) -> None:
        self._drawing.soon()
        self.pins.recorded(recorded.event)
        tell_recalled(self._stage.transcript, recorded.event)
        if self._wish.read_only:
            self._following.recorded(recorded)
        else:
            self._marks.recorded(recorded.event)

    def _compacting(self, notice: Notice) -> None:
        self._marks.compaction(notice)
        self._drawing.soon()

    def _count_anew(self) -> None:
        """Draws memory once more when what is new in the prompt is counted."""
        self.run(self._drawing.settled())

    async def _watch_lease(self) -> None:
        """Goes on read-only once another process has taken the session over."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            if self._memory.read_only:
                break
        if self._turn is not None:
            self._conversation.stop()
            await asyncio.wait({self._turn}, timeout=STOP_SECONDS)
        self.want(replace(self._wish, read_only=True))

    @property
    def lost(self) -> bool:
        """Whether the session was taken over while it was open here."""
        return self._memory.read_only and not self._wish.read_only

    # -- the log, shown

    async def _show_newest(self) -> None:
        shown, entries = -1, list[Entry]()
        # What is recorded while the log is read has to be seen as well, and once.
        while shown != self._memory.state.n:
            shown = self._memory.state.n
            entries = await self.paging.show_newest()
        self._following.begin()
        self._marks.begin()
        typed = self._stage.composer.typed
        if not typed.texts:
            for entry in entries:
                if isinstance(entry, MessageEntry) and entry.speaker == "you":
                    typed.remember(entry.text)
