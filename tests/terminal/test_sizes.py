"""A terminal that becomes small, tiny, huge, and ordinary again, while an answer comes."""

from collections.abc import Callable
from functools import partial

import pytest

from tests.support.program import Program
from tests.terminal.terminal import CTRL_Q, ESC, log_of, terminal

SIZES = ((20, 5), (200, 60), (1, 1), (500, 150), (40, 10), (80, 24))
LEGIBLE = 20
"""Columns from which a letter can be looked for."""


def test_any_size_holds_while_an_answer_comes(program_with: Callable[[str], Program]) -> None:
    """VIEW-1, CHAT-1: the composer is in sight and takes keys at each size; nothing fails."""
    program = program_with("slow")
    with terminal(program) as shown:
        shown.say("Count slowly.")
        shown.until("w5")
        for number, (columns, rows) in enumerate(SIZES):
            shown.resize(columns, rows)
            letter = chr(ord("a") + number)
            shown.press(letter)
            if columns >= LEGIBLE:
                typed = "".join(chr(ord("a") + place) for place in range(number + 1))
                shown.until(partial(shown.holds, typed))
                assert len(shown.lines) == rows
            else:
                shown.pause(0.3)
        shown.until("● answering")
        shown.press(ESC)
        shown.until("stopped")
        assert shown.holds("abcdef")
        shown.press(CTRL_Q)
        assert shown.ended() == 0
    assert "Traceback" not in log_of(program)


@pytest.mark.parametrize("size", [(1, 1), (100, 3), (500, 150)])
def test_a_start_at_any_size(program: Program, size: tuple[int, int]) -> None:
    """VIEW-1: the program starts, and ends well, however little room there is."""
    with terminal(program, size=size) as shown:
        shown.until(lambda: shown.screen.modes > {1049})
        shown.pause(0.5)
        shown.resize(80, 24)
        shown.opened()
        shown.echo("a letter")
        shown.press(CTRL_Q)
        assert shown.ended() == 0


def test_the_figures_stand_once(program: Program) -> None:
    """VIEW-1: how full the prompt is stands in the gauge or, with the core, in the key line."""
    with terminal(program, size=(120, 30)) as shown:
        shown.until(" of 27.9k")
        assert not shown.row_of("folds in")
        shown.resize(80, 24)
        shown.opened()
        shown.until(lambda: shown.screen.text.count(" of 27.9k") == 1)
        shown.resize(120, 30)
        shown.gone("folds in")
        shown.until(lambda: shown.screen.text.count(" of 27.9k") == 1)
        shown.press(CTRL_Q)
        assert shown.ended() == 0
