"""`strata bench recall`: how much of what answers a question is found (LAB-3)."""

import argparse
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.backend.client import Backend
from app.chat.backing import backend_settings
from app.chat.models import embedder
from app.commands.output import Notes, note_line, print_json
from app.host.store import ModelStore
from app.lab.comparison import table
from app.lab.questions import read_questions
from app.lab.recall_bench import RecallLab, bench, document
from app.lab.recall_figures import AT, BUDGETS
from app.settings import Settings
from app.transfer.json_text import json_text
from widgets.figures import count
from widgets.plain import printable

BY_WORDS = (
    "The embedding model is not installed: everything is found by its words alone. "
    "`strata models install embedder` fetches it."
)
UNKNOWN = "–"
HEADS = (
    "recall, %",
    *(f"at {k}" for k in AT),
    *(f"in {budget:,}" for budget in BUDGETS),
    *(f"all in {budget:,}" for budget in BUDGETS),
    "ms/insert",
    "ms/query",
)


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Measures and prints the table; returns the exit status.

    Raises:
        UnreadableRecording: The file is not in LoCoMo's format.
    """
    talks, evidence = read_questions(Path(options.file))
    notes = Notes()
    async with _laboratory(settings) as lab:
        if lab.embedder is None:
            note_line(BY_WORDS)
        try:
            done = await bench(talks, evidence, lab, notes.show)
        finally:
            notes.clear()
        report = document(options.file, talks, evidence, lab.embedder, done)
    if options.rankings:
        lines = (f"{json_text(line)}\n" for line in done.rankings)
        Path(options.rankings).write_text("".join(lines), encoding="utf-8")
    if options.json:
        print_json(report)
    else:
        print(printable("\n".join(_lines(report))))
    return 0


@asynccontextmanager
async def _laboratory(settings: Settings) -> AsyncIterator[RecallLab]:
    """A backend of its own, whose index lies in a temporary directory."""
    with tempfile.TemporaryDirectory(prefix="strata-bench-") as directory:
        known = backend_settings(settings, tools=False)
        backend = await Backend.start(replace(known, data_dir=Path(directory), chroma_url=None))
        try:
            model = embedder(backend, ModelStore(settings.paths.models.path))
            yield RecallLab(backend, model, settings.memory)
        finally:
            await backend.close()


def _lines(report: dict[str, Any]) -> list[str]:
    """The report as people read it."""
    asked, known = report["questions"], report["evidence"]
    skipped = count(len(known["skipped"]), "malformed id")
    head = (
        f"{report['file']}: {count(report['conversations'], 'conversation')}, "
        f"{count(report['messages'], 'message')}, {count(asked['measured'], 'question')} with "
        f"evidence; {skipped} skipped, {known['repaired']} repaired"
    )
    systems = report["systems"]
    rows = [_row(system["name"], system["overall"], system) for system in systems]
    lines = [head, "", "Categories 1 to 4", *table([HEADS, *rows])]
    for category, figures in systems[0]["by_category"].items() if systems else ():
        lines += ["", f"Category {category}: {count(figures['questions'], 'question')}"]
        rows = [_row(each["name"], each["by_category"][category], None) for each in systems]
        lines += table([HEADS[:-2], *rows])
    return lines


def _row(name: str, figures: dict[str, Any], timed: dict[str, Any] | None) -> tuple[str, ...]:
    names = ("recall_at", "recall_within", "all_evidence_within")
    shares = [share for group in names for share in figures[group].values()]
    cells = [UNKNOWN if share is None else f"{100 * share:.1f}" for share in shares]
    if timed is not None:
        times = (timed["ms_per_insert"], timed["ms_per_query"])
        cells += [UNKNOWN if ms is None else f"{ms:.2f}" for ms in times]
    return (name, *cells)
