"""Begins and ends the export of spans; loads OpenTelemetry only where it is asked for."""

import atexit
import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING

from app.telemetry.wanted import wanted
from memory import telemetry

if TYPE_CHECKING:
    from app.telemetry.export import Export

LOGGER = logging.getLogger("strata.traces")


class _Running:
    begun = False
    export: "Export | None" = None


def begin(log: Path | None = None, *, silent: bool = False) -> None:
    """Begins to export, where the standard variables ask for it; once a process.

    What is wrong is told in the log file: the program goes on without traces.

    Args:
        log: The folder of log files, which then get all that OpenTelemetry says, and what is
            to go to the console. Without it both go where the program around lets them.
        silent: Without a log file neither is written anywhere.
    """
    if _Running.begun:
        return
    _Running.begun = True
    asked = wanted(os.environ)
    for problem in asked.problems:
        LOGGER.warning("no traces: %s", problem)
    if not asked.any:
        return
    try:
        from app.telemetry.export import Export

        _Running.export = Export(asked, log, silent=silent)
    except Exception as error:  # noqa: BLE001 - whatever a variable says, the program goes on
        LOGGER.warning("no traces: OpenTelemetry refused (%s)", type(error).__name__)
        return
    telemetry.use(_Running.export.tracer)
    atexit.register(end)


def end() -> None:
    """Ends the export; what is still to be sent is waited for briefly."""
    export, _Running.export = _Running.export, None
    _Running.begun = False
    if export is not None:
        telemetry.use(None)
        export.end()
