"""`strata`: the chat on the screen."""

import argparse
import os

from app.settings import Settings


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Opens the chat; returns the exit status."""
    from app.logs import start_logging
    from app.tui import run_chat
    from memory.opening import Wish

    start_logging(settings.paths.log)
    wish = Wish(
        session=options.session,
        agent=options.agent or "default",
        fresh=getattr(options, "new", False),
        label=f"the chat of process {os.getpid()}",
    )
    return run_chat(settings, wish)
