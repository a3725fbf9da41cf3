"""What `replay` and `compare` run with: thresholds, and a model where one is asked for."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.backend.client import Backend
from app.chat.backing import backend_settings
from app.chat.choice import chosen_model
from app.chat.models import chosen_summariser, exact_counter, model_chosen
from app.commands.output import Notes
from app.lab.replay import Lab
from app.paths import make_data_directory
from app.settings import Settings


@asynccontextmanager
async def laboratory(
    settings: Settings, options: argparse.Namespace, notes: Notes
) -> AsyncIterator[Lab]:
    """A laboratory; with a model, its tokenizer counts and, if wanted, it writes the summaries.

    Args:
        settings: The configuration.
        options: Of the command line: `summarizer` and `model`.
        notes: Says what is waited for.

    Raises:
        ModelFailure: The model can't be described.
        UnknownModel: There is no embedded model of that name.
    """
    if options.summarizer != "model" and not options.model:
        yield Lab(settings.memory)
        return
    make_data_directory(settings.paths.data.path)
    backend = await Backend.start(backend_settings(settings, tools=False))
    try:
        name = chosen_model(settings, None)
        notes.show(f"{name} is loading")
        info = await backend.describe(name)
        writer = None
        if options.summarizer == "model":
            writer = await chosen_summariser(backend, info, settings.model)
        yield Lab(
            settings.memory,
            writer,
            exact_counter(backend, info),
            model_chosen(info, settings.model.context_window),
            info.input_price,
        )
    finally:
        notes.clear()
        await backend.close()
