"""The @command that writes a summary anew and puts it in place when told to (COMPACT-11)."""

from collections.abc import AsyncGenerator

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from app.chat.models import summariser
from app.host.catalogue import canonical
from memory.parts import SummarySlot
from memory.protocols import LanguageModel
from memory.rewriting import NAMES, Rewritten
from widgets.panes.summaries import made_by

SLOTS: dict[str, SummarySlot] = {
    "short": "short_term",
    "short-term": "short_term",
    "long": "long_term",
    "long-term": "long_term",
}
USAGE = "Say which: @rewrite short or @rewrite long, and what it is to say."


async def writer(conversation: Conversation, model: str) -> LanguageModel | None:
    """The model of a name as a writer of summaries; None for the one that writes them anyway.

    Raises:
        StrataError: There is no such model, or it can't be reached.
    """
    await conversation.ready()
    if not model.strip():
        return None
    info = await conversation.backend.describe(canonical(model.strip()))
    return summariser(conversation.backend, info, conversation.settings.model)


async def _rewrite(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    which, _, instructions = argument.partition(" ")
    rewriting = conversation.memory.rewriting
    if which == "accept" and not instructions:
        preview = await rewriting.kept()
        event = await rewriting.accept(preview)
        yield Reported(
            f"The {NAMES[event.slot]} summary is version {event.summary.version} now. "
            "The one before stays in the log."
        )
    elif which in SLOTS:
        await writer(conversation, "")
        preview = await rewriting.preview(SLOTS[which], instructions)
        await rewriting.keep(preview)
        yield Reported(_shown(preview))
    else:
        yield Reported(USAGE, "note")


def _shown(preview: Rewritten) -> str:
    old, new = preview.replaces, preview.written
    lines = [
        f"{NAMES[preview.slot]} summary of messages {old.first} to {old.last}",
        f"now, {old.tokens:,} tokens, {made_by(old.by, old.model)}:",
        preview.before,
        f"anew, {new.tokens:,} tokens, {made_by(new.by, new.model)}:",
        preview.after,
        *(f"Not accepted before: {failure}." for failure in new.failures),
        "Nothing has changed. @rewrite accept puts it in place.",
    ]
    return "\n".join(lines)


REWRITE_COMMANDS = (
    Command(
        "rewrite",
        "WHICH [INSTRUCTIONS]",
        "write the short or long summary anew",
        _rewrite,
    ),
)
