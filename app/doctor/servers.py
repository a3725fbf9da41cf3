"""Models behind servers: Ollama, a server of one's own, and the keys of providers (by name)."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from app.backend import ollama
from app.backend.credentials import ANY_SERVER_KEY, SERVICE, names_with_key
from app.doctor.check import Check, note, ok, problem
from app.host.catalogue import is_embedded
from app.host.http import BadAnswer
from app.offers.finding import providers
from app.settings import Settings
from widgets.figures import count
from widgets.plain import one_line

OLLAMA_SECONDS = 0.5
KEYRING_SECONDS = 1.0
CONNECT_SECONDS = 0.5
_BY_BEGINNING = {"gpt-": "openai", "chatgpt-": "openai", "o1": "openai", "o3": "openai"}
_BY_BEGINNING |= {"o4": "openai", "claude": "anthropic", "gemini": "gemini"}
_OPENAI_COMPATIBLE = {"openai", "custom_openai", "hosted_vllm", "litellm_proxy", "llamafile"}
_OPENAI_COMPATIBLE |= {"lm_studio", "openai_like"}


def provider_of(model: str) -> str:
    """The provider that a model's name tells, as litellm calls it; empty where it tells none."""
    prefix, slash, _ = model.partition("/")
    if slash:
        return prefix
    found = (name for start, name in _BY_BEGINNING.items() if model.startswith(start))
    return next(found, "")


async def ollama_check(model: str, environment: Mapping[str, str] = os.environ) -> Check:
    """Whether Ollama runs, and has the model if it is one of its models."""
    base = ollama.address(environment)
    provider, _, name = model.partition("/")
    wanted = name if provider in ollama.PROVIDERS else ""
    if not ollama.is_local(base):
        sentence = f"It is at {one_line(base)}, on another machine: it was not asked."
        return note("Ollama", sentence) if wanted else ok("Ollama", sentence)
    try:
        found = await ollama.list_models(base, OLLAMA_SECONDS)
    except (OSError, BadAnswer):
        if wanted:
            return problem(
                "Ollama", f"Nothing that is Ollama answers at {base}.", "`ollama serve` starts it."
            )
        return ok("Ollama", "None runs on this machine, and none is needed.")
    names = {found_model.name for found_model in found}
    if wanted and wanted not in names and f"{wanted}:latest" not in names:
        return problem(
            "Ollama", f"It has no model called {one_line(wanted)}.", f"`ollama pull {wanted}`."
        )
    return ok("Ollama", f"It runs on this machine and has {count(len(names), 'model')} for chats.")


async def server_checks(settings: Settings, model: str) -> list[Check]:
    """Whether somebody listens at the configured address, if that is on this machine."""
    base = settings.model.api_base
    if base is None or is_embedded(model):
        return []
    parts = urlsplit(base)
    host = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    if not ollama.is_local(base):
        return [ok("server", f"{one_line(host)} is on another machine: it was not asked.")]
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:
        sentence = f"Nothing listens at {one_line(host)} (model.api_base)."
        return [problem("server", sentence, "Start that server, or correct `model.api_base`.")]
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return [ok("server", f"Something listens at {one_line(host)}.")]


async def key_checks(
    settings: Settings, model: str, environment: Mapping[str, str] = os.environ
) -> list[Check]:
    """Whether there is a key for the model in use; no key itself is looked at or told."""
    every = [name for provider in providers() for name in provider.keys]
    there = [name for name in every if environment.get(name)]
    others = [ok("others", f"In the environment: {', '.join(there)}.")] if there else []
    provider = provider_of(model)
    if is_embedded(model) or provider in ollama.PROVIDERS:
        return [ok("key", "The model in use needs none."), *others]
    if settings.model.api_base is not None and provider in _OPENAI_COMPATIBLE:
        return [await _own_server(environment), *others]
    return [await _hosted(provider, environment), *others]


async def _own_server(environment: Mapping[str, str]) -> Check:
    names = [ANY_SERVER_KEY, "OPENAI_API_KEY"]
    found = await names_with_key(names, environment, KEYRING_SECONDS)
    first = next((name for name in names if name in found), None)
    if first is None:
        return ok("key", f"None for the server; {ANY_SERVER_KEY} gives it one if it wants one.")
    return ok("key", f"{first} is {_where(first, environment)}.")


async def _hosted(provider: str, environment: Mapping[str, str]) -> Check:
    known = next((p for p in providers() if p.model.partition("/")[0] == provider), None)
    names = list(known.keys) if known else [f"{provider.upper()}_API_KEY"] if provider else []
    if not names:
        return note("key", "The name of the model does not tell which key it needs.")
    found = await names_with_key(names, environment, KEYRING_SECONDS)
    first = next((name for name in names if name in found), None)
    if first is not None:
        return ok("key", f"{first} is {_where(first, environment)}.")
    way_out = f"`export {names[0]}=…`, or `keyring set {SERVICE} {names[0]}`."
    if known is None:
        sentence = f"There is no {names[0]}; what {one_line(provider)} needs is not known here."
        return note("key", sentence, way_out)
    return problem("key", f"There is no key for {known.name}: {' or '.join(names)}.", way_out)


def _where(name: str, environment: Mapping[str, str]) -> str:
    return "in the environment" if environment.get(name) else "in the keyring"
