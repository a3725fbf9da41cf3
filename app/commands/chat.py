"""`strata`: the chat on the screen."""

import argparse
import os
from dataclasses import replace

from app.settings import Settings


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Opens the chat; returns the exit status."""
    from app.chat.choice import KEY
    from app.commands.first_start import offer_models
    from app.logs import start_logging
    from app.tui import run_chat
    from memory.wish import Wish

    chosen = offer_models(settings).model
    if chosen is not None:
        model = settings.model.model_copy(update={"name": chosen})
        origins = {**settings.origins, KEY: "chosen at the start"}
        settings = replace(settings, model=model, origins=origins)
    start_logging(settings.paths.log)
    wish = Wish(
        session=options.session,
        agent=options.agent or "default",
        fresh=getattr(options, "new", False),
        label=f"the chat of process {os.getpid()}",
    )
    return run_chat(settings, wish)
