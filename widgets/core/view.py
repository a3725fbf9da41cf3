"""What the core and the gauge draw: the layers of the next prompt, oldest first. Pure."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from widgets.core.ahead import next_step

if TYPE_CHECKING:
    from memory.snapshot import MessageView, Snapshot, SummaryView

LayerName = str
"""One of `ORDER`."""
ORDER: tuple[LayerName, ...] = (
    "system", "files", "tools", "long_term", "short_term", "window", "draft", "answer",
    "working", "facts", "recalled",
)  # fmt: skip
"""From the bottom to the top."""
LIVE: frozenset[str] = frozenset(("window", "draft", "answer"))
"""Layers that stand for the window: its messages, what is typed, and the answer on its way."""
_SECTIONS: dict[str, LayerName] = {"messages": "window"}


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer that is not empty."""

    name: LayerName
    tokens: int
    first: int = 0
    """The first message that a summary covers; 0 where the layer is no summary."""
    last: int = 0

    @property
    def stratum(self) -> str:
        """The stratum it belongs to: what is typed and answered belongs to the window."""
        return "window" if self.name in LIVE else self.name


@dataclass(frozen=True, slots=True)
class CoreView:
    """The next prompt against the levels of the model's window; figures in tokens."""

    session: str
    layers: tuple[Layer, ...]
    """From the bottom to the top, without the empty ones."""
    messages: tuple["MessageView", ...]
    """The window's messages, oldest first: the bands of its layer."""
    limit: int
    used: int
    overflow: int
    """What does not fit under the limit; 0 in a healthy session."""
    trigger: int
    """Where folding begins by itself."""
    folds: bool
    """Whether it ever does; under some policies nothing is folded."""
    known: bool
    """Whether the levels are those of a model, and not assumed until one is there."""
    warning: int
    estimated: bool
    ahead: str
    """What memory does next."""
    versions: tuple[int, int]
    """Of the short-term and the long-term summary; 0 where there is none."""

    @property
    def level(self) -> Literal["figure", "near", "over"]:
        """How close to the trigger it is; the ink of the figures."""
        if not self.known:
            return "figure"
        if self.used >= self.trigger:
            return "over"
        return "near" if self.used >= self.warning else "figure"


def core_view(snapshot: "Snapshot", *, draft_tokens: int = 0, answer_tokens: int = 0) -> CoreView:
    """The view of a snapshot.

    Args:
        snapshot: Memory at a moment.
        draft_tokens: Of what is being typed.
        answer_tokens: Of the answer that is on its way and not in the log yet.
    """
    context = snapshot.context
    tokens: dict[LayerName, int] = {"draft": draft_tokens, "answer": answer_tokens}
    for section, number in context.sections.items():
        tokens[_SECTIONS.get(section, section)] = number
    spans = {"long_term": _span(snapshot.long_term), "short_term": _span(snapshot.short_term)}
    growing = draft_tokens + answer_tokens
    used = context.used + growing
    known = snapshot.model is not None
    over = max(0, max(used, context.unfitted + growing) - max(1, context.limit))
    return CoreView(
        session=snapshot.session_id,
        layers=tuple(
            Layer(name, tokens[name], *spans.get(name, (0, 0)))
            for name in ORDER
            if tokens.get(name, 0) > 0
        ),
        messages=snapshot.window,
        limit=max(1, context.limit),
        used=used,
        overflow=over if known else 0,
        trigger=context.trigger,
        folds=known and snapshot.policy != "none",
        known=known,
        warning=context.warning,
        estimated=context.counted_by == "estimate",
        ahead=next_step(snapshot),
        versions=(_version(snapshot.short_term), _version(snapshot.long_term)),
    )


def _span(summary: "SummaryView | None") -> tuple[int, int]:
    return (summary.first, summary.last) if summary else (0, 0)


def _version(summary: "SummaryView | None") -> int:
    return summary.version if summary else 0
