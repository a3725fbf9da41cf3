"""Whether two facts say the same, contradict each other, or speak of different things. Pure."""

from typing import Literal

from memory.words import index_words

Verdict = Literal["same", "contradicts", "unsure", "different"]
"""What a newer fact is to an older one; `unsure` where it may contradict it."""


def compare(old: str, new: str, cosine: float | None = None) -> Verdict:
    """What a newer fact is to an older one.

    Args:
        old: The fact that is known.
        new: The one that was said later.
        cosine: How near they are in meaning, -1 to 1; None where nobody can tell.
    """
    return "same" if index_words(old) == index_words(new) else "different"
