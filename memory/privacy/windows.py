"""Big texts are looked at window by window: a thread that does so leaves others their turn."""

from collections.abc import Callable, Iterable, Iterator

from memory.privacy.kinds import Span
from memory.privacy.looked import Looked

BIG = 100_000
"""Characters from which on a text is looked at in a thread, where there is one."""
WINDOW = 150_000
BESIDE = 25_000
"""Characters before and after a window that are looked at as well: more than any key has."""


def in_windows(looked: Looked, find: Callable[[Looked], Iterable[Span]]) -> Iterator[Span]:
    """What is found in a text, a window after the other.

    Args:
        looked: The text.
        find: Finds it in a window.
    """
    text = looked.text
    if len(text) <= WINDOW + 2 * BESIDE:
        yield from find(looked)
        return
    for at in range(0, len(text), WINDOW):
        begin = max(0, at - BESIDE)
        part = Looked(text[begin : at + WINDOW + BESIDE])
        for span in find(part):
            if at <= span.start + begin < at + WINDOW:
                yield span._replace(start=span.start + begin, end=span.end + begin)
