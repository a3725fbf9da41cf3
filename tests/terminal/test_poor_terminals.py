"""Terminals with few colours, and people who want none."""

import re

import pytest

from tests.support.program import Program
from tests.terminal.terminal import CTRL_Q, F7, Terminal, terminal

TRUE_COLOUR = re.compile(rb"\x1b\[[\d;]*[34]8;2;")


def test_no_colour_where_none_is_wanted(program: Program) -> None:
    """VIEW-8: NO_COLOR: not one sequence asks for a colour, and everything is there."""
    with terminal(program, NO_COLOR="1") as shown:
        _look_around(shown)
        assert shown.screen.colours == 0


@pytest.mark.parametrize("kind", ["dumb", "linux", "xterm", "unheard-of"])
def test_any_kind_of_terminal(program: Program, kind: str) -> None:
    """VIEW-8: it starts, can be read and ends well; true colour only where it is promised."""
    with terminal(program, TERM=kind, COLORTERM="") as shown:
        _look_around(shown)
        assert kind == "dumb" or not TRUE_COLOUR.search(shown.raw)


def _look_around(shown: Terminal) -> None:
    shown.opened()
    shown.echo("readable")
    shown.press(F7)
    shown.until("─ short-term ─")
    shown.press(CTRL_Q)
    assert shown.ended() == 0
