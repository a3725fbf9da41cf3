"""Whom a program that uses this library lets take spans."""

import asyncio
import os
import sys

from memory import telemetry

SCOPE = "strata.memory"
GROUP = "strata.tracing"
"""The group of entry points whose one begins an export by the standard variables."""
ASKING = (
    "OTEL_TRACES_EXPORTER",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
)


async def follow() -> None:
    """Has spans go to the tracer provider of this program, where it has set one up.

    Where it has none and the standard variables ask for an export, that begins. Neither costs
    anything where nobody asks: what was not imported can't have been set up.
    """
    if telemetry.is_on():
        return
    if "opentelemetry.trace" in sys.modules:
        from memory.otel_tracer import host_tracer

        telemetry.use(host_tracer(SCOPE))
    if not telemetry.is_on() and any(os.environ.get(name) for name in ASKING):
        await asyncio.to_thread(_export)


def _export() -> None:
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        entry.load()()
