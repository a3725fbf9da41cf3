"""Notices a model that makes the same call again and again, and says so to it."""

from dataclasses import dataclass

from app.chat.tool_calls import Call

OFTEN = 3
"""Equal calls with equal results that nothing is said about: a file may be waited for."""


@dataclass(slots=True)
class Repeats:
    """The last call of a turn, and how often in a row it was made."""

    _last: tuple[tuple[str, str], str] | None = None
    _times: int = 0

    def told(self, call: Call, result: str) -> str:
        """The result as the model gets it: with a sentence, where it has come too often."""
        this = (call.key, result)
        self._times = self._times + 1 if this == self._last else 1
        self._last = this
        if self._times <= OFTEN:
            return result
        return (
            f"{result}\n\n[Strata: this call was made {self._times} times in a row and brought the "
            "same each time. Do something else, or answer.]"
        )
