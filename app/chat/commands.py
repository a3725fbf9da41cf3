"""The @commands: what each is called, what it is for, what it does."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from difflib import get_close_matches

from app.chat.agent_commands import AGENT_COMMANDS
from app.chat.branch_commands import BRANCH_COMMANDS
from app.chat.command import Command
from app.chat.content_commands import CONTENT_COMMANDS
from app.chat.conversation import Conversation
from app.chat.delegate_command import DELEGATE_COMMANDS, is_task
from app.chat.delegate_command import NAME as DELEGATE
from app.chat.fact_commands import FACT_COMMANDS
from app.chat.file_commands import FILE_COMMANDS
from app.chat.forget_commands import FORGET_COMMANDS
from app.chat.goal_commands import GOAL_COMMANDS
from app.chat.happenings import (
    CopyWanted,
    DeletionWanted,
    Happening,
    LeaveWanted,
    Reported,
    SessionWanted,
    ThemeWanted,
    TimelineWanted,
)
from app.chat.mcp_commands import MCP_COMMANDS
from app.chat.names import listed, name_of
from app.chat.pin_commands import PIN_COMMANDS
from app.chat.policy_command import POLICY_COMMANDS
from app.chat.recall_commands import RECALL_COMMANDS
from app.chat.report import memory_report
from app.chat.rewrite_command import REWRITE_COMMANDS
from app.chat.task_commands import TASK_COMMANDS
from app.chat.trace_command import TRACE_COMMANDS
from app.chat.transfer_commands import TRANSFER_COMMANDS
from memory.errors import StrataError
from memory.storage.sessions import SessionInfo, UnknownSession
from widgets.figures import count, short_number

NEEDS_MODEL = frozenset({"model", "retry"})
NEAR = 0.6
NEARER = 0.7
"""How like a command's name a word has to be, from 0 to 1: alone, or where more follows, which may
be a message. People's names are that like to few commands of the same first letter."""
COMMAND = re.compile(r"@([a-z][a-z-]*)(?:\s+(.*))?", re.DOTALL)


def find_command(text: str) -> tuple[Command, str] | None:
    """The command a text begins with, and its argument; None where it is a message.

    A text such as `@anna wrote to me` is a message; `@statu` alone is a mistyped command, and so is
    `@gaol Write it.`, unless a space before it says otherwise.

    Raises:
        StrataError: It seems to be meant as a command, but there is none of the name.
    """
    match = COMMAND.fullmatch(text.strip())
    if match is None:
        return None
    name, argument = match.group(1), (match.group(2) or "").strip()
    if name in COMMANDS:
        return COMMANDS[name], argument
    near = get_close_matches(name, COMMANDS, n=1, cutoff=NEARER if argument else NEAR)
    if argument:
        if text[:1].isspace() or not near or near[0][0] != name[0]:
            return None
        hint = f"Perhaps @{near[0]}; a message may begin with a space."
        raise StrataError(f"There is no command @{name}.", hint)
    hint = f"Perhaps @{near[0]}; " if near else ""
    raise StrataError(f"There is no command @{name}.", f"{hint}@help lists them all.")


def takes_a_turn(command: Command, argument: str) -> bool:
    """Whether a command waits until no answer is on its way, and is shown and stopped as one."""
    return command.name in NEEDS_MODEL or (command.name == DELEGATE and is_task(argument))


async def say(conversation: Conversation, text: str) -> AsyncGenerator[Happening, None]:
    """Carries out what the user wrote: a command, or a message to the model."""
    try:
        found = find_command(text)
        if found is None:
            running = conversation.turn(text)
        else:
            command, argument = found
            running = command.run(conversation, argument)
        async with aclosing(running) as happenings:
            async for happening in happenings:
                yield happening
    except StrataError as error:
        yield Reported(str(error), "problem")


async def _help(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    width = max(len(command.usage) for command in COMMANDS.values())
    lines = [f"{command.usage:<{width}}  {command.description}" for command in COMMANDS.values()]
    yield Reported("\n".join(lines))


async def _status(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    memory = conversation.memory
    yield Reported(memory_report(memory.snapshot(), await memory.compactions()))


async def _compact(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    memory = conversation.memory
    snapshot = memory.snapshot()
    if not snapshot.read_only:
        await conversation.ready()
    done = await memory.compact()
    folded = done.short_term if done else None
    if done is not None and folded is not None:
        yield Reported(
            f"Folded messages {folded.first} to {folded.last} into the short-term summary: "
            f"{short_number(done.tokens_before)} → {short_number(done.tokens_after)} tokens, "
            f"{done.duration_s:.1f} s, by {done.by}."
        )
        return
    window = conversation.settings.memory.immediate_window
    held = len(snapshot.window)
    reason = "what lies outside the window is too small to gain anything"
    if snapshot.policy != "cascade":
        reason = f"the policy {snapshot.policy} keeps what is there, or folding it gains nothing"
    elif held <= window:
        reason = f"{_all(held)} inside the window of {window}"
    yield Reported(f"Nothing to fold: {reason}.", "note")


async def _undo(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    event = await conversation.memory.undo()
    span = conversation.memory.snapshot().verbatim
    shown = f"messages {span[0]} to {span[1]} stand verbatim again" if span else "no messages"
    yield Reported(
        f"Took back {count(len(event.compactions), 'compaction')}: {shown}. "
        "Automatic compaction waits for @compact-memories or the limit; @redo brings it back."
    )


async def _redo(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    event = await conversation.memory.redo()
    yield Reported(f"The compaction at message {event.message} holds again.")


async def _model(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if argument:
        info = await conversation.use_model(argument)
    else:
        await conversation.ready()
        info = await conversation.backend.describe(conversation.model)
    window = f"{info.context_window:,} tokens" if info.context_window else "unknown window"
    yield Reported(f"{info.name} answers, {info.runs}; {window}.")
    if info.context_window is None:
        assumed = conversation.memory.budget.window
        yield Reported(
            f"Nobody knows how much {info.name} takes; Strata assumes {assumed:,} tokens. "
            "Set context_window in [model] if it is another figure.",
            "note",
        )


async def _retry(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    window = conversation.memory.state.folding.verbatim
    # A call without a result is unanswered as well: what ran it was killed.
    if not window or (window[-1].role not in ("user", "tool") and not window[-1].call_ids):
        yield Reported("There is no unanswered message.", "note")
        return
    async with aclosing(conversation.respond()) as happenings:
        async for happening in happenings:
            yield happening


async def _rename(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported("Give the title after the command: @rename TITLE.", "note")
        return
    await conversation.memory.rename(argument)
    yield Reported(f"The session is now called {conversation.memory.state.title}.")


async def _sessions(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    sessions = await conversation.memory.sessions.list()
    lines = listed(sessions, datetime.now(UTC), here=conversation.memory.info.id)
    yield Reported("\n".join(lines) + "\n@session NAME opens one, @new begins one.")


async def _session(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported("Name a session: @session NAME. @sessions lists them.", "note")
        return
    yield SessionWanted((await _found(conversation, argument)).id)


async def _found(conversation: Conversation, name: str) -> SessionInfo:
    """A session by title, id, or the name that lists show.

    Raises:
        StrataError: There is none, or there are several.
    """
    try:
        return await conversation.memory.sessions.find(name)
    except UnknownSession as error:
        raise StrataError(error.sentence, "@sessions lists those there are.") from error


async def _new(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    yield SessionWanted(None)


async def _delete(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    session = await _found(conversation, argument or conversation.memory.info.id)
    yield DeletionWanted(session.id, name_of(session, datetime.now(UTC)), session.messages)


async def _copy(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    memory = conversation.memory
    refs = [ref for ref in memory.state.folding.verbatim if ref.role == "assistant"]
    text = (await memory.texts([refs[-1].body])).get(refs[-1].body) if refs else None
    yield CopyWanted(text) if text else Reported("There is no answer yet.", "note")


async def _theme(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    yield ThemeWanted(argument or None)


async def _timeline(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    yield TimelineWanted()


async def _quit(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    yield LeaveWanted()


def _all(held: int) -> str:
    return f"all {count(held, 'message')} are" if held != 1 else "the only message is"


COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command("help", "", "what the commands are", _help),
        Command("memory-status", "", "the full report on memory", _status),
        Command("compact-memories", "", "fold what left the window now", _compact),
        Command("undo", "", "take back the newest compaction", _undo),
        Command("redo", "", "let the compaction taken back hold again", _redo),
        *AGENT_COMMANDS,
        *POLICY_COMMANDS,
        *BRANCH_COMMANDS,
        *REWRITE_COMMANDS,
        *GOAL_COMMANDS,
        *TASK_COMMANDS,
        *PIN_COMMANDS,
        *FILE_COMMANDS,
        *FACT_COMMANDS,
        *RECALL_COMMANDS,
        *FORGET_COMMANDS,
        *CONTENT_COMMANDS,
        *DELEGATE_COMMANDS,
        *TRACE_COMMANDS,
        *MCP_COMMANDS,
        *TRANSFER_COMMANDS,
        Command("model", "[NAME]", "which model answers, or let another one", _model),
        Command("retry", "", "ask the model again to answer the last message", _retry),
        Command("rename", "TITLE", "give the session a title", _rename),
        Command("sessions", "", "the sessions there are", _sessions),
        Command("session", "NAME", "open another session", _session),
        Command("new", "", "begin a new session", _new),
        Command("delete", "[NAME]", "delete this session or another one; asks first", _delete),
        Command("copy", "", "put the last answer on the clipboard", _copy),
        Command("timeline", "", "the compactions, one by one", _timeline),
        Command("theme", "[NAME]", "other colours", _theme),
        Command("quit", "", "leave Strata", _quit),
    )
}
