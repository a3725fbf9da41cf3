"""A session opened to be read, whoever else writes to it."""

import argparse
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from app.settings import Settings
from memory.memory import Memory
from memory.wish import Wish


@asynccontextmanager
async def reading(settings: Settings, options: argparse.Namespace) -> AsyncIterator[Memory]:
    """The session that the options name, read-only.

    Raises:
        UnknownSession: There is none of the name.
    """
    wish = Wish(
        session=options.session, agent=options.agent or "default", create=False, read_only=True
    )
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        yield memory
