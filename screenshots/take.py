"""Takes the pictures of the README: the real program, the real model, typed keys.

.venv/bin/python screenshots/take.py --models DIR [--model default]
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from textual.pilot import Pilot

from app.settings import load_settings
from app.start import Start
from app.tui import StrataApp
from memory.wish import Wish
from widgets.composer import Composer
from widgets.entries import MarkEntry, MessageEntry
from widgets.transcript import Transcript

HERE = Path(__file__).resolve().parent
SIZE = (100, 32)
LONGEST_S = 240.0
QUESTIONS = (
    "I am writing a Python tool called harvest. Which database would you take? One sentence.",
    "It is SQLite then. The file is /var/lib/harvest/data.db. Please repeat the path.",
    "Write the SQL statement that creates a table readings with time, station and celsius.",
    "Our station is LIS-042. Select its ten newest readings, as SQL.",
    "Write the cron line that runs /usr/bin/harvest every 6 hours. Only the line.",
)


async def take(models: Path, model: str) -> None:
    """Talks until something was folded, and saves what the screen shows."""
    with tempfile.TemporaryDirectory() as data:
        settings = load_settings(
            {"model.name": model, "memory.profile": "stress", "model.temperature": 0.0},
            data=data,
            models=str(models),
            environment={},
        )
        app = StrataApp(Start.with_settings(settings, Wish(session="harvest")))
        async with app.run_test(size=SIZE) as pilot:
            transcript = app.screen.query_one(Transcript)
            for number, question in enumerate(QUESTIONS, start=1):
                await say(pilot, question)
                await until(pilot, lambda n=number: answers(transcript) == n)  # type: ignore[misc]
            await until(pilot, lambda: any(isinstance(e, MarkEntry) for e in transcript.entries))
            await pilot.pause(1.0)
            app.save_screenshot("chat.svg", path=str(HERE))


async def say(pilot: Pilot[None], text: str) -> None:
    """Types a message and sends it."""
    pilot.app.screen.query_one(Composer).insert(text)
    await pilot.press("enter")


def answers(transcript: Transcript) -> int:
    """Complete answers on the screen."""
    entries = [e for e in transcript.entries if isinstance(e, MessageEntry)]
    return sum(1 for entry in entries if entry.speaker == "strata")


async def until(pilot: Pilot[None], holds: Callable[[], bool]) -> None:
    """Waits until the condition holds."""
    end = time.monotonic() + LONGEST_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("the screen did not come to what was waited for")
        await pilot.pause(0.1)


def main() -> None:
    """Reads the command line and takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--model", default="default")
    options = parser.parse_args()
    asyncio.run(take(options.models, options.model))


if __name__ == "__main__":
    main()
