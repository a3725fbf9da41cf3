"""ALL-4: what memory does as spans of OpenTelemetry, where its variables ask for them."""

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.support.misbehaving_server import closed_port
from tests.support.otlp_collector import Collector, collector
from tests.support.program import ROOT, Program, conversation

SECRET = "Quibblefrock"
QUESTION = f"Where does {SECRET} keep the blue boat of Bergen?"
ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
PATIENT = {"OTEL_BSP_EXPORT_TIMEOUT": "100000"}
"""The last spans arrive on a busy machine as well."""


@pytest.fixture
def taking() -> Iterator[Collector]:
    with collector() as server:
        yield server


def complaints(program: Program) -> list[str]:
    file = program.data / "log" / "strata.log"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line for line in lines if "traces" in line]


def test_a_turn_is_one_trace_without_a_word_of_it(served: Program, taking: Collector) -> None:
    """ALL-4, RECALL-7: turn, search, prompt, answer in one tree; headers go along; no text does."""
    ran = served.works(
        "ask",
        QUESTION,
        "--session",
        "boats",
        **{
            ENDPOINT: taking.address,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=k123,Langsmith-Project=boats",
            "OTEL_SERVICE_NAME": "my chat",
            **PATIENT,
            "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment=test",
        },
    )
    assert ran.err == ""
    (turn,) = taking.named("chat.turn")
    (prompt,) = taking.named("memory.prompt")
    (recollect,) = taking.named("memory.recollect")
    (search,) = taking.named("memory.recall.search")
    (add,) = taking.named("memory.add")
    (asked,) = taking.named("chat openai/words-6-0")
    assert search.is_in(recollect)
    assert recollect.is_in(prompt)
    assert all(span.is_in(turn) for span in (prompt, add, asked, *taking.named("memory.answer")))
    assert turn.parent == b""
    session = turn.attributes["session.id"]
    assert session.split(":")[1] == "default"
    assert asked.attributes["gen_ai.conversation.id"] == session
    assert asked.attributes["gen_ai.usage.input_tokens"] == 100
    assert asked.attributes["gen_ai.usage.output_tokens"] == 20
    assert asked.attributes["gen_ai.operation.name"] == "chat"
    assert add.attributes["strata.characters"] == len(QUESTION)
    assert prompt.attributes["strata.tokens"] > 0
    for name in ("memory.open", "memory.prepare", "memory.request_ended", "memory.close"):
        assert taking.named(name), name
    assert taking.makers == {"strata"}  # and of no library, of which the backend loads several
    resource = taking.resources[0]
    assert resource["service.name"] == "my chat"
    assert resource["deployment.environment"] == "test"
    assert not [name for name in resource if name.startswith(("process.", "host."))]
    assert taking.headers[0]["x-api-key"] == "k123"
    assert taking.headers[0]["langsmith-project"] == "boats"
    for said in (SECRET, "Bergen", "a1-w0", ran.out.strip(), str(served.data), "boats"):
        assert not any(said.encode() in body for body in taking.bodies), said
    assert complaints(served) == []


def test_nothing_without_being_asked(served: Program, taking: Collector) -> None:
    """ALL-3, ALL-4: without a variable, with `none`, or switched off, nothing is sent."""
    for environment in (
        {},
        {ENDPOINT: taking.address, "OTEL_TRACES_EXPORTER": "none"},
        {ENDPOINT: taking.address, "OTEL_SDK_DISABLED": "true"},
        {"OTEL_SERVICE_NAME": "alone"},
    ):
        served.works("ask", "@goal Find a flat.", **environment)
    assert taking.headers == []


def test_nothing_is_loaded_without_being_asked(program: Program) -> None:
    """ALL-7: neither the SDK nor the API is there after a whole command."""
    code = (
        "import sys; from app.cli import main; assert main(sys.argv[1:]) == 0; "
        "sys.exit(any(name.startswith('opentelemetry') for name in sys.modules))"
    )
    given = program.command("ask", "@goal Find a flat.")[4:]
    ran = program.run(command=[sys.executable, "-P", "-c", code, *given])
    assert ran.status == 0, ran


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({}, "500"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:{closed}/v1/traces"}, "Error"),
        (
            {
                "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
                ENDPOINT: "http://127.0.0.1:{closed}",
            },
            "UNAVAILABLE",
        ),
    ],
    ids=["refusing", "dead", "dead grpc"],
)
def test_nobody_who_takes_them(program: Program, environment: dict[str, str], told: str) -> None:
    """ALL-2, ALL-4: the command does what it should, ends, and the log file says so once."""
    with collector(500) as refusing:
        given = {ENDPOINT: refusing.address, **environment}
        given = {name: value.format(closed=closed_port()) for name, value in given.items()}
        given |= PATIENT
        ran = program.works("ask", "@goal Find a flat.", **given)
    assert ran.err == ""
    assert "Find a flat." in program.works("ask", "@goal").out
    (line,) = complaints(program)
    assert told in line
    assert "127.0.0.1" in line


def test_a_collector_that_says_nothing(program: Program) -> None:
    """ALL-2: leaving waits for it briefly; it would hold the connection for ten seconds."""
    with collector(silent=True) as silent:
        ran = program.works("ask", "@goal Find a flat.", **{ENDPOINT: silent.address})
        assert ran.err == ""
        assert silent.headers == []  # it has not answered, and the program has ended
    (line,) = complaints(program)
    assert "did not take the last ones in time" in line


def test_console_is_a_file(served: Program) -> None:
    """ALL-4, CHAT-8: standard output is the answer's alone."""
    ran = served.works("ask", QUESTION, OTEL_TRACES_EXPORTER="console", **PATIENT)
    assert ran.out.endswith("w5 \n")
    assert ran.err == ""
    text = (served.data / "log" / "traces.jsonl").read_text(encoding="utf-8")
    names = [json.loads(line)["name"] for line in text.splitlines()]
    assert {"memory.open", "memory.add", "memory.prompt"} <= set(names)
    assert SECRET not in text


def test_what_can_not_be_done_is_told(program: Program) -> None:
    """ALL-2: an exporter or a protocol that is not here costs the traces, never the command."""
    program.works(
        "ask",
        "@goal Find a flat.",
        **{ENDPOINT: "http://127.0.0.1:1", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/json"},
    )
    (line,) = complaints(program)
    assert "'http/json'" in line


def test_doctor_names_the_host_alone(program: Program) -> None:
    """ALL-5: whether traces leave, and to whom; nothing of a key."""
    key = "k1234567"
    ran = program.run(
        "doctor",
        "--json",
        **{
            ENDPOINT: f"https://user:{key}@collector.example:4318/{key}",
            "OTEL_EXPORTER_OTLP_HEADERS": f"x-api-key={key}",
        },
    )
    (check,) = [check for check in ran.document["checks"] if check["group"] == "Traces"]
    assert check["state"] == "ok"
    assert "collector.example:4318 by http/protobuf" in check["sentence"]
    assert key not in ran.out


def test_the_library_exports_as_well(program: Program, taking: Collector) -> None:
    """ALL-4: where the host sets up nothing and the variables ask, spans are sent."""
    code = (
        "import asyncio, sys; from memory import Memory\n"
        "from importlib import metadata\n"
        "point = metadata.EntryPoint('export', 'app.telemetry.beginning:begin', 'strata.tracing')\n"
        "metadata.entry_points = lambda group: [point]\n"
        "async def main():\n"
        "    async with Memory.open(sys.argv[1]) as memory:\n"
        "        await memory.add('user', 'Quibblefrock')\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(program.data)],
        env=program.clean_environment(
            {ENDPOINT: taking.address, "PYTHONPATH": str(ROOT), **PATIENT}
        ),
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stderr == b""
    assert {"memory.open", "memory.add", "memory.close"} <= {span.name for span in taking.spans}
    assert not any(b"Quibblefrock" in body for body in taking.bodies)


def test_the_provider_of_the_host_takes_them(program: Program) -> None:
    """ALL-4: a program that has set up OpenTelemetry itself gets the spans, below its own."""
    code = (
        "import asyncio, sys; from memory import Memory\n"
        "from opentelemetry import trace; from opentelemetry.sdk.trace import TracerProvider\n"
        "from opentelemetry.sdk.trace.export import SimpleSpanProcessor\n"
        "from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter\n"
        "kept = InMemorySpanExporter(); provider = TracerProvider()\n"
        "provider.add_span_processor(SimpleSpanProcessor(kept))\n"
        "trace.set_tracer_provider(provider)\n"
        "async def main():\n"
        "    async with Memory.open(sys.argv[1]) as memory:\n"
        "        with trace.get_tracer('host').start_as_current_span('host') as span:\n"
        "            await memory.add('user', 'a')\n"
        "            return span.get_span_context().span_id\n"
        "host = asyncio.run(main())\n"
        "(add,) = [s for s in kept.get_finished_spans() if s.name == 'memory.add']\n"
        "assert add.parent.span_id == host\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(program.data)],
        env=program.clean_environment({"PYTHONPATH": str(ROOT)}),
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_replay_is_traced_and_writes_nothing(program: Program, taking: Collector) -> None:
    """LAB-1, ALL-4: its compactions can be followed; the data directory stays as it is."""
    file = program.home / "talk.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in conversation(40)))
    options = ("--window", "8", "--recent", "8", "--json")
    given = {ENDPOINT: taking.address, "OTEL_TRACES_EXPORTER": "otlp,console", **PATIENT}
    ran = program.works("replay", str(file), *options, **given)
    assert len(ran.document["turns"]) == 40
    assert len(taking.named("memory.compact.fold")) >= len(ran.document["compactions"]) > 0
    assert not program.data.exists()
