"""CHAT-3, COMPACT-9: a real model on this machine answers, counts and folds."""

from tests.program.shapes import contiguous
from tests.support.program import Program, conversation

SESSION = "talk"


def test_it_answers_counts_and_folds(embedded: Program) -> None:
    """CHAT-3, COMPACT-6, PROMPT-4: one session from the first question to a cascade."""
    first = embedded.works("ask", "Say hello.", "--session", SESSION)
    assert first.out.strip()
    assert first.err == ""
    status = embedded.document("status")
    assert status["model"] == "embedded/smollm2-135m"
    assert status["context"]["counted_by"] == "model"
    assert status["context"]["window"] == 2048
    assert status["usage"]["input"] > 0
    assert status["usage"]["output"] in range(1, 17)
    counted = {line["number"]: line["tokens"] for line in messages(embedded)}
    assert counted[1] == 3

    embedded.imports(SESSION, conversation(8, words=6))
    second = embedded.works("ask", "And goodbye.", STRATA_MEMORY__PROFILE="stress")
    assert second.out.strip()
    status = embedded.document("status")
    assert status["messages"] == 12
    assert status["compactions"]
    assert status["short_term"]["text"]
    contiguous(status, 12)


def messages(program: Program) -> list[dict[str, int]]:
    return [line for line in program.works("log", "--json").lines if line["kind"] == "message"]


def test_a_folding_by_hand(embedded: Program) -> None:
    """COMPACT-6, COMPACT-12, COMPACT-13: it asks the model, and prints what came of it."""
    embedded.imports("by hand", conversation(12, words=10))
    folding = ("compact", "--session", "by hand")
    window = {"STRATA_MEMORY__IMMEDIATE_WINDOW": "4"}
    done = embedded.works(*folding, "--json", **window).document["compaction"]
    assert (done["trigger"], done["policy"], done["message"]) == ("manual", "cascade", 12)
    assert done["tokens_after"] < done["tokens_before"]
    status = embedded.document("status", "--session", "by hand")
    assert status["compactions"][0]["id"] == done["id"]
    assert status["short_term"]["to"] == 8
    (measured,) = (
        line for line in embedded.works("log", "--json").lines if line["kind"] == "loss_measured"
    )
    assert measured["compaction"] == done["id"]
    assert measured["numbers"] == list(range(1, 9))
    assert 0.1 < measured["similarity"] <= 1
    again = embedded.works(*folding, **window)
    assert again.out == "Nothing to fold: it would gain nothing yet.\n"


def test_what_was_due_anyway_is_told(embedded: Program) -> None:
    """COMPACT-6: by hand or by itself, `compact` says what was folded."""
    embedded.imports("due", conversation(12, words=10))
    ran = embedded.works("compact", "--session", "due", STRATA_MEMORY__PROFILE="stress")
    assert ran.out.startswith("Folded up to message 8: ")


def test_a_replay_with_the_model(embedded: Program) -> None:
    """LAB-1: its tokenizer counts and it writes the summaries; no session is made of it."""
    file = embedded.home / "recording.jsonl"
    file.write_text(embedded.works("export", "--session", "by hand").out)
    before = embedded.document("sessions")
    document = embedded.document(
        "replay", str(file), "--window", "4", "--recent", "4", "--summarizer", "model"
    )
    assert document["counted_by"] == "model"
    assert [entry["message"] for entry in document["compactions"]] == [9]
    for row in document["turns"]:
        contiguous(row, row["message"])
    assert embedded.document("sessions") == before
