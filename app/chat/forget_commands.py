"""The @command that takes away for good, after asking (RECALL-6)."""

from collections.abc import AsyncGenerator, Sequence

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import ForgettingWanted, Happening, Reported

NAME = "forget"
SURE = "--yes"
USAGE = (
    "Say what: @forget 12, a message; @forget 12-20; @forget c3, stored text; @forget f2, a fact; "
    "@forget TEXT, whatever has these words in any session of this agent."
)


async def _forget(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    from app.tools.forget_words import told_done

    first, _, rest = argument.partition(" ")
    sure = first == SURE
    what = rest.strip() if sure else argument
    if not what:
        yield Reported(USAGE, "note")
        return
    forgetting = conversation.memory.forgetting
    plan = await forgetting.plan(what)
    if not sure:
        yield ForgettingWanted(plan)
        return
    yield Reported(told_done(plan, await forgetting.carry_out(plan)))


FORGET_COMMANDS: Sequence[Command] = (
    Command(
        NAME,
        "WHAT",
        "take away for good, once you have seen what",
        _forget,
    ),
)
