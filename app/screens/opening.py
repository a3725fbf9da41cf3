"""What comes between the first paint and the conversation: a glance at it, then all the rest."""

import asyncio
import sys
from dataclasses import replace
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from app.chat.names import session_name
from app.start import Start
from memory.storage.places import FILE_NAME, KEY_FILE_NAME
from widgets.status_line import StatusLine
from widgets.transcript import Transcript

if TYPE_CHECKING:
    from app.settings import Settings
    from widgets.entries import Entry

QUICK_SWITCH_SECONDS = 0.0005
"""How long the thread that loads modules keeps a key waiting, in place of five milliseconds."""


def waits_for_key(data: Path) -> bool:
    """Whether a data directory is encrypted, as far as a first look tells."""
    if not (data / KEY_FILE_NAME).exists():
        return False
    from memory.storage.header import is_encrypted

    return is_encrypted(data)


class FirstGlance:
    """Shows what was said last, before memory is open."""

    def __init__(self) -> None:
        self._entries: list[Entry] = []

    @property
    def waiting(self) -> bool:
        """Whether it stands there as it was typed."""
        return bool(self._entries)

    def show(self, start: Start, transcript: Transcript, status: StatusLine) -> None:
        """Shows it as it was typed, and which session it is, if there is any."""
        if not (start.glimpse.data / FILE_NAME).exists():
            return
        from app.screens.recorded import entries_of
        from memory.storage.glance import glance

        seen = glance(start.glimpse.data, start.wish)
        if seen is None:
            return
        now = datetime.now(UTC)
        self._entries = entries_of(seen.recorded, seen.texts, now, ended=True)
        transcript.show(self._entries, quick=True)
        name = session_name(seen.title, seen.session_id, now)
        status.show(replace(status.view, session=name, agent=seen.agent))

    async def format(self, transcript: Transcript) -> None:
        """Shows it as Markdown."""
        if self.waiting:
            await asyncio.to_thread(import_module, "widgets.markdown.render")
            transcript.show(self._entries)
            self._entries = []


def load(start: Start) -> "Settings":
    """Reads the configuration, and the modules that a conversation needs.

    Raises:
        ConfigError: It can't be used.
    """
    from app.logs import start_logging
    from app.telemetry.beginning import begin

    usual = sys.getswitchinterval()
    sys.setswitchinterval(QUICK_SWITCH_SECONDS)
    try:
        settings = start.load()
        import_module("app.screens.beside")
        import_module("app.screens.sitting")
    finally:
        sys.setswitchinterval(usual)
    start_logging(settings.paths.log, settings.privacy)
    begin(settings.paths.log)
    return settings
