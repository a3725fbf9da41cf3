"""Which turns the plot draws (VIEW-7)."""

from app.screens.journey import Turns
from app.screens.plot import asked_turns
from memory.views import TurnPoint


def turn(n: int, *, asked: bool) -> TurnPoint:
    return TurnPoint(n, n, 100 * n, 100 * n, asked)


def test_messages_that_were_never_asked_are_no_requests() -> None:
    """VIEW-7: what was imported before has no prompt to plot; marks keep their places."""
    points = (*(turn(n, asked=False) for n in (1, 2, 3)), *(turn(n, asked=True) for n in (4, 5)))
    taken, marks = asked_turns(Turns(points, (2, 4), present=False))
    assert [point.n for point in taken] == [4, 5]
    assert list(marks) == [0, 1]


def test_an_import_alone_is_plotted_as_it_would_have_been() -> None:
    """VIEW-7: without any request every turn is drawn."""
    points = tuple(turn(n, asked=False) for n in (1, 2, 3))
    taken, marks = asked_turns(Turns(points, (1,), present=False))
    assert [point.n for point in taken] == [1, 2, 3]
    assert list(marks) == [1]
