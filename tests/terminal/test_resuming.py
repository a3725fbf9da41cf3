"""The conversation goes on where it was left."""

from tests.support.program import Program
from tests.terminal.terminal import CTRL_Q, Terminal, terminal

ANSWER = "Hello from a server that behaves well."


def test_the_conversation_is_there_at_the_first_paint(program: Program) -> None:
    """CHAT-4, ALL-7: what was said stands there before anything else; status agrees."""
    with terminal(program, "--session", "Boats") as shown:
        shown.say("The boat is blue.")
        shown.until(ANSWER)
        shown.ready()
        _leave(shown)
    with terminal(program) as shown:
        shown.until("The boat is blue.")
        assert shown.row_of(ANSWER)
        assert shown.row_of("● opening")
        shown.opened()
        assert shown.lines[0].startswith(" Boats")
        _leave(shown)
    status = program.document("status")
    assert (status["session"], status["messages"]) == ("Boats", 2)
    assert status["model"] == "openai/good"


def test_a_session_is_opened_by_its_name(program: Program) -> None:
    """CHAT-4: of two sessions the one that is named, though the other one is newer."""
    for name in ("Boats", "Trains"):
        program.imports(name, [{"role": "user", "content": f"About {name}."}])
    with terminal(program) as shown:
        shown.until("About Trains.")
        _leave(shown)
    with terminal(program, "--session", "Boats") as shown:
        shown.until("About Boats.")
        shown.opened()
        assert not shown.row_of("About Trains.")
        _leave(shown)


def _leave(shown: Terminal) -> None:
    shown.press(CTRL_Q)
    assert shown.ended() == 0
