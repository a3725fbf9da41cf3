"""`strata`: the chat on the screen."""

import argparse
import gc
import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from memory.errors import StrataError
from memory.wish import Wish

if TYPE_CHECKING:
    from app.settings import Settings

FRAMES_A_SECOND = "120"
"""How often Textual looks at what has changed: a key waits for that."""


class NoTerminal(StrataError):
    """The chat was called by a program."""

    def __init__(self) -> None:
        super().__init__("The chat needs a terminal.", 'To ask from a program: strata ask "…".')


def is_in_browser() -> bool:
    """Whether `strata serve` has started this process, and draws what it shows in a browser."""
    return "web_driver" in os.environ.get("TEXTUAL_DRIVER", "")


def run_chat_command(load: Callable[[], "Settings"], options: argparse.Namespace) -> int:
    """Opens the chat; returns the exit status.

    Args:
        load: Reads and checks the configuration, once the screen is there.
        options: The parsed command line.

    Raises:
        StrataError: The configuration can't be used, or there is no terminal.
    """
    if not is_in_browser() and (sys.stdin is None or not sys.stdin.isatty()):
        load()
        raise NoTerminal
    # What is loaded now stays: looking for garbage in it costs a tenth of the start.
    # Collection begins once everything is loaded.
    gc.disable()
    os.environ.setdefault("TEXTUAL_FPS", FRAMES_A_SECOND)
    from app.start import Start, read_glimpse
    from app.tui import run_chat

    wish = Wish(
        session=options.session,
        agent=options.agent or "default",
        fresh=getattr(options, "new", False),
        label=f"the chat of process {os.getpid()}",
    )
    return run_chat(Start(read_glimpse(options), load, wish))
