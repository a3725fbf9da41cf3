"""How the chat ends: by a key, by the system, by a fault, with the terminal or without one."""

import signal
import sys
from collections.abc import Callable

import pytest

from tests.support.program import Program, wait_for
from tests.terminal.terminal import CTRL_END, CTRL_Q, log_of, processes_of, terminal

CRASHING = (
    "import sys; from app import cli; from app.screens.chat import ChatScreen\n"
    "def broken(self): raise ZeroDivisionError('deep inside')\n"
    "ChatScreen.action_newest = broken\n"
    "sys.exit(cli.main())"
)
GONE_S = 60.0
"""Longer than anything goes on without a terminal on a busy machine."""


def test_leaving_restores_the_terminal(program: Program) -> None:
    """CHAT-1: Ctrl+Q ends with status 0 and leaves the terminal as it was, and nothing running."""
    with terminal(program) as shown:
        shown.opened()
        assert shown.screen.modes > {1049, 2004}
        assert not shown.restored
        shown.press(CTRL_Q)
        assert shown.ended() == 0
    assert wait_for(lambda: not processes_of(program), GONE_S)


def test_being_told_to_end_restores_the_terminal(program: Program) -> None:
    """STORE-2: SIGTERM closes the session in good order."""
    with terminal(program) as shown:
        shown.opened()
        shown.process.send_signal(signal.SIGTERM)
        assert shown.ended() == 0


def test_a_crash_is_one_sentence(program: Program) -> None:
    """ALL-2: no traceback on the terminal, which is restored; the log file has the details."""
    command = [sys.executable, "-P", "-c", CRASHING, "--data", str(program.data)]
    with terminal(program, command=command) as shown:
        shown.opened()
        shown.press(CTRL_END)
        assert shown.ended() == 1
        assert shown.row_of("Strata had to close.")
        assert "deep inside" not in shown.screen.text
    assert "deep inside" in log_of(program)


def test_a_wrong_configuration_is_told_where_the_program_was_started(program: Program) -> None:
    """ALL-1, ALL-7: the screen is there before the configuration is read; it makes way for it."""
    program.data.mkdir()
    (program.data / "config.toml").write_text("[memory]\nimmediate_window = 0\n")
    with terminal(program) as shown:
        assert shown.ended() == 1
        assert shown.row_of("memory.immediate_window")


def test_without_a_terminal_the_chat_says_so(program: Program) -> None:
    """CHAT-8: a program is shown the way that is meant for it."""
    refusal = program.run().refused()
    assert "strata ask" in refusal


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_a_terminal_that_is_closed_takes_everything_with_it(
    program_with: Callable[[str], Program],
) -> None:
    """STORE-2, CHAT-1: closed while an answer comes, nothing runs on, and nothing said is lost."""
    program = program_with("slow")
    with terminal(program) as shown:
        shown.say("Where were we?")
        shown.until("w60")
        assert len(processes_of(program)) > 1
        shown.hang_up()
        assert wait_for(lambda: not processes_of(program), GONE_S)
    with terminal(program) as shown:
        shown.until("interrupted")
        assert shown.row_of("Where were we?")
        assert shown.row_of("w30")
        shown.press(CTRL_Q)
        assert shown.ended() == 0
    assert "Traceback" not in log_of(program)


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_a_terminal_that_controls_nothing_and_goes_is_noticed(program: Program) -> None:
    """CHAT-1: where no SIGHUP comes, the end of the input is the end of the chat."""
    with terminal(program, controlling=False) as shown:
        shown.opened()
        shown.hang_up()
        assert wait_for(lambda: not processes_of(program), GONE_S)
