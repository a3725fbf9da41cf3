"""The plot and the ruler as pure functions, over random turns (VIEW-4, VIEW-7)."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from memory.views import TurnPoint
from tests.properties.depth import PURE
from widgets.plot import (
    LEAST_HEIGHT,
    LEAST_WIDTH,
    PlotView,
    areas,
    dots,
    legend,
    plot_rows,
    reduced,
    top_of,
    totals,
)
from widgets.ruler import RulerView, after_mark, before_mark, column_of, place_at, ruler_rows

TOKENS = st.integers(0, 2_000_000)
VALUES = st.lists(TOKENS, min_size=1, max_size=300)
WIDTHS = st.integers(1, 220)
HEIGHTS = st.integers(1, 70)


@st.composite
def views(draw: st.DrawFn) -> PlotView:
    """Turns of any size, with compactions anywhere among them."""
    values = draw(st.lists(st.tuples(TOKENS, TOKENS), min_size=1, max_size=200))
    points = [
        TurnPoint(3 * place, 2 * place + 1, prompt, max(prompt, full))
        for place, (prompt, full) in enumerate(values)
    ]
    marks = draw(st.sets(st.integers(0, len(points) - 1), max_size=20))
    return PlotView(points, tuple(sorted(marks)))


@PURE
@given(views(), WIDTHS, HEIGHTS)
def test_a_plot_is_as_large_as_its_room(view: PlotView, width: int, height: int) -> None:
    """VIEW-7: every row has its cells, none has more; too little room draws nothing."""
    rows = plot_rows(view, width, height)
    if width < LEAST_WIDTH or height < LEAST_HEIGHT:
        assert rows == []
        return
    assert len(rows) == height
    assert all(cell_len(row.text) <= width for row in rows)
    assert {cell_len(row.text) for row in rows[: height - 1]} == {width}


@PURE
@given(VALUES, st.integers(1, 200), st.integers(1, 60))
def test_what_grows_is_drawn_as_growing(values: list[int], columns: int, rows: int) -> None:
    """VIEW-7: monotone data gives monotone columns, within the picture."""
    values.sort()
    top = max(1, values[-1])
    levels = areas(values, columns, rows, top)
    assert all(low <= high <= rows * 8 for low, high in levels)
    for before, after in pairwise(levels):
        assert before[0] <= after[0]
        assert before[1] <= after[1]


@PURE
@given(VALUES, st.integers(1, 200))
def test_no_extreme_is_lost(values: list[int], columns: int) -> None:
    """VIEW-7: however many values there are, the smallest and the largest are drawn."""
    spans = reduced(values, columns)
    assert len(spans) == columns
    if len(values) >= columns:
        assert min(low for low, _ in spans) == min(values)
        assert max(high for _, high in spans) == max(values)


@PURE
@given(VALUES, st.integers(1, 80), st.integers(1, 40))
def test_a_line_has_no_holes(values: list[int], columns: int, rows: int) -> None:
    """VIEW-7: in every column of what fits the picture there is a dot."""
    drawn = dots(values, columns, rows, max(1, *values) + 1)
    for column in range(columns):
        assert any(row[column] != " " for row in drawn)


@PURE
@given(views())
def test_signs_differ_without_colour(view: PlotView) -> None:
    """VIEW-7, VIEW-8: prompt, full history and compaction never share a glyph."""
    signs: dict[str, set[str]] = {"prompt": set(), "history": set(), "mark": set()}
    for row in [*plot_rows(view, 100, 30), legend(view)]:
        for piece in row.pieces:
            if piece.ink in signs:
                signs[piece.ink] |= set(piece.text) - {" "}
    assert not signs["prompt"] & signs["history"]
    assert not (signs["prompt"] | signs["history"]) & signs["mark"]
    assert max(p.prompt_tokens for p in view.points) <= top_of(view)
    assert totals(view)


def test_a_hundred_thousand_points_are_drawn() -> None:
    """VIEW-7: reduced to the columns there are."""
    points = [TurnPoint(n, n, 1_000 + n % 500, 10 * n + 1_500) for n in range(100_000)]
    rows = plot_rows(PlotView(points, range(0, 100_000, 64)), 120, 40)
    assert {cell_len(row.text) for row in rows} == {120}


def test_the_totals_are_a_sentence() -> None:
    """VIEW-7: how much less all prompts had than the full history each time."""
    view = PlotView([TurnPoint(1, 1, 4_000, 40_000), TurnPoint(2, 3, 8_400, 48_000)])
    assert totals(view) == "12.4k of 88.0k tokens: 86 % less"
    same = PlotView([TurnPoint(n=1, message=1, prompt_tokens=6_800, full_history_tokens=6_810)])
    assert totals(same) == "6.8k tokens, as the full history has"


@PURE
@given(views(), WIDTHS, st.integers(0, 1_000))
def test_a_ruler_is_as_wide_as_its_room(view: PlotView, width: int, at: int) -> None:
    """VIEW-4: three rows of that many cells, one place that is seen."""
    at %= len(view.points)
    rows = ruler_rows(RulerView(view.points, view.marks, at), width)
    assert [cell_len(row.text) for row in rows] == [width] * 3
    assert rows[1].text.count("●") == 1
    assert rows[1].text.index("●") == column_of(at, len(view.points), width)


@PURE
@given(st.integers(1, 20_000), st.integers(1, 400), st.data())
def test_columns_and_places_belong_together(count: int, width: int, data: st.DataObject) -> None:
    """VIEW-4: what is clicked is where the sign then stands; the ends are the ends."""
    place = data.draw(st.integers(0, count - 1))
    column = column_of(place, count, width)
    assert 0 <= column < width
    if count <= width:
        assert place_at(column, count, width) == place
    assert (place_at(-5, count, width), place_at(width + 5, count, width)) == (
        0,
        count - 1 if width > 1 else 0,
    )


@PURE
@given(views(), st.integers(0, 1_000))
def test_steps_between_compactions(view: PlotView, at: int) -> None:
    """VIEW-4: to the nearest on either side, and nowhere where there is none."""
    at %= len(view.points)
    ruler = RulerView(view.points, view.marks, at)
    before, after = before_mark(ruler), after_mark(ruler)
    assert before is None or (before < at and not [m for m in view.marks if before < m < at])
    assert after is None or (after > at and not [m for m in view.marks if at < m < after])
