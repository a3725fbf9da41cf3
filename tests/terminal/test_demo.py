"""LAB-4: the demo on a terminal of its own; nothing of it is left, however it ends."""

import pytest

from tests.support.program import Program, wait_for
from tests.terminal.terminal import CTRL_Q, ESC, Terminal, processes_of, terminal

GONE_S = 20.0
"""Longest wait for what the demo has started."""


def leave(shown: Terminal) -> None:
    """Ends the play, then the program."""
    shown.press(ESC)
    shown.until("Ended here.")
    shown.press(CTRL_Q)
    assert shown.ended() == 0


@pytest.mark.parametrize("end", [leave, Terminal.hang_up])
def test_a_demo_leaves_nothing_behind(program: Program, end: object) -> None:
    """LAB-4: the user's own data is not touched, and the demo's goes with it."""
    assert callable(end)
    with terminal(program, "demo") as shown:
        shown.until("A boiler for the Lantern Theatre")
        shown.until("2/50")
        folder = program.elsewhere / "tmp"
        assert list(folder.glob("strata-play-*"))
        end(shown)
        assert wait_for(lambda: shown.process.poll() is not None, GONE_S)
        assert wait_for(lambda: not list(folder.glob("strata-play-*")), GONE_S)
        assert wait_for(lambda: not processes_of(program), GONE_S)
    assert not program.data.exists()
