"""A thousand turns under a small window: never over the limit, and the prefix kept.

With tool exchanges, pasted files, code and dense scripts. Counted with tiktoken, with an embedded
model's template, or by estimate; with `--count server` a server on loopback counts differently,
and refuses what is over its limit.

    python benchmarks/thousand_turns.py [--turns 1000] [--context-window 16384]
        [--policies cascade rolling buffer window none] [--count tiktoken|embedded|estimate|server]
        [--models DIR --model default]
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from app.chat.asking import Asking
from app.chat.happenings import AnswerAdded
from app.chat.models import exact_counter, model_chosen
from app.chat.turn import fitting_prompt, respond
from app.host.catalogue import canonical
from app.transfer.messages import RecordedMessage
from benchmarks.counting_server import CountingServer
from benchmarks.long_talk import LongTalk
from benchmarks.measured import Requests
from benchmarks.policies import POLICIES
from memory import Memory
from memory.budget import Budget
from memory.config import MemoryConfig
from memory.opening import thresholds_of

CONTEXT_WINDOW = 16_384
TIKTOKEN_MODEL = "gpt-4o"
PINS = {20: "Never delete a file without asking.", 500: "The release is on 14 March 2027."}
"""What the user pins in which turn: it stands in the block of every turn from then on."""
LEAST_SHARED = 0.85
MOST_REFUSED = 0.001


@dataclass
class Counted:
    """What a run came to."""

    requests: Requests = field(default_factory=Requests)
    turns: int = 0
    over: int = 0
    """Requests over the limit, by the exact count or the server's."""
    largest: int = 0
    """The largest request by that count."""
    unanswered: int = 0
    compactions: int = 0


@dataclass(frozen=True)
class Counting:
    """Who counts: a backend that knows the model's tokenizer, or nobody."""

    backend: Backend | None
    asking: Asking


async def known(policy: str, turns: int, window: int, counting: Counting) -> Counted:
    """Turns with a model whose tokens are counted before each request."""
    done = Counted(turns=turns)
    async with session(policy, window, counting) as memory:
        talk = LongTalk()
        for number in range(1, turns + 1):
            if number in PINS:
                await memory.pinning.pin_text(PINS[number])
            for message in talk.turn():
                if message.role == "assistant":
                    await request(memory, counting, done)
                await memory.add_all([message.imported()])
                done.requests.heard(memory)
            await memory.settled()
        done.compactions = memory.state.compactions
    return done


async def request(memory: Memory, counting: Counting, done: Counted) -> None:
    """One request, as it is prepared before it is sent, counted anew as a whole."""
    if counting.backend is None:
        prompt = await memory.prompt()
        exact = prompt.tokens
    else:
        prompt = await fitting_prompt(memory, counting.backend, counting.asking)
        messages = list(prompt.messages)
        counted = await counting.backend.count_request(counting.asking.model, messages)
        exact = counted.tokens or 0
    done.requests.sent(prompt, memory)
    done.over += exact > prompt.budget.limit
    done.largest = max(done.largest, exact)


async def refusing(policy: str, turns: int, window: int) -> Counted:
    """Turns against a server that counts differently and refuses what is over the limit."""
    done = Counted(turns=turns)
    talk = LongTalk()
    waiting: list[RecordedMessage] = []
    config = MemoryConfig(policy=policy, context_window=window, vault=False)
    limit = Budget.of(window, thresholds_of(config)).limit
    async with CountingServer(limit, window, lambda: waiting.pop(0)) as server:
        with tempfile.TemporaryDirectory() as folder:
            backend = await Backend.start(
                BackendSettings(
                    Path(folder), Path(folder), server.api_base,
                    environment={"OPENAI_API_KEY": "none"},
                )
            )  # fmt: skip
            asking = Asking("openai/counts-differently", 60, 60)
            async with session(policy, window, Counting(backend, asking)) as memory:
                for _ in range(turns):
                    said = talk.turn()
                    waiting[:] = [message for message in said if message.role == "assistant"]
                    for message in said:
                        if message.role == "assistant":
                            done.unanswered += not await answered(memory, backend, asking)
                        else:
                            await memory.add_all([message.imported()])
                    await memory.settled()
                done.compactions = memory.state.compactions
            await backend.close()
        done.requests.count = len(server.counts) - server.refused
        done.over, done.largest = server.refused, max(n for n in server.counts if n <= limit)
    return done


async def answered(memory: Memory, backend: Backend, asking: Asking) -> bool:
    """Whether a request is answered in the end; it may have been refused before."""
    happenings = [h async for h in respond(memory, backend, asking, asyncio.Event())]
    return isinstance(happenings[-1], AnswerAdded)


@asynccontextmanager
async def session(policy: str, window: int, counting: Counting) -> AsyncIterator[Memory]:
    """A session under a policy, for the model that is asked."""
    config = MemoryConfig(policy=policy, context_window=window, vault=False)
    counter = chosen = None
    if counting.backend is not None:
        info = await counting.backend.describe(counting.asking.model)
        counter, chosen = exact_counter(counting.backend, info), model_chosen(info, window)
    with tempfile.TemporaryDirectory() as folder:
        async with Memory.open(
            folder, "thousand", config=config, counter=counter, chat_model=chosen
        ) as memory:
            yield memory


@asynccontextmanager
async def counting_by(options: argparse.Namespace) -> AsyncIterator[Counting]:
    """Who counts, by the command line."""
    if options.count == "estimate":
        yield Counting(None, Asking("", 60, 60))
        return
    model = canonical(options.model) if options.count == "embedded" else TIKTOKEN_MODEL
    with tempfile.TemporaryDirectory() as folder:
        settings = BackendSettings(
            Path(folder), options.models or Path(folder), host_idle_seconds=5,
            host_context_tokens=options.context_window,
        )  # fmt: skip
        backend = await Backend.start(settings)
        try:
            yield Counting(backend, Asking(model, 600, 600, local=options.count == "embedded"))
        finally:
            await backend.close()


async def measure(options: argparse.Namespace) -> bool:
    """A line for each policy; whether the bounds hold."""
    window = options.context_window
    print(f"{options.turns:,} turns, a window of {window:,} tokens, counted by {options.count}")
    if options.count == "server":
        print("policy    requests  refused  never answered  largest (its count)  compactions")
        lines = [
            print_refusing(policy, await refusing(policy, options.turns, window))
            for policy in options.policies
        ]
        return all(lines)
    print(
        "policy    requests  over limit  largest  prompt tokens  of full  shared  again/turn"
        "  compactions  fitted  broken"
    )
    async with counting_by(options) as counting:
        lines = [
            print_known(policy, await known(policy, options.turns, window, counting))
            for policy in options.policies
        ]
    return all(lines)


def print_known(policy: str, done: Counted) -> bool:
    """Prints what a run came to; whether the bounds hold, that of the share for the default."""
    sums = done.requests
    again = (sums.prompt - sums.shared) / done.turns
    print(
        f"{policy:<8}  {sums.count:>8,}  {done.over:>10,}  {done.largest:>7,}  {sums.prompt:>13,}"
        f"  {sums.of_full:>7.1%}  {sums.shared_share:>6.1%}  {again:>10,.0f}"
        f"  {done.compactions:>11,}  {sums.fitted:>6,}  {sums.broken:>6,}",
        flush=True,
    )
    enough = sums.shared_share >= LEAST_SHARED or policy != POLICIES[0]
    return done.over == 0 and not sums.broken and enough


def print_refusing(policy: str, done: Counted) -> bool:
    """Prints what a run against the server came to; whether the bounds hold."""
    count = done.requests.count
    print(
        f"{policy:<8}  {count:>8,}  {done.over:>7,}  {done.unanswered:>14,}"
        f"  {done.largest:>19,}  {done.compactions:>11,}",
        flush=True,
    )
    return done.unanswered == 0 and done.over <= MOST_REFUSED * max(count, 1_000)


def main() -> int:
    """Runs the benchmark; fails where a bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1_000)
    parser.add_argument("--context-window", type=int, default=CONTEXT_WINDOW)
    parser.add_argument("--policies", nargs="+", default=list(POLICIES))
    parser.add_argument(
        "--count", choices=("tiktoken", "embedded", "estimate", "server"), default="tiktoken"
    )
    parser.add_argument("--models", type=Path, help="where the models are installed")
    parser.add_argument("--model", default="default")
    return int(not asyncio.run(measure(parser.parse_args())))


if __name__ == "__main__":
    sys.exit(main())
