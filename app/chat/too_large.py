"""A message that no prompt could hold."""

from memory.errors import StrataError


class TooLargeToAccept(StrataError):
    """A message that no prompt could hold; it is refused before it is taken from the composer."""

    def __init__(self, tokens: int, room: int) -> None:
        super().__init__(
            f"The message has about {tokens:,} tokens, but {room:,} is the most that fits here.",
            "Shorten it, send it in parts, or choose a model with a larger window.",
        )
