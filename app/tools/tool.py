"""What a tool is: a name, a schema, and something to do that ends in a result (CHAT-10)."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from memory.errors import StrataError
from memory.parts import ItemType, MemoryScope

if TYPE_CHECKING:
    from app.backend.client import Backend
    from app.schema import ToolsSettings
    from memory.memory import Memory

JsonObject = dict[str, Any]
Verdict = Literal["once", "always", "no"]
Arguments = TypeVar("Arguments", bound=BaseModel)


class BadArguments(StrataError):
    """The model called a tool with arguments that its schema does not allow."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call. A failure is a result as well: the model reads it and goes on."""

    text: str
    ok: bool = True
    error: str = ""
    """The kind of failure by which failures are counted, such as `FileNotFound`."""
    type: ItemType = "action_result"
    source: str = ""
    """What it shows: a path, an address, a command."""
    tags: tuple[str, ...] = ()
    is_content: bool = True
    """Whether the content store keeps it; what only says that something was done it does not."""
    cites: str = ""
    """The stored item that it shows again, which its receipt cites in place of a copy."""


@dataclass(frozen=True, slots=True)
class Permission:
    """Something that the user has to allow before it is done."""

    tool: str
    subject: str
    """What exactly would be done, to the letter: the command."""
    question: str
    """The question, as one sentence."""
    where: str = ""
    """The folder in which it would be done."""


@dataclass(frozen=True, slots=True)
class HelperTask:
    """What a helper is to do (CHAT-11)."""

    text: str
    scope: MemoryScope | None = None
    """What it has of the memory here; None for what is configured."""
    agent: str = ""
    """Who helps; empty for the agent whose session this is."""
    by_user: bool = False
    """Whether the user gives it, and not a model by a call."""


class Desk(Protocol):
    """What a tool has at hand while it runs. Esc cancels its task: it cleans up by `finally`."""

    @property
    def workspace(self) -> Path:
        """The folder that files are read below, resolved."""
        ...

    @property
    def settings(self) -> "ToolsSettings":
        """The configuration of the tools."""
        ...

    @property
    def memory(self) -> "Memory":
        """The session that the call belongs to."""
        ...

    @property
    def backend(self) -> "Backend":
        """The child process with models and MCP servers."""
        ...

    async def ask(self, permission: Permission) -> Verdict:
        """Asks the user, one question at a time; `no` where nobody can be asked."""
        ...

    def show(self, text: str) -> None:
        """Shows a piece of output while the call still runs."""
        ...

    async def delegate(self, task: HelperTask) -> ToolResult:
        """Has a helper work on a task in a session of its own; what it answers is the result.

        Raises:
            StrataError: It could not begin.
        """
        ...


class Tool(Protocol):
    """Something that the model may call."""

    @property
    def name(self) -> str:
        """What the model calls it: letters, digits and underscores."""
        ...

    @property
    def description(self) -> str:
        """What it is for, to the model, in a sentence or two."""
        ...

    @property
    def parameters(self) -> JsonObject:
        """The JSON schema of its arguments."""
        ...

    @property
    def alone(self) -> bool:
        """Whether it may not run beside other calls of the same answer."""
        ...

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """Carries out a call.

        Raises:
            BadArguments: They are not as the schema asks.
            StrataError: It failed; the loop makes a result of it.
        """
        ...


@dataclass(frozen=True)
class OwnTool(Generic[Arguments]):
    """A tool of Strata's own: a pydantic model is its schema and checks what it is called with."""

    name: str
    description: str
    model: type[Arguments]
    call: Callable[[Arguments, Desk], Awaitable[ToolResult]]
    alone: bool = False

    @property
    def parameters(self) -> JsonObject:
        """The JSON schema of its arguments, without what models do not need."""
        return _parameters(self.model)

    async def run(self, arguments: Mapping[str, Any], desk: Desk) -> ToolResult:
        """Checks the arguments and carries out the call.

        Raises:
            BadArguments: They are not as the schema asks.
        """
        try:
            checked = self.model.model_validate(dict(arguments))
        except ValidationError as error:
            raise BadArguments(_told(self.name, error)) from error
        return await self.call(checked, desk)


def schema_of(tool: Tool) -> JsonObject:
    """A tool as requests name it, in OpenAI's shape."""
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    return {"type": "function", "function": function}


@cache
def _parameters(model: type[BaseModel]) -> JsonObject:
    """The slim schema of a model; made once, since it takes more than a millisecond."""
    schema = model.model_json_schema()
    schema.pop("description", None)
    return _slim(schema)


def _slim(schema: JsonObject) -> JsonObject:
    """A schema without titles and defaults, which cost tokens in every request."""
    slim: JsonObject = {}
    for key, value in schema.items():
        if key == "properties":
            slim[key] = {name: _slim(part) for name, part in value.items()}
        elif key not in ("title", "default"):
            slim[key] = _slim(value) if isinstance(value, dict) else value
    return slim


def _told(name: str, error: ValidationError) -> str:
    """What is wrong with the arguments, so that the model can mend it."""
    wrong = []
    for part in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(map(str, part["loc"])) or "the arguments"
        wrong.append(f"{place}: {part['msg']}")
    return f"{name} was called with wrong arguments. {'; '.join(wrong)}."
