"""The backend's log: what happened and where, never what was said.

Messages of libraries can hold prompts, answers and keys. Of their records only the place and the
kind of error are kept; the text of a record is written only when it is our own.
"""

from __future__ import annotations

import logging
import traceback
import warnings

from memory.privacy import Door

LOGGER = logging.getLogger("strata.backend")
_DOOR = Door()


class SafeFormatter(logging.Formatter):
    """Writes one line a record, with no text of foreign records and no values of exceptions."""

    def format(self, record: logging.LogRecord) -> str:
        """Returns the line."""
        head = f"{self.formatTime(record)} {record.levelname} {record.name}"
        ours = record.name.startswith(LOGGER.name)
        text = record.getMessage() if ours else f"{record.module}:{record.lineno}"
        error = record.exc_info[1] if record.exc_info else None
        return _DOOR.clean(f"{head} {text}{_places(error)}").text


def set_up_logging() -> None:
    """Sends warnings of everybody and our own notes to standard error, which is the log file."""
    handler = logging.StreamHandler()
    handler.setFormatter(SafeFormatter())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    LOGGER.setLevel(logging.INFO)
    # pydantic's warnings quote the values they are about.
    warnings.simplefilter("ignore")


def tame_library_loggers() -> None:
    """Takes the handlers that litellm installed with its import off its loggers."""
    for name in list(logging.root.manager.loggerDict):
        if name.lower().startswith(("litellm", "openai", "httpx", "httpcore")):
            logger = logging.getLogger(name)
            logger.handlers.clear()
            logger.propagate = True
            logger.setLevel(logging.WARNING)


def _places(error: BaseException | None) -> str:
    if error is None:
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{f.name}:{f.lineno}" for f in reversed(frames))
    return f" {type(error).__name__} at {places}"
