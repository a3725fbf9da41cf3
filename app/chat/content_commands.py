"""The @command that follows a receipt (CONT-2, I10)."""

from collections.abc import AsyncGenerator

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from memory.content.transforms import FIRST_LINES, How

USAGE = (
    "Name what a receipt cites: @retrieve c3, @retrieve m14-m16, @retrieve c3 first 20, "
    "@retrieve c3 WORDS."
)
MOST_LINES = 1_000_000
"""A figure of more lines than any text has is no figure."""


async def _retrieve(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported(USAGE, "note")
        return
    handle, *part = argument.split()
    how, n, words = wanted_part(part)
    text = await conversation.memory.content.retrieve(handle, how, n=n, words=words)
    if text.strip():
        yield Reported(text)
    elif how == "filtered":
        yield Reported(f"No line of {handle} has any of: {', '.join(words)}.", "note")
    else:
        yield Reported(f"{handle} is empty.", "note")


def wanted_part(words: list[str]) -> tuple[How, int, list[str]]:
    """Which part of a content the words after its handle ask for."""
    match words:
        case []:
            return "full", FIRST_LINES, []
        case ["excerpt" | "summary" as how]:
            return how, FIRST_LINES, []
        case ["first" | "last" as how]:
            return how, FIRST_LINES, []
        case ["first" | "last" as how, figure] if figure.isdecimal():
            return how, min(int(figure[:7]), MOST_LINES), []
        case _:
            return "filtered", FIRST_LINES, words


CONTENT_COMMANDS = (Command("retrieve", "HANDLE [PART]", "show what a receipt cites", _retrieve),)
