"""Takes the pictures of the README: the real program, the real model, typed keys.

.venv/bin/python screenshots/take.py --models DIR [--model default]
"""

import argparse
import asyncio
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from app.settings import load_settings
from app.start import Start
from app.tui import StrataApp
from memory.wish import Wish
from widgets.composer import Composer
from widgets.entries import MarkEntry, MessageEntry
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

HERE = Path(__file__).resolve().parent
NARROW, NORMAL, WIDE = (80, 24), (120, 40), (200, 60)
LONGEST_S = 400.0
SETTLES_S = 20.0
"""What the last compaction kept is measured a while after it."""
CONTEXT = 1024
"""Tokens of the model's window: small, so that a short conversation is seen to fill it."""
QUESTIONS = (
    "I am writing a Python tool called harvest. Which database would you take? One sentence.",
    "It is SQLite then. The file is /var/lib/harvest/data.db. Please repeat the path.",
    "Write the SQL statement that creates a table readings with time, station and celsius.",
    "Our station is LIS-042. Select its ten newest readings, as SQL.",
    "Write the cron line that runs /usr/bin/harvest every 6 hours. Only the line.",
    "As a short Markdown table: station LIS-042, file, and how often it runs.",
    "Thank you. What did we decide about the database, in one sentence?",
)


@asynccontextmanager
async def chat(
    data: Path, models: Path, model: str | None, size: tuple[int, int], **options: object
) -> AsyncIterator[Pilot[None]]:
    """The chat on a screen of some size, until the block ends."""
    given = {"memory.profile": "stress", "model.temperature": 0.0, **options}
    given["host.context_tokens"] = CONTEXT
    if model:
        given["model.name"] = model
    settings = load_settings(given, data=str(data), models=str(models), environment={})
    app = StrataApp(Start.with_settings(settings, Wish(session="harvest")))
    async with app.run_test(size=size) as pilot:
        yield pilot
        await app.action_quit()


async def take(models: Path, model: str) -> None:
    """Talks until something was folded, and saves what the screens show."""
    with tempfile.TemporaryDirectory() as name:
        data = Path(name)
        async with chat(data, models, model, NORMAL) as pilot:
            transcript = pilot.app.screen.query_one(Transcript)
            for number, question in enumerate(QUESTIONS, start=1):
                await say(pilot, question)
                await until(pilot, lambda n=number: answers(transcript) == n)  # type: ignore[misc]
                await until(pilot, lambda: state(pilot) == "ready")
            await until(pilot, lambda: any(isinstance(e, MarkEntry) for e in transcript.entries))
            await pilot.pause(1.0)
            save(pilot, "chat")
            await pilot.pause(SETTLES_S)
            await pilot.press("f2")
            await pilot.pause(1.0)
            save(pilot, "prompt")
        await picture(data, models, model, WIDE, "wide")
        await picture(data, models, model, WIDE, "timeline", "f3", "enter")
        await picture(data, models, model, NORMAL, "past", "f4", *["left"] * 3)
        await picture(data, models, model, NARROW, "narrow", "f7")
        await picture(data, models, model, NORMAL, "light", **{"ui.theme": "strata-light"})
        empty = data / "empty"
        async with chat(empty, data / "no-models", None, NORMAL) as pilot:
            await until(pilot, lambda: len(pilot.app.screen_stack) > 1)
            await pilot.pause(1.0)
            save(pilot, "first")


async def picture(
    data: Path,
    models: Path,
    model: str,
    size: tuple[int, int],
    name: str,
    *keys: str,
    **options: object,
) -> None:
    """Opens the session again and saves how it looks."""
    async with chat(data, models, model, size, **options) as pilot:
        await until(pilot, lambda: state(pilot) == "ready")
        await pilot.press(*keys)
        await pilot.pause(1.0)
        save(pilot, name)


def save(pilot: Pilot[None], name: str) -> None:
    """Saves what the screen shows."""
    pilot.app.save_screenshot(f"{name}.svg", path=str(HERE))


async def say(pilot: Pilot[None], text: str) -> None:
    """Types a message and sends it."""
    pilot.app.screen.query_one(Composer).insert(text)
    await pilot.press("enter")


def answers(transcript: Transcript) -> int:
    """Complete answers on the screen."""
    entries = [e for e in transcript.entries if isinstance(e, MessageEntry)]
    return sum(1 for entry in entries if entry.speaker == "strata")


def state(pilot: Pilot[None]) -> str:
    """What the status line says is going on."""
    return pilot.app.screen_stack[0].query_one(StatusLine).view.state


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
