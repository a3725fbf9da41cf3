"""How soon a turn is answered while a cascade runs in the background, against without it.

The embedded model does both: it writes the summaries of a real session's cascade, and answers.
Trials alternate; only turns whose first token came while the cascade still ran count.

    python benchmarks/first_token.py --models DIR [--model light] [--trials 5]
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from app.backend.client import Backend
from app.backend.protocol import BackendSettings, CompletionRequest, Delta
from app.chat.models import summariser
from app.host.catalogue import canonical
from app.schema import ModelSettings
from benchmarks.model_speed import ANSWER_TOKENS, question
from benchmarks.small_talk import message
from memory import Memory
from memory.config import MemoryConfig
from memory.protocols import LanguageModel
from memory.wish import Wish

MESSAGES = 140
"""Enough for a cascade that folds 76 messages."""
MOST_BESIDE = 2.0
TRIES = 3
"""Times the trials wanted that are made at most: some cascades end too soon."""


async def first_token(backend: Backend, model: str) -> float:
    """Seconds until the first words of an answer to a prompt that nobody has read before."""
    started, first = time.perf_counter(), 0.0
    request = CompletionRequest(model, list(question()), ANSWER_TOKENS, 0.0)
    async for event in backend.complete(request):
        if isinstance(event, Delta) and not first:
            first = time.perf_counter()
    return first - started


async def beside_cascade(backend: Backend, model: str, writer: LanguageModel) -> float | None:
    """Seconds to the first token beside a cascade; None where it had ended by then."""
    config = MemoryConfig(vault=False)
    wish = Wish(session="folding", passive=True)
    with tempfile.TemporaryDirectory() as folder:
        async with Memory.open(folder, config=config, model=writer, wish=wish) as memory:
            await memory.add_all([message(place) for place in range(MESSAGES)])
            cascade = asyncio.create_task(memory.compact())
            await asyncio.sleep(random.uniform(0.3, 2.0))
            first = await first_token(backend, model)
            running = not cascade.done()
            cascade.cancel()
            await asyncio.wait({cascade})
    return first if running else None


async def measure(options: argparse.Namespace) -> bool:
    """The trials; whether the bound holds."""
    model = canonical(options.model)
    with tempfile.TemporaryDirectory() as folder:
        backend = await Backend.start(
            BackendSettings(Path(folder), options.models, host_idle_seconds=5)
        )
        info = await backend.describe(model)
        writer = summariser(backend, info, ModelSettings(timeout_s=600, stall_s=600))
        await first_token(backend, model)
        alone: list[float] = []
        beside: list[float] = []
        for _ in range(options.trials * TRIES):
            alone.append(await first_token(backend, model))
            first = await beside_cascade(backend, model, writer)
            if first is not None:
                beside.append(first)
            if len(beside) == options.trials:
                break
        await backend.close()
    ratio = statistics.median(beside) / statistics.median(alone)
    print(f"{model}: first token alone {statistics.median(alone):.2f} s ({len(alone)} turns)")
    print(f"beside a cascade {statistics.median(beside):.2f} s ({len(beside)} turns)")
    print(f"beside over alone: {ratio:.2f} (allowed {MOST_BESIDE})")
    print(f"worst beside over median alone: {max(beside) / statistics.median(alone):.2f}")
    return ratio <= MOST_BESIDE


def main() -> int:
    """Runs the benchmark; fails where the bound is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--model", default="light")
    parser.add_argument("--trials", type=int, default=5)
    random.seed(3)
    return int(not asyncio.run(measure(parser.parse_args())))


if __name__ == "__main__":
    sys.exit(main())
