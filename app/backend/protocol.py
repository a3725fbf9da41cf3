"""What the screen's process and the backend say to each other: types, and their JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from app.backend.errors import FailureKind, ModelFailure, ProtocolError
from app.backend.mcp_protocol import McpSettings

__all__ = [
    "DIMENSIONS",
    "EMBEDDER",
    "Attempt",
    "BackendSettings",
    "CompletionRequest",
    "CountedBy",
    "Counts",
    "Delta",
    "Embeddings",
    "FailureKind",
    "Finished",
    "JsonObject",
    "ModelFailure",
    "ModelInfo",
    "Priority",
    "Reading",
    "RequestCount",
    "Retrying",
    "StreamEvent",
    "ToolCall",
    "Usage",
    "event_from_json",
    "event_to_json",
]

JsonObject = dict[str, Any]
Priority = Literal["chat", "background"]
CountedBy = Literal["model", "tiktoken", "estimate"]

EMBEDDER = "embedder"
"""The catalogue's name of the embedding model."""

DIMENSIONS = 384
"""Numbers in each of its vectors."""


# -- Settings ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class BackendSettings:
    """What the child needs to know of the configuration.

    Args:
        data_dir: Strata's data directory; logs and the host's lock file lie below it.
        models_dir: The root of the model store.
        api_base: Address of an OpenAI-compatible server for models that name none, or None.
        context_window: Tokens that a model takes by configuration, or None; Ollama is told.
        host_context_tokens: Context of each slot of the model host, in tokens.
        host_threads: Threads of the model host; None leaves the choice to the host.
        host_idle_seconds: How long the model host stays without clients.
        environment: Overrides of environment variables for the child.
        base_models: Whether models are asked to continue plain text; then a file needs no template.
        mcp: The servers of tools, by name.
        chroma_url: Address of a Chroma server that keeps the vectors; None for a folder here.
        keeps_words: Whether what programs print may be written down: not beside an encrypted
            database.
    """

    data_dir: Path
    models_dir: Path
    api_base: str | None = None
    host_context_tokens: int = 8192
    host_threads: int | None = None
    host_idle_seconds: int = 900
    context_window: int | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    base_models: bool = False
    mcp: Mapping[str, McpSettings] = field(default_factory=dict)
    chroma_url: str | None = None
    keeps_words: bool = True

    def to_json(self) -> JsonObject:
        """Returns what the child is told; the environment goes to it as its environment."""
        return {
            "data_dir": str(self.data_dir),
            "models_dir": str(self.models_dir),
            "api_base": self.api_base,
            "host_context_tokens": self.host_context_tokens,
            "host_threads": self.host_threads,
            "host_idle_seconds": self.host_idle_seconds,
            "context_window": self.context_window,
            "base_models": self.base_models,
            "mcp": {name: asdict(server) for name, server in self.mcp.items()},
            "chroma_url": self.chroma_url,
            "keeps_words": self.keeps_words,
        }

    @classmethod
    def from_json(cls, data: JsonObject) -> BackendSettings:
        """Reads what `to_json` wrote."""
        paths = {key: Path(data[key]) for key in ("data_dir", "models_dir")}
        mcp = {name: McpSettings.from_json(server) for name, server in data["mcp"].items()}
        return cls(**{**data, **paths, "mcp": mcp})


# -- Requests ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class CompletionRequest:
    """One request to a language model.

    Args:
        model: `embedded/NAME` or a litellm name.
        messages: The messages in OpenAI's shape.
        max_tokens: Cap of the answer in tokens.
        temperature: Sampling temperature; None leaves it to the model.
        priority: "background" requests to an embedded model yield to "chat" ones.
        response_format: A JSON schema request in OpenAI's shape.
        tools: Tool schemas in OpenAI's shape.
        stop: Texts that end the answer.
        timeout_s: How long to wait for a connection and the first byte, in seconds.
        stall_s: How long a stream may be silent, in seconds.
        api_base: Address of an OpenAI-compatible server; overrides the settings'.
        deadline_s: Cap of the whole request with all retries, in seconds; None for no cap.
        max_retries: How often a failed request may be sent again.
        prompt: Plain text that the model is to continue, in place of messages; for base models.
    """

    model: str
    messages: list[JsonObject]
    max_tokens: int | None = None
    temperature: float | None = None
    priority: Priority = "chat"
    response_format: JsonObject | None = None
    tools: list[JsonObject] | None = None
    stop: list[str] | None = None
    timeout_s: float = 120.0
    stall_s: float = 90.0
    api_base: str | None = None
    deadline_s: float | None = None
    max_retries: int = 3
    prompt: str | None = None

    def to_json(self) -> JsonObject:
        """Returns the fields as JSON; shares the lists, which nobody changes."""
        return {f.name: getattr(self, f.name) for f in fields(self)}

    @classmethod
    def from_json(cls, data: JsonObject) -> CompletionRequest:
        """Reads what `to_json` wrote, ignoring keys it does not know."""
        known = {f.name for f in fields(cls)}
        return cls(**{key: value for key, value in data.items() if key in known})


# -- Events of a completion -------------------------------------------------------------------


@dataclass(frozen=True)
class Usage:
    """Tokens and money of one request, as the provider counted them.

    Args:
        input: Tokens of the prompt, cached ones included.
        output: Tokens of the answer.
        cached: Tokens of the prompt that came from the provider's cache.
        cost: US dollars by the price map, or None where no price is known.
        reported: Whether the provider gave the numbers; else they are litellm's estimate.
    """

    input: int = 0
    output: int = 0
    cached: int = 0
    cost: float | None = None
    reported: bool = True


@dataclass(frozen=True)
class Attempt:
    """The request goes out, for the n-th time (from 1)."""

    n: int
    model: str


@dataclass(frozen=True)
class Retrying:
    """Attempt `attempt` failed; the next follows after `wait_s` seconds."""

    attempt: int
    wait_s: float
    reason: str


@dataclass(frozen=True)
class Reading:
    """A local model has read `done` of `total` tokens of the prompt."""

    done: int
    total: int


@dataclass(frozen=True)
class Delta:
    """A piece of the answer, or of the reasoning before it."""

    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True)
class ToolCall:
    """The model calls a tool; `arguments` is as it wrote them, which need not be JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Finished:
    """The answer is complete.

    Args:
        finish_reason: "stop", "length", "tool_calls", "content_filter", ….
        usage: What it cost.
        model: The name that was asked for.
        thinking_blocks: Signed reasoning that tool loops must send back, as the provider gave it.
        timings: Measured times in seconds: "first_token", "total"; and rates of a local model.
    """

    finish_reason: str
    usage: Usage
    model: str
    thinking_blocks: tuple[JsonObject, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)


StreamEvent = Attempt | Retrying | Reading | Delta | ToolCall | Finished

_EVENTS: dict[str, type[Any]] = {
    "attempt": Attempt,
    "retrying": Retrying,
    "reading": Reading,
    "delta": Delta,
    "tool_call": ToolCall,
    "done": Finished,
}
_EVENT_NAMES = {kind: name for name, kind in _EVENTS.items()}


def event_to_json(event: StreamEvent) -> JsonObject:
    """Returns an event as JSON: its name under "event", its fields under "data"."""
    return {"event": _EVENT_NAMES[type(event)], "data": asdict(event)}


def event_from_json(data: JsonObject) -> StreamEvent:
    """Reads what `event_to_json` wrote.

    Raises:
        ProtocolError: The event is of no known kind or lacks a field.
    """
    try:
        values = dict(data["data"])
        if data["event"] == "done":
            values["usage"] = Usage(**values["usage"])
            values["thinking_blocks"] = tuple(values["thinking_blocks"])
        event: StreamEvent = _EVENTS[data["event"]](**values)
    except (KeyError, TypeError) as error:
        raise ProtocolError(f"The backend sent an event that is not understood: {error}.") from None
    return event


# -- Answers of the other requests ------------------------------------------------------------


@dataclass(frozen=True)
class Counts:
    """Tokens of some texts, in their order, and how they were counted."""

    tokens: tuple[int, ...]
    tokenizer: str
    counted_by: CountedBy


@dataclass(frozen=True)
class RequestCount:
    """Tokens of a whole request as its template renders it; None where nobody can tell."""

    tokens: int | None
    exact: bool


@dataclass(frozen=True)
class Embeddings:
    """Vectors of some texts, in their order.

    Args:
        model: Canonical name of the model that made them.
        dimensions: Numbers in each.
        vectors: All of them, one after the other, as float32 (little-endian) in base64.
    """

    model: str
    dimensions: int
    vectors: str


@dataclass(frozen=True)
class ModelInfo:
    """What is known of a model.

    Args:
        name: Its canonical name.
        context_window: Tokens of prompt and answer together, or None where nobody knows.
        max_output: Most tokens of an answer, or None.
        runs: "on this machine", or the name of the host that answers.
        counted_by: How its tokens are counted.
        tokenizer: Name of the tokenizer; counts with equal names are comparable.
        input_price: US dollars a token of prompt, or None.
        output_price: US dollars a token of answer, or None.
        message_overhead: Tokens that a message costs beyond its text.
        request_overhead: Tokens that a request costs beyond its messages.
    """

    name: str
    context_window: int | None
    max_output: int | None
    runs: str
    counted_by: CountedBy
    tokenizer: str
    input_price: float | None
    output_price: float | None
    message_overhead: int
    request_overhead: int
