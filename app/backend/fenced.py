"""Tool calls that a model writes into its text.

Small local models answer a request with tools by a fenced block, with or without words before it:

    I'll read the file.
    ```json
    {"name": "read_file", "arguments": {"path": "a.txt"}}
    ```

or between `<tool_call>` and `</tool_call>`, or by the bare object. Where an answer ends in nothing
but such blocks, and each names a tool that was offered, they are calls; anything else is text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import Any, NamedTuple

_FENCE = "```(?:json|tool_call|tool_code|xml)?"
_TAGS = "(?:tool_call|tools?|function_call)>"
_MARK = rf"{_FENCE}[ \t]*(?=\n|\{{|\[|<|$)|<{_TAGS}"
_OPENING = re.compile(rf"(?:^|(?<=\n))[ \t]*(?:{_MARK})")
_BEGUN_OPENING = re.compile(r"(?:^|(?<=\n))[ \t]*(?:`{1,2}|```[a-z_]{0,9}|</?[a-z_]{0,9})?$")
_DOUBLED = re.compile(r"\{(?=\s*\{)")
"""Qwen's template shows the form of a call with two brackets, and so some answers have two."""
_BARE = re.compile(r"\s*[{\[]")
_FRAME = re.compile(rf"(?:\s|,|{_FENCE}(?![a-z])|</?{_TAGS})*")
_KEYS = ("name", "arguments", "parameters", "function", "type")
_BRACKETS = " \t\r\n{["


class FencedCall(NamedTuple):
    """A call found in text; `arguments` is the text of a JSON object."""

    name: str
    arguments: str


class Held(NamedTuple):
    """What of a text may be shown already, and what may still turn out to be calls."""

    shown: str
    held: str


def hold_back(text: str, *, at_start: bool, at_line: bool) -> Held:
    """Parts a text at the place from which it may be calls.

    Args:
        text: What of an answer has not been shown.
        at_start: Nothing of it has been shown yet.
        at_line: It begins a line.
    """
    if at_start and _BARE.match(text) and may_become_call(text):
        return Held("", text)
    for opening in _OPENING.finditer(text):
        begins = opening.start() > 0 or at_line
        if begins and may_become_call(text[opening.start() :]):
            return Held(text[: opening.start()], text[opening.start() :])
    begun = _BEGUN_OPENING.search(text)
    if begun is None or (begun.start() == 0 and not at_line):
        return Held(text, "")
    return Held(text[: begun.start()], text[begun.start() :])


def may_become_call(text: str) -> bool:
    """Tells whether a text that begins with a mark, or with a bracket, may end as calls.

    What calls have in common is the first key of their object.
    """
    rest = text[_frame_end(text) :].lstrip(_BRACKETS)
    if not rest:
        return True
    return any(rest.startswith(f'"{key}"') or f'"{key}"'.startswith(rest) for key in _KEYS) or bool(
        _BEGUN_OPENING.match(rest)
    )


def parse_fenced_calls(text: str, tools: Collection[str]) -> list[FencedCall]:
    """Returns the calls when the text consists of nothing but calls, else nothing.

    Args:
        text: What was held back of an answer.
        tools: The names that may be called.
    """
    calls: list[FencedCall] = []
    at = _frame_end(text)
    while at < len(text):
        doubled = _DOUBLED.match(text, at)
        try:
            value, at = json.JSONDecoder(strict=False).raw_decode(text, at + bool(doubled))
        except (ValueError, RecursionError):
            return []
        if doubled and text.startswith("}", at):
            at += 1
        found = [_call(entry, tools) for entry in (value if isinstance(value, list) else [value])]
        if not found or None in found:
            return []
        calls += [call for call in found if call is not None]
        at = _frame_end(text, at)
    return calls


def _frame_end(text: str, at: int = 0) -> int:
    """Where marks, separators and white space end."""
    frame = _FRAME.match(text, at)
    return frame.end() if frame else at


def _call(value: Any, tools: Collection[str]) -> FencedCall | None:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name", value.get("function")) if isinstance(value, dict) else None
    if not isinstance(name, str) or name not in tools:
        return None
    arguments = value.get("arguments", value.get("parameters", {}))
    if isinstance(arguments, str):
        # As providers have it: the object as a text. Whether it is one is seen where it is run.
        return FencedCall(name, arguments)
    if not isinstance(arguments, dict):
        return None
    return FencedCall(name, json.dumps(arguments, ensure_ascii=False))
