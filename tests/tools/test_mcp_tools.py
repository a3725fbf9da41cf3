"""CHAT-10: the tools of MCP servers as tools that the model may call."""

import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

import pytest

from app.backend.client import Backend
from app.backend.mcp_content import LONGEST_SCHEMA, MOST_TOOLS, answer_text, offered_tools
from app.backend.mcp_protocol import McpSettings, McpTool
from app.backend.protocol import BackendSettings
from app.schema import ToolsSettings
from app.tools.mcp_tools import ServerTool, mcp_tools
from app.tools.tool import BadArguments, Desk, JsonObject, Permission, Verdict, schema_of

SERVER = Path(__file__).parents[1] / "support" / "mcp_oddities.py"


class Asked:
    """A desk at which a user answers what a test says."""

    def __init__(self, backend: Backend, verdicts: Iterable[Verdict] = ()) -> None:
        self.backend = backend
        self.settings = ToolsSettings(read_chars=1_000)
        self.memory = self.info = self
        self.id = "session"
        self.questions: list[Permission] = []
        self._verdicts = iter(verdicts)

    async def ask(self, permission: Permission) -> Verdict:
        self.questions.append(permission)
        return next(self._verdicts)


async def one_tool(backend: Backend) -> ServerTool:
    await backend.mcp.settled(120)
    (tool,) = await mcp_tools(backend)
    assert isinstance(tool, ServerTool)
    return tool


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> BackendSettings:
    folder = tmp_path_factory.mktemp("data")
    server = McpSettings(sys.executable, (str(SERVER), "old"))
    return BackendSettings(folder, folder, mcp={"my server": server})


async def test_the_user_is_asked_before_a_server_changes_something(
    settings: BackendSettings,
) -> None:
    """CHAT-10: each time, until the answer is always; `no` is a result that the model reads."""
    backend = await Backend.start(settings)
    try:
        tool = await one_tool(backend)
        asked = Asked(backend, ["no", "once", "always", "no"])
        desk = cast(Desk, asked)
        refused = await tool.run({"a": "ä\u202e"}, desk)
        assert (refused.ok, refused.error, refused.type) == (False, "NotAllowed", "action_result")
        for _ in range(4):
            result = await (await one_tool(backend)).run({"a": "ä"}, desk)
            assert (result.ok, result.source) == (True, "my server")
        assert len(asked.questions) == 3
        assert asked.questions[0].subject == 'my_server__old {"a": "ä\\u202e"}'
        assert "MCP server my server" in asked.questions[0].question
        long = await tool.run({"a": "b" * 5_000}, desk)
        assert long.text.endswith("more characters are left out.]")
        assert len(long.text) < 1_100
        asked.id = "another session"
        assert not (await tool.run({}, desk)).ok
        with pytest.raises(BadArguments, match="20,000 characters"):
            await tool.run({"a": "b" * 20_000}, desk)
    finally:
        await backend.close()


async def test_a_tool_is_what_providers_take() -> None:
    """CHAT-10: its name, its description on one line, its schema."""
    schema = {"type": "object", "properties": {}}
    (tool,) = await mcp_tools(cast(Backend, Known(("my server", "old"), schema=schema)))
    function = schema_of(tool)["function"]
    assert function["name"] == "my_server__old"
    assert function["description"] == "An old tool."
    assert function["parameters"] == schema


class Known:
    """A backend with tools that a test names."""

    def __init__(self, *tools: tuple[str, str], schema: JsonObject | None = None) -> None:
        self.mcp = self
        words = "An old\x1b[31m\ntool."
        self._tools = [(server, McpTool(name, words, schema or {})) for server, name in tools]

    def tools(self) -> list[tuple[str, McpTool]]:
        return self._tools


async def test_every_tool_has_a_name_of_its_own() -> None:
    """CHAT-10: in letters that all providers take, and the same each time."""
    pairs = [
        ("a b", "c"),
        ("a.b", "c"),
        ("a", "x" * 90),
        ("a", "x" * 91),
        ("ü", "läuft"),
        ("a", ""),
    ]

    async def listed() -> list[str]:
        return [tool.name for tool in await mcp_tools(cast(Backend, Known(*pairs)))]

    names = await listed()
    assert len(set(names)) == len(pairs)
    assert all(re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) for name in names)
    assert names == await listed()


def test_a_description_is_short_and_obeyed_by_no_terminal() -> None:
    """CHAT-10, ALL-8: what the server says of its tool is not to be trusted."""
    tool = ServerTool("a__b", "a", McpTool("b", "An\x1b[31m essay.\n\n" * 100, {}))
    assert len(tool.description) == 300
    assert tool.description.startswith("An essay. An essay.")
    assert tool.description.isprintable()


class Thing:
    """Something with attributes, as the SDK makes them."""

    def __init__(self, **values: Any) -> None:
        self.__dict__.update(values)


def described(name: str = "t", schema: Any = None, hints: dict[str, bool] | None = None) -> Thing:
    both = {"read_only_hint": None, "destructive_hint": None, **(hints or {})}
    return Thing(
        name=name,
        description=None,
        input_schema={"type": "object"} if schema is None else schema,
        annotations=Thing(**both) if hints else None,
    )


@pytest.mark.parametrize(
    ("hints", "allowed", "asks"),
    [
        ({}, (), True),
        ({"read_only_hint": True}, (), False),
        ({"read_only_hint": False}, (), True),
        ({"read_only_hint": True, "destructive_hint": True}, (), True),
        ({"destructive_hint": False}, (), True),
        ({}, ("t",), False),
        ({}, ("other",), True),
        ({"destructive_hint": True}, ("*",), False),
    ],
)
def test_when_the_user_is_asked(
    hints: dict[str, bool], allowed: tuple[str, ...], asks: bool
) -> None:
    """CHAT-10: unless the tool only reads or the configuration allows it."""
    (tool,), _ = offered_tools([described(hints=hints)], allowed)
    assert tool.asks is asks


def test_what_can_not_be_offered_is_told() -> None:
    """CHAT-10: a schema that is no object's or too large, and too many tools."""
    tools = [
        described("list", {"type": "array"}),
        described("odd", {"properties": []}),
        described("large", {"description": "x" * LONGEST_SCHEMA}),
        described("n" * 300),
        described("bare", {}),
        *(described(f"t{n}") for n in range(MOST_TOOLS)),
    ]
    offered, notes = offered_tools(tools, ())
    assert offered[0].schema == {"type": "object", "properties": {}}
    assert len(offered) == MOST_TOOLS - 4
    for note, part in zip(notes, ("list", "odd", "large", "nnn", "the first 200"), strict=True):
        assert part in note
        assert len(note) < 200


def test_an_answer_of_many_parts_is_one_text() -> None:
    """CHAT-10: what is no text is named with its size; structured content is JSON."""
    picture = Thing(type="image", mime_type="image/png", data="A" * 16_000)
    page = Thing(uri="file:///a", mime_type=None, text="inside")
    data = Thing(uri="file:///b", mime_type=None, blob="AAAA")
    parts = [
        Thing(type="text", text="one"),
        picture,
        Thing(type="audio", mime_type="audio/wav", data="A" * 2_000_000),
        Thing(type="resource_link", name="n", uri="file:///n"),
        Thing(type="resource", resource=page),
        Thing(type="resource", resource=data),
    ]
    assert answer_text(parts, {"a": 1}).splitlines() == [
        "one",
        "[image, image/png, 12 kB]",
        "[audio, audio/wav, 1.5 MB]",
        "[link to n: file:///n]",
        "[file:///a]",
        "inside",
        "[file:///b, binary, 3 bytes]",
    ]
    assert answer_text([], {"ä": 1}) == '{\n "ä": 1\n}'
    assert answer_text([], None) == ""
