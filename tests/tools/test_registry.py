"""CHAT-10: which tools a request offers, by model, window and configuration."""

import json
from typing import Any

import pytest

from app.schema import ToolsSettings
from app.tools.registry import FEW, Asked, offered, own_tools, toolbox
from app.tools.tool import Tool
from memory.tokens import estimate
from tests.support.own_tools import Foreign, tool

HOSTED = Asked("openai/gpt-5", 128_000)
SHORT_TOKENS = 550
"""What the short schemas may cost: they are read anew whenever a local model's prefix is lost."""


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (HOSTED, "all"),
        (Asked("openai/unknown", None), "all"),
        (Asked("openai/gpt-5", 128_000, "completion"), "none"),
        (Asked("openai/tight", 6_000), "few"),
        (Asked("openai/small", 3_999), "none"),
        (Asked("default", 8_192), "few"),
        (Asked("embedded/default", 8_192), "few"),
        (Asked("/models/own.gguf", 8_192), "few"),
        (Asked("light", 8_192), "none"),
        (Asked("embedded/smollm2-135m", 8_192), "none"),
    ],
)
def test_auto_goes_by_what_the_model_can_handle(asked: Asked, expected: str) -> None:
    """CHAT-10: all, few, or none."""
    assert offered(ToolsSettings(), asked) == expected


@pytest.mark.parametrize("offer", ["all", "few", "none"])
def test_the_configuration_decides(offer: Any) -> None:
    """CHAT-10: for every model but one that continues plain text."""
    settings = ToolsSettings(offer=offer)
    for asked in (HOSTED, Asked("light", 2_048)):
        assert offered(settings, asked) == offer
    assert offered(settings, Asked("openai/base", 8_192, "completion")) == "none"


def test_names_and_schemas_of_all_that_is_ours() -> None:
    """CHAT-10, CONT-4, GOAL-8: as providers take them, no name twice."""
    box = toolbox(ToolsSettings(), HOSTED)
    names = [schema["function"]["name"] for schema in box.schemas]
    assert len(set(names)) == len(names) == len(own_tools())
    assert set(names) >= FEW
    for schema in box.schemas:
        function = schema["function"]
        assert schema["type"] == "function"
        assert function["name"].isascii()
        assert len(function["name"]) <= 64
        assert function["parameters"]["type"] == "object"
        assert function["description"].endswith(".")


def test_small_models_get_few_tools_in_few_words() -> None:
    """CHAT-10: what is shown is filled in, so only what matters is shown."""
    box = toolbox(ToolsSettings(), Asked("default", 8_192))
    assert set(box.tools) == FEW
    assert estimate(len(json.dumps(box.schemas))) <= SHORT_TOKENS
    parameters = {s["function"]["name"]: s["function"]["parameters"] for s in box.schemas}
    assert list(parameters["read_file"]["properties"]) == ["path"]
    assert list(parameters["run_command"]["properties"]) == ["command"]
    assert len(parameters["list_files"]["properties"]) == 2


def test_what_is_left_out_and_what_is_there_twice(caplog: pytest.LogCaptureFixture) -> None:
    """CHAT-10: `without` leaves out; of two tools of one name ours is offered, with a sentence."""
    foreign: list[Tool] = [Foreign("read_file"), Foreign("files__search")]
    box = toolbox(ToolsSettings(without=("run_command", "set_goal")), HOSTED, foreign)
    assert {"run_command", "set_goal"}.isdisjoint(box.tools)
    assert box.tools["read_file"] is not foreign[0]
    assert box.tools["files__search"] is foreign[1]
    assert "two tools called read_file" in caplog.text
    few = toolbox(ToolsSettings(offer="few"), HOSTED, foreign)
    assert "files__search" not in few.tools


def test_a_test_hands_in_its_own() -> None:
    """CHAT-10: in the place of ours; an empty hand offers nothing."""
    mine = tool("mine")
    assert toolbox(ToolsSettings(), HOSTED, own=[mine]).tools == {"mine": mine}
    assert toolbox(ToolsSettings(), HOSTED, own=[]).schemas == ()
