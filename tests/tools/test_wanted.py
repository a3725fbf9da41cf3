"""CHAT-10: when a small model is offered tools at all."""

import pytest

from app.schema import ToolsSettings
from app.tools.registry import Asked, offered
from app.tools.wanted import speaks_of_work


@pytest.mark.parametrize(
    "text",
    [
        "Which licence is in the file a?",
        "What is the version in pyproject.toml?",
        "List the folders here.",
        "Where is the word harvest used in the code?",
        "Run the tests.",
        "please run `ls`",
        "git status",
        "Read README.md and tell me the first heading.",
        "What is in src/?",
        "Look into app/tools/web.py.",
        "Compare ./a and ./b",
        "Was steht in der Datei?",
        "Show me c3 again.",
        "What does /etc/hosts say?",
        "How many lines has MAKEFILE?",
        "Which terms are in LICENCE_TERMS?",
    ],
)
def test_of_files_commands_and_stored_things(text: str) -> None:
    assert speaks_of_work(text, {"LICENCE_TERMS"})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Hi, my name is Anna. I live in Porto.",
        "What is the capital of Portugal?",
        "We decided on SQLite and/or Postgres on 12/05/2026.",
        "Tell me a joke.",
        "I read a book, e.g. one about the USA and NATO.",
        "He runs 5 km/h. She/her.",
        "Please remember it, i.e. keep it in mind.",
        "Explain recursion in one sentence.",
        "My cat weighs 4.5 kg... or so.",
    ],
)
def test_of_anything_else(text: str) -> None:
    assert not speaks_of_work(text, {"src", "README"})


def test_a_small_model_is_offered_none_before() -> None:
    """CHAT-10: the configuration goes before; a large model always has them."""
    small = Asked("default", 8_192, needs_tools=False)
    assert offered(ToolsSettings(), small) == "none"
    assert offered(ToolsSettings(offer="few"), small) == "few"
    assert offered(ToolsSettings(), Asked("openai/gpt-5", 128_000, needs_tools=False)) == "all"


def test_a_long_text_is_looked_at_where_it_begins_and_ends() -> None:
    """ALL-7: a paste costs no more than a page."""
    paste = "word " * 400_000
    assert not speaks_of_work(paste)
    assert speaks_of_work(f"{paste} What is in notes.txt?")
