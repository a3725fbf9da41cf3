"""`strata models`: the catalogue, what of it is installed, and what else could answer."""

import argparse
import asyncio
import sys
from typing import Any

from app.backend.ollama import PREFIX
from app.commands.output import Notes, print_json
from app.commands.usage import WrongUsage
from app.host.catalogue import CatalogueEntry, entries, find
from app.host.install import Progress, install
from app.host.store import ModelStore
from app.offers.finding import find_offers
from app.offers.offer import Offer, Offers
from app.paths import make_data_directory
from app.settings import Settings
from widgets.plain import one_line

MEGABYTE = 1_000_000
BAR_CELLS = 30


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Lists the catalogue or installs models; returns the exit status."""
    store = ModelStore(settings.paths.models.path)
    match options.action:
        case []:
            offers = asyncio.run(find_offers(settings))
            return _list(store, offers, as_json=options.json)
        case ["install", *names] if names:
            wanted = [find(name) for name in names]
            if store.root.is_relative_to(settings.paths.data.path):
                # Conversations will lie there as well: it is its owner's from the beginning.
                make_data_directory(settings.paths.data.path)
            for entry in wanted:
                fetch(entry, store)
            return 0
    raise WrongUsage(
        f"`models {' '.join(options.action)}` is not a command.",
        "It is `strata models` or `strata models install NAME`.",
    )


def _list(store: ModelStore, offers: Offers, *, as_json: bool) -> int:
    documents = [_document(entry, store) for entry in entries()]
    ollama = [offer for offer in offers.all if offer.model.startswith(PREFIX)]
    hosted = [offer for offer in offers.at("hosted") if offer not in ollama]
    if as_json:
        more = {
            "ollama": {
                "address": offers.ollama or None,
                "models": [_offer_document(offer) for offer in ollama],
                "left_out": offers.ollama_left_out,
            },
            "hosted": [_offer_document(offer) for offer in hosted],
        }
        print_json({"models": documents, "directory": str(store.root), **more})
        return 0
    for document in documents:
        mark = "installed" if document["installed"] else "not installed"
        aliases = ", ".join(document["aliases"])
        print(f"{document['name']} ({aliases})  {document['size'] / MEGABYTE:,.0f} MB  {mark}")
        print(f"    {document['title']}, {document['licence']}. {document['good_for']}")
    print(f"They are kept in {store.root}. `strata models install NAME` fetches one.")
    if ollama:
        more_words = f", and {offers.ollama_left_out:,} more" if offers.ollama_left_out else ""
        print(f"\nIn Ollama at {one_line(offers.ollama)}{more_words}:")
        _print_offers(ollama)
    if hosted:
        print("\nBehind your keys, by default; what you write is sent there:")
        _print_offers(hosted)
    if ollama or hosted:
        print("`--model NAME` or @model NAME lets one answer.")
    return 0


def _print_offers(offers: list[Offer]) -> None:
    for offer in offers:
        size = f"{offer.size / MEGABYTE:,.0f} MB" if offer.size else ""
        told = (one_line(offer.model), size, offer.good_for, one_line(offer.runs))
        print("  ".join(part for part in told if part))


def _offer_document(offer: Offer) -> dict[str, Any]:
    return {"name": offer.model, "runs": offer.runs, "size": offer.size or None}


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
