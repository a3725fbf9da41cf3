"""How panes share the height of a column, whatever they want."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from tests.properties.depth import PURE
from widgets.panes.shares import share

PANES = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 8)), max_size=8)
ROOM = st.integers(0, 80)


def heights_of(panes: Sequence[tuple[int, int]], room: int) -> list[int]:
    return share([want for want, _ in panes], [low for _, low in panes], room)


@PURE
@given(PANES, ROOM)
def test_no_pane_is_below_its_least_or_above_what_it_wants(
    panes: list[tuple[int, int]], room: int
) -> None:
    """VIEW-1: what there is can be read, and nothing is padded."""
    heights = heights_of(panes, room)

    assert len(heights) == len(panes)
    assert all(min(w, low) <= h <= w for h, (w, low) in zip(heights, panes, strict=True))


@PURE
@given(PANES, ROOM)
def test_panes_that_fit_get_all_they_want(panes: list[tuple[int, int]], room: int) -> None:
    """VIEW-1: nothing scrolls that need not."""
    wanted = [want for want, _ in panes]

    if sum(wanted) <= room:
        assert heights_of(panes, room) == wanted


@PURE
@given(PANES, ROOM)
def test_what_is_in_sight_fills_the_room_and_no_more(
    panes: list[tuple[int, int]], room: int
) -> None:
    """VIEW-1: the panes in sight are whole; the ones that are not come last, at their least."""
    heights = heights_of(panes, room)
    floors = [min(want, low) for want, low in panes]
    if sum(floors) <= room:
        assert sum(heights) == min(room, sum(want for want, _ in panes))
        return
    seen = next(i for i in range(len(floors) + 1) if sum(floors[: i + 1]) > room)
    assert sum(heights[:seen]) <= room
    assert heights[seen:] == floors[seen:]


@PURE
@given(PANES, ROOM)
def test_only_the_tallest_are_cut(panes: list[tuple[int, int]], room: int) -> None:
    """VIEW-1: a cut pane is not shorter than one that got all, but for the row left over."""
    floors = [min(want, low) for want, low in panes]
    if sum(floors) > room:
        return
    triples = list(zip(heights_of(panes, room), panes, floors, strict=True))
    cut = [height for height, (want, _), floor in triples if floor < height < want]
    whole = [height for height, (want, _), floor in triples if height == want > floor]
    if cut:
        assert max(cut) - min(cut) <= 1
        assert all(height <= max(cut) + 1 for height in whole)


@PURE
@given(PANES, ROOM, st.integers(0, 7), st.integers(1, 50))
def test_a_pane_that_is_cut_may_want_more_and_nothing_moves(
    panes: list[tuple[int, int]], room: int, index: int, more: int
) -> None:
    """VIEW-1: heights don't jump while a long window grows."""
    if index >= len(panes):
        return
    heights = heights_of(panes, room)
    want, low = panes[index]
    if heights[index] < want - 1 and want > low:
        grown = [*panes]
        grown[index] = (want + more, low)
        assert heights_of(grown, room) == heights
