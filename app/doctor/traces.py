"""Whether what memory does is traced, and where to; nothing of keys or paths."""

from collections.abc import Mapping

from app.doctor.check import Check, note, ok
from app.telemetry.wanted import wanted
from widgets.plain import one_line

NEXT = "Set OpenTelemetry's variables as the README says under Traces."


def trace_checks(environment: Mapping[str, str]) -> list[Check]:
    """What OpenTelemetry's variables ask for.

    Args:
        environment: The environment variables.
    """
    asked = wanted(environment)
    notes = [note("export", one_line(problem), NEXT) for problem in asked.problems]
    told = []
    if asked.otlp:
        told.append(f"Traces without any text go to {one_line(asked.host)} by {asked.protocol}.")
    if asked.console:
        told.append("Traces are written to traces.jsonl beside the log file.")
    if told:
        return [ok("export", " ".join(told)), *notes]
    return notes or [ok("export", "No traces are sent: no variable asks for it.")]
