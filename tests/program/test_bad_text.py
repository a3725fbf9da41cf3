"""ALL-8, STORE-2: text that is empty, huge, or meant to steer the terminal."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.misbehaving_server import run_in_thread
from tests.support.program import Program, Ran

EVIL = "\x1b[31mred\x1b]0;title\x07 \x9b2J \x00nul \x08back \u202egnp.exe\u2066 \u2028end\x7f"
"""Escapes for colours, the window's title and a cleared screen, and turned reading directions."""
ORDERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
MEGABYTE = 1_000_000


@pytest.mark.parametrize("text", ["", " \n\t ", "\u2003"])
def test_an_empty_question(program: Program, text: str) -> None:
    """CHAT-8: wrong usage as argument and as standard input; no session begins."""
    assert "There is no question" in program.run("ask", text).refused(2)
    assert "There is no question" in program.run("ask", stdin=text).refused(2)
    assert not program.data.exists()


def test_five_megabytes_at_once(served: Program) -> None:
    """PROMPT-3: refused before it is accepted, with its size and the way out; nothing begins."""
    ran = served.run("ask", stdin="word " * MEGABYTE)
    sentence = ran.refused()
    assert "1,250,000 tokens" in sentence
    assert "parts" in sentence
    assert served.document("sessions")["sessions"] == []


def test_five_megabytes_imported(served: Program) -> None:
    """I1, PROMPT-3: they are kept whole, reported, and no prompt breaks on them."""
    huge = "Anna's boat is blue. " * (5 * MEGABYTE // 21)
    served.imports("huge", [{"role": "user", "content": huge}, {"role": "assistant"}])
    assert served.document("status")["context"]["used"] > 0
    exported = served.works("export").out.splitlines()
    assert json.loads(exported[0])["content"] == huge
    ran = served.run("ask", "Which colour has the boat?")
    assert "Traceback" not in ran.err
    assert ran.status == 0 or "tokens" in ran.refused()
    assert served.document("status")["messages"] >= 3


@pytest.fixture
def evil(program: Program) -> Program:
    """A session that holds such text in messages, tool calls, summaries and its title."""
    call = {"id": EVIL, "type": "function", "function": {"name": EVIL, "arguments": EVIL}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": f"{EVIL} number {n} of a longer talk about boats"}
        for n in range(12)
    ]
    messages.append({"role": "assistant", "content": EVIL, "tool_calls": [call]})
    messages.append({"role": "tool", "content": EVIL, "tool_call_id": EVIL})
    program.environment["STRATA_MEMORY__PROFILE"] = "stress"
    text = "".join(json.dumps(message) + "\n" for message in messages)
    file = program.home / "evil\x1b[31m\u202e.jsonl"
    file.write_text(text)
    ran = program.works("import", str(file))
    assert not ORDERS.search(ran.err.replace("\n", ""))
    return program


def test_nothing_reaches_the_terminal(evil: Program) -> None:
    """ALL-8: neither in reports nor in JSON, errors or exports on standard output."""
    evil.works("compact", "--model", "light")
    commands: list[tuple[str, ...]]
    commands = [("log",), ("sessions",), ("status",), ("compact",), ("export",)]
    commands += [(*command, "--json") for command in commands if command != ("export",)]
    commands += [("replay", str(next(evil.home.glob("evil*")))), ("config",), ("config", "--json")]
    for command in commands:
        ran = evil.works(*command, STRATA_UI__THEME=EVIL.replace("\x00", ""))
        assert ran.out
        found = ORDERS.search(ran.out) or ORDERS.search(ran.err.replace("\n", ""))
        assert found is None, (command, found)
    for wrong in (("status", "--session", "\x1b[31m\x9b2J"), ("replay", "\x1b]0;x\x07.jsonl")):
        assert not ORDERS.search(evil.run(*wrong).refused())


def test_it_is_kept_as_it_was_said(evil: Program) -> None:
    """I6: what is dangerous to show is not lost."""
    lines = [json.loads(line) for line in evil.works("export").out.splitlines()]
    assert lines[0]["content"].startswith(EVIL)
    assert lines[-1]["tool_call_id"] == EVIL


def test_an_answer_that_steers_the_terminal(program: Program) -> None:
    """ALL-8: the model's answer is printed without control characters, and kept with them."""
    with run_in_thread() as server:
        ran = program.works(
            "ask",
            stdin=EVIL,
            STRATA_MODEL__API_BASE=server.api_base,
            STRATA_MODEL__NAME="openai/echo",
        )
    assert "red" in ran.out
    assert not ORDERS.search(ran.out)
    said = [json.loads(line) for line in program.works("export").out.splitlines()]
    assert [message["content"] for message in said] == [EVIL, EVIL]


def test_lone_surrogates(program: Program, tmp_path: Path) -> None:
    """STORE-2: what no encoding can hold is replaced, in a file as in an argument."""
    file = tmp_path / "half.jsonl"
    file.write_text('{"role": "user", "content": "before \\ud83d after"}\n')
    program.works("import", str(file), "--session", "half")
    content = json.loads(program.works("export", "--session", "half").out)["content"]
    assert content == "before \ufffd after"
    for command in ("log", "status", "sessions"):
        program.works(command)
        program.works(command, "--json")

    def run(*arguments: str | bytes) -> Ran:
        command = [*program.command(), *arguments]
        return program.run(command=[os.fsdecode(part) for part in command])

    assert run("sessions", "rename", "half", b"not \xff text").status == 0
    assert program.document("sessions")["sessions"][0]["title"] == "not \ufffd text"
    assert "No session" in run("status", "--session", b"\xff\xfe").refused()
    assert "can't be read" in run("replay", b"\xff.jsonl").refused()


def test_right_to_left(program: Program) -> None:
    """ALL-8: Hebrew and Arabic stand as they were written."""
    text = "שלום, מה שם הסירה? مرحبا ١٢٣"
    program.imports("שיחה", [{"role": "user", "content": text}])
    assert text in program.works("log", "--session", "שיחה").out
    assert text in program.works("export").out
    assert program.document("status")["session"] == "שיחה"
