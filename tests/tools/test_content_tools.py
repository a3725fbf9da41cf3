"""The tools by which the model stores content and finds it again."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import pytest

from app.schema import ToolsSettings
from app.tools.content_tools import CONTENT_TOOLS
from app.tools.tool import BadArguments
from memory.content.handles import UnknownItem
from memory.content.moments import NoMoment
from memory.content.patterns import BadPattern
from memory.content.ranges import NoRange
from memory.errors import StrataError
from memory.memory import Memory
from tests.memory.doubles import opened
from tests.tools.quiet_desk import QuietDesk

LOG = "\n".join(f"line {n}: {'error' if n % 10 == 0 else 'fine'}" for n in range(1, 101))


@dataclass
class ContentDesk(QuietDesk):
    """Content tools look into the session, and nowhere else."""

    TOOLS: ClassVar = {tool.name: tool for tool in CONTENT_TOOLS}

    memory: Memory
    workspace: Path = Path()
    settings: ToolsSettings = field(default_factory=lambda: ToolsSettings(read_chars=1_000))


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[ContentDesk]:
    async with opened(tmp_path) as memory:
        yield ContentDesk(memory)


async def test_what_is_stored_is_retrieved(desk: ContentDesk) -> None:
    """CONT-4: under an id, with type, tags and relations; a result cites the item."""
    stored = await desk.run("store_in_memory", content=LOG, type="code", tags=["ci"])
    assert stored.text.startswith("Stored as c1 · code · model · 1,401 characters")
    assert stored.cites == "c1"
    await desk.run("store_in_memory", content="two", related=["c1"])
    assert (await desk.memory.content.item("c2")).related == ("c1",)
    got = await desk.run("retrieve_from_memory", id="c2")
    assert (got.text, got.cites, got.type) == ("two", "c2", "custom")
    got = await desk.run("retrieve_from_memory", id="c1", lines="20-21")
    assert got.text == "20: line 20: error\n21: line 21: fine"
    got = await desk.run("retrieve_from_memory", id="c1", words=["/^line [89]0/"])
    assert got.text == "80: line 80: error\n90: line 90: error"
    got = await desk.run("retrieve_from_memory", id="c1", how="last", n=1)
    assert got.text == "line 100: error"
    got = await desk.run("retrieve_from_memory", id="c1", how="filtered", words=["Lisbon"])
    assert got.text == "Nothing of c1 is asked for so."


async def test_a_long_text_says_how_to_go_on(desk: ContentDesk) -> None:
    """CONT-4, PROMPT-3: a result has at most the characters that one may have."""
    await desk.run("store_in_memory", content=LOG)
    got = await desk.run("retrieve_from_memory", id="c1")
    assert len(got.text) < 1_200
    assert "of 100 lines: ask for c1 with how=lines" in got.text


async def test_a_query_tells_of_items_and_never_shows_them(desk: ContentDesk) -> None:
    """CONT-4: ten by default, newest first."""
    for n in range(12):
        await desk.memory.content.store(f"secret {n}", "custom", f"tool{n}", [f"t{n}"])
    told = (await desk.run("query_memory")).text
    assert told.count("\n") == 9
    assert told.startswith("c12 · custom · tool11 · 9 characters · ")
    assert "secret" not in told
    assert (await desk.run("query_memory", tags=["t3"])).text.startswith("c4 ")
    assert (await desk.run("query_memory", text="secret 7")).text.startswith("c8 ")
    assert (await desk.run("query_memory", since="1h", limit=1)).text.startswith("c12 ")
    assert (await desk.run("query_memory", until="1h")).text == "No stored item is all that."


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("retrieve_from_memory", {"id": "c9"}, UnknownItem),
        ("retrieve_from_memory", {"id": "../etc/passwd"}, UnknownItem),
        ("retrieve_from_memory", {"id": "c1", "lines": "some"}, NoRange),
        ("retrieve_from_memory", {"id": "c1", "words": ["/(/"]}, BadPattern),
        ("retrieve_from_memory", {"id": "c1", "how": "backwards"}, BadArguments),
        ("retrieve_from_memory", {}, BadArguments),
        ("store_in_memory", {"content": ""}, BadArguments),
        ("store_in_memory", {"content": "x", "type": "poem"}, BadArguments),
        ("store_in_memory", {"content": "x", "related": ["c9"]}, UnknownItem),
        ("query_memory", {"since": "whenever"}, NoMoment),
        ("query_memory", {"limit": 0}, BadArguments),
    ],
)
async def test_what_can_not_be_done_is_said(
    desk: ContentDesk, tool: str, arguments: dict[str, Any], error: type[StrataError]
) -> None:
    """CONT-4: in words that the model can act on; nothing is stored."""
    await desk.memory.content.store("one", "custom")
    with pytest.raises(error):
        await desk.run(tool, **arguments)
    assert desk.memory.state.content_items == 1
