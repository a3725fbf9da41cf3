"""RECALL-6: the tool by which a model keeps a fact."""

from pathlib import Path
from typing import Any, cast

import pytest

from app.schema import ToolsSettings
from app.tools.fact_tools import FACT_TOOLS
from app.tools.tool import Desk
from memory.fact_reading import FactError
from memory.memory import Memory
from tests.memory.doubles import opened

TOOLS = {tool.name: tool for tool in FACT_TOOLS}


class FactDesk:
    """What the tool has at hand: the session alone."""

    settings = ToolsSettings()

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def call(self, tool: str, /, **arguments: Any) -> str:
        """Calls a tool as a model does."""
        return (await TOOLS[tool].run(arguments, cast(Desk, self))).text


async def test_a_model_remembers(tmp_path: Path) -> None:
    """RECALL-6: with the message that it answers as the source."""
    async with opened(tmp_path) as memory:
        desk = FactDesk(memory)
        await memory.add("user", "I live in Berlin, remember that.")
        assert await desk.call("remember", fact="The user lives in Berlin.") == "Remembered as f1."
        (fact,) = memory.facts.of(1)
        assert (fact.by, fact.live) == ("tool", True)
        again = await desk.call("remember", fact="The user lives in Berlin.")
        assert again == "f1 says so already."
        told = await desk.call("remember", fact="The user has moved to Hamburg.")
        assert told == "Remembered as f2. f1 no longer holds."
        with pytest.raises(FactError):
            await desk.call("remember", fact=" ")
