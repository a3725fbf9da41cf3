"""The @commands of branches: begin one, go to one, edit a message, have it answered again."""

import re
from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import BranchWanted, Happening, Reported
from app.chat.names import ago, columns
from memory.errors import StrataError
from memory.parts import ForkReason
from memory.views import BranchInfo
from widgets.figures import count
from widgets.plain import one_line

WHY = {"edit": ", edited", "regenerate": ", answered again"}
EDIT = re.compile(r"(\d+)\s+(\S.*)", re.DOTALL)


class AnswerOnItsWay(StrataError):
    """What has to wait until nothing is being answered."""

    def __init__(self) -> None:
        super().__init__("An answer is on its way.", "Esc stops it; then try again.")


class NoNumber(StrataError):
    """A command that needs the number of something has got something else."""


class NothingSaid(StrataError):
    """There is no message that could be answered again."""


async def fork(conversation: Conversation, after: int | None) -> AsyncGenerator[Happening, None]:
    """Goes on in a new branch after a message; after the newest where none is named."""
    refuse_busy(conversation)
    memory = conversation.memory
    message = memory.state.messages if after is None else after
    yield await _begun(conversation, message, "fork")


async def edit(
    conversation: Conversation, number: int, text: str
) -> AsyncGenerator[Happening, None]:
    """Says something else in the place of a message of the user's, in a new branch."""
    refuse_busy(conversation)
    await conversation.memory.branches.assert_own(number)
    await conversation.refuse_too_large(text)
    yield await _begun(conversation, number - 1, "edit", text=text)


async def regenerate(
    conversation: Conversation, number: int | None
) -> AsyncGenerator[Happening, None]:
    """Has an answer given again in a new branch; the last one where none is named."""
    refuse_busy(conversation)
    memory = conversation.memory
    if number is None and not memory.state.messages:
        raise NothingSaid("Nothing has been said yet.", "Write a message first.")
    asked = await memory.branches.asked_before(number)
    if asked == memory.state.messages:
        # Nothing has been answered yet: there is nothing to branch from.
        yield BranchWanted(memory.info.branch, answer=True)
        return
    yield await _begun(conversation, asked, "regenerate", answer=True)


async def go_to(conversation: Conversation, number: int | None) -> AsyncGenerator[Happening, None]:
    """Goes to a branch by its place in the list, or to the next one."""
    refuse_busy(conversation)
    infos = await conversation.memory.branches.list()
    if len(infos) == 1:
        yield Reported("This session has one branch. @fork N begins another.", "note")
        return
    here = next(place for place, info in enumerate(infos) if info.current)
    wanted = (here + 1) % len(infos) if number is None else number - 1
    if not 0 <= wanted < len(infos):
        raise NoNumber(f"There is no branch {number}.", "@branches lists them.")
    if wanted == here:
        yield Reported(f"This is {branch_name(infos).lower()} already.", "note")
        return
    yield BranchWanted(infos[wanted].id, told=_told(infos, wanted))


def branch_name(infos: Sequence[BranchInfo]) -> str:
    """Which of the branches is open: Branch 2 of 3; empty where there is but one."""
    here = next((place for place, info in enumerate(infos) if info.current), 0)
    return f"Branch {here + 1} of {len(infos)}" if len(infos) > 1 else ""


async def _begun(
    conversation: Conversation,
    message: int,
    reason: ForkReason,
    *,
    text: str = "",
    answer: bool = False,
) -> BranchWanted:
    branches = conversation.memory.branches
    branch = await branches.fork(message, reason)
    infos = await branches.list()
    place = next(place for place, info in enumerate(infos) if info.id == branch)
    return BranchWanted(branch, text, answer, _told(infos, place))


def _told(infos: Sequence[BranchInfo], place: int) -> str:
    """Where one is, once there: Branch 2 of 3, from message 12."""
    return f"Branch {place + 1} of {len(infos)}, {_origin(infos[place])}."


def _origin(info: BranchInfo) -> str:
    if info.parent is None:
        return "the first"
    where = f"from message {info.forked_at}" if info.forked_at else "from the beginning"
    return f"{where}{WHY.get(info.reason, '')}"


def refuse_busy(conversation: Conversation) -> None:
    """Refuses what leaves the branch while something is answered there.

    Raises:
        AnswerOnItsWay: It is.
    """
    if conversation.busy:
        raise AnswerOnItsWay


def _number(argument: str, example: str) -> int | None:
    """The number after a command; None where there is nothing.

    Raises:
        NoNumber: It is none.
    """
    if not argument:
        return None
    digits = argument.removeprefix("#")
    if not (digits.isascii() and digits.isdigit() and len(digits) < len(str(10**9))):
        raise NoNumber(f"{one_line(argument)} is no number.", f"Write it as in {example}.")
    return int(digits)


async def _fork(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    async for happening in fork(conversation, _number(argument, "@fork 12")):
        yield happening


async def _edit(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    match = EDIT.fullmatch(argument)
    if match is None:
        raise NoNumber("Name a message and what is to stand there.", "Write @edit 12 TEXT.")
    number = _number(match.group(1), "@edit 12 TEXT")
    async for happening in edit(conversation, number or 0, match.group(2)):
        yield happening


async def _regenerate(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    async for happening in regenerate(conversation, _number(argument, "@regenerate 12")):
        yield happening


async def _branch(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    async for happening in go_to(conversation, _number(argument, "@branch 2")):
        yield happening


async def _branches(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    infos = await conversation.memory.branches.list()
    now = datetime.now(UTC)
    rows = [
        (
            f"{'›' if info.current else ' '} {place}",
            count(info.messages, "message"),
            _origin(info),
            ago(info.last_used, now),
            one_line(info.preview),
        )
        for place, info in enumerate(infos, start=1)
    ]
    yield Reported(
        "\n".join([*columns(rows, right=(1,)), "@branch N goes to one, @fork N begins one."])
    )


BRANCH_COMMANDS = (
    Command("fork", "[N]", "begin a branch after message N or the newest", _fork),
    Command("edit", "N TEXT", "send your message N again, changed, in a new branch", _edit),
    Command("regenerate", "[N]", "have message N or the last answer given again", _regenerate),
    Command("branches", "", "the branches of this session", _branches),
    Command("branch", "[N]", "go to branch N or the next one", _branch),
)
WAITING = frozenset({"fork", "edit", "regenerate", "branch", "forget"})
"""Commands that leave the branch, or take away what an answer on its way may quote: they wait."""
