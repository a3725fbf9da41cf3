"""`strata replay`: a recorded conversation through memory (LAB-1)."""

import argparse
from pathlib import Path
from typing import Any

from app.backend.client import Backend
from app.chat.choice import chosen_model
from app.chat.conversation import backend_settings
from app.chat.models import chosen_summariser, exact_counter, model_chosen
from app.commands.output import Notes, print_json
from app.lab.recorded import RecordedMessage, read_recording
from app.lab.replay import Lab, replay
from app.paths import make_data_directory
from app.settings import Settings
from widgets.figures import count, short_number
from widgets.plain import printable


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Replays and prints the report; returns the exit status."""
    messages = read_recording(Path(options.file), options.conversation)
    if options.summarizer == "model" or options.model:
        document = await _with_backend(settings, options, messages)
    else:
        document = await replay(options.file, messages, Lab(settings.memory))
    if options.json:
        print_json(document)
    else:
        print(printable("\n".join(_report(document))))
    return 0


async def _with_backend(
    settings: Settings, options: argparse.Namespace, messages: list[RecordedMessage]
) -> dict[str, Any]:
    """Runs the replay with a model's own tokenizer and, if wanted, its summaries."""
    make_data_directory(settings.paths.data.path)
    notes = Notes()
    backend = await Backend.start(backend_settings(settings))
    try:
        name = chosen_model(settings, None)
        notes.show(f"{name} is loading")
        info = await backend.describe(name)
        chat_model = model_chosen(info, settings.model.context_window)
        notes.show("replaying")
        writer = None
        if options.summarizer == "model":
            writer = await chosen_summariser(backend, info, settings.model)
        lab = Lab(settings.memory, writer, exact_counter(backend, info), chat_model)
        return await replay(options.file, messages, lab)
    finally:
        notes.clear()
        await backend.close()


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
