"""`strata replay FILE --watch`: the same replay, on the screen (LAB-1)."""

import argparse
from pathlib import Path

from app.chat.choice import chosen_model
from app.commands.playing import play_on_screen, settings_for
from app.lab.play import Play
from app.lab.played import PLAYED
from app.lab.recorded import read_recording
from app.lab.replay import replay_config
from app.lab.scenes import scenes_of
from app.settings import Settings


def watch(settings: Settings, options: argparse.Namespace) -> int:
    """Plays a recorded conversation on the screen; returns the exit status."""
    play = recorded_play(options)
    return play_on_screen(watched(settings, options), play, Path(options.file).name)


def recorded_play(options: argparse.Namespace) -> Play:
    """The recorded conversation as a play.

    Raises:
        UnreadableRecording: The file can't be read, or is of no form that is known.
    """
    messages = read_recording(Path(options.file), options.conversation)
    return Play(scenes_of(messages), options.speed or 1.0)


def watched(settings: Settings, options: argparse.Namespace) -> Settings:
    """The settings with which a replay is watched: those of `strata replay`."""
    by_model = options.summarizer == "model"
    model = chosen_model(settings, None) if by_model or options.model else PLAYED
    writer = settings.model.summary_model or model if by_model else None
    return settings_for(settings, replay_config(settings.memory), model, writer)
