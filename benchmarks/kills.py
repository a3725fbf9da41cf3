"""Kills Strata a hundred times at random instants and tells what was lost (STORE-2).

    python benchmarks/kills.py [--models DIR] [--kills 100] [--seed N]

Most kills fall while a local server streams answers of 60 words, to a chat of many turns or to
`strata ask`, in the stress profile, in which every other turn makes a cascade due; with `--models`
a fifth of them fall while the light embedded model answers and summarises. After every kill the
session is opened again and checked as in `tests/kill/checks.py`: sound database, state equal to the
fold of the log, every message covered once, no draft left, everything acknowledged there.
"""

import argparse
import asyncio
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.host.conftest import end_hosts
from tests.kill.chain import Chain, Kind
from tests.support.chat_server import chat_server
from tests.support.program import Program, wait_for

IDLE_MINUTES = 0.1
SERVER_TALK_S = 3.0
LIGHT_TALK_S = 9.0
"""Seconds after the first word in which a kill falls: turns and cascades of the light model take
longer."""


async def run_chain(chain: Chain, kind: Kind, kills: int) -> float:
    """Runs a chain; returns the seconds it took."""
    begun = time.monotonic()
    for number in range(kills):
        done = await chain.round(kind)
        line = f"{number + 1:>4} {kind:<4} {done.phase:<10} lost {done.lost_ms:>5.0f} ms"
        print(f"{line}  reopened in {done.reopened_ms:>4.0f} ms", file=sys.stderr)
    return time.monotonic() - begun


def is_alone(chain: Chain) -> bool:
    """Whether nothing runs any more that the chain started."""
    return not chain.processes()


def report(name: str, chain: Chain, seconds: float, left: int) -> str:
    """One row of the table."""
    rounds, last = chain.rounds, chain.last
    phases = Counter(done.phase for done in rounds)
    interrupted = sum(marked for _, _, marked in last.said) if last else 0
    losses = [done.lost_ms for done in rounds if done.phase == "streaming"]
    by = Counter(event.by for event in chain.compactions)
    cells = (
        name,
        len(rounds),
        "/".join(str(phases[key]) for key in ("start-up", "waiting", "streaming", "between")),
        len(chain.accepted),
        interrupted,
        f"{by['model']}/{by['rule']}",
        f"{statistics.median(losses or [0]):.0f}/{max(losses or [0]):.0f}",
        f"{statistics.median(done.reopened_ms for done in rounds):.0f}",
        f"{max(done.backend_gone_ms for done in rounds):.0f}",
        left,
        f"{seconds:.0f}",
    )
    return "| " + " | ".join(map(str, cells)) + " |"


HEAD = (
    "| what ran | kills | in start-up/waiting/streaming/between | accepted | interrupted answers "
    "| cascades by model/rule | lost of a shown answer, ms, median/most | reopened, ms, median "
    "| backend gone, ms, most | processes left | seconds |\n|" + "---|" * 11
)


async def main() -> None:
    """Runs the kills and prints the table."""
    parser = argparse.ArgumentParser(description="kills Strata at random instants")
    parser.add_argument("--models", type=Path, help="a model store with the light model")
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    fifth = options.kills // 5
    embedded = fifth if options.models else 0
    rows = []
    with tempfile.TemporaryDirectory(prefix="strata-kills-") as folder, chat_server() as server:
        served = {
            "STRATA_MODEL__API_BASE": server.api_base,
            "STRATA_MODEL__NAME": "openai/words-60-8",
            "STRATA_MODEL__SUMMARY_MODEL": "openai/summary",
        }
        light = {
            "STRATA_MODELS": str(options.models),
            "STRATA_MODEL__NAME": "light",
            "STRATA_MODEL__MAX_OUTPUT_TOKENS": "64",
            "STRATA_HOST__IDLE_MINUTES": str(IDLE_MINUTES),
        }
        plans: list[tuple[str, Kind, int, dict[str, str]]] = [
            ("chat, server", "chat", options.kills - fifth - embedded, served),
            ("ask, server", "ask", fifth, served),
            ("chat, light model", "chat", embedded, light),
        ]
        for place, (name, kind, kills, environment) in enumerate(plans):
            if not kills:
                continue
            program = Program(Path(folder) / str(place), environment=environment)
            program.home.mkdir()
            talk_s = LIGHT_TALK_S if environment is light else SERVER_TALK_S
            chain = Chain(program, random.Random(options.seed + place), talk_s)
            try:
                seconds = await run_chain(chain, kind, kills)
                wait_for(partial(is_alone, chain), IDLE_MINUTES * 60 + 20)
                rows.append(report(name, chain, seconds, len(chain.processes())))
            finally:
                end_hosts(program.data)
    print(HEAD, *rows, sep="\n")


if __name__ == "__main__":
    asyncio.run(main())
