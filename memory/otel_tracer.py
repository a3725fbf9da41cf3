"""Spans as OpenTelemetry's; loaded only where spans are taken."""

import asyncio
import time
from contextvars import Context, copy_context

from opentelemetry import context, trace
from opentelemetry.trace import SpanKind, Status, StatusCode

from memory.telemetry import Attributes

LONGEST = 200
"""Characters of a name: sessions and models are called what somebody calls them."""
CANCELLED = "strata.cancelled"
ERROR = "error.type"


class OtelSpan:
    """One operation, as a span of OpenTelemetry.

    Args:
        span: The span.
    """

    __slots__ = ("_span", "_token")

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def enter(self) -> None:
        """What begins from here on in this task is a part of it."""
        self._token = context.attach(trace.set_span_in_context(self._span))

    def leave(self) -> None:
        """Ends what `enter` began."""
        context.detach(self._token)

    def tell(self, attributes: Attributes) -> None:
        """Adds what is known by now."""
        self._span.set_attributes(_short(attributes))

    def end(self, error: BaseException | None) -> None:
        """Ends it; of an error only its kind is told, since its words may quote the user."""
        if isinstance(error, asyncio.CancelledError | GeneratorExit):
            self._span.set_attribute(CANCELLED, value=True)
        elif error is not None:
            kind = type(error).__name__
            self._span.set_attribute(ERROR, kind)
            self._span.set_status(Status(StatusCode.ERROR, kind))
        self._span.end()


class OtelTracer:
    """Makes spans with a tracer of OpenTelemetry.

    Args:
        tracer: The tracer.
    """

    def __init__(self, tracer: trace.Tracer) -> None:
        self._tracer = tracer

    def begin(self, name: str, attributes: Attributes, *, asks: bool = False) -> OtelSpan:
        """Begins a span below the one that is entered."""
        kind = SpanKind.CLIENT if asks else SpanKind.INTERNAL
        return OtelSpan(
            self._tracer.start_span(name[:LONGEST], kind=kind, attributes=_short(attributes))
        )

    def past(self, name: str, seconds: float, attributes: Attributes) -> None:
        """A span that has just ended, after so many seconds."""
        now = time.time_ns()
        span = self._tracer.start_span(
            name[:LONGEST],
            kind=SpanKind.CLIENT,
            attributes=_short(attributes),
            start_time=now - int(seconds * 1e9),
        )
        if ERROR in attributes:
            span.set_status(Status(StatusCode.ERROR, str(attributes[ERROR])))
        span.end(now)

    def apart(self) -> Context:
        """A context like the present one in which no span is entered."""
        found = copy_context()
        found.run(context.attach, context.Context())
        return found


def host_tracer(name: str) -> OtelTracer | None:
    """A tracer of the provider that this program has set up; None where it has none."""
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        return None
    return OtelTracer(trace.get_tracer(name))


def _short(attributes: Attributes) -> dict[str, str | int | float | bool]:
    return {
        name: value[:LONGEST] if isinstance(value, str) else value
        for name, value in attributes.items()
    }
