"""The names, figures, identifiers, conditions and tasks of a text, found by rule."""

from collections.abc import Iterable

from memory.loss.figures import dates, numbers
from memory.loss.found import Found
from memory.loss.names import names
from memory.loss.sentences import constraints, tasks
from memory.loss.tokens import commands, marked_words, urls
from memory.parts import Role

EXTRACTOR = 3
"""Version of these rules; a loss report names the one it was made by."""
LONGEST_TEXT = 200_000
"""Characters of a text that are looked at: beyond it is data that nobody spoke of."""


def find_items(text: str, role: Role | None = None) -> list[Found]:
    """What a reader may ask for again, in the order in which it stands.

    No two items overlap, but for sentences that bind: what they name is found beside them.

    Args:
        text: The text; what follows its first 200,000 characters is not looked at.
        role: Who said it; None for a summary, which speaks for the user.
    """
    text = text[:LONGEST_TEXT]
    taken = bytearray(len(text))
    found: list[Found] = []
    # The order is the rank: an address beats the number inside it.
    for kind in (urls(text), commands(text), marked_words(text), dates(text), numbers(text)):
        found += _free(kind, taken)
    found += _free(names(text), taken)
    folded = text.lower()
    if len(folded) == len(text):
        whole = {item.start: item for item in tasks(text, folded, role)}
        whole.update((item.start, item) for item in constraints(text, folded, role))
        found += whole.values()
    return sorted(found, key=lambda item: (item.start, -item.end))


def _free(found: Iterable[Found], taken: bytearray) -> list[Found]:
    """Those that don't overlap what was found before; marks their place."""
    free: list[Found] = []
    for item in found:
        # A look at both ends and the middle would miss a small item inside; a slice does not.
        if not any(taken[item.start : item.end]):
            taken[item.start : item.end] = b"\1" * (item.end - item.start)
            free.append(item)
    return free
