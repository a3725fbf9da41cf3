"""Branches by `strata ask` and in the commands that tell of sessions (CHAT-4, CHAT-5, CHAT-8)."""

import json

from tests.support.chat_server import ChatServer
from tests.support.program import Program, conversation

TALK = conversation(6)


def said(program: Program) -> list[tuple[str, str]]:
    lines = [json.loads(line) for line in program.works("export").out.splitlines()]
    return [(line["role"], line["content"]) for line in lines]


def test_a_message_is_edited_and_an_answer_given_again(served: Program, server: ChatServer) -> None:
    """CHAT-5: the answer alone is printed; the model sees the past of the branch only."""
    served.imports("talk", TALK)
    answer = served.works("ask", "@edit 3 otherwise").out
    assert said(served)[2:] == [("user", "otherwise"), ("assistant", answer.rstrip("\n"))]
    contents = [message["content"] for message in server.seen[-1]["messages"]]
    assert contents[-1] == "otherwise"
    assert not any("Anna3x" in content or "Anna5x" in content for content in contents)
    again = served.works("ask", "@regenerate")
    assert again.out.endswith("w5 \n")
    assert said(served)[:3] == [(m["role"], m["content"]) for m in TALK[:2]] + [
        ("user", "otherwise")
    ]
    (listed,) = served.document("sessions")["sessions"]
    assert (listed["branches"], listed["messages"]) == (3, 4)
    assert listed["usage"]["output"] == 40
    assert served.document("status")["usage"]["output"] == 40
    assert served.document("sessions")["usage"] == listed["usage"]


def test_every_command_follows_the_branch_used_last(program: Program) -> None:
    """CHAT-4: log, status, export, doctor; a branch that was gone to is the one they show."""
    program.imports("talk", TALK)
    assert program.works("ask", "@fork 4").out == "Branch 2 of 2, from message 4.\n"
    assert program.document("status")["messages"] == 4
    assert len(said(program)) == 4
    kinds = [line["kind"] for line in program.works("log", "--json").lines]
    assert kinds.count("message") == 4
    assert kinds[-1] == "forked"
    listed = program.works("ask", "@branches").out.splitlines()
    assert listed[0].startswith("  1  6 messages  the first")
    assert listed[1].startswith("› 2  4 messages  from message 4")
    assert program.works("ask", "@branch 1").out == "Branch 1 of 2, the first.\n"
    assert program.document("status")["messages"] == 6
    assert "2 branches" in program.works("sessions").out
    assert "1 session with 6 messages" in program.run("doctor").out


def test_what_is_no_branch_is_refused(program: Program) -> None:
    """CHAT-8: one line on standard error, and nothing is changed."""
    program.imports("talk", TALK)
    for text, words in (
        ("@fork 9", "There is no message 9"),
        ("@branch 7", "one branch"),
        ("@edit 2 x", "Message 2 is not yours"),
        ("@regenerate 0", "There is no message 0"),
    ):
        ran = program.run("ask", text)
        assert words in ran.err + ran.out
    (listed,) = program.document("sessions")["sessions"]
    assert listed["branches"] == 1


def test_a_session_is_deleted_with_its_branches(program: Program) -> None:
    """CHAT-4: it is told how many there are before."""
    program.imports("talk", TALK)
    program.works("ask", "@fork 4")
    assert "4 messages, 2 branches" in program.run("sessions", "delete", "talk").err
    program.works("sessions", "delete", "talk", "--yes")
    assert program.document("sessions")["sessions"] == []
