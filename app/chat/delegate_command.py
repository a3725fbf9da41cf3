"""`@delegate`: helpers of this session, what they did, and a task for another one (CHAT-11)."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import get_args

from app.chat.branch_commands import refuse_busy
from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.desk import NoHelpers
from app.chat.happenings import BranchWanted, Happening, Reported
from app.chat.item_words import said_first
from app.chat.names import ago, columns, name_of
from app.tools.tool import HelperTask
from memory.errors import StrataError
from memory.helping import HelperInfo
from memory.parts import MemoryScope
from memory.storage.sessions import UnknownBranch
from widgets.figures import count, short_number

NAME = "delegate"
SCOPES: tuple[MemoryScope, ...] = get_args(MemoryScope)
LIST = "list"
OPEN = re.compile(r"open\s+#?(\d{1,6})")
WHOSE = re.compile(r" \(helper of .*\)$")
"""What a title says besides the task; whose helper it is, is known in its owner's list."""
BACK = "back"
NONE = "No helper has worked for this session. @delegate TASK sends one."
WAYS = "@delegate open N shows what one did, @delegate TASK sends another."


class NoHelper(StrataError):
    """There is no such helper, or nobody to go back to."""


def is_task(argument: str) -> bool:
    """Whether what stands after the command is a task, which takes a turn of its own."""
    return argument not in ("", LIST, BACK) and OPEN.fullmatch(argument) is None


def task_of(argument: str) -> HelperTask:
    """The task that a command gives: `[shared|snapshot|isolated] [agent=NAME] TASK`.

    What stands before the task may stand in any order.

    Raises:
        StrataError: There is no task in it.
    """
    scope: MemoryScope | None = None
    agents: list[str] = []
    text = argument.strip()
    while True:
        said = said_first(text, ("agent",))
        agents += said.named.get("agent", [])
        text = said.text
        first = text.split(maxsplit=1)[0] if text else ""
        named = next((one for one in SCOPES if one == first), None)
        if scope is not None or named is None:
            break
        scope, text = named, text[len(first) :].lstrip()
    if not text:
        raise StrataError("There is no task.", "Write @delegate TASK.")
    return HelperTask(text, scope, agents[-1] if agents else "", by_user=True)


async def _delegate(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if match := OPEN.fullmatch(argument):
        yield await opened(conversation, int(match[1]))
    elif argument == BACK:
        yield await _back(conversation)
    elif argument in ("", LIST):
        yield await _listed(conversation)
    elif conversation.memory.state.helping is not None:
        raise NoHelpers
    else:
        refuse_busy(conversation)
        task = task_of(argument)
        if task.agent:
            await conversation.memory.agents.known(task.agent)
        async with aclosing(conversation.delegate(task)) as happenings:
            async for happening in happenings:
                yield happening


async def answered_by(conversation: Conversation, message: int) -> AsyncGenerator[Happening, None]:
    """Goes to the session of the helper whose answer a message is."""
    number = await conversation.memory.helper_of(message) if message else None
    if number is None:
        yield Reported("@delegate lists the helpers; @delegate open N goes to the steps of one.")
    else:
        yield await opened(conversation, number)


async def opened(conversation: Conversation, number: int) -> BranchWanted:
    """Goes to the session of a helper, to see its steps or to go on there.

    Raises:
        NoHelper: There is none of the number.
        AnswerOnItsWay: Here something is being answered.
    """
    refuse_busy(conversation)
    helpers = await conversation.memory.helpers()
    if not 1 <= number <= len(helpers):
        has = f"There are {len(helpers)}." if helpers else NONE
        raise NoHelper(f"There is no helper {number}.", has)
    told = f"The steps of helper {number}. @delegate back leaves them."
    return BranchWanted(helpers[number - 1].session.branch, told=told)


async def _back(conversation: Conversation) -> BranchWanted:
    refuse_busy(conversation)
    memory = conversation.memory
    helping = memory.state.helping
    if helping is None:
        raise NoHelper("This session works for no other.", "@session NAME opens another.")
    try:
        owner = await memory.sessions.at(helping.branch)
    except UnknownBranch:
        owner = await memory.sessions.find(helping.session)
    return BranchWanted(owner.branch, told=f"Back in {name_of(owner, datetime.now(UTC))}.")


async def _listed(conversation: Conversation) -> Reported:
    memory = conversation.memory
    helpers = await memory.helpers()
    if memory.state.helping is not None:
        return Reported("This is a helper's session; @delegate back leaves it.", "note")
    if not helpers:
        return Reported(NONE, "note")
    now = datetime.now(UTC)
    return Reported("\n".join([*columns([_row(h, now) for h in helpers], right=(0, 4)), WAYS]))


def _row(helper: HelperInfo, now: datetime) -> tuple[str, ...]:
    usage = helper.session.usage
    return (
        str(helper.number),
        helper.progress,
        helper.scope,
        count(helper.session.messages, "message"),
        f"{short_number(usage.input + usage.output)} tokens",
        ago(helper.session.last_used, now),
        WHOSE.sub("", name_of(helper.session, now)),
    )


DELEGATE_COMMANDS = (
    Command(
        NAME,
        "[TASK]",
        "send a helper, or list them; also open N, back",
        _delegate,
    ),
)
