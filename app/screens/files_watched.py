"""Keeps the prompt as the memory files are while nobody types (PROMPT-2)."""

import asyncio
import logging

from app.chat.conversation import Conversation
from app.screens.stage import Stage
from memory.errors import StrataError

LOGGER = logging.getLogger("strata.screen")
LOOK_SECONDS = 2.0
"""Between two looks: a file that was just written is seen while one still looks at the screen."""


async def watch_files(stage: Stage, conversation: Conversation) -> None:
    """Watches the files for as long as the conversation is open; tells what should be known.

    Args:
        stage: Where it is told.
        conversation: The open one.
    """
    while True:
        try:
            for note in await conversation.look_at_files():
                stage.notice(note, "note")
        except StrataError as error:
            # The next turn meets it as well, and tells.
            LOGGER.warning("memory files: %s", error.sentence)
        await asyncio.sleep(LOOK_SECONDS)
