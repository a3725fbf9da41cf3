"""`strata models`: the catalogue, and what of it is installed."""

import argparse
import sys
from typing import Any

from app.commands.output import Notes, print_json
from app.commands.usage import WrongUsage
from app.host.catalogue import CatalogueEntry, entries, find
from app.host.install import Progress, install
from app.host.store import ModelStore
from app.settings import Settings

MEGABYTE = 1_000_000
BAR_CELLS = 30


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Lists the catalogue or installs models; returns the exit status."""
    store = ModelStore(settings.paths.models.path)
    match options.action:
        case []:
            return _list(store, as_json=options.json)
        case ["install", *names] if names:
            for entry in [find(name) for name in names]:
                fetch(entry, store)
            return 0
    raise WrongUsage(
        f"`models {' '.join(options.action)}` is not a command.",
        "It is `strata models` or `strata models install NAME`.",
    )


def _list(store: ModelStore, *, as_json: bool) -> int:
    documents = [_document(entry, store) for entry in entries()]
    if as_json:
        print_json({"models": documents, "directory": str(store.root)})
        return 0
    for document in documents:
        mark = "installed" if document["installed"] else "not installed"
        aliases = ", ".join(document["aliases"])
        print(f"{document['name']} ({aliases})  {document['size'] / MEGABYTE:,.0f} MB  {mark}")
        print(f"    {document['title']}, {document['licence']}. {document['good_for']}")
    print(f"They are kept in {store.root}. `strata models install NAME` fetches one.")
    return 0


def _document(entry: CatalogueEntry, store: ModelStore) -> dict[str, Any]:
    return {
        "name": entry.name,
        "aliases": list(entry.aliases),
        "kind": entry.kind,
        "title": entry.title,
        "licence": entry.licence,
        "good_for": entry.good_for,
        "context": entry.context,
        "parameters": entry.parameters,
        "size": entry.size,
        "installed": store.installed(entry),
        "path": str(store.path(entry)),
    }


def fetch(entry: CatalogueEntry, store: ModelStore) -> None:
    """Installs a model with a progress bar on standard error, if it is not installed.

    Raises:
        InstallFailed: It could not be fetched; the next try goes on where this one ended.
    """
    if store.installed(entry):
        print(f"{entry.title} is installed.", file=sys.stderr)
        return
    print(
        f"Fetching {entry.title}: {entry.size / MEGABYTE:,.0f} MB, {entry.licence}. "
        "Ctrl+C stops; the same command goes on later.",
        file=sys.stderr,
    )
    notes = Notes()
    try:
        install(entry, store, lambda progress: notes.show(_bar(progress)))
    finally:
        notes.clear()
    print(f"{entry.title} is installed.", file=sys.stderr)


def _bar(progress: Progress) -> str:
    share = progress.done / progress.total if progress.total else 0
    filled = round(share * BAR_CELLS)
    figures = f"{progress.done / MEGABYTE:,.0f} of {progress.total / MEGABYTE:,.0f} MB"
    return f"{'█' * filled}{'░' * (BAR_CELLS - filled)} {share:4.0%}  {figures}  {progress.phase}"
