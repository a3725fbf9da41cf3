"""ALL-4: operations of memory as spans: which, below what, and what they never tell."""

import asyncio
import inspect
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from memory import telemetry
from memory.agents import AgentBook
from memory.answer import NewMessage
from memory.branching import Branches
from memory.config import MemoryConfig
from memory.content_store import Content
from memory.errors import StrataError
from memory.events import RequestEnded
from memory.execution import Execution
from memory.fact_keeping import FactKeeping
from memory.forgetting import Forgetting
from memory.goals import Goals
from memory.importing import Importing
from memory.memory import Memory
from memory.notebook import Notebook
from memory.otel_tracer import OtelTracer
from memory.parts import Role, Usage
from memory.pinning import Pinning
from memory.preferences import Preferences
from memory.protocols import Completion
from memory.rewriting import Rewriting
from memory.tasks import Tasks
from tests.memory.doubles import ScriptedModel

STRESS = MemoryConfig.from_values({"profile": "stress"})
SECRET = "Quibblefrock"
READ_WITHOUT = {
    "Memory": {
        "attach",  # hand_in is
        "compact",  # the compaction is
        "compactions",
        "helper_of",
        "helpers",
        "log",
        "messages",
        "refresh",
        "settled",
        "texts",
        "token_counts",
        "use_files",  # is looked at every few seconds; what it records is one
        "wind_up",
        "ended",  # a span of the answer, and one of recording it
    },
    "Content": {"item", "items"},
    "Execution": {"ran"},
    "FactKeeping": {"refresh"},
    "Forgetting": {"begin", "leave", "stop"},
    "Importing": {"look"},
    "Preferences": {"known", "see", "used"},
    "Rewriting": {"keep", "kept", "versions"},
    "Branches": {"asked_before", "assert_own", "list"},
    "AgentBook": {"find", "known", "list"},
}
"""What only reads for a screen, waits, or is an operation under another name."""


class Kept:
    """The spans that have ended."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    @property
    def all(self) -> Sequence[ReadableSpan]:
        """All of them, in the order they ended."""
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of a name."""
        return [span for span in self.all if span.name == name]

    def above(self, span: ReadableSpan) -> list[str]:
        """The names of the operations that it is a part of, the nearest first."""
        by_id = {one.context.span_id: one for one in self.all if one.context is not None}
        names = []
        while span.parent is not None:
            span = by_id[span.parent.span_id]
            names.append(span.name)
        return names


@pytest.fixture
def kept() -> Iterator[Kept]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    telemetry.use(OtelTracer(provider.get_tracer("test")))
    yield Kept(exporter)
    telemetry.use(None)


def told(span: ReadableSpan) -> dict[str, Any]:
    return dict(span.attributes or {})


async def talk(memory: Memory, count: int = 20) -> None:
    for number in range(count):
        role: Role = "assistant" if number % 2 else "user"
        await memory.add(role, f"{SECRET} {number} sailed Anna{number}'s boat to Bergen on 12 May.")
        await memory.settled()


async def test_a_compaction_and_its_parts(tmp_path: Path, kept: Kept) -> None:
    """ALL-4: summaries and what they ask are parts of it; it is no part of what made it due."""
    model = ScriptedModel([Completion("Lisbon it is.", input_tokens=7, output_tokens=3)])
    async with Memory.open(tmp_path, "a", config=STRESS, model=model) as memory:
        await talk(memory)
    asked = next(s for s in kept.named("chat scripted") if "memory.compact" in kept.above(s))
    assert kept.above(asked) == [
        "memory.summarise.short_term",
        "memory.compact.fold",
        "memory.compact",
    ]
    assert told(asked)["gen_ai.usage.input_tokens"] == 7
    assert told(asked)["gen_ai.request.model"] == "scripted"
    compact = told(kept.named("memory.compact")[0])
    assert compact["strata.trigger"] == "count"
    assert compact["strata.tokens_before"] > compact["strata.tokens_after"]
    assert compact["strata.freed.auto"] > 0
    loss = told(kept.named("memory.loss_report")[0])
    assert loss["strata.items"] == sum(loss[f"strata.{k}"] for k in ("kept", "retrievable", "lost"))
    for name in ("memory.loss_report", "memory.vault", "memory.fact.extract"):
        assert kept.above(kept.named(name)[0]) == [], name


async def test_the_stages_by_rule(tmp_path: Path, kept: Kept) -> None:
    """ALL-4: each stage that ran is a part of the edit."""
    config = MemoryConfig(context_window=4_000)
    async with Memory.open(tmp_path, "a", config=config) as memory:
        for number in range(12):
            await memory.add("user", f"Look at {number}.")
            calls = [
                {
                    "id": f"c{number}",
                    "type": "function",
                    "function": {"name": "x", "arguments": "{}"},
                }
            ]
            await memory.add("assistant", "", tool_calls=calls)
            await memory.add("tool", f"{SECRET} " * 300, tool_call_id=f"c{number}")
            await memory.settled()
    stages = [
        span for span in kept.all if span.name in ("memory.compact.snip", "memory.compact.micro")
    ]
    assert stages
    assert {kept.above(stage)[-1] for stage in stages} <= {"memory.compact", "memory.prompt"}


async def test_two_sessions_at_once(tmp_path: Path, kept: Kept) -> None:
    """ALL-4: what runs side by side stays in its own tree."""

    async def turns(memory: Memory) -> None:
        for number in range(5):
            await memory.add("user", f"What of {number}?")
            await memory.prompt()

    async with Memory.open(tmp_path, "a") as one, Memory.open(tmp_path, "b") as other:
        await asyncio.gather(turns(one), turns(other), one.prompt("x"), other.goals.set("y"))
    by_id = {span.context.span_id: span for span in kept.all if span.context is not None}
    parts = [span for span in kept.all if span.parent is not None and "session.id" in told(span)]
    assert parts
    for span in parts:
        assert span.parent is not None
        assert told(by_id[span.parent.span_id])["session.id"] == told(span)["session.id"]
    assert {told(span)["session.id"] for span in kept.named("memory.prompt")} == {
        one.info.id,
        other.info.id,
    }


async def test_an_error_by_its_kind(tmp_path: Path, kept: Kept) -> None:
    """ALL-4, RECALL-7: its words may quote what was said."""
    async with Memory.open(tmp_path, "a") as memory:
        with pytest.raises(StrataError):
            await memory.tasks.start(SECRET)
    (span,) = kept.named("memory.task.start")
    assert span.status.description == told(span)["error.type"] == "WorkError"
    assert not span.events
    assert SECRET not in span.to_json()


async def test_no_text_in_any_span(tmp_path: Path, kept: Kept) -> None:
    """RECALL-7: whatever is said, named or found, no word of it leaves with a span."""
    model = ScriptedModel([Completion(f"{SECRET} chose Lisbon.", input_tokens=5, output_tokens=3)])
    async with Memory.open(tmp_path, config=STRESS, model=model) as memory:
        await talk(memory)
        await memory.rename(SECRET)
        await memory.prompt(f"Where is {SECRET}?")
        await memory.recall(SECRET)
        await memory.goals.set(SECRET)
        task = await memory.tasks.add(SECRET)
        await memory.tasks.finish(task)
        await memory.notebook.note(SECRET)
        await memory.notebook.set_value(SECRET, SECRET)
        await memory.execution.ran(
            tool=SECRET, arguments=SECRET, result=SECRET, ok=False, error=SECRET
        )
        await memory.execution.step("reasoning", SECRET)
        await memory.preferences.set(SECRET, SECRET)
        item = await memory.content.store(SECRET, source=SECRET, tags=[SECRET])
        await memory.content.retrieve(item)
        await memory.content.query(text=SECRET)
        fact = await memory.facts.remember(f"{SECRET} lives in Bergen.")
        await memory.facts.pin(fact.fact.id)
        await memory.pinning.pin_message(memory.state.messages)
        await memory.add_all([NewMessage("user", SECRET, "library")])
        await memory.attach(f"{SECRET}.txt", SECRET)
        failed = RequestEnded("r", 1, "m", "failed", error=f"{SECRET} failed.", usage=Usage())
        await memory.ended(failed)
        await memory.trace(SECRET)
        await memory.forgetting.carry_out(await memory.forgetting.plan(SECRET))
    assert len({span.name for span in kept.all}) > 30
    for span in kept.all:
        assert SECRET.lower() not in span.to_json().lower(), span.name


@pytest.mark.parametrize(
    "part",
    [
        Memory,
        Goals,
        Tasks,
        Notebook,
        Execution,
        Preferences,
        Content,
        FactKeeping,
        Forgetting,
        Pinning,
        Rewriting,
        Branches,
        Importing,
        AgentBook,
    ],
)
def test_every_operation_is_one(part: type) -> None:
    """ALL-4: a method that is added is a span, or stands on the list above with why not."""
    plain = {
        name
        for name, method in inspect.getmembers(part, inspect.iscoroutinefunction)
        if not name.startswith("_")
    }
    assert plain == READ_WITHOUT.get(part.__name__, set())


async def test_steps_of_a_turn_are_one_operation(kept: Kept) -> None:
    """ALL-4: what a step does is a part; what is done between two steps is none."""

    async def steps() -> Any:
        for number in range(2):
            with telemetry.span("inside"):
                yield number

    async for _ in telemetry.around("turn", None, steps()):
        with telemetry.span("outside"):
            pass
    assert [kept.above(span) for span in kept.named("inside")] == [["turn"], ["turn"]]
    assert [kept.above(span) for span in kept.named("outside")] == [[], []]
