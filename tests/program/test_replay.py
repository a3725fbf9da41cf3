"""LAB-1: `strata replay` is a contract."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.program.shapes import REPLAY, conform, contiguous
from tests.support.program import Program, conversation


def write(path: Path, messages: list[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(message) + "\n" for message in messages))
    return str(path)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("recording") / "talk.jsonl", conversation(300))


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory, file: str) -> dict[str, Any]:
    """300 messages through the default windows."""
    program = Program(tmp_path_factory.mktemp("replay"))
    options = ("--window", "64", "--recent", "64", "--policy", "cascade")
    document: dict[str, Any] = program.document("replay", file, *options)
    assert not program.data.exists(), "a replay writes nothing but a temporary directory"
    assert not list((program.elsewhere / "tmp").iterdir())
    return document


def test_every_key_of_the_contract(replayed: dict[str, Any], file: str) -> None:
    """LAB-1: one row a message, one document."""
    conform(replayed, REPLAY)
    assert replayed["file"] == file
    assert replayed["messages"] == 300
    assert [row["message"] for row in replayed["turns"]] == list(range(1, 301))


def test_cascades_at_129_193_and_257(replayed: dict[str, Any]) -> None:
    """COMPACT-6: and the row of that message names the compaction."""
    assert [entry["message"] for entry in replayed["compactions"]] == [129, 193, 257]
    assert {entry["trigger"] for entry in replayed["compactions"]} == {"count"}
    rows = {row["message"]: row["compaction"] for row in replayed["turns"] if row["compaction"]}
    assert rows == {entry["message"]: entry["id"] for entry in replayed["compactions"]}


def test_coverage_without_a_gap_at_every_row(replayed: dict[str, Any]) -> None:
    """I1, COMPACT-10: short-term, then long-term; the window keeps 64 after a cascade."""
    for row in replayed["turns"]:
        contiguous(row, row["message"])
    spans = {row["message"]: row for row in replayed["turns"]}
    assert spans[128]["verbatim"] == {"from": 1, "to": 128}
    assert spans[128]["short_term"] is None
    assert spans[129]["short_term"] == {"from": 1, "to": 65}
    assert spans[129]["verbatim"] == {"from": 66, "to": 129}
    assert spans[193]["long_term"] == {"from": 1, "to": 65}
    assert spans[193]["short_term"] == {"from": 66, "to": 129}
    assert spans[257]["long_term"] == {"from": 1, "to": 129}
    assert spans[300]["verbatim"] == {"from": 194, "to": 300}


def test_totals_are_the_sums_of_the_requests(replayed: dict[str, Any]) -> None:
    """LAB-1: of the rows that an assistant message follows."""
    rows = [row for row in replayed["turns"] if row["message"] % 2]
    totals = replayed["totals"]
    assert totals["requests"] == 150 == len(rows)
    for key in ("prompt_tokens", "full_history_tokens", "shared_prefix_tokens"):
        assert totals[key] == sum(row[key] for row in rows)
    assert totals["largest_prompt"] == max(row["prompt_tokens"] for row in rows)
    assert totals["prompt_tokens"] < totals["full_history_tokens"]


def test_figures_of_a_row(replayed: dict[str, Any]) -> None:
    """LAB-1: the sections sum to the prompt; without a compaction the prompt is the history."""
    for row in replayed["turns"]:
        assert sum(row["sections"].values()) == row["prompt_tokens"]
        if row["message"] < 129:
            assert row["full_history_tokens"] == row["prompt_tokens"]
    histories = [row["full_history_tokens"] for row in replayed["turns"]]
    assert all(before < after for before, after in pairwise(histories))


def test_the_prefix_is_shared_between_cascades(replayed: dict[str, Any]) -> None:
    """I9: a request begins as the one before did, unless a compaction lies between."""
    requests = [row for row in replayed["turns"] if row["message"] % 2]
    for before, after in pairwise(requests):
        folded = any(
            before["message"] < entry["message"] <= after["message"]
            for entry in replayed["compactions"]
        )
        if not folded:
            assert after["shared_prefix_tokens"] >= 0.9 * before["prompt_tokens"]


def test_on_tokens_no_prompt_is_over_the_limit(program: Program, tmp_path: Path) -> None:
    """I2, COMPACT-6: with a small window the token trigger fires, and every prompt fits."""
    file = write(tmp_path / "long.jsonl", conversation(60, words=60))
    document = program.document("replay", file, "--context-window", "4096")
    assert document["context_window"] == 4096
    assert "tokens" in {entry["trigger"] for entry in document["compactions"]}
    limit = 4096 - round(0.15 * 4096)
    for row in document["turns"]:
        assert row["prompt_tokens"] <= limit
        contiguous(row, row["message"])


@pytest.mark.parametrize("before", [True, False])
def test_global_options_on_either_side(program: Program, tmp_path: Path, before: bool) -> None:
    """LAB-1: global options stand before or after the subcommand."""
    config = tmp_path / "mine.toml"
    config.write_text("[memory]\nimmediate_window = 5\nrecent_window = 5\n")
    file = write(tmp_path / "talk.jsonl", conversation(12))
    given = ("--config", str(config))
    arguments = (*given, "replay", file) if before else ("replay", file, *given)
    assert [c["message"] for c in program.document(*arguments)["compactions"]] == [11]


def test_without_a_policy_everything_stays(program: Program, tmp_path: Path) -> None:
    """COMPACT-8: policy none compacts nothing."""
    file = write(tmp_path / "talk.jsonl", conversation(140))
    document = program.document("replay", file, "--policy", "none")
    assert document["policy"] == "none"
    assert document["compactions"] == []
    assert document["turns"][-1]["verbatim"] == {"from": 1, "to": 140}


def test_the_same_replay_twice(program: Program, tmp_path: Path) -> None:
    """PROMPT-1: figures do not depend on when or where it is run."""
    file = write(tmp_path / "talk.jsonl", conversation(40))
    options = ("replay", file, "--window", "8", "--recent", "8")
    one, other = (_without_times(program.document(*options)) for _ in range(2))
    assert one == other


def _without_times(document: dict[str, Any]) -> dict[str, Any]:
    document["totals"].pop("seconds")
    for row in document["turns"]:
        row.pop("seconds", None)
        row["compaction"] = row["compaction"] is not None
    for entry in document["compactions"]:
        for key in ("id", "time", "duration_s"):
            entry.pop(key)
    return document


def test_tool_exchanges_stay_whole(program: Program, tmp_path: Path) -> None:
    """I3: a call and its results are on the same side of every cut."""
    messages: list[dict[str, Any]] = []
    for number in range(12):
        call = {"id": f"c{number}", "type": "function"}
        call["function"] = {"name": "read", "arguments": "{}"}  # type: ignore[assignment]
        messages += [
            {"role": "user", "content": f"Read file {number}, please, and tell what is in it."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": f"Boat {number} " * 20},
            {"role": "assistant", "content": f"It tells of boat {number}."},
        ]
    file = write(tmp_path / "tools.jsonl", messages)
    document = program.document("replay", file, "--window", "5", "--recent", "5")
    assert document["compactions"]
    for row in document["turns"]:
        contiguous(row, row["message"])
        first = row["verbatim"]["from"]
        assert first % 4 != 3, f"message {first} is a result without its call"


LOCOMO = [
    {
        "sample_id": f"conv-{number}",
        "qa": [],
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": f"I sail boat {number}."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "Since when?"},
            ],
            "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "Since May."}],
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "Last session."}],
        },
    }
    for number in (26, 30)
]


def test_a_locomo_file(program: Program, tmp_path: Path) -> None:
    """LAB-1: `--conversation` chooses; sessions in their order; requests before speaker_b."""
    file = tmp_path / "locomo.json"
    file.write_text(json.dumps(LOCOMO))
    document = program.document("replay", str(file), "--conversation", "conv-30")
    conform(document, REPLAY)
    assert document["messages"] == 4
    assert document["totals"]["requests"] == 2
    first = program.works("replay", str(file), "--json")
    assert (first.document["conversation"], first.document["conversations"]) == (
        LOCOMO[0]["sample_id"], len(LOCOMO),
    )  # fmt: skip
    assert f"{LOCOMO[0]['sample_id']} is the first of {len(LOCOMO)} conversations" in first.err
    sentence = program.run("replay", str(file), "--conversation", "conv-99").refused()
    assert "conv-99" in sentence
    assert "conv-26, conv-30" in sentence


def test_an_export_can_be_replayed(talk: Program, tmp_path: Path) -> None:
    """LAB-1: a Strata export is a recording."""
    file = str(tmp_path / "export.jsonl")
    talk.works("export", file)
    assert talk.document("replay", file)["messages"] == 30


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("not json\n", "line 1"),
        ('{"role": "user", "content": "a"}\n{"role": "robot", "content": "b"}\n', "line 2"),
        ('{"role": "user", "content": 7}\n', "line 1"),
        ("[1, 2]", "not a message"),
        ("[" * 100_000, "line 1"),
        ('[{"conversation": {}}]', "locomo"),
        ('[{"conversation": {"speaker_a": "Ann", "session_1": [{}]}}]', "locomo"),
        ("\x00\x01", "line 1"),
    ],
)
def test_a_file_that_is_no_recording(
    program: Program, tmp_path: Path, content: str, words: str
) -> None:
    """LAB-1, ALL-2: one sentence that names the place."""
    file = tmp_path / "bad.jsonl"
    file.write_text(content)
    assert words in program.run("replay", str(file)).refused().lower()


def test_a_file_that_is_not_there(program: Program) -> None:
    """ALL-2: its name, and what to do."""
    assert "nothing.jsonl" in program.run("replay", "nothing.jsonl").refused()


def test_an_empty_file(program: Program, tmp_path: Path) -> None:
    """LAB-1: no message, no row."""
    file = tmp_path / "empty.jsonl"
    file.write_text("")
    document = program.document("replay", str(file))
    conform(document, REPLAY)
    assert (document["messages"], document["turns"]) == (0, [])


def test_a_report_for_people(program: Program, tmp_path: Path) -> None:
    """LAB-1: compactions and totals in lines."""
    file = write(tmp_path / "talk.jsonl", conversation(30))
    report = program.works("replay", file, "--window", "4", "--recent", "4").out
    assert "30 messages" in report
    assert "compaction at message 9" in report
    assert "15 requests" in report
