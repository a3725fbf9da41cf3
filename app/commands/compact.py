"""`strata compact`: fold now, whatever the thresholds."""

import argparse
import os

from app.chat.conversation import Conversation
from app.chat.status import compaction_document
from app.commands.output import note_line, print_json
from app.logs import start_logging
from app.paths import make_data_directory
from app.settings import Settings
from memory.errors import StrataError
from memory.wish import Wish


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Compacts and prints what came of it; returns the exit status."""
    make_data_directory(settings.paths.data.path)
    start_logging(settings.paths.log, settings.privacy)
    wish = Wish(
        session=options.session,
        agent=options.agent or "default",
        create=False,
        label=f"`strata compact` of process {os.getpid()}",
    )
    async with Conversation.open(settings, wish, talks=False) as conversation:
        before = len(await conversation.memory.compactions())
        try:
            await conversation.ready()
        except StrataError as error:
            note_line(f"strata: {error} Summaries are made by rule.")
        await conversation.memory.settled()
        await conversation.memory.compact()
        await conversation.memory.settled()
        records = await conversation.memory.compactions()
    # What was due by itself may have been folded first, and left nothing to do.
    record = records[-1] if len(records) > before else None
    if options.json:
        print_json({"compaction": compaction_document(record) if record else None})
    elif record is None:
        print("Nothing to fold: it would gain nothing yet.")
    else:
        event = record.event
        print(
            f"Folded up to message {event.verbatim_from - 1}: {event.tokens_before:,} → "
            f"{event.tokens_after:,} tokens in {event.duration_s:.1f} s, by {event.by}."
        )
    return 0
