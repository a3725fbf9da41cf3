"""VIEW-6: `strata status --json` is a contract."""

import json

from tests.program.conftest import TALK, TALK_MESSAGES
from tests.program.shapes import STATUS, conform, contiguous
from tests.support.program import Program


def test_every_key_of_the_contract(talk: Program) -> None:
    """VIEW-6: all keys are there, of the right form, and the figures agree with each other."""
    status = talk.document("status", "--session", TALK)
    conform(status, STATUS)
    contiguous(status, TALK_MESSAGES)
    context = status["context"]
    assert sum(context["sections"].values()) == context["used"]
    assert context["warning"] == round(0.75 * context["trigger"])
    assert context["trigger"] < context["limit"] < context["window"]
    assert (context["window"], context["trigger"]) == (32768, 24576)
    assert status["session"] == TALK
    assert status["messages"] == TALK_MESSAGES
    assert status["events"] == len(talk.works("log", "--json").lines)
    assert status["short_term"]["by"] == status["compactions"][-1]["by"] == "rule"
    assert status["long_term"]["text"]


def test_compactions_are_listed_oldest_first(talk: Program) -> None:
    """COMPACT-6, COMPACT-11: the stress profile folds at 9 messages and then every 4."""
    compactions = talk.document("status")["compactions"]
    assert [entry["message"] for entry in compactions] == [9, 13, 17, 21, 25, 29]
    for entry in compactions:
        assert entry["tokens_after"] < entry["tokens_before"]
        assert entry["ratio"] == round(entry["tokens_after"] / entry["tokens_before"], 4)
        assert entry["time"].endswith("Z")
        assert sum(stage["freed"] for stage in entry["stages"]) == (
            entry["tokens_before"] - entry["tokens_after"]
        )


def test_a_session_without_summaries(program: Program) -> None:
    """VIEW-6: what does not exist yet is null, 0 or empty."""
    program.imports("short", [{"role": "user", "content": "Hello"}])
    status = program.document("status")
    conform(status, STATUS)
    assert (status["short_term"], status["long_term"], status["compactions"]) == (None, None, [])
    assert status["verbatim"] == {"from": 1, "to": 1}
    assert status["next_compaction"]["in_messages"] == 128


def test_the_report_for_people(talk: Program) -> None:
    """VIEW-6: counts, tokens, summaries, compactions, caps, breaker and the next trigger."""
    report = talk.works("status", "--session", TALK).out
    for words in (TALK, "30 messages", "Short-term", "Long-term", "Compactions: 6", "tokens"):
        assert words in report
    assert "Next compaction" in report


def test_one_document_and_nothing_else(talk: Program) -> None:
    """VIEW-6: one JSON document on standard output, nothing on standard error."""
    ran = talk.works("status", "--json")
    assert isinstance(json.loads(ran.out), dict)
    assert ran.err == ""


def test_goals_tasks_and_tools(program: Program) -> None:
    """GOAL-1, GOAL-2, GOAL-5, GOAL-8: what `ask` was told, in the keys of the contract."""
    program.works("ask", "@goal")
    empty = program.document("status")
    conform(empty, STATUS)
    assert (empty["goals"]["active"], empty["execution"]["current_task"]) == (None, None)
    for text in (
        "@goal set Count the doors",
        "@task add Floor 1",
        "@task add Floor 2 after t1",
        "@task add Paint",
        "@task start t1",
        "@step Look at the plan",
        "@preference tone dry",
    ):
        program.works("ask", text)
    status = program.document("status")
    conform(status, STATUS)
    assert status["goals"]["active"] == "Count the doors"
    tasks = status["goals"]["tasks"]
    assert [tasks[k] for k in ("ready", "running", "done", "failed", "waiting")] == [1, 1, 0, 0, 1]
    assert status["execution"]["steps"] == 1
    assert status["execution"]["current_task"] == "Floor 1"
    caps = status["caps"]
    assert (caps["session_tokens"]["cap"], caps["session_tokens"]["warning"]) == (12000, 10000)
    assert 0 < caps["session_tokens"]["used"] < 300
    assert status["context"]["sections"]["working"] > 0
    assert sum(status["context"]["sections"].values()) == status["context"]["used"]

    program.works("ask", "@goal Paint the doors")
    goals = program.document("status")["goals"]
    assert (goals["active"], goals["completed"], goals["failed"]) == ("Paint the doors", 1, 0)
    assert goals["archived"][0]["goal"] == "Count the doors"
    assert program.document("status")["caps"]["archived_goals_tokens"]["used"] > 0
    kinds = [line["kind"] for line in program.works("log", "--json").lines]
    assert kinds[-2:] == ["goal_ended", "goal_set"]
    contents = [line.get("content") for line in program.works("log", "--json").lines]
    assert "Count the doors" in contents


def test_a_circle_ends_with_a_sentence(program: Program) -> None:
    """GOAL-2: on standard error, with exit status 1."""
    program.works("ask", "@task add one")
    program.works("ask", "@task add two after t1")
    assert "t1 → t2 → t1" in program.run("ask", "@task after t1 t2").refused()


def test_preferences_hold_in_another_session(program: Program) -> None:
    """GOAL-7: known to the agent, whatever session."""
    program.works("ask", "@preference tone dry", "--session", "one")
    program.works("ask", "@goal x", "--session", "two")
    assert program.document("status", "--session", "two")["preferences"] == {"tone": "dry"}
