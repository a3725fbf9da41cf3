"""How much of a text stands in another one."""

from dataclasses import dataclass
from functools import cached_property

from memory.loss.found import Found
from memory.loss.items import find_items
from memory.loss.judge import Standing, normalised

LONGEST_PHRASE = 120
"""Characters up to which a text is looked for word for word; of a longer one, what it names."""
AROUND = 60
"""Characters on either side of what was found that are shown with it."""


@dataclass(frozen=True, slots=True)
class Presence:
    """What a text says of another one."""

    share: float
    """0 for nothing, 1 for all of it."""
    words: str
    """The end of a sentence such as "the short-term summary, which …"."""


class Wanted:
    """A text whose way is followed.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text.strip()
        self._plain = normalised(text)
        self._known: dict[str, Presence] = {}

    @cached_property
    def _items(self) -> list[Found]:
        found = {normalised(item.text): item for item in find_items(self.text, "user")}
        return list(found.values())

    def is_in(self, text: str) -> bool:
        """Whether the text has it word for word; case and spaces don't count."""
        return bool(self._plain) and self._plain in normalised(text)

    def presence(self, text: str) -> Presence:
        """What the text says of it; each text is read once."""
        if text not in self._known:
            self._known[text] = self._presence(text)
        return self._known[text]

    def excerpt(self, text: str) -> str:
        """The text around it, in one line; the text's beginning where it is not in it."""
        line = " ".join(text.split())
        here = line.casefold().find(self._plain)
        if here < 0 or len(self._plain) > LONGEST_PHRASE:
            return _clipped(line, 0, 2 * AROUND)
        return _clipped(line, max(0, here - AROUND), here + len(self._plain) + AROUND)

    def _presence(self, text: str) -> Presence:
        if self.is_in(text):
            return Presence(1.0, "says it")
        if len(self._plain) <= LONGEST_PHRASE or not self._items:
            return Presence(0.0, "does not say it")
        standing = Standing(text)
        held = sum(map(standing.holds, self._items))
        of = f"of the {len(self._items)} names, figures and conditions in it"
        if held == len(self._items) == 1:
            return Presence(1.0, "says the one thing that it names")
        return Presence(held / len(self._items), f"says {held or 'none'} {of}")


def _clipped(line: str, start: int, end: int) -> str:
    before = "…" if start > 0 else ""
    after = "…" if end < len(line) else ""
    return f"{before}{line[start:end].strip()}{after}"
