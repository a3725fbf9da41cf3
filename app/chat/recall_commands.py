"""The @commands that look things up in long-term memory (RECALL-6)."""

from collections.abc import AsyncGenerator, Sequence
from datetime import UTC, datetime

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, LinesOf, Reported
from app.chat.item_words import said_anywhere
from app.chat.names import ago
from memory.recall.wording import entry, shares, source
from memory.recalling import KEYS
from widgets.figures import count

MOST_ENTRIES = 10
BUDGET = 4_000
"""Passages of one list, and their tokens."""
FOUND_MOST = 20
"""Messages of one search."""
SUMMARIES = {"long": "long_term", "short": "short_term", "recent": "short_term"}
USAGE = "Write what it is about: @recall [kind=fact] [since=3d] [session=TITLE] TEXT."


async def _recall(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    said = said_anywhere(argument, (*KEYS, "limit"))
    if not said.text:
        yield Reported(USAGE, "note")
        return
    memory, now = conversation.memory, datetime.now(UTC)
    filter = {
        key: said.all(key) if key in ("kind", "source", "tag") else said.one(key) for key in KEYS
    }
    found = await memory.recall(said.text, said.limit or MOST_ENTRIES, BUDGET, filter)
    if not found:
        yield Reported("Nothing in memory has to do with it.", "note")
        return
    lines = []
    for one in found:
        where = None if one.session in ("", memory.info.id) else one.title or one.session
        head = source(one.kind, one.role, one.number, where, one.at)
        parts = shares(one.parts.items())
        lines.append(entry(f"{one.score:.1f}  {head} · {ago(one.at, now)}", one.text))
        lines.append(f"  ({parts})")
    yield Reported("\n".join(lines))


async def _search(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported("Write the words: @search WORDS.", "note")
        return
    memory = conversation.memory
    found = await memory.sessions.search(argument, memory.info.agent, FOUND_MOST)
    if not found:
        yield Reported("Nobody said all of these words.", "note")
        return
    lines = [
        entry(
            source(
                one.kind,
                one.role,
                one.number,
                None if one.session == memory.info.id else one.name,
                one.at,
            ),
            one.excerpt,
        )
        for one in found
    ]
    yield Reported("\n".join(lines))


async def _expand(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    word, *words = argument.split() or ["short"]
    which = SUMMARIES.get(word.replace("-term", ""))
    if which is None:
        yield Reported("Say which summary: @expand long, or @expand short.", "note")
        return
    snapshot = conversation.memory.snapshot()
    summary = snapshot.long_term if which == "long_term" else snapshot.short_term
    if summary is None:
        yield Reported("There is no such summary yet: nothing was folded.", "note")
        return
    handle = f"m{summary.first}-m{summary.last}"
    content = conversation.memory.content
    if words:
        text = await content.retrieve(handle, "filtered", words=words)
        yield Reported(text or f"No line of {handle} has any of these words.")
        return
    text = await content.retrieve(handle, "full")
    messages = count(summary.last - summary.first + 1, "message")
    yield Reported(f"{messages}, {summary.first} to {summary.last}, as they were said:", "note")
    yield Reported(text, lines_of=LinesOf(f"@retrieve {handle}"))


RECALL_COMMANDS: Sequence[Command] = (
    Command("recall", "TEXT", "what memory has on it, each with score and source", _recall),
    Command("search", "WORDS", "where all of these words were said, in any session", _search),
    Command(
        "expand",
        "SUMMARY",
        "the messages under a summary; WORDS: lines with them",
        _expand,
    ),
)
