"""The export of spans: what OpenTelemetry is told, and how it ends."""

import logging
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from logging.handlers import RotatingFileHandler
from pathlib import Path
from threading import Event, Thread
from typing import IO, cast

from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.version import __version__ as sdk_version

from app.telemetry.wanted import HTTP, Wanted
from app.telemetry.watching import TroubleLog, Watched
from memory.otel_tracer import OtelTracer
from memory.storage.folders import make_own

SCOPE = "strata"
SERVICE = "strata"
FILE_NAME = "traces.jsonl"
LARGEST, KEPT = 2_000_000, 3
LONGEST_END_S = 2.0
"""Whoever leaves waits so long for the last spans, and not at all where nobody takes any."""
END_VARIABLE = "OTEL_BSP_EXPORT_TIMEOUT"
"""Milliseconds that an export may take; who sets it waits so long, as the SDK does for nobody."""
LOOK_S = 0.02
OTEL_LOGGER = "opentelemetry"


class Export:
    """Spans on their way to where the standard variables say.

    Args:
        wanted: What is asked for.
        log: The folder of log files, which then get all that OpenTelemetry says.
        silent: Without one it says nothing, and nothing goes to the console.

    Raises:
        Exception: A variable says what OpenTelemetry does not take.
    """

    def __init__(self, wanted: Wanted, log: Path | None, *, silent: bool = False) -> None:
        self._failing = Event()
        self._trouble = TroubleLog(wanted.host, self._failing)
        if log is not None or silent:
            _keep_from_screen(self._trouble)
        self._provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        if wanted.otlp:
            exporter = Watched(_otlp(wanted.protocol), self._failing)
            self._provider.add_span_processor(BatchSpanProcessor(exporter))
        if wanted.console and not (log is None and silent):
            self._provider.add_span_processor(BatchSpanProcessor(_console(log)))
        self.tracer = OtelTracer(self._provider.get_tracer(SCOPE, _version()))

    def end(self) -> None:
        """Sends what is left, unless nobody takes it, in two seconds or what the variable says."""
        closing = Thread(target=self._provider.shutdown, name="strata traces", daemon=True)
        closing.start()
        for _ in range(int(_longest_end() / LOOK_S)):
            closing.join(LOOK_S)
            if not closing.is_alive() or self._failing.is_set():
                return
        self._trouble.tell("they did not take the last ones in time")


class _Lines:
    """Standard output for spans, which is a log file.

    Args:
        folder: Where the file is.
    """

    def __init__(self, folder: Path) -> None:
        make_own(folder)
        self._file = RotatingFileHandler(
            folder / FILE_NAME, maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", delay=True
        )

    def write(self, line: str) -> int:
        """Takes a span."""
        self._file.emit(logging.makeLogRecord({"msg": line}))
        return len(line)

    def flush(self) -> None:
        """Writes what is left."""
        self._file.flush()


def _otlp(protocol: str) -> SpanExporter:
    if protocol == HTTP:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        return OTLPSpanExporter()
    # It would write on the screen by itself.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import (
        OTLPSpanExporter as GrpcSpanExporter,
    )

    return GrpcSpanExporter()


def _console(log: Path | None) -> SpanExporter:
    out = sys.stdout if log is None else cast(IO[str], _Lines(log))
    return ConsoleSpanExporter(out=out, formatter=lambda span: span.to_json(indent=None))


def _resource() -> Resource:
    """What is told of this program: nothing but what the variables say.

    OpenTelemetry's detectors of processes would tell the command line, which may be a question.
    """
    own = {
        "service.name": SERVICE,
        "service.version": _version(),
        "telemetry.sdk.language": "python",
        "telemetry.sdk.name": "opentelemetry",
        "telemetry.sdk.version": sdk_version,
    }
    return Resource(own).merge(OTELResourceDetector().detect())


def _version() -> str:
    try:
        return version("strata-chat")
    except PackageNotFoundError:
        return "checkout"


def _longest_end() -> float:
    given = os.environ.get(END_VARIABLE, "")
    return int(given) / 1000 if given.isdecimal() else LONGEST_END_S


def _keep_from_screen(trouble: logging.Handler) -> None:
    """Has what OpenTelemetry says go to the log file alone, shortly and once."""
    logger = logging.getLogger(OTEL_LOGGER)
    logger.handlers = [trouble]
    logger.propagate = False
