"""What Strata costs between a user and the model on this machine.

Tokens a second and time to first token through the backend, against the same model host asked
directly over HTTP; a second turn on a long prefix against the first; a turn beside a running
summary against one alone; how soon Esc frees the caller and the host. One run, trials alternate.

    python benchmarks/model_speed.py --models DIR [--model light] [--trials 7]
"""

import argparse
import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlsplit

from app.backend.client import Backend
from app.backend.protocol import BackendSettings, CompletionRequest, Delta, Finished, Priority
from app.host.address import HostAddress
from app.host.catalogue import canonical
from app.host.client import HostClient
from app.host.store import ModelStore

ANSWER_TOKENS = 48
PROMPT_WORDS = 150
PREFIX_TOKENS = 3_000
LEAST_SHARE = 0.95
MOST_BESIDE = 2.0
SHORT = [{"role": "user", "content": "x"}]
WORDS = ["harbour", "Lisbon", "garden", "Thursday", "paper", "18:30", "bridge", "Marta", "1,100"]


class Bench:
    """A backend and the host it uses, asked in turns."""

    def __init__(self, backend: Backend, address: HostAddress, model: str) -> None:
        self.backend = backend
        self.address = address
        self.model = model

    async def through_strata(
        self, messages: list[dict[str, str]], priority: Priority = "chat"
    ) -> tuple[float, float]:
        """Seconds to the first token and tokens a second after it, through the backend."""
        started, first, tokens = time.perf_counter(), 0.0, 0
        request = CompletionRequest(
            self.model, list(messages), ANSWER_TOKENS, 0.0, priority=priority
        )
        async for event in self.backend.complete(request):
            if isinstance(event, Delta) and not first:
                first = time.perf_counter()
            if isinstance(event, Finished):
                tokens = event.usage.output or 0
        return first - started, (tokens - 1) / (time.perf_counter() - first)

    async def directly(
        self, messages: list[dict[str, str]], most: int = ANSWER_TOKENS
    ) -> tuple[float, float]:
        """The same, asked over plain HTTP with nothing of Strata between."""
        started, first, tokens = time.perf_counter(), 0.0, 0
        body = {
            "messages": messages,
            "max_tokens": most,
            "temperature": 0.0,
            "stream": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": True,
            "id_slot": 0,
        }
        async for chunk in stream_http(self.address, body):
            if not first and chunk.get("choices") and chunk["choices"][0]["delta"].get("content"):
                first = time.perf_counter()
            tokens = (chunk.get("usage") or {}).get("completion_tokens", tokens)
        first = first or time.perf_counter()
        return first - started, (tokens - 1) / max(1e-9, time.perf_counter() - first)


async def stream_http(address: HostAddress, body: dict[str, object]) -> AsyncIterator[dict]:  # type: ignore[type-arg]
    """The chunks of a streamed completion, over a plain socket."""
    url = urlsplit(address.base_url)
    reader, writer = await asyncio.open_connection(url.hostname, url.port)
    data = json.dumps(body).encode()
    writer.write(
        f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Authorization: Bearer {address.api_key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n\r\n".encode()
        + data
    )
    try:
        async for line in reader:
            if line.startswith(b"data: {"):
                yield json.loads(line[6:])
    finally:
        writer.close()


def question(words: int = PROMPT_WORDS) -> list[dict[str, str]]:
    """A prompt that nobody has read before."""
    text = " ".join(random.choices(WORDS, k=words))
    return [
        {"role": "system", "content": f"Conversation {random.random()}."},
        {"role": "user", "content": f"Tell a long story with these words: {text}"},
    ]


async def against_direct(bench: Bench, trials: int) -> bool:
    """First token and speed, through Strata and directly, in turns."""
    results: dict[str, list[tuple[float, float]]] = {"strata": [], "direct": []}
    for _ in range(trials):
        results["direct"].append(await bench.directly(question()))
        results["strata"].append(await bench.through_strata(question()))
    first = {name: statistics.median(r[0] for r in rows) for name, rows in results.items()}
    speed = {name: statistics.median(r[1] for r in rows) for name, rows in results.items()}
    for name in results:
        print(f"  {name:<8} first token {first[name]:6.2f} s   {speed[name]:6.1f} tokens/s")
    shares = first["direct"] / first["strata"], speed["strata"] / speed["direct"]
    print(f"  share of the direct: first token {shares[0]:.3f}, speed {shares[1]:.3f}")
    return min(shares) >= LEAST_SHARE


async def second_turn(bench: Bench, window: int) -> None:
    """A long prompt, then the next turn on it."""
    wanted = min(PREFIX_TOKENS, window - 400)
    sample = await bench.backend.count_request(bench.model, question(wanted // 2))
    messages = question(wanted * (wanted // 2) // sample.tokens)
    first, _ = await bench.through_strata(messages)
    messages += [
        {"role": "assistant", "content": "A story."},
        {"role": "user", "content": "And then?"},
    ]
    second, _ = await bench.through_strata(messages)
    count = await bench.backend.count_request(bench.model, messages)
    print(f"  {count.tokens} tokens: first turn {first:.2f} s, second {second:.2f} s")
    print(f"  second over first: {second / first:.3f}")


async def beside_summary(bench: Bench, trials: int) -> bool:
    """Time to first token alone, and while a summary runs in the background."""
    alone, beside = [], []
    for _ in range(trials):
        alone.append((await bench.through_strata(question()))[0])
        summary = asyncio.create_task(bench.through_strata(question(600), "background"))
        await asyncio.sleep(random.uniform(0.3, 3.0))
        beside.append((await bench.through_strata(question()))[0])
        summary.cancel()
        await asyncio.wait({summary})
    ratio = statistics.median(beside) / statistics.median(alone)
    print(f"  alone {statistics.median(alone):.2f} s, beside {statistics.median(beside):.2f} s")
    print(f"  beside over alone: {ratio:.2f} (worst pair {max(beside) / min(alone):.2f})")
    return ratio <= MOST_BESIDE


async def stop(bench: Bench, trials: int) -> None:
    """How soon a stopped request frees the caller, and the host."""
    freed, idle = [], []
    for _ in range(trials):
        request = CompletionRequest(bench.model, question(800), ANSWER_TOKENS, 0.0)
        stream = bench.backend.complete(request)
        await anext(stream)
        reading = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(random.uniform(0.3, 1.5))
        started = time.perf_counter()
        reading.cancel()
        await asyncio.wait({reading})
        await stream.aclose()  # type: ignore[attr-defined]
        freed.append(time.perf_counter() - started)
        await bench.directly(SHORT, 1)
        idle.append(time.perf_counter() - started)
    base = statistics.median([await timed(bench.directly(SHORT, 1)) for _ in range(trials)])
    print(f"  the caller is free after {max(freed) * 1000:.0f} ms (worst)")
    print(f"  the host has answered one token after {max(idle):.2f} s (worst)")
    print(f"  when nothing was stopped it takes {base:.2f} s")


async def timed(work) -> float:  # type: ignore[no-untyped-def]
    """Seconds that the work takes."""
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def run(options: argparse.Namespace) -> int:
    """All measurements; fails where a bound of the requirements is missed."""
    model = canonical(options.model)
    with tempfile.TemporaryDirectory() as folder:
        settings = BackendSettings(Path(folder), options.models, host_idle_seconds=5)
        backend = await Backend.start(settings)
        info = await backend.describe(model)
        address = await HostClient.ensure(
            Path(folder),
            ModelStore(options.models).resolve(model),
            context_tokens=settings.host_context_tokens,
            idle_seconds=5,
        )
        bench = Bench(backend, address, model)
        await bench.through_strata(question())
        print(f"{model}, {options.trials} trials")
        print("against the host asked directly")
        good = await against_direct(bench, options.trials)
        print("the second turn on a long prefix")
        await second_turn(bench, info.context_window or 0)
        print("beside a running summary")
        good = await beside_summary(bench, options.trials) and good
        print("stopping while the prompt is read")
        await stop(bench, min(options.trials, 5))
        await backend.close()
    return 0 if good else 1


def main() -> int:
    """Reads the command line and runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--model", default="light")
    parser.add_argument("--trials", type=int, default=7)
    random.seed(3)
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
