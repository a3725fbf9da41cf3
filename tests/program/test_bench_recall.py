"""LAB-3: `strata bench recall` on a small file in LoCoMo's format."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.program.shapes import NUMBER, conform, maybe
from tests.support.program import Program

SHARE = maybe(NUMBER)
FIGURES = {
    "questions": int,
    "recall_at": dict.fromkeys(("5", "10", "20"), SHARE),
    "recall_within": dict.fromkeys(("1000", "2000", "4000"), SHARE),
    "all_evidence_within": dict.fromkeys(("1000", "2000", "4000"), SHARE),
}
SYSTEM = {
    "name": str,
    "ms_per_insert": NUMBER,
    "ms_per_query": NUMBER,
    "overall": FIGURES,
    "by_category": {"1": FIGURES, "4": FIGURES, "5": FIGURES},
}
REPORT = {
    "file": str,
    "conversations": int,
    "messages": int,
    "questions": {"asked": int, "measured": int},
    "evidence": {"ids": int, "repaired": int, "skipped": [str]},
    "embedder": maybe(str),
    "counted_by": {"cl100k"},
    "systems": [SYSTEM],
}


def turns(session: int, *lines: str) -> list[dict[str, str]]:
    return [
        {"speaker": line[:3], "dia_id": f"D{session}:{number}", "text": line[5:]}
        for number, line in enumerate(lines, start=1)
    ]


def talk() -> dict[str, Any]:
    """Two sessions, with questions as LoCoMo has them: malformed ids, and some without any."""
    filler = [
        f"{name}: The weather of day {n} was fine." for n in range(30) for name in ("Ada", "Bea")
    ]
    return {
        "sample_id": "small-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bea",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": turns(1, "Ada: I bought a red canoe.", "Bea: Where?", *filler),
            "session_10_date_time": "2:00 pm on 9 June, 2023",
            "session_10": turns(10, "Bea: My cat is called Miso.", "Ada: I sold the canoe."),
            "session_2_date_time": "no time at all",
            "session_2": turns(2, "Ada: Nothing new.", "Bea: Nor here."),
        },
        "qa": [
            {
                "question": "Which red canoe did Ada buy?",
                "category": 4,
                "evidence": ["D1:1"],
                "answer": "?",
            },
            {"question": "What is Bea's cat called?", "category": 4, "evidence": ["D:10:01"]},
            {"question": "What of the canoe?", "category": 1, "evidence": ["D1:1; D10:2", "D"]},
            {"question": "Who is Ada?", "category": 1, "evidence": []},
            {"question": "Did Bea buy a canoe?", "category": 5, "evidence": ["D1:1"]},
        ],
    }


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("questions") / "small.json"
    path.write_text(json.dumps([talk()]))
    return path


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return Program(tmp_path_factory.mktemp("bench"))


@pytest.fixture(scope="module")
def rankings(file: Path) -> Path:
    return file.with_name("rankings.jsonl")


@pytest.fixture(scope="module")
def report(program: Program, file: Path, rankings: Path) -> dict[str, Any]:
    """Without an embedding model."""
    ran = program.run("bench", "recall", str(file), "--json", "--rankings", str(rankings))
    assert ran.status == 0, ran.err
    assert "by its words alone" in ran.err
    document: dict[str, Any] = json.loads(ran.out)
    return document


def test_what_is_reported(report: dict[str, Any], file: Path) -> None:
    """LAB-3: figures for Strata and the baselines, over all and by category."""
    conform(report, REPORT)
    assert report["file"] == str(file)
    assert (report["conversations"], report["messages"]) == (1, 66)
    assert report["embedder"] is None
    assert [system["name"] for system in report["systems"]] == ["strata", "newest turns", "FTS5"]


def test_malformed_evidence_is_repaired_or_counted(report: dict[str, Any]) -> None:
    """LAB-3: nothing is dropped in silence; a question without evidence is not measured."""
    assert report["evidence"] == {"ids": 5, "repaired": 3, "skipped": ["D"]}
    assert report["questions"] == {"asked": 5, "measured": 4}


def test_figures_of_what_is_found(report: dict[str, Any]) -> None:
    """RECALL-5: what shares words with the question is found; the fifth category is apart."""
    systems = {system["name"]: system for system in report["systems"]}
    strata = systems["strata"]["overall"]
    assert strata["questions"] == 3
    assert strata["recall_at"]["5"] == strata["recall_within"]["1000"] == 1.0
    newest = systems["newest turns"]["overall"]
    assert newest["recall_at"]["5"] == 0.5
    assert systems["strata"]["by_category"]["5"]["questions"] == 1


def test_rankings_can_be_scored_by_anybody(report: dict[str, Any], rankings: Path) -> None:
    """LAB-3: a line a question, also of those without evidence, with ids of turns."""
    lines = [json.loads(line) for line in rankings.read_text().splitlines()]
    assert [line["question"] for line in lines] == [0, 1, 2, 3, 4]
    assert {line["conversation"] for line in lines} == {"small-1"}
    assert lines[0]["ids"][0] == "D1:1"
    assert lines[1]["ids"][0] == "D10:1"
    for line in lines:
        assert len(line["ids"]) == len(set(line["ids"])) <= 200


def test_evidence_and_answers_are_not_read_to_rank(
    program: Program, file: Path, report: dict[str, Any], rankings: Path
) -> None:
    """LAB-3: the same rankings where the file has neither."""
    bare = talk()
    bare["qa"] = [
        {"question": asked["question"], "category": asked["category"]} for asked in bare["qa"]
    ]
    other, out = file.with_name("bare.json"), file.with_name("bare.jsonl")
    other.write_text(json.dumps([bare]))
    shown = program.works("bench", "recall", str(other), "--rankings", str(out)).out
    assert out.read_text() == rankings.read_text()
    assert "0 questions with evidence" in shown


@pytest.mark.parametrize("content", ["{}", "[]", '[{"conversation": {}}]', "no JSON"])
def test_a_file_of_another_form(program: Program, tmp_path: Path, content: str) -> None:
    """LAB-3: one line that says what it must be."""
    path = tmp_path / "other.json"
    path.write_text(content)
    assert "LoCoMo" in program.run("bench", "recall", str(path)).refused()


def test_a_file_that_is_not_there(program: Program) -> None:
    """ALL-2: its name, in one line."""
    assert "nothing.json" in program.run("bench", "recall", "nothing.json").refused()
