"""`@policy`: how old messages are folded in this session (COMPACT-8)."""

from collections.abc import AsyncGenerator

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from memory.compaction.policies import find
from memory.errors import StrataError
from memory.policy_names import names


async def _policy(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported(_listed(conversation.memory.snapshot().policy))
        return
    await conversation.memory.use_policy(argument)
    yield Reported(f"From here on memory folds by {argument}: {_says(argument)}.")


def _listed(present: str) -> str:
    width = max(map(len, names()))
    lines = [
        f"{'*' if name == present else ' '} {name:<{width}}  {_says(name)}" for name in names()
    ]
    return "\n".join([*lines, "@policy NAME chooses one for this session."])


def _says(name: str) -> str:
    try:
        return find(name).says or "a policy of a package"
    except StrataError as error:
        return error.sentence


POLICY_COMMANDS = (
    Command("policy", "[NAME]", "how old messages are folded, or another way", _policy),
)
