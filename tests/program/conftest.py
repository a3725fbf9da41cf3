"""What the tests of the whole program share: fresh programs, prepared sessions, the light model."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.config import MemoryConfig
from memory.memory import Memory
from tests.host.conftest import end_hosts
from tests.support.chat_server import ChatServer, chat_server
from tests.support.program import Program, conversation
from tests.support.tool_server import Says, ToolServer, tool_server

TALK = "boat talk"
TALK_MESSAGES = 30
STRESS = MemoryConfig.from_values({"profile": "stress"})


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """The program with nothing in its data directory."""
    return Program(tmp_path)


@pytest.fixture(scope="session")
def talk(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """The program with a session that has been folded several times; only to be read."""
    program = Program(tmp_path_factory.mktemp("talk"))
    asyncio.run(_talk(program.data))
    return program


async def _talk(data: Path) -> None:
    async with Memory.open(data, TALK, config=STRESS) as memory:
        for message in conversation(TALK_MESSAGES):
            await memory.add(message["role"], message["content"])  # type: ignore[arg-type]
            await memory.settled()


@pytest.fixture(scope="session")
def server() -> Iterator[ChatServer]:
    with chat_server() as server:
        yield server


@pytest.fixture
def served(program: Program, server: ChatServer) -> Program:
    """The program whose model is behind the streaming server."""
    program.environment |= {
        "STRATA_MODEL__API_BASE": server.api_base,
        "STRATA_MODEL__NAME": "openai/words-6-0",
        # What may be followed by calls does not stream into a pipe.
        "STRATA_TOOLS__OFFER": "none",
    }
    return program


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[Program]:
    """The program with the light model, short answers, and one host for the whole module."""
    program = Program(
        tmp_path_factory.mktemp("embedded"),
        models=models_dir,
        environment={
            "STRATA_MODEL__NAME": "light",
            "STRATA_MODEL__MAX_OUTPUT_TOKENS": "16",
            "STRATA_HOST__IDLE_MINUTES": "0.5",
        },
    )
    yield program
    end_hosts(program.data)


@pytest.fixture
def scripted() -> Iterator[ToolServer]:
    """A server whose model follows the script of the test."""
    with tool_server([Says("Nothing yet.")]) as running:
        yield running


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with a file in it."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "harbour.txt").write_text("The harbour office opens at 7:40.\n")
    return folder


@pytest.fixture
def asking(program: Program, scripted: ToolServer, workspace: Path) -> Program:
    """The program whose model is behind the scripted server."""
    program.environment |= {
        "STRATA_MODEL__API_BASE": scripted.api_base,
        "STRATA_MODEL__NAME": "openai/scripted",
        "STRATA_TOOLS__WORKSPACE": str(workspace),
    }
    return program
