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
