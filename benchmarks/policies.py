"""Every policy over real conversations: tokens against the full history, and what is lost.

LoCoMo's conversations (`--data`), and one with tool calls that is made of this checkout's files.
Whatever is called retrievable is retrieved; what fails is counted, and fails the benchmark.

    python benchmarks/policies.py [--data locomo-dev.json] [--conversations 5] [--messages N]
        [--no-tools] [--policies cascade rolling buffer window none] [--context-window 16384]
        [--recall] [--summarizer rule|model --models DIR --model default]
"""

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from app.chat.models import exact_counter, model_chosen, summariser
from app.host.catalogue import canonical
from app.lab.recorded import read_recording
from app.schema import ModelSettings
from app.transfer.messages import RecordedMessage
from benchmarks.measured import (
    STATES,
    Outcome,
    Requests,
    outcome_at_end,
    outcome_of_compactions,
    unresolved_receipts,
)
from benchmarks.tool_conversation import tool_conversation
from memory import Memory
from memory.config import MemoryConfig, RecallConfig
from memory.events import ModelChosen
from memory.protocols import LanguageModel
from memory.tokens import TokenCounter
from memory.views import ItemKind

POLICIES = ("cascade", "rolling", "buffer", "window", "none")
CONTEXT_WINDOW = 16_384
KINDS: dict[str, tuple[ItemKind, ...]] = {
    "numbers": ("number",),
    "dates": ("date",),
    "names": ("name",),
    "identifiers": ("identifier",),
    "paths": ("path",),
    "URLs": ("url",),
    "constraints": ("constraint",),
    "tasks": ("task",),
}


@dataclass(frozen=True)
class With:
    """What the conversations are run with."""

    context_window: int = CONTEXT_WINDOW
    writer: LanguageModel | None = None
    counter: TokenCounter | None = None
    chat_model: ModelChosen | None = None
    recall: bool = False


@dataclass
class Run:
    """What one policy came to, over one conversation or several."""

    requests: Requests = field(default_factory=Requests)
    compactions: int = 0
    at_end: Outcome = field(default_factory=Outcome)
    summed: Outcome = field(default_factory=Outcome)
    unresolved: list[str] = field(default_factory=list)

    @property
    def failures(self) -> int:
        """Receipts that lead nowhere, and items that are not retrieved as claimed."""
        claimed = len(self.at_end.unretrieved) + len(self.summed.unretrieved)
        return claimed + len(self.unresolved)

    def add(self, other: "Run") -> None:
        """Takes in what it came to over another conversation."""
        for name in ("count", "prompt", "full", "shared", "own_blocks", "broken", "fitted"):
            own = getattr(self.requests, name) + getattr(other.requests, name)
            setattr(self.requests, name, own)
        self.requests.largest = max(self.requests.largest, other.requests.largest)
        self.compactions += other.compactions
        self.at_end.add(other.at_end)
        self.summed.add(other.summed)
        self.unresolved += other.unresolved


async def run(policy: str, messages: Sequence[RecordedMessage], using: With) -> Run:
    """One conversation under one policy: a request wherever an answer follows."""
    done = Run()
    # What is recalled would hide what a policy has lost.
    config = MemoryConfig(
        policy=policy,
        context_window=using.context_window,
        compaction="wait",
        vault=False,
        recall=RecallConfig(enabled=using.recall),
    )
    with tempfile.TemporaryDirectory() as directory:
        async with Memory.open(
            directory,
            "policies",
            config=config,
            model=using.writer,
            counter=using.counter,
            chat_model=using.chat_model,
        ) as memory:
            for place, message in enumerate(messages, start=1):
                await memory.add_all([message.imported()])
                await memory.settled()
                done.requests.heard(memory)
                if place < len(messages) and messages[place].role == "assistant":
                    prompt = await memory.prompt()
                    done.requests.sent(prompt, memory)
            done.compactions = len(await memory.compactions())
            done.at_end = await outcome_at_end(memory)
            done.summed = await outcome_of_compactions(memory)
            done.unresolved = await unresolved_receipts(memory)
    return done


def locomo(data: Path, conversations: int) -> list[list[RecordedMessage]]:
    """The first conversations of a LoCoMo file."""
    names = [entry["sample_id"] for entry in json.loads(data.read_text(encoding="utf-8"))]
    return [read_recording(data, name) for name in names[:conversations]]


async def table(
    title: str,
    conversations: Sequence[Sequence[RecordedMessage]],
    policies: Sequence[str],
    using: With,
) -> int:
    """Runs every policy over the conversations and prints what it comes to; returns failures."""
    runs: dict[str, Run] = {}
    said = ", ".join(str(len(messages)) for messages in conversations)
    print(f"\n{title}: {said} messages, a window of {using.context_window:,} tokens")
    print(
        "policy    requests  prompt tokens  of full  largest  shared  again/request  compactions"
        "  fitted  broken"
    )
    for policy in policies:
        runs[policy] = Run()
        for messages in conversations:
            runs[policy].add(await run(policy, messages, using))
        print_requests(policy, runs[policy])
    for name in ("at the end of the conversation", "summed over compactions"):
        print_outcomes(name, runs)
    failures = sum(found.failures for found in runs.values())
    print(f"called retrievable and not retrieved: {failures}")
    return failures


def print_requests(policy: str, found: Run) -> None:
    """Prints one line of the first table."""
    sums = found.requests
    print(
        f"{policy:<8}  {sums.count:>8,}  {sums.prompt:>13,}  {sums.of_full:>7.1%}"
        f"  {sums.largest:>7,}  {sums.shared_share:>6.1%}  {sums.again:>13,.0f}"
        f"  {found.compactions:>11}  {sums.fitted:>6}  {sums.broken:>6}",
        flush=True,
    )


def print_outcomes(name: str, runs: dict[str, Run]) -> None:
    """Prints kept / retrievable / lost by kind and policy, in percent."""
    print(f"{name}: kept / retrievable / lost in % (items)")
    print(f"{'':<12}" + "".join(f"{policy:>24}" for policy in runs))
    for label, kinds in {**KINDS, "all": ()}.items():
        cells = []
        for found in runs.values():
            outcome = found.at_end if name.startswith("at") else found.summed
            mine = [n for key, n in outcome.counts.items() if not kinds or key[0] in kinds]
            shares = [outcome.share(state, kinds) for state in STATES]
            told = "/".join("-" if share is None else f"{share * 100:.0f}" for share in shares)
            cells.append(f"{told} ({sum(mine):,})")
        print(f"{label:<12}" + "".join(f"{cell:>24}" for cell in cells))


@asynccontextmanager
async def using_model(options: argparse.Namespace) -> AsyncIterator[With]:
    """With an embedded model that writes the summaries and whose tokenizer counts."""
    if options.summarizer == "rule":
        yield With(options.context_window, recall=options.recall)
        return
    with tempfile.TemporaryDirectory() as folder:
        backend = await Backend.start(
            BackendSettings(Path(folder), options.models, host_idle_seconds=5)
        )
        try:
            info = await backend.describe(canonical(options.model))
            writer = summariser(backend, info, ModelSettings(timeout_s=600, stall_s=600))
            window = options.context_window
            counter = exact_counter(backend, info)
            yield With(window, writer, counter, model_chosen(info, window), options.recall)
        finally:
            await backend.close()


async def measure(options: argparse.Namespace) -> int:
    """Every table; returns how many claims failed."""
    failures = 0
    async with using_model(options) as using:
        if options.data:
            found = [
                talk[: options.messages] for talk in locomo(options.data, options.conversations)
            ]
            failures += await table("LoCoMo", found, options.policies, using)
        if options.tools:
            talk = tool_conversation()[: options.messages]
            failures += await table("with tool calls", [talk], options.policies, using)
    return failures


def main() -> int:
    """Runs the benchmark; fails where something called retrievable is not retrieved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--conversations", type=int, default=5)
    parser.add_argument(
        "--no-tools", dest="tools", action="store_false", help="without the talk with tool calls"
    )
    parser.add_argument("--messages", type=int, help="at most so many of each conversation")
    parser.add_argument("--policies", nargs="+", default=list(POLICIES))
    parser.add_argument("--context-window", type=int, default=CONTEXT_WINDOW)
    parser.add_argument("--summarizer", choices=("rule", "model"), default="rule")
    parser.add_argument("--recall", action="store_true", help="with what memory brings to a turn")
    parser.add_argument("--models", type=Path, help="where the models are installed")
    parser.add_argument("--model", default="default")
    options = parser.parse_args()
    if options.summarizer == "model" and options.models is None:
        parser.error("--summarizer model needs --models")
    return int(asyncio.run(measure(options)) > 0)


if __name__ == "__main__":
    sys.exit(main())
