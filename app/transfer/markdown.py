"""A session as Markdown that people read. Pure."""

import html
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from widgets.figures import count
from widgets.plain import one_line, printable

NAMES = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})(.*)$", re.MULTILINE)
_TICKS = re.compile("`{3,}")
_MARKS = re.compile(r"([\\`*_\[\]<>#|])")


def markdown(session: Mapping[str, Any]) -> str:
    """The text of a session's document (`app.transfer.sending`)."""
    title = session["title"] or session["session"]
    said = session["messages"]
    blocks = [f"# {_plain(title)}", _head(session, said)]
    blocks += _listed("Pinned", [pin["text"] for pin in session["pins"]])
    blocks += _listed("Facts", [fact["text"] for fact in session["facts"]])
    goal = session["work"]["goal"]
    blocks += [f"**Goal:** {_plain(goal)}"] if goal else []
    for message in said:
        blocks += _message(message)
    for summary in session["summaries"]:
        slot = summary["slot"].replace("_", "-")
        blocks.append(
            f"## The {slot} summary of messages {summary['from']} to {summary['to']}"
            f"{'' if summary['in_force'] else ' (of before)'}"
        )
        blocks.append(closed(printable(summary["text"])))
    return "\n\n".join(blocks) + "\n"


def closed(text: str) -> str:
    """A text in which no fence stays open, so that what follows is not taken for code."""
    open_one: str | None = None
    for found in _FENCE.finditer(text):
        fence, rest = found[1], found[2]
        if open_one is None:
            open_one = fence if fence[0] == "~" or "`" not in rest else None
        elif fence[0] == open_one[0] and len(fence) >= len(open_one) and not rest.strip():
            open_one = None
    return text if open_one is None else f"{text}\n{open_one}"


def fenced(text: str, language: str = "") -> str:
    """A text as code, between fences longer than any inside."""
    longest = max((len(ticks) for ticks in _TICKS.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def _head(session: Mapping[str, Any], said: Sequence[Mapping[str, Any]]) -> str:
    models = ", ".join(map(_plain, session["models"]))
    parts = [count(len(said), "message"), f"agent {_plain(session['agent'])}"]
    parts += [models] if models else []
    if said:
        parts.append(f"{_time(said[0])} to {_time(said[-1])}")
    return f"*{', '.join(parts)}*"


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    role = NAMES[message["role"]]
    stopped = ", stopped" if message.get("interrupted") else ""
    yield f"## {message['number']}. {role}, {_time(message)}{stopped}"
    content = printable(message["content"])
    if message["role"] == "tool":
        yield _folded("Result", fenced(content))
    elif content.strip():
        yield closed(content)
    for call in message.get("tool_calls", ()):
        function = call.get("function")
        function = function if isinstance(function, dict) else {}
        arguments = function.get("arguments")
        shown = arguments if isinstance(arguments, str) else json.dumps(arguments)
        name = html.escape(one_line(str(function.get("name", ""))))
        yield _folded(f"Call of {name}", fenced(printable(shown), "json"))


def _folded(summary: str, inside: str) -> str:
    return f"<details>\n<summary>{summary}</summary>\n\n{inside}\n\n</details>"


def _listed(head: str, texts: Sequence[str]) -> list[str]:
    lines = [f"- {_plain(text)}" for text in texts]
    return [f"**{head}:**", "\n".join(lines)] if lines else []


def _plain(text: str) -> str:
    """A text on one line of which nothing is taken for Markdown."""
    return _MARKS.sub(r"\\\1", one_line(text))


def _time(message: Mapping[str, Any]) -> str:
    return f"{message['at'][:10]} {message['at'][11:16]} UTC"
