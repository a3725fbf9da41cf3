"""CHAT-8: `strata ask` answers on standard output, with the same memory."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.support.chat_server import ChatServer
from tests.support.misbehaving_server import closed_port, run_in_thread
from tests.support.program import Program, wait_for


def said(program: Program, *session: str) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in program.works("export", *session).out.splitlines()]
    return [(line["role"], line["content"]) for line in lines]


def test_the_answer_alone(served: Program, server: ChatServer) -> None:
    """CHAT-8: argument or standard input; the second question is asked with the first in sight."""
    first = served.works("ask", "What", "is", "this?")
    assert first.err == ""
    assert first.out.endswith("w5 \n")
    second = served.works("ask", stdin="And\nthat?\n")
    assert said(served) == [
        ("user", "What is this?"),
        ("assistant", first.out.rstrip("\n")),
        ("user", "And\nthat?\n"),
        ("assistant", second.out.rstrip("\n")),
    ]
    sent = server.seen[-1]["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "user"]
    assert sent[1]["content"] == "What is this?"
    status = served.document("status")
    assert status["model"] == "openai/words-6-0"
    assert status["usage"] == {"input": 200, "output": 40, "cached": 0, "cost": None}
    kinds = [line["kind"] for line in served.works("log", "--json").lines]
    assert kinds.count("request") == kinds.count("attempt") == 2


def test_commands_without_a_model(program: Program) -> None:
    """CHAT-8: @commands work in it, and need no model."""
    assert "@memory-status" in program.works("ask", "@help").out
    assert "Compactions: 0" in program.works("ask", "@memory-status", "--session", "new").out
    assert "called mine" in program.works("ask", "@rename mine").out
    assert program.document("status")["session"] == "mine"
    for text, words in (("@memory-statu", "@memory-status"), ("@undo", "no compaction")):
        assert words in program.run("ask", text).refused()
    assert program.document("status")["messages"] == 0


def test_a_command_that_fails_leaves_no_session(program: Program) -> None:
    """CHAT-8: none is made for nothing; one that is there stays."""
    program.works("ask", "@goal Find a flat.", "--session", "flats")
    for text in ("@task done t99", "@tasks done t1", "@statu", "@regenerate", "@policy zig"):
        for session in ("x", "flats"):
            program.run("ask", text, "--session", session).refused()
    assert [one["title"] for one in program.document("sessions")["sessions"]] == ["flats"]


def test_ctrl_c_keeps_what_had_arrived(served: Program) -> None:
    """CHAT-1, STORE-2: the answer so far is kept and marked; the exit status tells."""
    process = served.start("ask", "Go on.", "--model", "openai/words-20-0-hold")
    assert process.stdout is not None
    arrived = os.read(process.stdout.fileno(), 20)
    process.send_signal(signal.SIGINT)
    rest, errors = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in errors
    answer = (arrived + rest).decode().rstrip("\n")
    log = served.works("log", "--json").lines
    kept = [line for line in log if line["kind"] == "message"][-1]
    assert (kept["content"], kept["interrupted"]) == (answer, True)
    assert next(line for line in log if line["kind"] == "attempt")["outcome"] == "stopped"


def test_a_server_that_fails(program: Program) -> None:
    """ALL-2: one sentence, status 1; the question and what had arrived are kept."""
    with run_in_thread() as server:
        program.environment["STRATA_MODEL__API_BASE"] = server.api_base
        ran = program.run("ask", "Hello?", "--model", "openai/cut")
    ran.refused()
    assert ran.out == "This much came before \n"
    assert said(program) == [("user", "Hello?"), ("assistant", "This much came before ")]


@pytest.mark.parametrize(
    ("model", "words", "kept"),
    [
        ("light", "strata models install light", False),
        ("/nowhere/model.gguf", "/nowhere/model.gguf", False),
        ("embedded/nosuch", "nosuch", False),
        ("nosuchprovider/model", "nosuchprovider/model", False),
        ("openai/gone", "nothing listens", True),
    ],
)
def test_a_model_that_cannot_answer(program: Program, model: str, words: str, kept: bool) -> None:
    """CHAT-2, CHAT-3, ALL-2: the sentence says what is missing.

    A question is taken only where there is a model to ask; once taken it is kept.
    """
    base = f"http://127.0.0.1:{closed_port()}/v1"
    ran = program.run("ask", "Hello?", "--model", model, STRATA_MODEL__API_BASE=base)
    sentence = ran.refused()
    assert words in sentence
    if model != "embedded/nosuch":
        assert said(program) == ([("user", "Hello?")] if kept else [])


def test_a_gguf_that_is_none(program: Program, tmp_path: Path) -> None:
    """CHAT-3: a file that is no model is named."""
    file = tmp_path / "letter.gguf"
    file.write_text("Dear aunt")
    assert "letter.gguf" in program.run("ask", "Hello?", "--model", str(file)).refused()


def test_a_reader_that_goes_away(served: Program) -> None:
    """ALL-2: the answer is kept though nobody reads it to its end."""
    process = served.start("ask", "Go on.", "--model", "openai/words-40-5")
    assert process.stdout is not None
    process.stdout.read(5)
    process.stdout.close()
    process.wait(timeout=120)
    assert process.stderr is not None
    assert b"Traceback" not in process.stderr.read()
    process.stderr.close()
    assert wait_for(lambda: len(said(served)) == 2, 5)
