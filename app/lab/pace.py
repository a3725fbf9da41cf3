"""How fast a play goes: waiting that can be slowed, hastened, halted and cut short."""

import asyncio
import time
from collections.abc import Callable

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 1000.0)
"""Times the usual speed; the last one shows each message and waits for nothing."""
STEP_S = 0.04
"""Between two looks at whether the pace has changed: a key is obeyed at once for a person."""


class Pace:
    """The pace of one play.

    Args:
        speed: Times the usual one.
    """

    def __init__(self, speed: float = 1.0) -> None:
        self.speed = speed
        self.paused = False
        self.ended = False
        """Nothing is waited for any more, and nothing new begins."""
        self.held: Callable[[], bool] = lambda: False
        """Tells whether something else is looked at meanwhile, so that nothing may be missed."""

    def change(self, by: int) -> None:
        """Takes the next speed up or down.

        Args:
            by: 1 for faster, -1 for slower.
        """
        if by > 0:
            self.speed = next((speed for speed in SPEEDS if speed > self.speed), self.speed)
        else:
            slower = [speed for speed in SPEEDS if speed < self.speed]
            self.speed = slower[-1] if slower else self.speed

    def toggle(self) -> None:
        """Halts, or goes on."""
        self.paused = not self.paused

    def end(self) -> None:
        """Lets everything that waits go on at once; nothing new begins."""
        self.ended = True

    async def wait(self, seconds: float) -> None:
        """Waits.

        Args:
            seconds: How long at the usual speed.
        """
        left = seconds
        while not self.ended and (left > 0 or self.paused or self.held()):
            began = time.monotonic()
            await asyncio.sleep(min(STEP_S, max(0.0, left) / self.speed) or STEP_S)
            if not (self.paused or self.held()):
                left -= (time.monotonic() - began) * self.speed
