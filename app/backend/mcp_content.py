"""What an MCP server answers and offers, made into text and schemas that can be passed on. Pure.

Parts and tools are read by attribute: this module imports nothing of the SDK.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from app.backend.mcp_protocol import JsonObject, McpTool
from app.shown import printable

LONGEST_TEXT = 8_000_000
"""Characters of one answer: well below what a frame of the backend holds."""

LONGEST_SCHEMA = 20_000
"""Characters of a tool's schema as JSON: some 5,000 tokens of every request."""

MOST_TOOLS = 200
"""Of one server; more would fill the prompt of any model."""

LONGEST_NAME = 200
LONGEST_DESCRIPTION = 4_000
"""Characters that are kept at all; the model is given fewer."""

ALL = "*"


def answer_text(parts: Iterable[Any], structured: Any) -> str:
    """An answer as one text.

    Args:
        parts: The content blocks of the answer.
        structured: Its structured content, or None. Servers repeat it as text, so it is told only
            where there is none.
    """
    told = [_part(part) for part in parts]
    if structured is not None and not any(part.type == "text" for part in parts):
        told.append(json.dumps(structured, ensure_ascii=False, indent=1))
    text = "\n".join(told)
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}\n[the rest is left out]"


def _part(part: Any) -> str:
    match part.type:
        case "text":
            return str(part.text)
        case "image" | "audio":
            return f"[{part.type}, {part.mime_type}, {_size(part.data)}]"
        case "resource_link":
            return f"[link to {part.name}: {part.uri}]"
        case "resource":
            return _resource(part.resource)
        case other:
            return f"[{other}]"


def _resource(resource: Any) -> str:
    text = getattr(resource, "text", None)
    if text is not None:
        return f"[{resource.uri}]\n{text}"
    return f"[{resource.uri}, {resource.mime_type or 'binary'}, {_size(resource.blob)}]"


def _size(base64: str) -> str:
    """The size of what was encoded as base64: three bytes in four characters."""
    size = len(base64) * 3 // 4
    if size < 1_000:  # noqa: PLR2004 (the units themselves)
        return f"{size} bytes"
    return f"{size / 1e3:.0f} kB" if size < 1_000_000 else f"{size / 1e6:.1f} MB"  # noqa: PLR2004


def offered_tools(
    found: Sequence[Any], allowed: Sequence[str]
) -> tuple[tuple[McpTool, ...], tuple[str, ...]]:
    """The tools of a server that can be offered, and sentences about those that can't.

    The user is asked before a call, unless the server says that the tool only reads (the hint
    `readOnlyHint`, without `destructiveHint`), or the configuration allows it. The hints are the
    server's own word. That is enough: whoever put a server into the configuration lets its
    program run anyway; what is asked for is whether the model's call is what the user wants.

    Args:
        found: The tools as the SDK read them.
        allowed: Names that are called without asking; `*` for all.
    """
    tools: list[McpTool] = []
    notes: list[str] = []
    for tool in found[:MOST_TOOLS]:
        schema = _object_schema(tool.input_schema)
        flaw = _flaw(tool.name, schema)
        if schema is None or flaw:
            notes.append(f"The tool {printable(tool.name)} is left out: {flaw}.")
        else:
            reads = _only_reads(tool.annotations)
            asks = not reads and not {ALL, tool.name} & set(allowed)
            description = (tool.description or "")[:LONGEST_DESCRIPTION]
            tools.append(McpTool(tool.name, description, schema, asks, reads))
    if len(found) > MOST_TOOLS:
        notes.append(f"It has {len(found):,} tools; the first {MOST_TOOLS} are offered.")
    return tuple(tools), tuple(notes)


def _object_schema(schema: Any) -> JsonObject | None:
    """A schema of an object, with what some servers leave out; None for one of anything else."""
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return None
    properties = schema.get("properties", {})
    if not isinstance(properties, dict):
        return None
    return {**schema, "type": "object", "properties": properties}


def _flaw(name: str, schema: JsonObject | None) -> str:
    """Why a tool can't be offered; empty where it can."""
    if schema is None:
        return "its arguments are no JSON object"
    if len(name) > LONGEST_NAME:
        return f"its name has more than {LONGEST_NAME} characters"
    size = len(json.dumps(schema))
    if size > LONGEST_SCHEMA:
        return (
            f"its schema has {size:,} characters, and {LONGEST_SCHEMA:,} is the most that is sent"
        )
    return ""


def _only_reads(hints: Any) -> bool:
    return hints is not None and hints.read_only_hint is True and hints.destructive_hint is not True
