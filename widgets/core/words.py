"""What the core says in words: about a row, and about the whole. Pure."""

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from widgets.core.rows import CoreRow
from widgets.core.view import CoreView, Layer, LayerName
from widgets.figures import count, short_number
from widgets.line import Piece
from widgets.plain import short_line

if TYPE_CHECKING:
    from memory.snapshot import MessageView

FULL_NAMES: dict[LayerName, str] = {
    "system": "system prompt",
    "files": "memory files",
    "tools": "tool descriptions",
    "long_term": "long-term summary",
    "short_term": "short-term summary",
    "window": "window",
    "draft": "what you are typing",
    "answer": "the answer on its way",
    "working": "working memory",
    "facts": "facts",
    "recalled": "recalled passages",
}
SPEAKERS = {"user": "you", "assistant": "strata", "tool": "tool", "system": "system"}
LONGEST_PREVIEW = 80
GAP = " · "
NOT_KNOWN = "how much has room is known once the model is there"


def figures_text(view: CoreView) -> list[Piece]:
    """How full the prompt is, such as `5.2k of 27.9k 19 %`; the ink is figure, near or over."""
    about = "~" if view.estimated else ""
    if not view.known:
        return [(f"{about}{short_number(view.used)} tokens", view.level)]
    figures = f"{about}{short_number(view.used)} of {short_number(view.limit)} "
    return [(figures, view.level), (f"{view.used / view.limit:.0%}".replace("%", " %"), view.level)]


def description(row: CoreRow, view: CoreView) -> str:
    """What a row stands for."""
    if row.first:
        return _of_messages(_inside(row, view), view)
    if row.layers:
        layers = {layer.name: layer for layer in view.layers}
        told = [_of_layer(layers[name], view) for name in row.layers if name in layers]
        return GAP.join(told)
    if row.ink == "over":
        return f"{_tokens(view.overflow, view)} do not fit and are left out until memory is folded"
    if row.ink == "trigger":
        level = f"at {_tokens(view.trigger, view, exact=True)} the oldest messages are folded"
        return GAP.join(filter(None, (level, view.ahead)))
    if not view.known:
        return NOT_KNOWN
    free = f"free{GAP}{_tokens(max(0, view.limit - view.used), view)}"
    return GAP.join(filter(None, (free, view.ahead)))


def message_of(row: CoreRow) -> int | None:
    """The number of the message that a row leads to: its newest."""
    return row.last or None


def _inside(row: CoreRow, view: CoreView) -> "tuple[MessageView, ...]":
    def number(message: "MessageView") -> int:
        return message.number

    start = bisect_left(view.messages, row.first, key=number)
    return view.messages[start : bisect_right(view.messages, row.last, key=number)]


def _of_messages(messages: "tuple[MessageView, ...]", view: CoreView) -> str:
    if not messages:
        return ""
    first, last = messages[0], messages[-1]
    tokens = _tokens(sum(message.tokens for message in messages), view)
    if first is not last:
        return GAP.join((f"{first.number}–{last.number}", count(len(messages), "message"), tokens))
    parts = [f"{first.number} {SPEAKERS[first.role]}", tokens]
    if first.interrupted:
        parts.append("cut off")
    return GAP.join(filter(None, (*parts, _preview(first.preview))))


def _of_layer(layer: Layer, view: CoreView) -> str:
    span = f"{layer.first}–{layer.last}" if layer.first else ""
    about = _tokens(layer.tokens, view, rough=layer.name in ("draft", "answer"))
    return GAP.join(filter(None, (FULL_NAMES[layer.name], span, about)))


def _tokens(number: int, view: CoreView, *, exact: bool = False, rough: bool = False) -> str:
    about = "~" if rough or (view.estimated and not exact) else ""
    return f"{about}{count(number, 'token')}"


def _preview(text: str) -> str:
    return short_line(text, LONGEST_PREVIEW)
