"""What OpenTelemetry's standard variables ask for. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

DISABLED = "OTEL_SDK_DISABLED"
EXPORTER = "OTEL_TRACES_EXPORTER"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
HTTP, GRPC = "http/protobuf", "grpc"
USUAL = {HTTP: "http://localhost:4318", GRPC: "http://localhost:4317"}
"""Where each protocol goes where no endpoint is given."""
OTLP, CONSOLE, NONE = "otlp", "console", "none"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which exports are asked for."""

    otlp: bool = False
    console: bool = False
    protocol: str = HTTP
    host: str = ""
    """Where OTLP goes, with the port where it is given; nothing else of the address."""
    problems: tuple[str, ...] = ()
    """What is asked for and can't be done."""

    @property
    def any(self) -> bool:
        """Whether anything is exported."""
        return self.otlp or self.console


def wanted(environment: Mapping[str, str]) -> Wanted:
    """What is asked for by variables; empty ones say nothing.

    An endpoint alone asks for OTLP, by HTTP unless a protocol is named, as the specification
    recommends.
    """
    if _given(environment, DISABLED).lower() == "true":
        return Wanted()
    endpoint = next(filter(None, (_given(environment, name) for name in ENDPOINTS)), "")
    named = _given(environment, EXPORTER) or (OTLP if endpoint else NONE)
    names = {name.strip().lower() for name in named.split(",")} - {""}
    if NONE in names:
        return Wanted()
    problems = [
        f"{EXPORTER} names {name!r}, which is neither otlp nor console."
        for name in sorted(names - {OTLP, CONSOLE})
    ]
    protocol = next(filter(None, (_given(environment, name) for name in PROTOCOLS)), HTTP).lower()
    otlp, host = OTLP in names, ""
    if otlp and protocol not in USUAL:
        problems.append(f"The protocol {protocol[:40]!r} is neither {HTTP} nor {GRPC}.")
        otlp = False
    if otlp:
        host = _host(endpoint or USUAL[protocol])
        if not host:
            problems.append("The endpoint of OTLP names no host.")
            otlp = False
    return Wanted(otlp, CONSOLE in names, protocol, host, tuple(problems))


def _given(environment: Mapping[str, str], name: str) -> str:
    return environment.get(name, "").strip()


def _host(endpoint: str) -> str:
    try:
        parts = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}")
        port = parts.port
    except ValueError:
        return ""
    return f"{parts.hostname or ''}:{port}" if port and parts.hostname else parts.hostname or ""
