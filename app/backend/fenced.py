"""Tool calls that a model writes as a fenced JSON block in its text.

Small local models answer a request with tools by

    ```json
    {"name": "read_file", "arguments": {"path": "a.txt"}}
    ```

When that is the whole answer and the tool exists, it is a call; anything else is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import NamedTuple

_BLOCK = re.compile(r"\s*```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```[ \t]*(?=\n|$)", re.DOTALL)
_OPENING = re.compile(r"\s*(?:`{0,2}|```[a-z]{0,4}|```(?:json)?[ \t]*\n.*)", re.DOTALL)


class FencedCall(NamedTuple):
    """A call found in text; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


def parse_fenced_calls(text: str, tools: Collection[str]) -> list[FencedCall]:
    """Returns the calls when the text consists of nothing but fenced calls, else nothing.

    Args:
        text: The model's whole answer.
        tools: The names that may be called.
    """
    calls: list[FencedCall] = []
    rest = text
    while rest.strip():
        block = _BLOCK.match(rest)
        call = _call(block.group(1), tools) if block else None
        if block is None or call is None:
            return []
        calls.append(call)
        rest = rest[block.end() :]
    return calls


def may_become_call(text: str) -> bool:
    """Tells whether an answer that begins so could still turn out to be fenced calls."""
    return _OPENING.fullmatch(text) is not None


def _call(body: str, tools: Collection[str]) -> FencedCall | None:
    try:
        data = json.loads(body)
    except ValueError:
        return None
    if not isinstance(data, dict) or data.get("name") not in tools:
        return None
    arguments = data.get("arguments", data.get("parameters", {}))
    if not isinstance(arguments, dict):
        return None
    return FencedCall(data["name"], json.dumps(arguments, ensure_ascii=False))
