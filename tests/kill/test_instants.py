"""SIGKILL at random instants during chat and compaction; more of them with STRATA_NIGHTLY=1."""

import os
import random
from pathlib import Path

import pytest

from tests.host.conftest import end_hosts
from tests.kill.chain import Chain
from tests.support.chat_server import ChatServer
from tests.support.program import Program, wait_for

pytestmark = pytest.mark.usefixtures("real_start")

LONGEST_LOSS_MS = 250
IDLE_MINUTES = 0.05


NIGHTLY = bool(os.environ.get("STRATA_NIGHTLY"))


@pytest.mark.timeout(1800)
async def test_kills_while_a_server_answers(tmp_path: Path, server: ChatServer) -> None:
    """STORE-2: nothing acknowledged lost, at most 250 ms of a shown answer, every restart opens."""
    environment = {
        "STRATA_MODEL__API_BASE": server.api_base,
        "STRATA_MODEL__NAME": "openai/words-60-8",
        "STRATA_MODEL__SUMMARY_MODEL": "openai/summary",
    }
    chain = Chain(Program(tmp_path, environment=environment), random.Random(1))
    for number in range(80 if NIGHTLY else 5):
        done = await chain.round("ask" if number % 5 == 4 else "chat")
        assert done.lost_ms <= LONGEST_LOSS_MS, done
    assert chain.compactions
    assert chain.accepted


@pytest.mark.timeout(1800)
async def test_kills_while_the_embedded_model_answers(tmp_path: Path, models_dir: Path) -> None:
    """STORE-2, I1: as with a server; afterwards the model host ends when its idle time is over."""
    environment = {
        "STRATA_MODELS": str(models_dir),
        "STRATA_MODEL__NAME": "light",
        "STRATA_MODEL__MAX_OUTPUT_TOKENS": "48",
        "STRATA_HOST__IDLE_MINUTES": str(IDLE_MINUTES),
    }
    chain = Chain(Program(tmp_path, environment=environment), random.Random(2))
    try:
        for _ in range(20 if NIGHTLY else 2):
            done = await chain.round()
            assert done.lost_ms <= LONGEST_LOSS_MS, done
        assert wait_for(lambda: not chain.processes(), IDLE_MINUTES * 60 + 20), chain.processes()
    finally:
        end_hosts(tmp_path / "data")
