"""The calls of an answer: read, named apart, and made fit to be sent back. Pure."""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from app.backend.protocol import ToolCall
from app.tools.telling import enumerated
from memory.ids import new_id

SHOWN_UNREADABLE = 2_000
"""Characters of arguments that could not be read: a model sees by fewer what it did wrong."""
UNREADABLE = "unreadable"
"""The key under which they are kept, since providers refuse what is no JSON object."""
LONGEST_NAME = 64
"""Characters of a tool's name: providers refuse longer ones."""
NEAR_NAMES = 3
MOST_NAMES = 40
"""Names that a model is told; servers may offer hundreds."""
_NO_NAME = re.compile("[^a-zA-Z0-9_-]+")
_NOT_FOR_ALL = re.compile(r"[\x00-\x1f]|\\u[dD][89a-fA-F]")


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a tool, as it is kept and carried out."""

    id: str
    """Unlike that of any other call in the window."""
    name: str
    arguments: str
    """The text of a JSON object."""
    values: Mapping[str, Any] | None
    """The arguments; None where they could not be read."""
    flaw: str = ""
    """Why not, so that the model can mend it."""

    @property
    def message_part(self) -> dict[str, Any]:
        """The call in OpenAI's shape."""
        function = {"name": self.name, "arguments": self.arguments}
        return {"id": self.id, "type": "function", "function": function}

    @property
    def key(self) -> tuple[str, str]:
        """Equal for calls that ask the same."""
        values = None if self.values is None else json.dumps(self.values, sort_keys=True)
        return self.name, self.arguments if values is None else values


def read_calls(
    called: Sequence[ToolCall], used: Collection[str], *, cut_short: bool = False
) -> tuple[Call, ...]:
    """The calls of an answer, in their order.

    Args:
        called: The calls as the model made them.
        used: Ids that other calls in the window have.
        cut_short: The model reached its longest answer, perhaps inside a call.
    """
    calls: list[Call] = []
    taken = set(used)
    for part in called:
        # Results are matched by id, and some servers count from 0 in every answer.
        id = part.id if part.id and part.id not in taken else f"call_{new_id()}"
        taken.add(id)
        calls.append(_call(id, part, cut_short=cut_short))
    return tuple(calls)


def unknown_tool(name: str, names: Collection[str]) -> str:
    """What the model is told of a name that no tool has."""
    if not names:
        return f"There is no tool called {name}; no tools are offered. Answer without."
    near = get_close_matches(name.lower(), sorted(names), NEAR_NAMES, 0.5)
    listed = enumerated(near or sorted(names), MOST_NAMES)
    return f"There is no tool called {name}. {'Near' if near else 'The tools'}: {listed}."


def _call(id: str, part: ToolCall, *, cut_short: bool) -> Call:
    name = _NO_NAME.sub("_", part.name)[:LONGEST_NAME] or "unnamed"
    values, flaw = _values(part.arguments)
    if values is None:
        if cut_short:
            flaw = "the answer reached its longest length before they were complete"
        kept = json.dumps({UNREADABLE: part.arguments[:SHOWN_UNREADABLE]}, ensure_ascii=False)
        return Call(id, name, kept, None, f"The arguments of {name} can't be read: {flaw}.")
    return Call(id, name, _kept(part.arguments, values), values)


def _values(text: str) -> tuple[dict[str, Any] | None, str]:
    """The arguments as values, or what is wrong with them."""
    try:
        read = _read(text)
    except json.JSONDecodeError as error:
        return None, f"no JSON at character {error.pos}, {error.msg.lower()}"
    except (ValueError, RecursionError):
        return None, "they are nested too deeply, or hold a number that JSON has not"
    if read is None:
        return {}, ""
    if not isinstance(read, dict):
        return None, "they must be one JSON object, such as {}"
    return read, ""


def _read(text: str) -> object:
    # Line breaks inside texts are what models get wrong most often; they can't mean anything else.
    read = json.loads(text or "{}", strict=False, parse_constant=_refuse)
    if isinstance(read, str) and read.lstrip().startswith("{"):
        # Some models write the object as a text, which providers then escape once more.
        read = json.loads(read, strict=False, parse_constant=_refuse)
    return read


def _refuse(constant: str) -> object:
    raise ValueError(constant)


def _kept(text: str, values: dict[str, Any]) -> str:
    """The arguments as they are sent back: as the model wrote them where that is JSON."""
    plain = text.lstrip().startswith("{") and not _NOT_FOR_ALL.search(text)
    return text if plain else json.dumps(values, ensure_ascii=False)
