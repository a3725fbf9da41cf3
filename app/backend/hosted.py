"""Models behind a server that the user configured: provider, address, key, options."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from app.backend import ollama
from app.backend.credentials import ANY_SERVER_KEY, find_key
from app.backend.errors import ModelFailure
from app.backend.failures import Place, explain, failure
from app.backend.litellm_door import (
    LONGEST_CONNECT_S,
    TEXT_PREFIX,
    Call,
    LitellmDoor,
    UnknownProvider,
)
from app.backend.protocol import BackendSettings, CompletionRequest
from app.backend.symptoms import symptoms_of
from app.host.http import BadAnswer

OPENAI_COMPATIBLE = frozenset(
    {
        "custom_openai",
        "hosted_vllm",
        "litellm_proxy",
        "llamafile",
        "lm_studio",
        "openai",
        "openai_like",
    }
)
"""Providers for which the configured address is meant; the key of another must not go there."""

OLLAMA = ollama.PROVIDERS

OLLAMA_CONTEXT = 8192
OLLAMA_MOST_CONTEXT = 16384
"""Ollama cuts prompts in silence at its own default unless it is told a size, and the memory it
takes grows with it: so a model with a huge window gets this much, unless `model.context_window`,
Ollama's own `OLLAMA_CONTEXT_LENGTH` or the model's recipe says otherwise."""

PROVIDER_NAMES = {
    "azure": "Azure",
    "openai": "OpenAI",
    "openrouter": "OpenRouter",
    "deepseek": "DeepSeek",
    "xai": "xAI",
    "vertex_ai": "Vertex AI",
    "ollama": "Ollama",
    "ollama_chat": "Ollama",
}
"""Where the name is more than litellm's with a capital."""

NO_KEY = "none"
"""OpenAI's client insists on a key; servers on one's own machine mostly want none."""

_BASE_NAMES = {"openai": ("OPENAI_BASE_URL", "OPENAI_API_BASE")}

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


@dataclass(frozen=True)
class Server:
    """Who serves a model.

    Args:
        provider: litellm's name of the provider.
        api_base: The configured address, or None for the provider's own.
    """

    provider: str
    api_base: str | None

    @property
    def runs(self) -> str:
        """Where the model runs, in words: "on this machine" or a host's or provider's name."""
        if self.api_base is None:
            return self.provider
        if self.provider in OLLAMA:
            return ollama.runs_at(self.api_base)
        host = urlsplit(self.api_base).hostname or self.api_base
        return "on this machine" if host in LOOPBACK else host

    @property
    def who(self) -> str:
        """How failures name it: the address where one is configured, else the provider."""
        if self.api_base is None:
            return PROVIDER_NAMES.get(self.provider, self.provider.capitalize())
        address = urlsplit(self.api_base).netloc.rpartition("@")[2]
        name = "Ollama" if self.provider in OLLAMA else "the server"
        return f"{name} at {address or self.api_base}"


class HostedModels:
    """Prepares requests to servers.

    Args:
        door: Where litellm is.
        settings: May hold the address of an OpenAI-compatible server.
    """

    def __init__(self, door: LitellmDoor, settings: BackendSettings) -> None:
        self._door = door
        self._settings = settings
        self._shown: dict[str, ollama.Shown] = {}

    async def server(self, model: str, api_base: str | None = None) -> Server:
        """Returns who serves a model.

        Raises:
            ModelFailure: No provider of this name is known.
        """
        try:
            provider = await self._door.provider(model)
        except UnknownProvider as error:
            raise failure("unknown_model", Place(model, "Strata")) from error
        if provider in OLLAMA:
            return Server(provider, api_base or ollama.address())
        configured = self._settings.api_base if provider in OPENAI_COMPATIBLE else None
        return Server(provider, api_base or configured or _environment_base(provider))

    async def call(self, request: CompletionRequest) -> tuple[Call, Place]:
        """Returns the request as litellm takes it, and how failures speak of its server.

        Raises:
            ModelFailure: The model is unknown or its key is missing.
        """
        server = await self.server(request.model, request.api_base)
        key, key_name = await self._key(request.model, server)
        place = Place(request.model, server.who, key_name, request.timeout_s)
        if key_name and key is None and not os.environ.get(key_name):
            raise failure("no_key", place)
        options: dict[str, Any] = {
            "api_base": server.api_base,
            "api_key": key,
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stop": request.stop,
            "tools": request.tools,
            "response_format": request.response_format,
        }
        if server.provider in OLLAMA:
            options["num_ctx"] = await self.ollama_context(request.model, server.provider)
        if request.prompt is not None:
            options |= {"tools": None, "response_format": None}
        call = Call(
            model=_text_model(request.model, server)
            if request.prompt is not None
            else request.model,
            messages=request.messages,
            prompt=request.prompt,
            options=options,
            connect_s=min(request.timeout_s, LONGEST_CONNECT_S),
            silence_s=max(request.timeout_s, request.stall_s) + 5,
            priced=server.api_base is None,
        )
        return call, place

    async def describe_ollama(self, model: str, server: Server) -> tuple[int, str]:
        """Asks Ollama about a model.

        Returns:
            The context size that it is told, in tokens, and where the model runs, in words.

        Raises:
            ModelFailure: Ollama can't be reached, or does not have the model.
        """
        place, base = Place(model, server.who), server.api_base or ollama.address()
        try:
            shown = await self._show(model, base)
        except ollama.NoSuchModel as error:
            raise ModelFailure(
                f"{server.who} has no model called {error}.",
                f"`ollama pull {error}` fetches it, or choose another model.",
                kind="not_found",
            ) from error
        except TimeoutError:
            shown = ollama.Shown()  # it is busy: the first answer will tell
        except OSError as error:
            raise explain(symptoms_of(error, started=False), place) from error
        except BadAnswer as error:
            raise failure("malformed", place) from error
        return await self.ollama_context(model, server.provider), ollama.runs_at(
            base, shown.sent_to
        )

    async def ollama_context(self, model: str, provider: str) -> int:
        """Returns the context size that Ollama is told, in tokens."""
        wanted = os.environ.get("OLLAMA_CONTEXT_LENGTH", "")
        if self._settings.context_window is not None:
            return self._settings.context_window
        if wanted.isdecimal() and int(wanted) > 0:
            return int(wanted)
        try:
            shown = await self._show(model, ollama.address())
        except (OSError, BadAnswer, ollama.NoSuchModel):
            shown = ollama.Shown()  # the request itself will say what is wrong
        if shown.num_ctx is not None:
            return min(shown.num_ctx, shown.context or shown.num_ctx)
        known = shown.context or (await self._door.facts(model, provider)).context_window
        return min(known, OLLAMA_MOST_CONTEXT) if known else OLLAMA_CONTEXT

    async def _show(self, model: str, base: str) -> ollama.Shown:
        if model not in self._shown:
            name = model.partition("/")[2]
            self._shown[model] = await ollama.show(base, name)
        return self._shown[model]

    async def _key(self, model: str, server: Server) -> tuple[str | None, str]:
        """Returns the key, where litellm does not find it itself, and its name."""
        if server.provider in OLLAMA:
            return await find_key(["OLLAMA_API_KEY"]) if not _is_local(server) else None, ""
        if server.api_base is not None:
            names = [ANY_SERVER_KEY]
            if server.provider in OPENAI_COMPATIBLE:
                names.append("OPENAI_API_KEY")
            return await find_key(names) or NO_KEY, ""
        names = await self._door.key_names(model)
        if not names:
            return None, _name_in_use(server.provider, os.environ)
        return await find_key(names), names[0]


def _text_model(model: str, server: Server) -> str:
    """Returns litellm's name of a model that is to continue plain text.

    Raises:
        ModelFailure: Nobody continues plain text there.
    """
    bare = model.removeprefix(f"{server.provider}/")
    if server.provider in OPENAI_COMPATIBLE:
        return TEXT_PREFIX + bare
    if server.provider in OLLAMA:
        return f"ollama/{bare}"
    if model.startswith(TEXT_PREFIX):
        return model
    raise ModelFailure(
        f"{server.who} takes no plain text to be continued.",
        'Set mode = "chat" under [model], or choose a server with base models.',
        kind="bad_request",
    )


def _is_local(server: Server) -> bool:
    return server.api_base is not None and ollama.is_local(server.api_base)


def _environment_base(provider: str) -> str | None:
    """Returns the address that the environment gives for a provider, as litellm reads it."""
    for name in _BASE_NAMES.get(provider, ()):
        if os.environ.get(name):
            return os.environ[name]
    return None


def _name_in_use(provider: str, environment: Mapping[str, str]) -> str:
    """Returns the name of the variable whose key litellm takes, for the words of a failure."""
    name = f"{provider.upper()}_API_KEY"
    return name if name in environment else ""
