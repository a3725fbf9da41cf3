"""Which tools a request offers: ours, those of MCP servers, less what the configuration leaves out.

Ours are loaded when they are first offered, so that a start does not wait for them.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Literal

from app.host.catalogue import canonical, is_embedded
from app.schema import ToolsSettings
from app.tools.tool import JsonObject, Tool, schema_of
from memory.parts import ModelMode

LOGGER = logging.getLogger("strata.tools")
OWN = (
    "app.tools.files:FILE_TOOLS",
    "app.tools.web:WEB_TOOLS",
    "app.tools.shell:SHELL_TOOLS",
    "app.tools.goal_tools:GOAL_TOOLS",
    "app.tools.fact_tools:FACT_TOOLS",
    "app.tools.recall_tools:RECALL_TOOLS",
    "app.tools.forget_tool:FORGET_TOOLS",
    "app.tools.content_tools:CONTENT_TOOLS",
    "app.tools.delegate:DELEGATE_TOOLS",
)
"""Where our tools are: modules, and the tuples in them."""

LIGHT = "light"
"""The embedded model that is too small to call anything."""
SMALL_WINDOW = 4_000
"""Tokens of a window below which schemas and results leave too little for a conversation."""
TIGHT_WINDOW = 8_000
"""Tokens of a window below which all schemas, some 2,500, would take nearly a third."""
FEW = frozenset(
    {
        "read_file",
        "list_files",
        "search_files",
        "run_command",
        "retrieve_from_memory",
    }
)
"""What a small model can handle: each more costs it tokens, and makes it choose worse. Of those for
goals it made one of every second sentence that was no question; the user has the commands."""

WITHOUT_REQUIRED = 2
"""Arguments that a small model is shown of a tool that needs none."""

Offer = Literal["all", "few", "none"]


@dataclass(frozen=True, slots=True)
class Asked:
    """Which model is asked, as far as it matters to what it is offered."""

    name: str
    window: int | None
    mode: ModelMode = "chat"
    needs_tools: bool = True
    """Whether the conversation has come to what tools are for."""


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools that are offered, by the names that the model calls them."""

    tools: Mapping[str, Tool] = field(default_factory=dict)
    schemas: tuple[JsonObject, ...] = ()


@cache
def own_tools() -> tuple[Tool, ...]:
    """Our tools."""
    return tuple(tool for place in OWN for tool in _loaded(place))


def toolbox(
    settings: ToolsSettings,
    asked: Asked,
    foreign: Sequence[Tool] = (),
    own: Sequence[Tool] | None = None,
) -> Toolbox:
    """The tools that this model is offered; of two with one name the first, which is ours.

    Args:
        settings: What the user wants offered.
        asked: The model.
        foreign: Tools of MCP servers.
        own: Tools in the place of ours; None for ours.
    """
    offer = offered(settings, asked)
    if offer == "none":
        return Toolbox()
    ours = own_tools() if own is None else own
    wanted = [tool for tool in ours if offer == "all" or tool.name in FEW]
    if offer == "all":
        wanted += foreign
    tools: dict[str, Tool] = {}
    for tool in wanted:
        if tool.name in settings.without:
            continue
        if tool.name in tools:
            LOGGER.warning("There are two tools called %s; the first one is offered.", tool.name)
            continue
        tools[tool.name] = tool
    schemas = tuple(map(short_schema if offer == "few" else schema_of, tools.values()))
    return Toolbox(tools, schemas)


def offered(settings: ToolsSettings, asked: Asked) -> Offer:
    """How many tools this model is offered."""
    if asked.mode == "completion":
        # It continues plain text, which has no form for a call.
        return "none"
    if settings.offer != "auto":
        return settings.offer
    window = asked.window or TIGHT_WINDOW
    embedded = is_embedded(asked.name)
    if window < SMALL_WINDOW or (embedded and canonical(asked.name) == canonical(LIGHT)):
        return "none"
    if embedded and not asked.needs_tools:
        return "none"
    return "few" if embedded or window < TIGHT_WINDOW else "all"


def short_schema(tool: Tool) -> JsonObject:
    """A tool as small models get it: a first sentence, and the arguments that matter.

    They fill in whatever they are shown, and so read one line of a file where they could have
    read all of it. What is not shown is understood all the same.
    """
    parameters = tool.parameters
    properties: JsonObject = parameters.get("properties", {})
    names = parameters.get("required") or list(properties)[:WITHOUT_REQUIRED]
    short = {
        "type": "object",
        "properties": {name: _bare(properties[name]) for name in names if name in properties},
        "required": list(parameters.get("required", ())),
    }
    function = {
        "name": tool.name,
        "description": _first_sentence(tool.description),
        "parameters": short,
    }
    return {"type": "function", "function": function}


def _bare(about: JsonObject) -> JsonObject:
    """What an argument may be, without words; that it may also be left out is told elsewhere."""
    forms = [form for form in about.get("anyOf", ()) if form.get("type") != "null"]
    about = forms[0] if len(forms) == 1 else about
    return {key: part for key, part in about.items() if key not in ("description", "title")}


def _first_sentence(text: str) -> str:
    head, dot, _ = text.partition(". ")
    return f"{head}." if dot else text


def _loaded(place: str) -> Sequence[Tool]:
    module, _, name = place.partition(":")
    tools: Sequence[Tool] = getattr(import_module(module), name)
    return tools
