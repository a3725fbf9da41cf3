"""The local log file (ALL-4)."""

import logging
import logging.handlers
from pathlib import Path

from memory.config import PrivacyConfig
from memory.privacy import Door
from memory.storage.folders import make_own

FILE_NAME = "strata.log"
LARGEST = 2_000_000
KEPT = 3
FORMAT = "%(asctime)s %(levelname)s %(name)s [%(process)d] %(message)s"


class CleanFormatter(logging.Formatter):
    """Has every line pass the door: errors may quote what was said.

    Args:
        door: What the lines pass.
    """

    def __init__(self, door: Door) -> None:
        super().__init__(FORMAT)
        self._door = door

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line, with its traceback."""
        return self._door.clean(super().format(record)).text


def start_logging(folder: Path, privacy: PrivacyConfig) -> None:
    """Writes what Strata logs to a file below `folder`, 2 MB at most and three before it kept.

    Args:
        folder: The folder of the log file.
        privacy: What is never written to it.

    A folder that can't be written costs the log, never the program: the data directory is
    checked where it matters.
    """
    logger = logging.getLogger("strata")
    try:
        make_own(folder)
        handler: logging.Handler = logging.handlers.RotatingFileHandler(
            folder / FILE_NAME, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(CleanFormatter(Door.of(privacy)))
    for known in _writing_to(folder / FILE_NAME):
        logger.removeHandler(known)
        known.close()
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logging.raiseExceptions = False


def _writing_to(file: Path) -> list[logging.FileHandler]:
    """The handlers that write to a file already."""
    handlers = logging.getLogger("strata").handlers
    return [
        handler
        for handler in handlers
        if isinstance(handler, logging.FileHandler) and handler.baseFilename == str(file.absolute())
    ]
