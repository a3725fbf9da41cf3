"""Who said a message: by its role, or by a name before its text, as in recorded talks. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from memory.recall.corpus import Passage
from memory.words import index_words

LEAST_MESSAGES = 3
"""A name with a colon is a speaker's where so many messages begin with it; once or twice it may
be a heading."""
LEAST_SHARE = 0.02
ROLES = frozenset({"user", "assistant", "tool", "system"})
"""What stands before a message in a recorded chat: who is meant is known from the role."""

_NAME = re.compile(r"(?P<name>[^\W\d_][\w.'’ -]{0,30}): ")


def prefix(text: str) -> str | None:
    """The name with which a text begins, if it does."""
    match = _NAME.match(text)
    return match["name"] if match else None


def speakers_of(passages: Iterable[Passage]) -> dict[str, tuple[str, ...]]:
    """Speakers that messages are marked with, and the words of their names."""
    seen: Counter[str] = Counter()
    messages = 0
    for passage in passages:
        if passage.kind == "message" and passage.role in ("user", "assistant"):
            messages += 1
            name = prefix(passage.text)
            if name is not None and name.lower() not in ROLES:
                seen[name] += 1
    least = max(LEAST_MESSAGES, messages * LEAST_SHARE)
    return {name: index_words(name) for name in sorted(seen) if seen[name] >= least}


def among_people(passages: Iterable[Passage], speakers: Mapping[str, object]) -> bool:
    """Whether messages are of a talk of people who are named, as far as can be seen from them.

    Args:
        passages: Some of it.
        speakers: The names that messages are marked with.
    """
    said = [passage for passage in passages if passage.kind == "message"]
    named = sum(prefix(passage.text) in speakers for passage in said) if speakers else 0
    return 2 * named > len(said)
