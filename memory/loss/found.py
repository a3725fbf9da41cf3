"""What is found in a text."""

from dataclasses import dataclass

from memory.views import ItemKind


@dataclass(frozen=True, slots=True)
class Found:
    """An item of a text, at its offsets: `text` is the source from `start` to `end`."""

    kind: ItemKind
    text: str
    start: int
    end: int
