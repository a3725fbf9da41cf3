"""Messages of a few words again and again, for benchmarks that search for nothing."""

import random

from memory.answer import NewMessage

WORDS = ["harbour", "Lisbon", "garden", "Thursday", "paper", "18:30", "bridge", "Marta", "1,100"]


def message(place: int) -> NewMessage:
    """A message of a conversation, by its place in it."""
    text = " ".join(random.choices(WORDS, k=random.randint(10, 80)))
    return NewMessage("user" if place % 2 == 0 else "assistant", text, "library")
