"""ALL-1: a configuration that can't be used is told in one sentence, and left as it is."""

import hashlib
from pathlib import Path

import pytest

from tests.support.program import Program

WRONG = [
    ("[memory\n", ["line 1"]),
    ("a = 1\na = 2\n", ["line 2"]),
    ("\n[memory]\nimediate_window = 8\n", ["memory.imediate_window", "immediate_window", "line 3"]),
    ("[memroy]\nx = 1\n", ["memroy", "memory"]),
    ("[memory]\nimmediate_window = 0\n", ["memory.immediate_window", "0", "1"]),
    ('[memory]\nimmediate_window = "many"\n', ["memory.immediate_window", "many", "whole number"]),
    ('[memory]\npolicy = "forget"\n', ["memory.policy", "forget", "cascade"]),
    ("[memory]\nimmediate_window = true\n", ["memory.immediate_window", "true"]),
    ('[model]\napi_key = "sk-abcdefghijklmnopqrstuvwx"\n', ["api_key", "environment"]),
    ('[model]\napi_base = "localhost:8000"\n', ["model.api_base", "http://"]),
    ("memory = 3\n", ["memory", "table"]),
    ('[memory]\npolicy = "\\u001b[31mred"\n', ["memory.policy"]),
    ("x = " + "[" * 3000, []),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_a_wrong_file(program: Program, text: str, words: list[str]) -> None:
    """ALL-1: the sentence names the key, the value and what is allowed."""
    program.data.mkdir()
    file = program.data / "config.toml"
    file.write_text(text)
    before = hashlib.sha256(file.read_bytes()).digest()
    sentence = program.run("ask", "hello").refused()
    assert str(file) in sentence or "config" in sentence
    for word in words:
        assert word in sentence
    assert "\x1b" not in sentence
    assert "sk-abcdef" not in sentence
    assert hashlib.sha256(file.read_bytes()).digest() == before
    assert [path.name for path in program.data.iterdir()] == ["config.toml"]


def test_a_file_that_is_not_text(program: Program) -> None:
    """ALL-1: bytes that are no text are told with their line."""
    program.data.mkdir()
    (program.data / "config.toml").write_bytes(b'[model]\nname = "\xff"\n')
    assert "line 2" in program.run("status").refused()


def test_a_file_that_is_not_there(program: Program, tmp_path: Path) -> None:
    """ALL-1: a file that was named must be there; without a name none is needed."""
    assert "mine.toml" in program.run("config", "--config", str(tmp_path / "mine.toml")).refused()
    assert "directory" in program.run("config", "--config", str(tmp_path)).refused()


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("STRATA_MEMORY__IMMEDIATE_WINDOW", "lots"),
        ("STRATA_MEMORY__NOSUCH", "1"),
        ("STRATA_MEMORY_POLICY", "none"),
        ("STRATA_MODEL__TIMEOUT_S", "nan"),
    ],
)
def test_a_wrong_variable(program: Program, variable: str, value: str) -> None:
    """ALL-1: the sentence names the variable."""
    assert variable in program.run("status", **{variable: value}).refused()


@pytest.mark.parametrize("option", ["--window", "--context-window"])
def test_a_wrong_option(program: Program, option: str, tmp_path: Path) -> None:
    """ALL-1: a value of the command line is checked like any other."""
    file = tmp_path / "x.jsonl"
    file.write_text('{"role": "user", "content": "x"}')
    assert "command line" in program.run("replay", str(file), option, "0").refused()
