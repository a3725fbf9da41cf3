"""A conversation that is open, on the stage: what is typed goes in, what happens is shown."""

import asyncio
import gc
import logging
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
from datetime import UTC, datetime
from typing import Any

from app.chat.branch_commands import WAITING
from app.chat.commands import COMMANDS, find_command, say
from app.chat.conversation import Conversation
from app.chat.happenings import (
    AnswerGrew,
    BranchWanted,
    CopyWanted,
    DeletionWanted,
    ForTheScreen,
    Happening,
    LeaveWanted,
    Reported,
    SessionWanted,
    ThemeWanted,
    TimelineWanted,
    TraceWanted,
)
from app.chat.names import session_name
from app.choices import keep_choice
from app.host.catalogue import entries, is_embedded
from app.screens.branching import Branching
from app.screens.errands import Errands
from app.screens.paging import Paging
from app.screens.pinned import Pins
from app.screens.recorded import mark_of
from app.screens.stage import KEYS, READING_KEYS, Stage
from app.screens.turns import TurnView
from memory.errors import StrataError
from memory.events import Message, Recorded, RequestEnded
from memory.snapshot import CompactionProgress
from memory.storage.sessions import SessionInfo
from memory.upkeep import Notice
from memory.wish import Wish
from widgets.entries import Entry, LiveMarkEntry, MarkEntry, MessageEntry
from widgets.transcript import Block
from widgets.typed import CommandHint

LOGGER = logging.getLogger("strata.screen")
LOOK_SECONDS = 0.5
"""Between two looks at whether the session has been taken over."""
STOP_SECONDS = 2.0
"""Longest wait for an answer to be kept when the conversation is left."""

NEEDS_MODEL = frozenset({"model", "retry"})
"""Commands that wait until no answer is on its way."""
MARKED = frozenset({"compact-memories", "undo", "redo"})
"""Commands whose success stands in the transcript as a mark; a report would say it twice."""
ANSWERING = "Sent when the answer is complete; Esc stops the answer."
TAKEN_OVER = (
    "Another Strata has taken this session over. What was said up to then is kept; here it is "
    "read-only now. Ctrl+R takes it back."
)
BROKEN = "Something went wrong inside Strata; strata.log says what. Everything said is kept."
EMPTY = "Nothing has been said yet. What you write is answered below, and kept on this machine."
NO_MODEL = "No model answers yet: choose one, and it is sent."
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
        self._choose = choose
        self._errands = Errands(stage, conversation, self)
        self.branching = Branching(stage, conversation, self)
        self.then: BranchWanted | None = None
        """What is to happen in the branch that is wanted next."""
        self.to_delete: str | None = None
        """The session itself, once it is closed, where the user wants that."""
        self._wanted: asyncio.Future[Wish | None] = asyncio.get_running_loop().create_future()
        self._turn: asyncio.Task[None] | None = None
        self._view: TurnView | None = None
        self._live_mark: Block | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._choosing = False
        self._news: asyncio.Queue[Recorded] = asyncio.Queue()
        self._paging = Paging(self._memory, stage.transcript)
        self._pins = Pins(self._memory, stage.transcript, stage.house.say_shortly)

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
        elif self.busy and (found is None or found[0].name in NEEDS_MODEL | WAITING):
            self._stage.composer.hold(ANSWERING)
        elif found is not None:
            self.branching.forget_edit()
            self._stage.composer.accept(text)
            if found[0].name in NEEDS_MODEL:
                self._turn = self._start(self._carry_out(text))
            else:
                self._start(self._command(text, found[0].name))
        elif self.branching.editing:
            self.branching.send(text)
        else:
            self._turn = self._start(self._carry_out(text))

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
        if wanted.text:
            said = self._conversation.turn(wanted.text)
            self._turn = self._start(self._carry_out(wanted.text, said))
        elif wanted.answer:
            self._turn = self._start(self._carry_out("@retry"))

    def carry(self, happenings: AsyncIterator[Happening]) -> None:
        """Does what comes of a command that a key gave."""
        self._start(self._do_all(happenings))

    def reopen(self) -> None:
        """Opens the session for writing, if it is only read here; else tries the model again."""
        if self._memory.read_only:
            self.want(replace(self._wish, read_only=False))
        elif self._conversation.undecided:
            self._ask_for_model()
        elif self._conversation.unreachable:
            self._start(self._load_model())

    @property
    def can_reopen(self) -> bool:
        """Whether `reopen` would do something."""
        conversation = self._conversation
        return self._memory.read_only or conversation.undecided or conversation.unreachable

    def show_timeline(self, selected: str | None = None) -> None:
        """Shows the compactions."""
        self._start(self._errands.show_timeline(selected))

    def show_prompt(self) -> None:
        """Shows the next request, piece by piece."""
        self._start(self._errands.show_prompt())

    def show_past(self) -> None:
        """Shows past moments."""
        self._start(self._errands.show_past())

    def show_plot(self) -> None:
        """Shows the prompt's tokens over the turns."""
        self._start(self._errands.show_plot())

    def show_sessions(self) -> None:
        """Shows the sessions."""
        self._start(self._errands.show_sessions())

    def copy_answer(self) -> None:
        """Copies the last answer."""
        self._start(self._command("@copy", "copy"))

    def open_session(self, name: str | None) -> None:
        """Opens another session, or a new one where there is no name."""
        if name == self._wish.session:
            self._stage.house.say_shortly("That session is open already.")
            return
        fresh = name is None
        self.want(replace(self._wish, session=name, branch=None, fresh=fresh, create=fresh))

    def delete_this(self) -> None:
        """Ends the session, deletes it, and begins a new one; the user has been asked."""
        self.to_delete = self._memory.info.id
        self.open_session(None)

    def go_to_message(self, number: int) -> None:
        """Brings a message into sight and chooses it."""
        self._start(self._paging.go_to(number))

    async def sessions(self) -> Sequence[SessionInfo]:
        """All sessions, the one used last first."""
        return await self._memory.sessions.list()

    def pin(self, number: int) -> None:
        """Pins a message, or lets go of it."""
        self._start(self._pins.toggle(number))

    def trace(self, number: int) -> None:
        """Shows where a message went."""
        self._start(self._errands.show_way(number))

    def bring(self, first: int, last: int) -> None:
        """Shows messages that the transcript misses, by number."""
        self._start(self._paging.show(first, last))

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
        self._memory.watch_compaction(self._compaction)
        await self._show_newest()
        await self.branching.show()
        if note:
            stage.notice(note, "note")
        reading = self._memory.read_only
        stage.composer.disabled = reading
        stage.composer.placeholder = READING if reading else WRITING
        stage.hints.show(keys=READING_KEYS if reading else KEYS)
        stage.transcript.when_empty = EMPTY if not reading else ""
        stage.composer.commands = [
            CommandHint(f"@{c.name}", c.usage, c.description) for c in COMMANDS.values()
        ]
        stage.state("memory", "read-only" if reading else "", working=False)
        self._draw_memory()
        # What is here now stays: a collection that walks all of it takes several frames.
        gc.freeze()
        if reading:
            self._start(self._follow())
        else:
            stage.composer.focus()
            self._start(self._offer_values())
            self._start(self._load_model())
            self._start(self._watch_lease())

    async def leave(self) -> None:
        """Ends what is on its way; what has arrived of an answer is kept."""
        self._conversation.stop()
        self.branching.leave_edit()
        if self._turn is not None:
            self._stage.state("memory", "closing")
            await asyncio.wait({self._turn}, timeout=STOP_SECONDS)
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        for source in ("memory", "turn", "compaction", "model"):
            self._stage.state(source, "")

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._guarded(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _guarded(self, work: Coroutine[Any, Any, None]) -> None:
        """Lets nothing that goes wrong in one place end the others."""
        try:
            await work
        except StrataError as error:
            self._stage.notice(str(error), "problem")
        except Exception:
            LOGGER.exception("work of the chat screen failed")
            self._stage.notice(BROKEN, "problem")

    # -- turns and commands

    async def _carry_out(
        self, text: str, said: AsyncGenerator[Happening, None] | None = None
    ) -> None:
        """A turn with the model, from the composer to its end."""
        view = self._view = TurnView(self._stage, text)
        model = self._conversation.model
        try:
            async with aclosing(said or say(self._conversation, text)) as happenings:
                async for happening in happenings:
                    view.show(happening)
                    if not isinstance(happening, AnswerGrew | ForTheScreen):
                        self._draw_memory()
            if self._conversation.model != model:
                self._keep_model()
        finally:
            view.close()
            self._view = None
            if self._conversation.info is not None:
                self._stage.state("model", "")
            self._draw_memory()
            self._start(self._draw_settled())
        asyncio.get_running_loop().call_soon(self._stage.composer.release)

    def _keep_model(self) -> None:
        """Remembers the model that was chosen for sessions to come."""
        conversation = self._conversation
        keep_choice(conversation.settings.paths.data.path, "model.name", conversation.model)

    async def _offer_values(self) -> None:
        """Tells the composer what can stand after a command."""
        now = datetime.now(UTC)
        self._stage.composer.values = {
            "@session": [
                session_name(s.title, s.id, now) for s in await self.sessions() if s.title
            ],
            "@model": [entry.name for entry in entries() if entry.kind == "chat"],
        }

    async def _command(self, text: str, name: str) -> None:
        """A command beside the turn."""
        async with aclosing(say(self._conversation, text)) as happenings:
            async for happening in happenings:
                match happening:
                    case Reported() if name not in MARKED or happening.tone != "plain":
                        self._stage.transcript.go_to_end()
                        self._stage.notice(happening.text, happening.tone, text.strip())
                    case _:
                        await self._do(happening)
        self._draw_memory()

    async def _do_all(self, happenings: AsyncIterator[Happening]) -> None:
        async for happening in happenings:
            if isinstance(happening, Reported):
                self._stage.house.say_shortly(happening.text)
            else:
                await self._do(happening)

    async def _do(self, wanted: Happening) -> None:
        """What only a screen can do."""
        match wanted:
            case BranchWanted():
                self.then = wanted
                self.want(replace(self._wish, branch=wanted.branch))
            case SessionWanted():
                self.open_session(wanted.name)
            case LeaveWanted():
                self.want(None)
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

    def _ask_for_model(self) -> None:
        if not self._choosing:
            self._start(self._load_model())

    async def _decide(self) -> bool:
        """Lets the user choose a model where there is none; False for later."""
        self._choosing = True
        self._stage.state("model", "no model yet", working=False)
        try:
            name = await self._choose()
        finally:
            self._choosing = False
        if name is not None:
            self._conversation.decide(name)
        return name is not None

    async def _load_model(self) -> None:
        """Says when the model can answer, or why it can't, before it is asked anything."""
        if self._conversation.undecided and not await self._decide():
            return
        self._stage.state("model", "loading")
        try:
            await self._conversation.ready()
        except StrataError as error:
            self._stage.notice(str(error), "problem")
            self._stage.state("model", "no answer", working=False)
        else:
            self._stage.state("model", "")
            self._stage.composer.release()
        self._draw_memory()

    # -- memory

    def _recorded(self, recorded: Recorded) -> None:
        self._draw_memory()
        self._pins.recorded(recorded.event)
        if self._wish.read_only:
            self._news.put_nowait(recorded)
        elif (mark := mark_of(recorded.event)) is not None:
            self._mark(mark)

    def _mark(self, mark: MarkEntry) -> None:
        self._end_live_mark()
        self._stage.transcript.add(mark, before=self._live_answer)

    def _compaction(self, notice: Notice) -> None:
        running = notice if isinstance(notice, CompactionProgress) else None
        self._stage.state("compaction", f"folding: {running.stage}" if running else "")
        if running is not None:
            self._show_live_mark(LiveMarkEntry(f"folding: {running.stage}"))
        else:
            self._end_live_mark()
        if isinstance(notice, StrataError) and not self._memory.read_only:
            self._stage.notice(str(notice), "problem")
        self._draw_memory()

    def _show_live_mark(self, entry: LiveMarkEntry) -> None:
        transcript = self._stage.transcript
        if self._live_mark is None:
            self._live_mark = transcript.add(entry, before=self._live_answer)
        else:
            transcript.replace(self._live_mark, entry)

    def _end_live_mark(self) -> None:
        if self._live_mark is not None:
            self._stage.transcript.remove_entry(self._live_mark)
            self._live_mark = None

    @property
    def _live_answer(self) -> Block | None:
        return self._view.live if self._view is not None else None

    def _draw_memory(self) -> None:
        """Draws gauge and status from memory as it is now."""
        snapshot = self._memory.snapshot()
        model = snapshot.model if self._memory.read_only else self._conversation.model
        if self._conversation.undecided:
            model = None
        info = self._conversation.info
        runs = "on this machine" if model and is_embedded(model) else ""
        if info is not None and info.name == model:
            runs = info.runs
        self._stage.sight.show(snapshot)
        self._errands.memory_changed(snapshot)
        self._stage.tell(
            session=session_name(snapshot.title, snapshot.session_id, datetime.now(UTC)),
            agent=snapshot.agent,
            policy=snapshot.policy,
            model=(model or "").removeprefix("embedded/"),
            runs=runs,
        )

    async def _draw_settled(self) -> None:
        """Draws memory once what was said last is counted, which no event tells."""
        try:
            await self._memory.settled()
        finally:
            self._stage.state("compaction", "")
            self._draw_memory()

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
            entries = await self._paging.show_newest()
        self._news, self._live_mark = asyncio.Queue(), None
        if (running := self._memory.snapshot().running) is not None:
            self._show_live_mark(LiveMarkEntry(f"folding: {running.stage}"))
        typed = self._stage.composer.typed
        if not typed.texts:
            for entry in entries:
                if isinstance(entry, MessageEntry) and entry.speaker == "you":
                    typed.remember(entry.text)

    async def _follow(self) -> None:
        """Shows what another process writes, as it comes."""
        transcript, answers = self._stage.transcript, dict[str, tuple[Block, Recorded]]()
        while True:
            recorded = await self._news.get()
            event = recorded.event
            if isinstance(event, RequestEnded) and event.request in answers:
                # The figures of an answer come after it.
                block, answer = answers.pop(event.request)
                for entry in await self._paging.entries([answer, recorded]):
                    transcript.replace(block, entry)
                continue
            for entry in await self._paging.entries([recorded]):
                block = transcript.add(entry)
                if isinstance(event, Message) and event.request is not None:
                    answers[event.request] = block, recorded
