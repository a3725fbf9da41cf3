"""`strata status`: the report on a session's memory (VIEW-6)."""

import argparse
from dataclasses import replace

from app.chat.report import memory_report
from app.chat.status import status_document
from app.commands.output import print_json
from app.commands.reading import reading
from app.settings import Settings
from widgets.plain import printable


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Prints the report; returns the exit status."""
    async with reading(settings, options) as memory:
        records = await memory.compactions()
        snapshot = replace(memory.snapshot(), index=await memory.indexing.look())
    if options.json:
        print_json(status_document(snapshot, records))
    else:
        print(printable(memory_report(snapshot, records)))
    return 0
