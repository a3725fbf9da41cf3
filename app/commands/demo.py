"""`strata demo`: a shipped conversation, played through a small window (LAB-4)."""

import argparse
from pathlib import Path

from app.commands.playing import play_on_screen, settings_for
from app.host.catalogue import canonical, find
from app.host.store import ModelStore
from app.lab.play import Play
from app.lab.played import PLAYED
from app.lab.scenes import read_script
from app.settings import Settings
from memory.config import MemoryConfig, RecallConfig

SCRIPT = Path(__file__).parents[1] / "lab" / "demo.jsonl"
TITLE = "A boiler for the Lantern Theatre"
WRITER = "light"
WINDOW_TOKENS = 2_048
"""Small enough that the prompt is seen to fill, large enough for what a file brings."""
WINDOW = 8
"""Messages: the first folding comes after the seventeenth message, five of them in all."""
BY_RULE = (
    "The light model is not installed, so the summaries are made by rule. "
    "`strata models install light` fetches it."
)
BY_MODEL = "The light model on this machine writes the summaries."


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Plays the conversation on the screen; returns the exit status."""
    writer = summary_writer(settings)
    played = settings_for(settings, thresholds(), PLAYED, writer)
    return play_on_screen(played, demo(writer, options.speed), TITLE)


def demo(writer: str | None, speed: float = 1.0) -> Play:
    """The play.

    Args:
        writer: The model that writes the summaries; None for rules.
        speed: Times the usual pace.
    """
    script = read_script(SCRIPT.read_text(encoding="utf-8"), SCRIPT.name)
    return Play(script, speed, asks=True, note=BY_MODEL if writer else BY_RULE)


def thresholds() -> MemoryConfig:
    """The small window, whatever is configured; facts come from the script, not from a model."""
    return MemoryConfig(
        immediate_window=WINDOW,
        recent_window=WINDOW,
        keep_recent_messages=WINDOW,
        context_window=WINDOW_TOKENS,
        extract_facts=False,
        recall=RecallConfig(),
    )


def summary_writer(settings: Settings) -> str | None:
    """The light embedded model, or None where it is not installed."""
    store = ModelStore(settings.paths.models.path)
    return canonical(WRITER) if store.installed(find(WRITER)) else None
