"""Plays a conversation on the screen, in a data directory of its own that goes with it."""

import gc
import os
import shutil
import signal
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.paths import COMMAND_LINE, Place
from app.settings import Settings
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.wish import Wish

if TYPE_CHECKING:
    from app.lab.play import Play

MODEL = "model.name"
IDLE_MINUTES = 0.05
"""How long the model host stays after a play: nobody comes back to a directory that is gone."""


class NoScreen(StrataError):
    """Something was to be watched where there is no terminal."""

    def __init__(self) -> None:
        super().__init__("This needs a terminal to be watched in.")


def play_on_screen(settings: Settings, play: "Play", title: str) -> int:
    """Plays in the chat screen; returns the exit status when it is left.

    Args:
        settings: Of `settings_for`: their data directory is replaced by one that is removed.
        play: What is played.
        title: What the session is called.

    Raises:
        NoScreen: There is no terminal.
        StrataError: The configuration can't be used.
    """
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise NoScreen
    from app.commands.chat import FRAMES_A_SECOND
    from app.start import Start
    from app.tui import run_chat

    os.environ.setdefault("TEXTUAL_FPS", FRAMES_A_SECOND)
    gc.disable()
    with tempfile.TemporaryDirectory(prefix="strata-play-", ignore_cleanup_errors=True) as folder:
        _remove_if_hung_up(Path(folder))
        paths = replace(settings.paths, data=Place(Path(folder), COMMAND_LINE))
        wish = Wish(session=title, label=f"the play of process {os.getpid()}")
        return run_chat(Start.with_settings(replace(settings, paths=paths), wish, play))


def _remove_if_hung_up(folder: Path) -> None:
    """Has a terminal that goes away take the directory with it, before it ends the process."""
    if sys.platform == "win32":
        return

    def hung_up(*_: object) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGHUP)

    signal.signal(signal.SIGHUP, hung_up)


def settings_for(
    settings: Settings, memory: MemoryConfig, model: str, writer: str | None
) -> Settings:
    """The settings of a play: nothing of the user's data, tools or servers has a part in it.

    Args:
        settings: The configuration.
        memory: The thresholds.
        model: Whose tokenizer counts, or `PLAYED` for estimates.
        writer: The model that writes the summaries; None for rules.
    """
    alone = {"vault": False, "memory_files": False}
    named = {"name": model, "summary_model": writer}
    return replace(
        settings,
        model=settings.model.model_copy(update=named),
        memory=memory.model_copy(update=alone),
        host=settings.host.model_copy(update={"idle_minutes": IDLE_MINUTES}),
        recall=settings.recall.model_copy(update={"chroma_url": None}),
        privacy=settings.privacy.model_copy(update={"encryption": "off"}),
        tools=settings.tools.model_copy(update={"offer": "none"}),
        mcp={},
        origins={**settings.origins, MODEL: COMMAND_LINE},
        notes=(),
    )
