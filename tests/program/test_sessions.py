"""CHAT-4, CHAT-9: `strata sessions` lists, renames and deletes."""

import pytest

from tests.program.conftest import TALK
from tests.support.program import Program, conversation


@pytest.fixture
def two(program: Program) -> Program:
    """Two sessions of one agent and one of another."""
    program.imports("first", conversation(4))
    program.imports("second", conversation(2))
    program.works("import", "-", "--agent", "helper", "--session", "third", stdin='{"role":"user"}')
    return program


def test_the_one_used_last_comes_first(two: Program) -> None:
    """CHAT-4: each with title, id, agent, size and last use."""
    sessions = two.document("sessions")["sessions"]
    assert [(s["session"], s["messages"]) for s in sessions] == [
        ("third", 1),
        ("second", 2),
        ("first", 4),
    ]
    assert [s["agent"] for s in sessions] == ["helper", "default", "default"]
    assert all(s["last_used"].endswith("Z") for s in sessions)
    ids = [s["session_id"] for s in sessions]
    assert len(set(ids)) == len(ids)
    assert all(":default:" in id for id in ids[1:])
    for session in sessions:
        assert session["bytes"] > 0
        assert session["id"] == session["session_id"]
        assert session["title"] == session["session"]
        assert session["started_at"] == session["started"] <= session["last_used"]
        assert (session["model"], session["open_in"]) == (None, None)
    lines = two.works("sessions").out.splitlines()
    assert [line.split()[0] for line in lines[:3]] == ["third", "second", "first"]


def test_of_one_agent(two: Program) -> None:
    """CHAT-4: `--agent` chooses whose, also the newest where no session is named."""
    assert [s["session"] for s in two.document("sessions", "--agent", "helper")["sessions"]] == [
        "third"
    ]
    assert two.document("status", "--agent", "helper")["session"] == "third"
    assert two.document("status")["session"] == "second"


def test_by_title_and_by_id(two: Program) -> None:
    """CHAT-4: NAME is a session's title or its id."""
    by_title = two.document("status", "--session", "first")
    assert two.document("status", "--session", by_title["session_id"]) == by_title


def test_another_title(two: Program) -> None:
    """CHAT-4: the new title is what it is called from then on."""
    two.works("sessions", "rename", "first", "My", "first", "talk")
    assert two.document("status", "--session", "My first talk")["messages"] == 4
    assert "first" in two.run("status", "--session", "first").refused()


def test_a_title_by_rule(served: Program) -> None:
    """CHAT-4: a question names its session; no second request is sent; the user's title holds."""
    served.works("ask", "Can you help me plan a trip to Lisbon?")
    [session] = served.document("sessions")["sessions"]
    assert session["title"] == "Plan a trip to Lisbon"
    assert session["model"] == "openai/words-6-0"
    assert served.document("status")["usage"]["input"] == 100
    served.works("ask", "What about the Azores?", "--session", "islands")
    assert served.document("sessions")["sessions"][0]["title"] == "islands"
    served.works("ask", "And my boat?", "--agent", "other", STRATA_UI__AUTO_TITLE="false")
    newest = served.document("sessions")["sessions"][0]
    assert (newest["title"], newest["session"]) == (None, newest["id"])
    line = served.works("sessions").out.splitlines()[0]
    assert line.startswith("session of ")
    assert line.endswith(newest["id"])


@pytest.mark.parametrize("text", ["@delete", "@delete first"])
def test_a_question_deletes_nothing(two: Program, text: str) -> None:
    """CHAT-4: in `ask` the command only says where deleting is."""
    assert "strata sessions delete" in two.run("ask", text, "--session", "first").refused()
    assert len(two.document("sessions")["sessions"]) == 3


@pytest.mark.parametrize("text", ["@new", "@theme", "@timeline", "@quit"])
def test_what_only_a_screen_can_do(two: Program, text: str) -> None:
    """CHAT-8: one plain sentence."""
    assert two.run("ask", text).refused() == "That works in the chat only."


def test_deleting_asks_first(two: Program) -> None:
    """CHAT-4: without a terminal nothing is deleted but with --yes; its texts go with it."""
    assert "--yes" in two.run("sessions", "delete", "first").refused()
    two.works("sessions", "delete", "first", "--yes")
    assert len(two.document("sessions")["sessions"]) == 2
    assert "first" in two.run("log", "--session", "first").refused()
    for file in two.data.glob("strata.db*"):
        assert b"Anna3x3" not in file.read_bytes()


def test_without_any(program: Program) -> None:
    """CHAT-4: an empty list is no failure."""
    assert program.document("sessions")["sessions"] == []
    assert program.works("sessions").out == "No session yet.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ("log",),
        ("compact",),
        ("sessions", "rename", "nobody", "x"),
        ("sessions", "delete", "nobody", "--yes"),
    ],
)
def test_a_session_that_does_not_exist(talk: Program, arguments: tuple[str, ...]) -> None:
    """CHAT-4: commands that don't create sessions say so in one line."""
    assert "nobody" in talk.run(*arguments, "--session", "nobody").refused()
    assert len(talk.document("sessions")["sessions"]) == 1
    assert talk.document("sessions")["sessions"][0]["session"] == TALK


def test_two_of_one_title(program: Program) -> None:
    """CHAT-4: the list tells them apart by their ids; the title means the one used last."""
    for count in (1, 3):
        program.works(
            "import", "-", stdin="".join('{"role": "user", "content": "x"}\n' for _ in range(count))
        )
    ids = [each["id"] for each in program.document("sessions")["sessions"]]
    for id in ids:
        program.works("sessions", "rename", id, "m")
    shown = program.works("sessions").out
    assert all(id in shown for id in ids)
    assert program.document("status", "--session", "m")["session_id"] == ids[1]
