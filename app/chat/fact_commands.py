"""The @commands about facts: what the agent knows from all of its sessions (RECALL-6)."""

import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from datetime import UTC, datetime

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.goal_commands import clipped, split
from app.chat.happenings import Happening, Reported
from app.chat.names import ago
from memory.fact_keeping import FactKeeping, Remembered
from memory.views import FactView
from widgets.figures import count

FACT_ID = re.compile(r"f\d+")
MOST = 40
"""Facts of one list; words find the others."""
NOTHING = "Nothing is known yet. @remember TEXT keeps a fact, in all sessions of this agent."

Change = Callable[[FactKeeping, str], Awaitable[str]]


async def _remember(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    if not argument:
        yield Reported("Write it after the command: @remember TEXT.", "note")
        return
    known = await conversation.memory.facts.remember(argument)
    if known.how != "new":
        yield Reported(f"That is known already ({known.fact.id}): {clipped(known.fact.text)}")
        return
    yield Reported(_told_of(known))


async def _facts(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    facts = conversation.memory.facts
    word, rest = split(argument)
    id, text = split(rest)
    change = CHANGES.get(word)
    if change is not None and FACT_ID.fullmatch(rest):
        yield Reported(await change(facts, rest))
    elif word == "edit" and FACT_ID.fullmatch(id) and text:
        fact = await facts.edit(id, text)
        yield Reported(f"Fact {fact.id} now is: {clipped(fact.text)}")
    elif word == "edit" and (not rest or FACT_ID.fullmatch(rest)):
        yield Reported("Write it after the id: @facts edit f1 TEXT.", "note")
    elif change is not None and not rest:
        yield Reported(f"Say which: @facts {word} f1. @facts lists them.", "note")
    else:
        await facts.refresh()
        wanted = "" if argument == "list" else argument
        yield Reported(_list(facts, wanted))


async def _end(facts: FactKeeping, id: str) -> str:
    pinned = facts.get(id).pinned
    fact = await facts.end(id)
    gone = "no longer holds, and is no longer pinned" if pinned else "no longer holds"
    return f"Fact {fact.id} {gone}. @facts edit {fact.id} TEXT lets it hold again."


async def _pin(facts: FactKeeping, id: str) -> str:
    fact = await facts.pin(id)
    return f"Fact {fact.id} stays in every prompt. @facts unpin {fact.id} lets go of it."


async def _unpin(facts: FactKeeping, id: str) -> str:
    return f"Fact {(await facts.unpin(id)).id} is no longer pinned."


def _told_of(known: Remembered) -> str:
    lines = [f"Remembered as {known.fact.id}, in all sessions of this agent."]
    lines += [f"No longer holds: {fact.id}  {clipped(fact.text)}" for fact in known.ended]
    lines += [f"May not go with: {fact.id}  {clipped(fact.text)}" for fact in known.conflicts]
    return "\n".join(lines)


def _list(facts: FactKeeping, words: str) -> str:
    found = facts.find(words) if words else facts.live()
    if not found:
        return f"No fact has all of these words: {clipped(words)}." if words else _nothing(facts)
    now = datetime.now(UTC)
    shown = found[:MOST]
    width = max(len(fact.id) for fact in shown)
    lines = [f"{fact.id:<{width}}  {_line(fact, now)}" for fact in shown]
    return "\n".join((*lines, _totals(facts, len(found))))


def _line(fact: FactView, now: datetime) -> str:
    pinned = "pinned, " if fact.pinned else ""
    state = "" if fact.live else f"ended {ago(fact.valid_until or fact.learned_at, now)}, "
    return f"{clipped(fact.text)} ({pinned}{state}{_about(fact, now)})"


def _about(fact: FactView, now: datetime) -> str:
    numbers = [number for source in fact.sources for number in source.numbers]
    where = f", message {numbers[0]}" if numbers else ""
    return f"importance {fact.importance:.0%}, {ago(fact.learned_at, now)}{where}"


def _totals(facts: FactKeeping, found: int) -> str:
    view = facts.view()
    more = f", {MOST} shown" if found > MOST else ""
    return f"{count(view.live, 'fact')}, {view.ended} ended{more}. @facts WORDS finds some."


def _nothing(facts: FactKeeping) -> str:
    ended = facts.view().ended
    return f"No fact holds; {count(ended, 'fact')} ended." if ended else NOTHING


CHANGES: dict[str, Change] = {"end": _end, "pin": _pin, "unpin": _unpin}

FACT_COMMANDS: Sequence[Command] = (
    Command("remember", "TEXT", "keep a fact, in all sessions of this agent", _remember),
    Command("facts", "[WORDS]", "what is known; edit ID TEXT, end ID, pin ID, unpin ID", _facts),
)
