"""PROMPT-6: the whole program with a model that continues plain text."""

from tests.support.chat_server import ChatServer
from tests.support.program import Program, conversation

COMPLETION = {"STRATA_MODEL__MODE": "completion"}


def test_a_question_goes_out_as_text_and_can_be_shown_again(
    served: Program, server: ChatServer
) -> None:
    """PROMPT-6: the turns with their labels; the answer is an answer like any other."""
    served.works("ask", "My name is Ada.", **COMPLETION)
    server.seen.clear()
    answer = served.works("ask", "What is my name?", **COMPLETION)
    assert answer.out.strip().endswith("w5")
    (seen,) = server.seen
    assert "messages" not in seen
    assert "\n\nUser: My name is Ada.\n\nAssistant: " in seen["prompt"]
    assert seen["prompt"].endswith("\n\nUser: What is my name?\n\nAssistant:")
    assert "\nUser:" in seen["stop"]


def test_the_light_model_answers_and_folds(embedded: Program) -> None:
    """PROMPT-6, COMPACT-10: without its template, with summaries of its own or by rule."""
    embedded.imports("base", conversation(10, words=10))
    asked = embedded.works(
        "ask",
        "Where do they meet?",
        "--session",
        "base",
        STRATA_MEMORY__PROFILE="stress",
        **COMPLETION,
    )
    assert asked.out.strip()
    status = embedded.document("status", "--session", "base")
    assert status["compactions"]
    assert status["short_term"]["text"]
    used, counted = status["usage"]["input"], status["count_ratio"]
    assert used > 0
    assert 0.9 < counted < 1.1


def test_a_wrong_mode_says_what_is_allowed(program: Program) -> None:
    """ALL-1: the key, the value, and the two that there are."""
    ran = program.run("status", STRATA_MODEL__MODE="base")
    assert ran.status == 1
    assert "model.mode" in ran.err
    assert "completion" in ran.err
