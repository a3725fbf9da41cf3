"""Keeps the prompt as the memory files are while nobody types (PROMPT-2)."""

import asyncio
import logging
from collections.abc import Callable

from app.chat.conversation import Conversation
from app.screens.stage import Stage
from memory.errors import StrataError

LOGGER = logging.getLogger("strata.screen")
LOOK_SECONDS = 2.0
"""Between two looks: a file that was just written is seen while one still looks at the screen."""


async def watch_files(
    stage: Stage, conversation: Conversation, changed: Callable[[], None]
) -> None:
    """Watches the files for as long as the conversation is open; tells what should be known.

    Args:
        stage: Where it is told.
        conversation: The open one.
        changed: Called when other files stand in the prompt than before.
    """
    memory = conversation.memory
    seen = memory.state.files
    while True:
        try:
            await conversation.look_at_files()
        except StrataError as error:
            # The next turn meets it as well, and tells.
            LOGGER.warning("memory files: %s", error.sentence)
        if memory.state.files != seen:
            seen = memory.state.files
            changed()
        # How much of them is shown is known once the model's window is.
        for note in () if conversation.is_loading else conversation.files.take_notes():
            stage.notice(note, "note")
        await asyncio.sleep(LOOK_SECONDS)
