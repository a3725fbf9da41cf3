"""The core's rows are true to the prompt's tokens, whatever the prompt (VIEW-1)."""

from dataclasses import replace
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from tests.properties.depth import PURE
from tests.support.snapshots import snapshot_of, summary, talk
from widgets.core.heights import beds, trigger_row, warns
from widgets.core.labels import labels
from widgets.core.motion import between
from widgets.core.rows import CoreRow, layout
from widgets.core.view import ORDER, CoreView, Layer, core_view

sizes = st.one_of(st.just(0), st.integers(1, 200), st.integers(1, 40_000))
heights = st.integers(1, 80)


@st.composite
def views(draw: st.DrawFn) -> CoreView:
    """Prompts of any make, from empty to far over the limit."""
    limit = draw(st.integers(400, 200_000))
    trigger = draw(st.integers(limit // 4, limit - 1))
    tokens = draw(st.lists(st.integers(1, draw(st.sampled_from([20, 400, 9_000]))), max_size=40))
    names = ("files", "tools", "working", "facts", "recalled")
    snapshot = snapshot_of(
        talk(draw(st.integers(1, 500)), tokens),
        sections={name: draw(sizes) for name in names} | {"system": draw(sizes)},
        short_term=draw(st.none() | st.builds(summary, st.just(1), st.just(9), sizes)),
        long_term=draw(st.none() | st.builds(summary, st.just(1), st.just(9), sizes)),
        levels=(limit, trigger),
    )
    return core_view(snapshot, draft_tokens=draw(sizes), answer_tokens=draw(sizes))


def column_height(rows: list[CoreRow]) -> int:
    return sum(1 for row in rows if row.layers)


@PURE
@given(views(), heights)
def test_there_are_exactly_as_many_rows_as_room(view: CoreView, height: int) -> None:
    """VIEW-1: the column and the sky fill the height, and every row of the column is one piece."""
    rows = layout(view, height)
    assert len(rows) == height
    solid = [bool(row.layers) for row in rows if row.ink != "over"]
    assert solid == sorted(solid)
    order = [ORDER.index(row.layers[0]) for row in reversed(rows) if row.layers]
    assert order == sorted(order)


@PURE
@given(views(), heights)
def test_what_is_not_empty_is_seen(view: CoreView, height: int) -> None:
    """VIEW-1: each layer has a row of its own, or shares one where there are too few."""
    rows = layout(view, height)
    seen = {name for row in rows for name in row.layers}
    assert seen == {layer.name for layer in view.layers}
    room = height - warns(view, height)
    if len(view.layers) <= room:
        assert all(len(row.layers) <= 1 for row in rows)


@PURE
@given(views(), heights)
def test_the_column_reaches_the_trigger_when_the_prompt_does(view: CoreView, height: int) -> None:
    """VIEW-1: the trigger stands where it belongs, and the column never lies about it."""
    line = trigger_row(view, height)
    rows = layout(view, height)
    assume(height >= 2)
    assert abs(line - view.trigger * height / view.limit) <= 1
    assume(not warns(view, height))
    if view.used < view.trigger and len(view.layers) <= line:
        assert column_height(rows) <= line
        assert rows[height - 1 - line].ink == "trigger"
    if view.used >= view.trigger and view.layers:
        assert column_height(rows) >= min(line, height - 1)


@PURE
@given(views(), heights, st.integers(1, 5_000), st.data())
def test_more_tokens_are_never_fewer_rows(
    view: CoreView, height: int, more: int, data: st.DataObject
) -> None:
    """VIEW-1: a layer that grows is drawn no smaller, but for rounding."""
    assume(view.layers)
    index = data.draw(st.integers(0, len(view.layers) - 1))
    layer = view.layers[index]
    grown = Layer(layer.name, layer.tokens + more)
    after = replace(
        view,
        layers=(*view.layers[:index], grown, *view.layers[index + 1 :]),
        used=view.used + more,
    )
    after = replace(after, overflow=max(0, after.used - after.limit))
    assume(warns(after, height) == warns(view, height))
    assume((after.used < view.trigger) == (view.used < view.trigger))

    def rows_of(view: CoreView) -> int:
        return sum(
            bed.rows for bed in beds(view, height) if layer in bed.layers or grown in bed.layers
        )

    assert rows_of(after) >= rows_of(view) - 1


@PURE
@given(views(), heights)
def test_each_message_is_in_sight_and_bands_are_in_order(view: CoreView, height: int) -> None:
    """VIEW-1: the window's rows stand for all of its messages, each row for a stretch of them."""
    rows = [row for row in reversed(layout(view, height)) if row.first]
    assume(rows)
    assert rows[0].first == view.messages[0].number
    assert rows[-1].last == view.messages[-1].number
    for below, above in pairwise(rows):
        assert below.first <= below.last
        assert above.first in (below.first, below.last, below.last + 1)


@PURE
@given(views(), heights, st.integers(6, 12))
def test_labels_stand_beside_their_own_rows(view: CoreView, height: int, width: int) -> None:
    """VIEW-1: every layer that has rows is named, within the room there is."""
    rows = layout(view, height)
    made = labels(rows, view, width)
    assert len(made) == height
    assert all(len(label.text) <= width for label in made)
    named = {
        name for row, label in zip(rows, made, strict=True) if label.text for name in row.layers
    }
    assert named == {name for row in rows for name in row.layers}


@PURE
@given(views(), st.integers(1, 3_000), st.integers(0, 50_000), st.integers(30, 60))
def test_rows_below_do_not_move_while_the_answer_grows(
    view: CoreView, more: int, slack: int, height: int
) -> None:
    """VIEW-1: while there is sky, an answer that streams moves nothing under the window."""
    trigger = 2 * (view.used + more) + 1 + slack
    view = replace(view, trigger=trigger, limit=trigger * 10 // 9 + 1, overflow=0)
    without = tuple(layer for layer in view.layers if layer.name != "answer")
    lowest = []
    for tokens in (0, 1, more):
        answer = tuple(Layer("answer", tokens) for _ in range(min(1, tokens)))
        layers = tuple(sorted(without + answer, key=lambda layer: ORDER.index(layer.name)))
        used = sum(layer.tokens for layer in layers)
        made = beds(replace(view, layers=layers, used=used), height)
        names = ("system", "files", "long_term", "short_term")
        lowest.append([bed for bed in made if bed.layers[0].name in names])
    assert lowest[0] == lowest[1] == lowest[2]


@PURE
@given(views(), views(), st.integers(1, 60), st.floats(0, 1))
def test_motion_begins_and_ends_where_it_should(
    one: CoreView, other: CoreView, height: int, t: float
) -> None:
    """VIEW-1: between two pictures there are only pictures of the same size."""
    before, after = layout(one, height), layout(other, height)
    assert between(before, after, 0) == before
    assert between(before, after, 1) == after
    rows = between(before, after, t)
    assert len(rows) == height
    solid = [bool(row.layers) for row in rows if row.ink != "over"]
    assert solid == sorted(solid)
    low, high = sorted((column_height(before), column_height(after)))
    assert low - 1 <= column_height(rows) <= high + 1
