"""ALL-4, ALL-5: what OpenTelemetry's variables ask for, and what the doctor tells of it."""

import pytest

from app.doctor.traces import trace_checks
from app.telemetry.wanted import GRPC, HTTP, Wanted, wanted

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
TRACES_ENDPOINT = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
EXPORTER = "OTEL_TRACES_EXPORTER"
PROTOCOL = "OTEL_EXPORTER_OTLP_PROTOCOL"
TRACES_PROTOCOL = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"


@pytest.mark.parametrize(
    ("environment", "asked"),
    [
        ({}, Wanted()),
        ({ENDPOINT: " "}, Wanted()),
        ({"OTEL_SERVICE_NAME": "a", PROTOCOL: GRPC}, Wanted()),
        ({ENDPOINT: "http://a:1", EXPORTER: "none"}, Wanted()),
        ({ENDPOINT: "http://a:1", EXPORTER: "otlp,none"}, Wanted()),
        ({ENDPOINT: "http://a:1", "OTEL_SDK_DISABLED": "True"}, Wanted()),
        ({ENDPOINT: "http://a:1"}, Wanted(otlp=True, host="a:1")),
        ({ENDPOINT: "http://a", TRACES_ENDPOINT: "http://b/x"}, Wanted(otlp=True, host="b")),
        ({EXPORTER: "otlp"}, Wanted(otlp=True, host="localhost:4318")),
        ({EXPORTER: "otlp", PROTOCOL: GRPC}, Wanted(True, False, GRPC, "localhost:4317")),
        ({ENDPOINT: "a:4317", PROTOCOL: GRPC}, Wanted(True, False, GRPC, "a:4317")),
        (
            {ENDPOINT: "http://a", PROTOCOL: GRPC, TRACES_PROTOCOL: HTTP},
            Wanted(otlp=True, host="a"),
        ),
        ({EXPORTER: "console"}, Wanted(console=True)),
        ({EXPORTER: "Console, otlp"}, Wanted(True, True, host="localhost:4318")),
    ],
)
def test_what_is_asked_for(environment: dict[str, str], asked: Wanted) -> None:
    """ALL-4: the standard variables mean what the specification says."""
    assert wanted(environment) == asked


@pytest.mark.parametrize(
    "environment",
    [
        {EXPORTER: "zipkin"},
        {ENDPOINT: "http://a", PROTOCOL: "http/json"},
        {ENDPOINT: "http://:4318"},
        {ENDPOINT: "http://a:wrong"},
    ],
)
def test_what_can_not_be_done(environment: dict[str, str]) -> None:
    """ALL-2, ALL-5: nothing is sent, and the doctor says why and what to do."""
    asked = wanted(environment)
    assert not asked.any
    assert len(asked.problems) == 1
    (check,) = trace_checks(environment)
    assert (check.state, check.sentence) == ("note", asked.problems[0])
    assert check.next_step


def test_the_doctor_tells_where_to() -> None:
    """ALL-5: or that nothing is sent."""
    assert trace_checks({})[0].sentence.startswith("No traces are sent")
    (check,) = trace_checks({EXPORTER: "otlp,console"})
    assert check.state == "ok"
    assert "localhost:4318 by http/protobuf" in check.sentence
    assert "traces.jsonl" in check.sentence
