"""What is known of a model before it is asked anything."""

from __future__ import annotations

from app.backend.counting import MESSAGE_OVERHEAD, REQUEST_OVERHEAD, tokenizer_of
from app.backend.embedded import EmbeddedModels, host_failures_in_words
from app.backend.hosted import OLLAMA, HostedModels
from app.backend.litellm_door import LitellmDoor, ModelFacts
from app.backend.protocol import ModelInfo
from app.host.catalogue import canonical, is_embedded


class Describer:
    """Describes models.

    Args:
        door: Where litellm is.
        embedded: The models on this machine.
        hosted: The models behind servers.
    """

    def __init__(self, door: LitellmDoor, embedded: EmbeddedModels, hosted: HostedModels) -> None:
        self._door = door
        self._embedded = embedded
        self._hosted = hosted

    async def describe(self, model: str) -> ModelInfo:
        """Returns what is known of a model; starts no host and asks no server but Ollama.

        Raises:
            ModelFailure: Nobody knows a model of this name, or Ollama can't be reached.
        """
        if is_embedded(model):
            with host_failures_in_words():
                name = canonical(model)
            facts = ModelFacts(context_window=self._embedded.context_window(model))
            return _info(name, facts, "on this machine")
        server = await self._hosted.server(model)
        facts = await self._door.facts(model, server.provider)
        if server.provider in OLLAMA:
            window, runs = await self._hosted.describe_ollama(model, server)
            return _info(model, ModelFacts(window), runs)
        if server.api_base is not None:
            # Local servers often borrow a well-known name for quite another model.
            facts = ModelFacts()
        return _info(model, facts, server.runs)


def _info(name: str, facts: ModelFacts, runs: str) -> ModelInfo:
    counted_by, tokenizer = tokenizer_of(name)
    return ModelInfo(
        name=name,
        context_window=facts.context_window,
        max_output=facts.max_output,
        runs=runs,
        counted_by=counted_by,
        tokenizer=tokenizer,
        input_price=facts.input_price,
        output_price=facts.output_price,
        message_overhead=MESSAGE_OVERHEAD[counted_by],
        request_overhead=REQUEST_OVERHEAD[counted_by],
    )
