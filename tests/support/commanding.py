"""What a conversation says to a command."""

from app.chat.commands import say
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported


async def said(conversation: Conversation, text: str) -> list[Happening]:
    """Everything that happens."""
    return [happening async for happening in say(conversation, text)]


async def reported(conversation: Conversation, text: str) -> str:
    """The one report that a command gives."""
    [report] = await said(conversation, text)
    assert isinstance(report, Reported)
    return report.text
