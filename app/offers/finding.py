"""Finds out what could answer, without blocking and without leaving the machine (CHAT-3, ALL-3)."""

import asyncio
import os
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from app.backend import ollama
from app.backend.credentials import names_with_key
from app.host import machine
from app.host.catalogue import CatalogueEntry, canonical, entries, find
from app.host.http import BadAnswer
from app.host.partial import PartialFile
from app.host.store import ModelStore
from app.offers.offer import Offer, Offers, Place
from app.settings import Settings

OLLAMA_SECONDS = 0.5
"""Nobody shall wait for an Ollama that is not there."""
KEYRING_SECONDS = 1.0
"""A keyring that asks for its password must not hold up the first start."""
MOST_OF_OLLAMA = 50
"""More models than that are no choice; `@model` takes any."""
PLACES: tuple[Place, ...] = ("here", "ollama", "download", "hosted")
"""What keeps the text on this machine comes first."""
MEMORY_FACTOR = 1.2
"""What a model needs of memory, by the size of its file; as its installation checks."""


@dataclass(frozen=True, slots=True)
class Provider:
    """Who serves models for a key; see `hosted.toml`."""

    name: str
    keys: tuple[str, ...]
    model: str


@cache
def providers() -> tuple[Provider, ...]:
    """Every provider whose keys are looked for."""
    text = Path(__file__).with_name("hosted.toml").read_text(encoding="utf-8")
    return tuple(
        Provider(data["name"], tuple(data["keys"]), data["model"])
        for data in tomllib.loads(text)["providers"]
    )


async def find_offers(
    settings: Settings,
    environment: Mapping[str, str] = os.environ,
    *,
    keyring_seconds: float = KEYRING_SECONDS,
) -> Offers:
    """What could answer now; takes half a second at most, a keyring that is slow one second.

    Only Ollama is asked over the network: on this machine, unless `OLLAMA_HOST` names another.

    Args:
        settings: Where models are kept, and which address the user configured.
        environment: Where keys and Ollama's address are looked for.
        keyring_seconds: Longest wait for the keyring; 0 leaves it alone.
    """
    base = ollama.address(environment)
    models, keys = await asyncio.gather(
        _ollama_models(base), _hosted_keys(settings, environment, keyring_seconds)
    )
    store = ModelStore(settings.paths.models.path)
    embedded = [_embedded(entry, store) for entry in entries() if entry.kind == "chat"]
    of_ollama = [_of_ollama(model, base) for model in models[:MOST_OF_OLLAMA]]
    found = [*embedded, *of_ollama, *_hosted(keys)]
    offers = tuple(offer for place in PLACES for offer in found if offer.place == place)
    return Offers(offers, base if models else "", max(0, len(models) - MOST_OF_OLLAMA))


async def _ollama_models(base: str) -> tuple[ollama.OllamaModel, ...]:
    try:
        return await ollama.list_models(base, OLLAMA_SECONDS)
    except (OSError, BadAnswer):
        return ()  # there is none, or it is something else


def _of_ollama(model: ollama.OllamaModel, base: str) -> Offer:
    return Offer(
        model=ollama.PREFIX + model.name,
        title=model.name,
        place="ollama" if ollama.is_local(base) and not model.sent_to else "hosted",
        runs=ollama.runs_at(base, model.sent_to),
        good_for=f"{model.parameters} parameters" if model.parameters else "",
        size=model.size,
    )


# -- hosted


async def _hosted_keys(
    settings: Settings, environment: Mapping[str, str], seconds: float
) -> frozenset[str]:
    asked = [key for provider in providers() for key in provider.keys]
    if settings.model.api_base or environment.get("OPENAI_BASE_URL"):
        asked.remove("OPENAI_API_KEY")  # it is for that server, whose models nobody knows
    return await names_with_key(asked, environment, seconds)


def _hosted(keys: frozenset[str]) -> Iterator[Offer]:
    for provider in providers():
        if keys.intersection(provider.keys):
            yield Offer(
                model=provider.model,
                title=provider.model.partition("/")[2],
                place="hosted",
                runs=provider.name,
            )


# -- embedded


def _embedded(entry: CatalogueEntry, store: ModelStore) -> Offer:
    installed = store.installed(entry)
    wanted = [] if installed else wanted_for(entry, store)
    return Offer(
        model=canonical(entry.name),
        title=entry.title.partition(" (")[0],
        place="here" if installed else "download",
        runs="on this machine",
        good_for=entry.good_for,
        licence=entry.licence,
        size=sum(each.size for each in wanted) or entry.size,
        fetched=sum(fetched_bytes(each, store) for each in wanted),
        problem=_problem(entry),
    )


def wanted_for(entry: CatalogueEntry, store: ModelStore) -> list[CatalogueEntry]:
    """What has to be fetched for a chat model: itself, and what finds passages by meaning."""
    return [each for each in (entry, find("embedder")) if not store.installed(each)]


def fetched_bytes(entry: CatalogueEntry, store: ModelStore) -> int:
    """Bytes of a model that an earlier try left on disk, or that are complete."""
    total = 0
    for file in entry.files:
        if store.file_installed(entry, file):
            total += file.size
        else:
            total += min(PartialFile(store.path(entry, file.filename)).journal().offset, file.size)
    return total


def _problem(entry: CatalogueEntry) -> str:
    free, needed = machine.available_memory(), entry.size * MEMORY_FACTOR
    if free is None or needed <= free:
        return ""
    return f"needs {needed / 1e9:.1f} GB of memory, and {free / 1e9:.1f} GB are available"
