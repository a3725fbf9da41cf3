"""The first start without a model: a short choice, asked once (CHAT-3)."""

import sys
from dataclasses import dataclass

from app.chat.choice import KEY, installed_model
from app.commands.models import MEGABYTE, fetch
from app.host.catalogue import CatalogueEntry, canonical, entries, find, is_embedded, is_file
from app.host.store import ModelStore
from app.settings import Settings

KEYS = "12345"


@dataclass(frozen=True, slots=True)
class Choice:
    """What came of it: the model to start with, or None to leave things as they are."""

    model: str | None


def offer_models(settings: Settings) -> Choice:
    """Offers to fetch a model where the one configured runs here but is not installed.

    Asks only a person at a terminal.

    Raises:
        InstallFailed: The model could not be fetched; the same command goes on where it was.
    """
    name = settings.model.name
    if not is_embedded(name) or is_file(name.removeprefix("embedded/")):
        return Choice(None)
    store = ModelStore(settings.paths.models.path)
    wanted = find(canonical(name))
    named = KEY in settings.origins
    there = store.installed(wanted) if named else installed_model(settings) is not None
    if there or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Choice(None)
    offered = [wanted, *(e for e in entries() if e.kind == "chat" and e.name != wanted.name)]
    chosen = _ask(offered, first=installed_model(settings) is None)
    if chosen is None:
        return Choice(None)
    fetch(chosen, store)
    fetch(find("embedder"), store)
    return Choice(chosen.name)


def _ask(offered: list[CatalogueEntry], *, first: bool) -> CatalogueEntry | None:
    if first:
        print("Strata answers with a language model on this machine. None is installed yet:\n")
    else:
        print(f"{offered[0].title} is not installed yet:\n")
    for key, entry in zip(KEYS, offered, strict=False):
        print(f"  {key}  {entry.title}, {entry.size / MEGABYTE:,.0f} MB, {entry.licence}")
        print(f"     {entry.good_for}")
    print("  n  none; a hosted one is chosen with --model NAME")
    while True:
        answer = input(f"\nWhich one shall be fetched? [{KEYS[0]}] ").strip().lower() or KEYS[0]
        if answer in ("n", "no"):
            return None
        if answer in KEYS[: len(offered)]:
            return offered[KEYS.index(answer)]
        print("Type a number, or n.")
