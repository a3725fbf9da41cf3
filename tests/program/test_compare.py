"""LAB-2: `strata compare` puts policies side by side."""

import json
from pathlib import Path
from typing import Any

import pytest

from app.lab.comparison import table
from memory.policy_names import names
from tests.program.shapes import COMPARISON, REPLAY, conform
from tests.support.program import Program, conversation

SMALL = ("--window", "8", "--recent", "8")


def write(path: Path, messages: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))
    return str(path)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("compare"))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("recording") / "talk.jsonl", conversation(60))


@pytest.fixture(scope="module")
def compared(program: Program, file: str) -> dict[str, Any]:
    """Sixty messages under every policy."""
    document: dict[str, Any] = program.document("compare", file, *SMALL)
    return document


def test_every_key_of_the_contract(compared: dict[str, Any], file: str) -> None:
    """LAB-2: one entry a policy, all of them where none is named."""
    conform(compared, COMPARISON)
    assert (compared["file"], compared["messages"]) == (file, 60)
    assert [entry["policy"] for entry in compared["policies"]] == list(names())


def test_figures_are_those_of_the_replay(
    program: Program, file: str, compared: dict[str, Any]
) -> None:
    """LAB-2: what `replay` tells of each policy alone."""
    for entry in compared["policies"]:
        replayed = program.document("replay", file, "--policy", entry["policy"], *SMALL)
        conform(replayed, REPLAY)
        for key, value in replayed["totals"].items():
            assert key == "seconds" or entry["totals"][key] == value
        assert [c["message"] for c in entry["compactions"]] == [
            c["message"] for c in replayed["compactions"]
        ]


def test_shares_follow_from_the_totals(compared: dict[str, Any]) -> None:
    """LAB-2: cascade sends less than nothing at all does, which is the full history here."""
    entries = {entry["policy"]: entry for entry in compared["policies"]}
    none, cascade = entries["none"], entries["cascade"]
    assert none["totals"]["share_of_full_history"] == 1.0
    assert none["compactions"] == []
    assert none["loss"]["kept_share"] is None
    assert cascade["totals"]["share_of_full_history"] < 1
    for entry in (none, cascade):
        totals = entry["totals"]
        assert totals["sent_again_tokens"] == (
            totals["prompt_tokens"] - totals["shared_prefix_tokens"]
        )
        assert len(entry["requests"]) == totals["requests"] == 30
        assert sum(row["prompt_tokens"] for row in entry["requests"]) == totals["prompt_tokens"]
        assert entry["cost"] is None


def test_a_table_and_plots_for_people(program: Program, file: str) -> None:
    """LAB-2: a row a policy, in the order in which they were named; then how each went."""
    out = program.works("compare", file, "--policies", "none, cascade,none", *SMALL).out
    lines = out.splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("policy"))
    assert [line.split()[0] for line in lines[head + 1 : head + 3]] == ["none", "cascade"]
    assert "100 %" in lines[head + 1]
    assert out.count("█ prompt   ⠒⠒ full history") == 2
    assert out.count("◆ compaction") == 1
    assert "none: " in out
    assert " tokens, as the full history has" in out
    assert max(map(len, lines)) <= 120


@pytest.mark.parametrize("given", ["cascade,nobody", "nobody", ",", ""])
def test_an_unknown_policy_is_told_which_there_are(program: Program, file: str, given: str) -> None:
    """LAB-2, ALL-1: the wrong name, and all that are allowed."""
    ran = program.run("compare", file, "--policies", given)
    assert (ran.status, ran.out) == (2, "")
    assert ("nobody" in given) == ("nobody" in ran.err)
    assert all(name in ran.err for name in names())


def test_a_file_that_is_not_there(program: Program) -> None:
    """ALL-2: its name, in one line."""
    assert "nothing.jsonl" in program.run("compare", "nothing.jsonl").refused()


def test_a_conversation_without_requests(program: Program, tmp_path: Path) -> None:
    """LAB-2: nothing was asked, nothing is divided by it."""
    file = write(tmp_path / "one.jsonl", [{"role": "user", "content": "hello"}])
    document = program.document("compare", file)
    conform(document, COMPARISON)
    assert document["policies"][0]["totals"]["share_of_full_history"] is None
    assert "–" in program.works("compare", file).out


def test_a_conversation_with_tool_calls(program: Program, tmp_path: Path) -> None:
    """LAB-2: calls and results go through every policy."""
    messages: list[dict[str, Any]] = []
    for number in range(10):
        call = {"id": f"c{number}", "type": "function"}
        call["function"] = {"name": "read", "arguments": '{"path": "a"}'}  # type: ignore[assignment]
        messages += [
            {"role": "user", "content": f"Read file {number}, please, and tell what is in it."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"Boat {number} " * 20},
            {"role": "assistant", "content": f"It tells of boat {number}."},
        ]
    file = write(tmp_path / "tools.jsonl", messages)
    document = program.document("compare", file, *SMALL)
    conform(document, COMPARISON)
    assert {entry["totals"]["requests"] for entry in document["policies"]} == {20}


def test_columns_stand_below_each_other() -> None:
    """LAB-2: names to the left, figures to the right, wide characters included."""
    lines = table([("name", "n"), ("日本", "1"), ("x", "1,000")])
    assert lines == ["name      n", "日本      1", "x     1,000"]
