"""The local log file (ALL-4)."""

import logging
import logging.handlers
from pathlib import Path

FILE_NAME = "strata.log"
LARGEST = 2_000_000
KEPT = 3
FORMAT = "%(asctime)s %(levelname)s %(name)s [%(process)d] %(message)s"


def start_logging(folder: Path) -> None:
    """Writes what Strata logs to a file below `folder`, 2 MB at most and three before it kept.

    A folder that can't be written costs the log, never the program: the data directory is
    checked where it matters.
    """
    logger = logging.getLogger("strata")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = logging.handlers.RotatingFileHandler(
            folder / FILE_NAME, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter(FORMAT))
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logging.raiseExceptions = False
