"""What failed, and is tried again: a moment later, and twice as long each time."""

import logging
import time
from dataclasses import dataclass

from memory.errors import StrataError

LOGGER = logging.getLogger("strata.memory")
FIRST_RETRY_S, LONGEST_RETRY_S = 2.0, 120.0
"""Seconds between two tries."""


@dataclass(slots=True)
class Trouble:
    """What failed, and when it is tried again.

    Args:
        work: What it is called in the log file.
    """

    work: str
    problem: str = ""
    retry_at: float = 0.0
    _wait: float = 0.0

    @property
    def rests(self) -> bool:
        """Whether it is too early to try again."""
        return time.monotonic() < self.retry_at

    def note(self, error: StrataError) -> None:
        """Waits twice as long as before."""
        if error.sentence != self.problem:
            LOGGER.warning("%s: %s", self.work, error.sentence)
        self._wait = min(2 * self._wait or FIRST_RETRY_S, LONGEST_RETRY_S)
        self.problem = error.sentence
        self.retry_at = time.monotonic() + self._wait

    def over(self) -> None:
        """It works."""
        self.problem, self.retry_at, self._wait = "", 0.0, 0.0
