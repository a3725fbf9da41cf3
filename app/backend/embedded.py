"""Models on this machine: their host, and what a request to them needs."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from app.backend.errors import FailureKind, ModelFailure
from app.backend.failures import Place
from app.backend.gate import Gate
from app.backend.litellm_door import TEXT_PREFIX, Call
from app.backend.neutral import Neutralizer
from app.backend.protocol import BackendSettings, CompletionRequest, JsonObject
from app.backend.slots import SlotPlan
from app.host import catalogue, gguf
from app.host.address import HostAddress
from app.host.client import HostClient
from app.host.errors import UnknownModel
from app.host.lease import HostLease, living_clients
from app.host.store import ModelStore
from memory.errors import StrataError

ANY_SLOT = -1
"""Lets the host take the idle slot that shares most with the request."""

FRESH_CONNECTION = {"Connection": "close"}
"""The host closes idle connections after 5 seconds; a request that meets just that moment fails.
A new connection over loopback costs nothing."""

WHO = "the model on this machine"


@dataclass
class LocalModel:
    """A running embedded model and how this process uses it."""

    address: HostAddress
    client: HostClient
    lease: HostLease
    neutralizer: Neutralizer
    slots: SlotPlan = field(default_factory=SlotPlan)

    def call(self, request: CompletionRequest) -> Call:
        """Returns the request as it goes to the host, through the same door as any other."""
        messages = self.neutralizer.messages(request.messages)
        prompt = None if request.prompt is None else self.neutralizer.text(request.prompt)
        slot = self.slots.choose(request.priority, _read_in_order(messages, request.tools, prompt))
        if living_clients(self.address.clients, time.time()) > 1:
            # Another process uses the host, too: a fixed slot could be its busy one.
            slot = ANY_SLOT
        return Call(
            model=f"{'openai/' if prompt is None else TEXT_PREFIX}{self.address.model_alias}",
            messages=messages,
            prompt=prompt,
            options={
                "api_base": self.address.openai_url,
                "api_key": self.address.api_key,
                "max_tokens": request.max_tokens,
                "temperature": request.temperature,
                "stop": request.stop,
                "tools": request.tools,
                "response_format": request.response_format,
                "extra_headers": FRESH_CONNECTION,
                "extra_body": {"return_progress": True, "cache_prompt": True, "id_slot": slot},
            },
            connect_s=request.timeout_s,
            silence_s=max(request.timeout_s, request.stall_s) + 5,
            priced=False,
        )


def _read_in_order(
    messages: list[JsonObject], tools: list[JsonObject] | None, prompt: str | None
) -> list[JsonObject]:
    """What the model reads, piece by piece: the lines of a text, or tools and messages."""
    if prompt is not None:
        return [{"line": line} for line in prompt.split("\n")]
    return [{"tools": tools}, *messages] if tools else messages


class EmbeddedModels:
    """Finds or starts the hosts of embedded models and keeps them from ending.

    Args:
        settings: Where models and hosts lie, and how hosts are started.
    """

    def __init__(self, settings: BackendSettings) -> None:
        self._settings = settings
        self._store = ModelStore(settings.models_dir)
        self._running: dict[str, LocalModel] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._gates: dict[str, Gate] = {}

    def gate(self, name: str) -> Gate:
        """Returns what makes background requests to a model yield to the chat.

        Raises:
            ModelFailure: The model is unknown.
        """
        with host_failures_in_words():
            return self._gates.setdefault(catalogue.canonical(name), Gate())

    async def model(self, name: str) -> LocalModel:
        """Returns a running model; starts its host where none runs.

        Raises:
            ModelFailure: The model is unknown, missing, damaged or too large, or its host fails.
        """
        with host_failures_in_words():
            canonical = catalogue.canonical(name)
            async with self._locks.setdefault(canonical, asyncio.Lock()):
                path = self._resolve(canonical)
                address = await HostClient.ensure(
                    self._settings.data_dir,
                    path,
                    context_tokens=self._settings.host_context_tokens,
                    threads=self._settings.host_threads,
                    idle_seconds=self._settings.host_idle_seconds,
                )
                return await self._adopt(canonical, path, address)

    async def quiet(self, most_s: float) -> None:
        """Waits until none of the models answers a chat, at most so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(most_s):
                for gate in list(self._gates.values()):
                    await gate.quiet()

    def context_window(self, name: str) -> int:
        """Returns the window of a model, running or not, in tokens.

        Raises:
            ModelFailure: The model is unknown.
        """
        with host_failures_in_words():
            canonical = catalogue.canonical(name)
            if canonical in self._running:
                return self._running[canonical].address.context_tokens_per_slot
            wanted = self._settings.host_context_tokens
            if catalogue.is_file(canonical):
                own = gguf.read(self._resolve(canonical)).context
            else:
                own = catalogue.find(canonical).context
            return min(wanted, own or wanted)

    def release(self) -> None:
        """Lets all hosts go; they end by themselves when nobody else needs them."""
        for model in self._running.values():
            model.lease.close()

    def _resolve(self, canonical: str) -> Path:
        return self._store.resolve(canonical, base_model=self._settings.base_models)

    async def _adopt(self, canonical: str, path: Path, address: HostAddress) -> LocalModel:
        """Keeps what is known of a host while it is the same; begins anew with another one."""
        known = self._running.get(canonical)
        if known is not None and known.address == address:
            return known
        if known is not None:
            known.lease.close()
            await known.client.close()
        tokens = (await asyncio.to_thread(gguf.read, path)).control_tokens
        model = LocalModel(address, HostClient(address), HostLease(address), Neutralizer(tokens))
        self._running[canonical] = model
        return model


def place_of(name: str, request: CompletionRequest) -> Place:
    """Returns how failures speak of an embedded model."""
    return Place(name, WHO, timeout_s=request.timeout_s)


@contextmanager
def host_failures_in_words() -> Iterator[None]:
    """Turns failures of the host and the model store into failures of the request."""
    try:
        yield
    except ModelFailure:
        raise
    except StrataError as error:
        kind: FailureKind = "unknown_model" if isinstance(error, UnknownModel) else "local_model"
        raise ModelFailure(error.sentence, error.next_step, kind=kind) from error
