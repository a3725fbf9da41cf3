"""The @commands of the content store: attach, store, show, find, tag, clear (CHAT-6, CONT-4)."""

import asyncio
from collections.abc import AsyncGenerator
from datetime import datetime
from pathlib import Path

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, LinesOf, Reported, UserAdded
from app.chat.item_words import said_anywhere, said_first
from app.chat.reading_in import NotAttached, find_file, names_file, read_file
from app.schema import ToolsSettings
from memory.content.catalogue import MOST_FOUND
from memory.content.handles import MessagesHandle, parse_handle
from memory.content.moments import moment
from memory.content.ranges import line_range
from memory.content.transforms import FIRST_LINES, How
from memory.content.wording import told, told_all
from widgets.figures import count

USAGE = (
    "Name what a receipt cites: @retrieve c3, @retrieve m14-m16, @retrieve c3 first 20, "
    "@retrieve c3 lines 20-40, @retrieve c3 WORDS."
)
MOST_LINES = 1_000_000
"""A figure of more lines than any text has is no figure."""
LONGEST_PATH = 4_096
CLEARED = "Receipts that cite them can still be followed: only forgetting erases a text."


async def _attach(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported("Name a file: @attach notes.txt. Then ask about it.", "note")
        return
    if conversation.busy:
        yield Reported("An answer is on its way: attach it after that, or stop it by Esc.", "note")
        return
    path = await asyncio.to_thread(find_file, argument, conversation.settings.tools)
    file = await asyncio.to_thread(read_file, path)
    message = await conversation.memory.attach(file.name, file.text)
    yield UserAdded(message)
    yield Reported(f"{file.name} is kept as {message.item}. Ask about it.", "note")


async def _store(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    said = said_first(argument, ("type", "tag", "related"))
    if not said.text.strip():
        yield Reported("Give a text or a file: @store [tag=WORD] [type=TYPE] TEXT.", "note")
        return
    content, tags, related = conversation.memory.content, said.all("tag"), said.all("related")
    path, missing = await asyncio.to_thread(_file, said.text, conversation.settings.tools)
    if path is not None:
        file = await asyncio.to_thread(read_file, path)
        type = said.type or "file"
        item = await content.store(file.text, type, file.name, tags, related)
    else:
        item = await content.store(said.text, said.type or "custom", "user", tags, related)
    yield Reported(f"Stored {told(item)}.")
    if missing:
        yield Reported(f"It is kept as a text. {missing}", "note")


async def _retrieve(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported(USAGE, "note")
        return
    handle, *part = argument.split()
    numbered = part[:1] == ["numbered"]
    part = part[numbered:]
    content = conversation.memory.content
    command = f"@retrieve {handle}{' numbered' * numbered}"
    if part[:1] == ["lines"] and len(part) > 1:
        lines = line_range(" ".join(part[1:]))
        text = await content.retrieve(handle, "lines", lines=lines, numbered=numbered)
        if text:
            yield Reported(text, lines_of=LinesOf(command, lines[0]))
        else:
            yield Reported(f"{handle} has no such lines.", "note")
        return
    how, n, words = wanted_part(part)
    text = await content.retrieve(handle, how, n=n, words=words, numbered=numbered)
    if text.strip():
        yield Reported(text, lines_of=LinesOf(command) if how in ("full", "first") else None)
    elif how == "filtered":
        yield Reported(f"No line of {handle} has any of: {', '.join(words)}.", "note")
    else:
        yield Reported(f"{handle} is empty.", "note")
    if note := _beyond(handle, conversation.memory.state.messages):
        yield Reported(note, "note")


def _beyond(handle: str, messages: int) -> str:
    """That a range of messages goes further than there are any; empty where it does not."""
    named = parse_handle(handle)
    if not isinstance(named, MessagesHandle) or named.last <= messages:
        return ""
    return f"There are {count(messages, 'message')}."


def wanted_part(words: list[str]) -> tuple[How, int, list[str]]:
    """Which part of a content the words after its handle ask for."""
    match words:
        case [] | ["full"]:
            return "full", FIRST_LINES, []
        case ["excerpt" | "summary" as how]:
            return how, FIRST_LINES, []
        case ["first" | "last" as how]:
            return how, FIRST_LINES, []
        case ["first" | "last" as how, figure] if figure.isdecimal():
            return how, min(int(figure[:7]), MOST_LINES), []
        case _:
            return "filtered", FIRST_LINES, words


async def _query(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    said = said_anywhere(argument, ("type", "source", "tag", "since", "until", "limit"))
    content, now = conversation.memory.content, datetime.now().astimezone()
    items = await content.query(
        said.type,
        said.one("source"),
        said.all("tag"),
        (moment(said.one("since"), now), moment(said.one("until"), now)),
        said.limit or MOST_FOUND,
        text=said.text,
    )
    if items:
        yield Reported(told_all(items))
    elif conversation.memory.snapshot().content_items:
        yield Reported("No stored item is all that.", "note")
    else:
        yield Reported("Nothing is stored yet.", "note")


async def _tag(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    said = said_anywhere(argument, ("related",))
    handle, *words = said.text.split() or [""]
    if not handle or not (words or said.named):
        yield Reported("Write @tag c3 WORD to add a tag, @tag c3 -WORD to take it off.", "note")
        return
    item = await conversation.memory.content.mark(
        handle,
        tags=[word for word in words if not word.startswith("-")],
        without=[word[1:] for word in words if word.startswith("-")],
        related=said.all("related"),
    )
    yield Reported(told(item))


async def _clear(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    memory = conversation.memory
    items = memory.snapshot().content_items
    if argument.strip().lower() == "yes":
        cleared = await memory.content.clear()
        yield Reported(f"Took {count(cleared, 'item')} off the lists. {CLEARED}")
    elif argument:
        cleared = await memory.content.clear(argument.replace(",", " ").split())
        yield Reported(f"Took {count(cleared, 'item')} off the lists. {CLEARED}")
    elif items:
        yield Reported(
            f"This takes {count(items, 'stored item')} off the lists. {CLEARED} "
            "Write @clear-content yes to do it, or name items: @clear-content c3 c4.",
            "note",
        )
    else:
        yield Reported("Nothing is stored.", "note")


def _file(text: str, settings: ToolsSettings) -> tuple[Path | None, str]:
    """The file that a text names, or None; and where a text like a file's name names none, that."""
    if len(text) > LONGEST_PATH or "\n" in text:
        return None, ""
    try:
        path = find_file(text, settings)
        return (path, "") if path.is_file() else (None, "")
    except (OSError, ValueError):
        return None, ""
    except NotAttached as missing:
        return None, missing.sentence if names_file(text) else ""


CONTENT_COMMANDS = (
    Command("attach", "FILE", "show the model a text file", _attach),
    Command("store", "TEXT", "keep a text or a file outside the prompt", _store),
    Command("retrieve", "HANDLE [PART]", "show what a receipt cites", _retrieve),
    Command("query", "[WORDS]", "find what is stored", _query),
    Command("tag", "HANDLE WORDS", "tag what is stored", _tag),
    Command("clear-content", "[HANDLES]", "take what is stored off the lists", _clear),
)
