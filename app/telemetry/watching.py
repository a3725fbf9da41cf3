"""Whether anybody takes the spans: told once in the log file, and known where the program ends."""

import logging
from collections.abc import Sequence
from enum import Enum
from threading import Event

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

LOGGER = logging.getLogger("strata.traces")
EXPORTERS = "opentelemetry.exporter"


class Watched(SpanExporter):
    """An exporter that is seen to succeed.

    Args:
        exporter: It sends.
        failing: Is set while nobody takes what is sent.
    """

    def __init__(self, exporter: SpanExporter, failing: Event) -> None:
        self._exporter = exporter
        self._failing = failing

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Sends spans."""
        result = self._exporter.export(spans)
        if result is SpanExportResult.SUCCESS:
            self._failing.clear()
        else:
            self._failing.set()
        return result

    def shutdown(self) -> None:
        """Ends it."""
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        """Sends what it holds back."""
        return self._exporter.force_flush(timeout_millis)


class TroubleLog(logging.Handler):
    """Takes what OpenTelemetry complains of; the first complaint goes to the log file.

    An exporter complains of each try, long before it gives up.

    Args:
        host: Where spans go.
        failing: Is set once an exporter complains.
    """

    def __init__(self, host: str, failing: Event) -> None:
        super().__init__(logging.WARNING)
        self._host = host
        self._failing = failing
        self._told = False

    def emit(self, record: logging.LogRecord) -> None:
        """Takes a complaint; of its words only those that name no address."""
        if record.name.startswith(EXPORTERS):
            self._failing.set()
        self.tell(" ".join(_words(record)) or "no reason was given")

    def tell(self, why: str) -> None:
        """Tells once that spans are lost."""
        if not self._told:
            self._told = True
            LOGGER.warning("traces are not taken at %s: %s", self._host or "the console", why)


def _words(record: logging.LogRecord) -> list[str]:
    """What a complaint is about: status, reason, kind of error; addresses may hold a key."""
    found: list[str] = []
    for given in record.args if isinstance(record.args, tuple) else ():
        if isinstance(given, BaseException):
            found.append(type(given).__name__)
        elif isinstance(given, Enum):
            found.append(given.name)
        elif isinstance(given, int) or (
            isinstance(given, str) and given.replace(" ", "").isalpha()
        ):
            found.append(str(given))
    return found
