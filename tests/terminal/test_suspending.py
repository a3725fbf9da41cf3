"""Ctrl+Z: back to the shell for a while."""

import os
import shlex
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.support.program import Program, wait_for
from tests.terminal.terminal import (
    CTRL_Q,
    CTRL_Z,
    ENTER,
    Terminal,
    processes_of,
    state_of,
    terminal,
)

PROMPT = "SHELL>"


@contextmanager
def shell(program: Program) -> Iterator[Terminal]:
    """A shell on a terminal."""
    with terminal(program, command=["/bin/sh", "-i"], PS1=PROMPT) as shown:
        shown.until(PROMPT)
        yield shown


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_the_shell_has_the_terminal_until_it_gives_it_back(program: Program) -> None:
    """CHAT-7: Ctrl+Z stops the whole job and restores the terminal; `fg` shows all of it again."""
    with shell(program) as shown:
        shown.press(shlex.join(program.command()), ENTER)
        shown.opened()
        shown.echo("a draft")
        drawn = _talk(shown)
        shown.press(CTRL_Z)
        shown.until("Stopped")
        assert not shown.screen.modes & {1000, 1003, 1006, 1049, 2004}
        assert shown.screen.keyboards == 0
        shown.until(lambda: {state_of(process) for process in _job(shown, program)} == {"T"})
        shown.press("fg", ENTER)
        shown.until(lambda: _talk(shown) == drawn)
        shown.echo("a draft of more")
        shown.press(CTRL_Q)
        shown.until(lambda: 1049 not in shown.screen.modes)
        assert wait_for(lambda: not _job(shown, program))
        shown.press("echo status $?", ENTER)
        shown.until("status 0")
        shown.press("exit", ENTER)
        assert shown.ended() == 0


def test_where_there_is_no_shell_it_goes_on(program: Program) -> None:
    """CHAT-7: in a window of its own nobody could let it go on, so it is not stopped."""
    with terminal(program) as shown:
        shown.opened()
        shown.press(CTRL_Z)
        shown.until(lambda: b"\x1b[?1049l" in shown.raw)
        shown.until(lambda: shown.screen.modes > {1049})
        shown.opened()
        shown.echo("goes on")
        shown.press(CTRL_Q)
        assert shown.ended() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_stopped_from_elsewhere_it_goes_on_and_leaves_the_terminal_well(program: Program) -> None:
    """CHAT-1: after SIGSTOP and SIGCONT everything is drawn again, each key counts once."""
    with terminal(program) as shown:
        shown.opened()
        os.kill(shown.process.pid, signal.SIGSTOP)
        shown.until(lambda: state_of(shown.process.pid) == "T")
        seen = len(shown.raw)
        os.kill(shown.process.pid, signal.SIGCONT)
        shown.until(lambda: b"folds in" in shown.raw[seen:])
        shown.echo("abcdefgh")
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def _talk(shown: Terminal) -> list[str]:
    """The rows between the status line and the composer, but for the gauge, which goes on."""
    return [line for line in shown.lines[1:-4] if "folds in" not in line]


def _job(shown: Terminal, program: Program) -> list[int]:
    """The processes that the shell has started."""
    return [process for process in processes_of(program) if process != shown.process.pid]
