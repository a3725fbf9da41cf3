"""`strata replay`: a recorded conversation through memory (LAB-1)."""

import argparse
from collections.abc import Awaitable
from pathlib import Path
from typing import Any

from app.commands.laboratory import laboratory
from app.commands.output import Notes, note_line, print_json
from app.commands.usage import WrongUsage
from app.lab.recorded import recording
from app.lab.replay import replay
from app.settings import Settings
from widgets.figures import count, short_number
from widgets.plain import printable


def run_command(settings: Settings, options: argparse.Namespace) -> int | Awaitable[int]:
    """Replays and prints the report, or shows it; returns the exit status.

    Raises:
        WrongUsage: Options that exclude each other.
    """
    if options.watch and options.json:
        raise WrongUsage("--watch and --json exclude each other.", "Leave one of them out.")
    if options.speed is not None and not options.watch:
        raise WrongUsage("--speed is the pace of --watch.", "Add --watch, or leave it out.")
    if not options.watch:
        return _replay(settings, options)
    from app.commands.watching import watch

    return watch(settings, options)


async def _replay(settings: Settings, options: argparse.Namespace) -> int:
    taken = recording(Path(options.file), options.conversation)
    notes = Notes()
    async with laboratory(settings, options, notes) as lab:
        notes.show("replaying")
        document = await replay(options.file, taken.messages, lab) | taken.told
    notes.clear()
    if note := taken.note(options.conversation):
        note_line(note)
    if options.json:
        print_json(document)
    else:
        print(printable("\n".join(_report(document))))
    return 0


def _report(document: dict[str, Any]) -> list[str]:
    totals = document["totals"]
    said = count(document["messages"], "message")
    window = f"window of {document['context_window']:,} tokens"
    lines = [f"{document['file']}: {said}, policy {document['policy']}, {window}"]
    lines += [
        f"  compaction at message {entry['message']}: {entry['trigger']}, "
        f"{short_number(entry['tokens_before'])} → {short_number(entry['tokens_after'])} tokens, "
        f"by {entry['by']}, {entry['duration_s']:.1f} s"
        for entry in document["compactions"]
    ]
    saved = totals["full_history_tokens"] - totals["prompt_tokens"]
    share = saved / totals["full_history_tokens"] if totals["full_history_tokens"] else 0
    lines.append(
        f"{count(totals['requests'], 'request')}: {totals['prompt_tokens']:,} prompt tokens, "
        f"{share:.0%} less than the full history; largest {totals['largest_prompt']:,}; "
        f"{totals['seconds']:.1f} s"
    )
    return lines
