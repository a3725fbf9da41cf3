"""What a screen asks of the conversation is done by the @commands: they are the one way."""

from contextlib import aclosing

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import Reported


async def carried(conversation: Conversation, command: str) -> str:
    """Carries out a command.

    Args:
        conversation: The open one.
        command: As it could be typed.

    Returns:
        What it reports: what was done, or why not.
    """
    async with aclosing(say(conversation, command)) as happenings:
        told = [happening.text async for happening in happenings if isinstance(happening, Reported)]
    return " ".join(told)
