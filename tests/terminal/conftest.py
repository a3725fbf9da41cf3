"""What the tests on a terminal share: a model that answers at once, and a clean program."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.misbehaving_server import MisbehavingServer, run_in_thread
from tests.support.program import Program

# Pseudo-terminals are POSIX.
collect_ignore_glob = ["test_*.py"] if sys.platform == "win32" else []


@pytest.fixture(scope="session")
def server() -> Iterator[MisbehavingServer]:
    with run_in_thread() as server:
        yield server


@pytest.fixture
def program_with(tmp_path: Path, server: MisbehavingServer) -> Callable[[str], Program]:
    """The program with an empty data directory, and a model of the server."""

    def make(model: str) -> Program:
        environment = {
            "STRATA_MODEL__API_BASE": server.api_base,
            "STRATA_MODEL__NAME": f"openai/{model}",
            "OPENAI_API_KEY": "sk-test-key-of-the-terminal-tests",
        }
        return Program(tmp_path, environment=environment)

    return make


@pytest.fixture
def program(program_with: Callable[[str], Program]) -> Program:
    """The program with a model that answers one sentence."""
    return program_with("good")
