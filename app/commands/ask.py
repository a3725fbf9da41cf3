"""`strata ask`: one question, the answer alone on standard output (CHAT-8)."""

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import replace

from app.backend.client import Backend
from app.chat.backing import backend_settings
from app.chat.commands import find_command, say
from app.chat.conversation import Conversation
from app.chat.happenings import (
    AgentWanted,
    AnswerAdded,
    AnswerGrew,
    BranchWanted,
    CopyWanted,
    DeletionWanted,
    Failed,
    ForgettingWanted,
    Happening,
    HelperAnswered,
    LeaveWanted,
    Noted,
    PermissionWanted,
    ReadingPrompt,
    Reported,
    SessionWanted,
    Stopped,
    ThemeWanted,
    TimelineWanted,
    ToolCalled,
    ToolEnded,
    Waiting,
)
from app.chat.shelf import delete_closed
from app.commands.output import Notes, note_line
from app.commands.permission import ask_on_terminal
from app.commands.usage import WrongUsage
from app.logs import start_logging
from app.paths import make_data_directory
from app.settings import Settings
from memory.clock import utc_now
from memory.memory import Memory
from memory.storage.leases import SessionHeld
from memory.storage.sessions import UnknownSession
from memory.wish import Wish
from widgets.plain import one_line, printable

INTERRUPTED = 130
CHAT_ONLY = "That works in the chat only."


class NothingAsked(WrongUsage):
    """Neither an argument nor standard input holds a question."""

    def __init__(self) -> None:
        super().__init__("There is no question.", 'Write it: strata ask "…", or pipe it in.')


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Asks, prints, waits for what goes on in the background.

    Returns:
        The exit status: 0, 1 (failed), or 130 where `Ctrl+C` ended it, as shells expect it of what
        a signal ended.

    Raises:
        NothingAsked: There is no question; the exit status is 2 (usage).
        StrataError: It is a mistyped command, or no session could be opened.
    """
    text = _question(options)
    # A mistyped command is refused before a session is made for it.
    is_command = find_command(text) is not None
    make_data_directory(settings.paths.data.path)
    start_logging(settings.paths.log, settings.privacy)
    wish = Wish(
        session=options.session,
        agent=options.agent or "default",
        label=f"`strata ask` of process {os.getpid()}",
    )
    # Most commands need no model; what they tell of servers of tools needs these started.
    rests = is_command and not settings.mcp
    backend = await Backend.start(backend_settings(settings), when_asked=rests)
    try:
        status, wanted = await _ask(settings, wish, backend, text)
        while wanted is not None:
            # The branch is there; what is said in it needs the session opened there.
            wish = replace(wish, branch=wanted.branch)
            status, wanted = await _ask(settings, wish, backend, wanted)
    finally:
        await backend.close()
    return status


async def _ask(
    settings: Settings, wish: Wish, backend: Backend, said: str | BranchWanted
) -> tuple[int, BranchWanted | None]:
    """Says something in one branch; returns the exit status and where it goes on."""
    began = utc_now()
    # Whoever asked waits for the end: nothing is asked or measured that can be done later.
    async with Conversation.open(settings, wish, backend, lingers=False) as conversation:
        asking = _Asking(conversation)
        if sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, asking.interrupt)
        if isinstance(said, BranchWanted):
            return await asking.go_on(said), None
        status = await asking.run(said)
        made = conversation.memory.info.started_at >= began
        unused = status and made and await _is_unused(conversation.memory)
    if unused:
        # Another process that has found it meanwhile keeps it.
        with suppress(SessionHeld, UnknownSession):
            await delete_closed(settings.paths.data.path, conversation.memory.info.id)
    return status, asking.wanted


async def _is_unused(memory: Memory) -> bool:
    """Whether nothing has come of a session: a command that failed changes nothing."""
    return not (memory.state.messages or memory.snapshot().content_items or await memory.helpers())


class _Asking:
    """Prints what a turn reports: the answer to standard output, all else to standard error."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._notes = Notes()
        self._status = 0
        self._last = "\n"
        self._held = ""
        """Text that may be words before a call, and not the answer yet."""
        self.wanted: BranchWanted | None = None
        """The branch in which it goes on."""

    def interrupt(self) -> None:
        """Stops the answer; what had arrived is kept."""
        self._conversation.stop()
        self._status = INTERRUPTED

    async def run(self, text: str) -> int:
        """Says the text; returns the exit status.

        Raises:
            StrataError: No model can answer; the question was not taken.
        """
        if find_command(text) is None:
            self._conversation.expect(text)
            await self._conversation.ready()
        return await self._print_all(say(self._conversation, text))

    async def go_on(self, wanted: BranchWanted) -> int:
        """Does in a branch what it was gone to for; returns the exit status.

        Raises:
            StrataError: No model can answer; what was to be said was not taken.
        """
        if wanted.text or wanted.answer:
            await self._conversation.ready()
        if wanted.text:
            return await self._print_all(self._conversation.turn(wanted.text))
        if wanted.answer:
            return await self._print_all(self._conversation.respond())
        self._print(printable(wanted.told) + "\n")
        return self._status

    async def _print_all(self, happenings: AsyncGenerator[Happening, None]) -> int:
        # Closed at once where nobody reads on: what had arrived is then kept.
        async with aclosing(happenings):
            async for happening in happenings:
                if isinstance(happening, PermissionWanted):
                    await self._permit(happening)
                else:
                    self._tell_answer(happening)
                    self._tell(happening)
        self._notes.clear()
        if self._last != "\n":
            self._print("\n")
        return self._status

    def _tell_answer(self, happening: Happening) -> None:
        """Prints the answer; what was said before a call is none, nor are calls (CHAT-8)."""
        match happening:
            case AnswerGrew() if happening.text and self._may_be_no_answer:
                self._held += happening.text
            case AnswerGrew() if happening.text:
                self._notes.clear()
                self._print(printable(happening.text))
            case AnswerAdded() if happening.calls:
                self._held = ""
                if self._last != "\n":
                    self._print("\n")
            case AnswerAdded() | Failed() | Stopped():
                held, self._held = self._held, ""
                self._notes.clear()
                self._print(printable(held))
            case ToolCalled():
                self._notes.show(f"{happening.name} is running")
            case ToolEnded():
                self._notes.clear()
            case HelperAnswered():
                self._print(printable(happening.text))

    @property
    def _may_be_no_answer(self) -> bool:
        """Whether what the model says may be followed by calls, and nobody reads along."""
        return self._conversation.offers_tools and not sys.stdout.isatty()

    def _tell(self, happening: Happening) -> None:
        match happening:
            case Waiting():
                self._notes.show(happening.reason)
            case ReadingPrompt() if happening.total:
                self._notes.show(f"reading {100 * happening.done // happening.total} %")
            case Reported():
                self._report(happening)
            case Noted():
                self._notes.clear()
                note_line(happening.text)
            case Failed():
                self._fail(happening.text)
            case Stopped() if not self._status:
                self._status = INTERRUPTED
            case BranchWanted():
                self.wanted = happening
            case _:
                self._tell_for_screen(happening)

    def _tell_for_screen(self, happening: Happening) -> None:
        """What only a chat can do, or asks about before it is done."""
        match happening:
            case ForgettingWanted():
                self._tell_plan(happening)
            case DeletionWanted():
                self._fail(f"{CHAT_ONLY} Here it is `strata sessions delete NAME`.")
            case (
                SessionWanted()
                | AgentWanted()
                | LeaveWanted()
                | CopyWanted()
                | ThemeWanted()
                | TimelineWanted()
            ):
                self._fail(CHAT_ONLY)

    async def _permit(self, wanted: PermissionWanted) -> None:
        """Asks whoever sits at the terminal; stopping the turn withdraws the question."""
        self._notes.clear()
        asking = asyncio.ensure_future(ask_on_terminal(wanted.permission))
        await asyncio.wait({asking, wanted.answer}, return_when=asyncio.FIRST_COMPLETED)
        if asking.done() and not wanted.answer.done():
            wanted.answer.set_result(asking.result())
        asking.cancel()

    def _tell_plan(self, wanted: ForgettingWanted) -> None:
        from app.tools.forget_words import told_plan

        self._print(printable("\n".join(told_plan(wanted.plan))) + "\n")
        self._fail("Nothing was forgotten. `@forget --yes …` does it.")

    def _report(self, reported: Reported) -> None:
        if reported.tone == "problem":
            self._fail(reported.text)
        else:
            self._print(printable(reported.text) + "\n")

    def _fail(self, text: str) -> None:
        self._notes.clear()
        if self._last != "\n":
            self._print("\n")
        print(f"strata: {one_line(text)}", file=sys.stderr)
        self._status = 1

    def _print(self, text: str) -> None:
        if text:
            sys.stdout.write(text)
            sys.stdout.flush()
            self._last = text[-1]


def _question(options: argparse.Namespace) -> str:
    text = " ".join(options.text)
    if not options.text or text == "-":
        if sys.stdin.isatty():
            raise NothingAsked
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    if not text.strip():
        raise NothingAsked
    return text
