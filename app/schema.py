"""The tables of the configuration and their defaults, each with its reason.

The thresholds of memory stand in `memory.config`; everything else is here.
"""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    model_validator,
)

from app.key_check import checked_keys
from memory.config import MemoryTable, PrivacyConfig, RecallConfig
from memory.parts import ModelMode


def _web_address(text: str) -> str:
    if not text.startswith(("http://", "https://")) or " " in text:
        raise ValueError("an address that begins with http:// or https://")
    return text


def _by_action(value: Any) -> Any:
    """TOML reads `chat.stop = "f5"` as a table in a table where quotation marks are left out."""
    if not isinstance(value, dict):
        return value
    flat: dict[Any, Any] = {}
    for place, keys in value.items():
        inner = keys if isinstance(keys, dict) else None
        flat |= {place: keys} if inner is None else {f"{place}.{k}": v for k, v in inner.items()}
    return flat


WebAddress = Annotated[str, AfterValidator(_web_address)]
Name = Annotated[str, Field(min_length=1, max_length=500)]
Keys = Annotated[dict[str, str], BeforeValidator(_by_action), AfterValidator(checked_keys)]
Seconds = Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)]


class Table(BaseModel):
    """A table of the configuration: immutable, and nothing unknown in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelSettings(Table):
    """`[model]`: which model answers, and how it is asked."""

    name: Name = "default"
    """A model of the catalogue, a GGUF file, or a litellm name."""

    mode: ModelMode = "chat"
    """`completion` for base models: they are sent plain text and go on from there (PROMPT-6)."""

    api_base: WebAddress | None = None
    """An OpenAI-compatible server to ask in place of the provider's own."""

    summary_model: Name | None = None
    """The model that summarises; where it is not given, the one that answers."""

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    """Left to the model where it is not given: providers tune their own defaults."""

    context_window: Annotated[int, Field(ge=512)] | None = None
    """Tokens the model takes in all, for models whose window nobody knows."""

    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    """Longest answer in tokens; where it is not given, what the window leaves."""

    timeout_s: Seconds = 120.0
    """Wait for the first byte: a large model may think for a minute before it speaks."""

    stall_s: Seconds = 90.0
    """Longest silence inside an answer; reasoning models fall silent between thoughts."""


class HostSettings(Table):
    """`[host]`: the process that runs models on this machine."""

    context_tokens: Annotated[int, Field(ge=512, le=1_048_576)] = 8192
    """Context of each of its two slots; twice as much costs the default model 0.5 GB of memory."""

    threads: Annotated[int, Field(ge=1, le=1024)] | None = None
    """Where it is not given, one less than there are cores: more collapse the speed."""

    idle_minutes: Annotated[float, Field(gt=0, le=10_080)] = 15.0
    """How long it stays, warm, after its last client has gone."""


class RecallSettings(RecallConfig):
    """`[recall]`: what long-term memory brings to a turn."""

    chroma_url: WebAddress | None = None
    """A Chroma server that keeps the vectors, for data directories that share it; where it is not
    given, they lie in the data directory. Its token is no setting: `STRATA_CHROMA_TOKEN` in the
    environment or the keyring."""


class PrivacySettings(PrivacyConfig):
    """`[privacy]`: what is never stored, and who can read what is."""

    encryption: Literal["off", "keyring", "passphrase"] = "off"
    """What a new data directory begins with; `strata key` changes the one there is. Off, since a
    passphrase that is forgotten takes everything with it."""


class UiSettings(Table):
    """`[ui]`: how the screen looks and which keys it obeys."""

    theme: Name = "default"
    """The name of a theme."""

    reduced_motion: bool = False
    """Nothing moves on the screen but what is new."""

    auto_title: bool = True
    """A session without a title gets one from its first turns, by the model that answers."""

    keys: Keys = Field(default_factory=dict)
    """Keys by action (`app.keys`), in place of the built-in ones."""


class ToolsSettings(Table):
    """`[tools]`: what the model may do besides answering."""

    offer: Literal["auto", "all", "few", "none"] = "auto"
    """Which tools requests offer. `few` are those a small model can handle; `auto` is `few` for the
    default model, `none` for the light one, and `all` for any other."""

    without: tuple[Name, ...] = ()
    """Tools that are never offered, by name."""

    workspace: Path | None = None
    """The folder below which files may be read; where it is not given, the working directory."""

    max_rounds: Annotated[int, Field(ge=1, le=1_000)] = 25
    """Requests of one turn whose calls are carried out; one more lets the model answer then. A
    model that calls for ever is stopped there."""

    read_chars: Annotated[int, Field(ge=1_000, le=10_000_000)] = 100_000
    """Characters of a file, a page or an output that one result may have."""

    search_s: Seconds = 20.0
    """Longest search through files."""

    web_s: Seconds = 30.0
    """Longest wait for a web page."""

    allowed_hosts: tuple[Name, ...] = ()
    """Hosts on this machine or its network that pages may be fetched from."""

    shell_s: Seconds = 120.0
    """Longest run of a command."""

    allowed_commands: tuple[Name, ...] = ()
    """Commands that are run without asking, to the letter."""

    delegate_rounds: Annotated[int, Field(ge=1, le=1_000)] = 15
    """Requests that a second agent may make for one task."""

    delegate_memory: Literal["shared", "snapshot", "isolated"] = "shared"
    """What a second agent sees of this one's memory (S3)."""


class McpServer(Table):
    """`[mcp.NAME]`: a server of tools, started by a command or reached at an address."""

    command: Name | None = None
    """The program that is the server."""

    args: tuple[str, ...] = ()
    """Its arguments."""

    env: dict[str, str] = Field(default_factory=dict)
    """Environment variables it gets besides the usual ones. `${NAME}` in a value stands for a
    variable or a key of the keyring, so that no secret has to stand in the file."""

    url: WebAddress | None = None
    """Its address, where it already runs."""

    headers: dict[str, str] = Field(default_factory=dict)
    """Headers of every request to the address; `${NAME}` as in `env`."""

    timeout_s: Seconds = 60.0
    """Longest wait until it is ready, and for the answer to a call."""

    allowed_tools: tuple[Name, ...] = ()
    """Its tools that are called without asking, by the server's names; `*` for all."""

    enabled: bool = True
    """Whether it is started at all."""

    @model_validator(mode="after")
    def _one_way_in(self) -> Self:
        if (self.command is None) == (self.url is None):
            raise ValueError("a table with either command or url")
        return self


TABLES: dict[str, type[BaseModel]] = {
    "model": ModelSettings,
    "memory": MemoryTable,
    "host": HostSettings,
    "recall": RecallSettings,
    "privacy": PrivacySettings,
    "ui": UiSettings,
    "tools": ToolsSettings,
}
MCP = "mcp"
LONGEST_SERVER = 60
"""Characters of a server's name: it stands before the name of each of its tools."""


def names_server(name: str) -> bool:
    """Whether a server can be called so: what is shown and typed has to be seen."""
    return 0 < len(name) <= LONGEST_SERVER and name.isprintable() and not name.isspace()


def table_for(key: str) -> type[BaseModel] | None:
    """The model of a table named `memory` or `mcp.NAME`; None where there is no such table."""
    if key.startswith(f"{MCP}."):
        return McpServer if names_server(key.removeprefix(f"{MCP}.")) else None
    return TABLES.get(key)
