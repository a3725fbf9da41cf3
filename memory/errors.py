"""Errors that carry a sentence for the user."""


class StrataError(Exception):
    """A failure the user can meet, told in plain words.

    Args:
        sentence: What happened, naming the thing that is wrong.
        next_step: What the user can do about it; may be empty.
    """

    def __init__(self, sentence: str, next_step: str = "") -> None:
        super().__init__(sentence, next_step)
        self.sentence = sentence
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.sentence} {self.next_step}".strip()
