"""The chat with a sampler in its event loop; started by screen.py on a terminal of its own."""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path

EVERY_S = 0.005
RESTING = asyncio.Event()
"""Set by SIGUSR2: sampling would be most of what an idle program does."""


async def sample(samples: list[tuple[float, float]]) -> None:
    """Notes how late the loop is, every five milliseconds: when, and seconds late."""
    while not RESTING.is_set():
        due = time.monotonic() + EVERY_S
        await asyncio.sleep(EVERY_S)
        now = time.monotonic()
        samples.append((now, now - due))


def keep(samples: list[tuple[float, float]]) -> None:
    """Leaves the samples where the parent reads them."""
    Path(os.environ["SAMPLES"]).write_text(json.dumps(samples))


def bare() -> None:
    """A Textual app with one Input."""
    from textual.app import App, ComposeResult
    from textual.widgets import Input

    samples: list[tuple[float, float]] = []

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield Input("ready")

        def on_mount(self) -> None:
            self.sampling = asyncio.create_task(sample(samples))

    Bare().run()
    keep(samples)


def strata(data: str, model: str, models: str) -> None:
    """The chat as `strata` opens it; SIGUSR1 changes the theme."""
    from functools import partial

    from app.commands.chat import FRAMES_A_SECOND

    os.environ.setdefault("TEXTUAL_FPS", FRAMES_A_SECOND)
    from app.settings import load_settings
    from app.start import Start
    from app.tui import StrataApp
    from memory.wish import Wish

    samples: list[tuple[float, float]] = []

    class Sampled(StrataApp):
        def on_mount(self) -> None:
            super().on_mount()
            self.sampling = asyncio.create_task(sample(samples))
            loop = asyncio.get_running_loop()
            loop.add_signal_handler(signal.SIGUSR1, self.another_theme)
            loop.add_signal_handler(signal.SIGUSR2, self.rest)

        def rest(self) -> None:
            if RESTING.is_set():
                RESTING.clear()
                self.sampling = asyncio.create_task(sample(samples))
            else:
                RESTING.set()

        def another_theme(self) -> None:
            self.theme = "strata-light" if self.theme == "strata-dark" else "strata-dark"

    load = partial(load_settings, {"model.name": model}, data=data, models=models or None)
    Sampled(Start.with_settings(load(), Wish())).run()
    keep(samples)


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        bare()
    else:
        strata(*sys.argv[2:5])
