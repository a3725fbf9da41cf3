"""The status line and the gauge fit any width (VIEW-1, CHAT-3)."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.screens.room import room_for
from memory import Memory
from memory.snapshot import Snapshot
from tests.support.snapshots import snapshot_of, summary, talk
from widgets.core.labels import labels
from widgets.core.paint import PATTERNS
from widgets.core.rows import TRIGGER, layout
from widgets.core.view import core_view
from widgets.core.words import NOT_KNOWN, description, figures_text
from widgets.figures import clock, short_count, short_number, short_seconds, token_rate
from widgets.gauge import gauge_line
from widgets.status_line import StatusView, status_line
from widgets.typed import Typed

VIEW = StatusView(
    session="flat in Lisbon",
    agent="default",
    policy="cascade",
    model="qwen2.5-coder-1.5b",
    runs="on this machine",
    state="reading 34 %",
    working=True,
)


def text_of(pieces: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in pieces)


@pytest.mark.parametrize("width", [1, 5, 10, 20, 40, 60, 80, 160])
def test_the_status_line_fits_and_says_which_model_answers(width: int) -> None:
    """CHAT-3: the model and what it does are what is left out last."""
    line = text_of(status_line(VIEW, width))
    if width >= 20:
        assert cell_len(line) <= width
        assert "● reading 34 %" in line
        assert "qwe" in line
    if width >= 80:
        assert line.startswith("flat in Lisbon")
        assert "qwen2.5-coder-1.5b on this machine" in line


@pytest.fixture
async def snapshot(tmp_path: Path) -> Snapshot:
    async with Memory.open(tmp_path, "s") as memory:
        return memory.snapshot()


@pytest.mark.parametrize("width", [1, 10, 18, 30, 78, 158])
@pytest.mark.parametrize("used", [0, 57, 5_210, 27_000, 90_000])
async def test_the_gauge_fits_whatever_the_figures(
    snapshot: Snapshot, width: int, used: int
) -> None:
    """VIEW-1: figures, sections, trigger and what comes next, as far as there is room."""
    context = replace(
        snapshot.context,
        window=32_768,
        limit=27_853,
        used=used,
        trigger=24_576,
        warning=18_432,
        counted_by="model",
        sections={"system": min(used, 57), "messages": max(0, used - 57)},
    )
    line = text_of(gauge_line(core_view(replace(snapshot, context=context, model="m")), width))
    assert cell_len(line) <= width
    if width >= 78:
        assert f"{short_number(used)} of 27.9k" in line
        assert "folds" in line
        assert ("┊" in line) == (used < context.trigger)


async def test_levels_are_not_told_before_there_is_a_model(snapshot: Snapshot) -> None:
    """VIEW-1: those of a window that is only assumed are nobody's."""
    view = core_view(snapshot)
    gauge, rows = text_of(gauge_line(view, 120)), layout(view, 30)
    assert "of ?" in gauge
    assert "┊" not in gauge
    assert TRIGGER not in rows
    assert not {"free", "24.6k"} & {label.text for label in labels(rows, view, 10)}
    assert text_of(figures_text(view)).endswith(" tokens")
    assert description(rows[0], view) == NOT_KNOWN


async def test_an_estimate_is_marked(snapshot: Snapshot) -> None:
    """PROMPT-4: counts that are estimated are marked as such."""
    assert text_of(gauge_line(core_view(snapshot), 80)).startswith("~")
    counted = replace(snapshot, context=replace(snapshot.context, counted_by="model"))
    assert "~" not in text_of(gauge_line(core_view(counted), 80))


def test_the_gauge_is_the_core_laid_on_its_side() -> None:
    """VIEW-1: both tell the same, in the same order and hues."""
    view = core_view(
        snapshot_of(
            talk(66, [300, 900] * 8),
            sections={"files": 700},
            short_term=summary(2, 65, 610, 2),
            long_term=summary(1, 1, 480),
        ),
        draft_tokens=600,
    )
    inks = [ink for text, ink in gauge_line(view, 120) if len(text) == 1]
    core = [row.ink for row in reversed(layout(view, len(inks)))]
    assert [ink for ink in inks if ink != "free"] == [ink for ink in core if ink != "sky"]
    in_order = ["system", "files", "long-term", "short-term"]
    assert list(dict.fromkeys(inks))[:4] == in_order
    assert list(dict.fromkeys(inks))[-3:] == ["draft", "free", "trigger"]
    plain = text_of(gauge_line(view, 120, patterns=True))
    assert all(PATTERNS[ink] in plain for ink in [*in_order, "window-you", "window-model", "draft"])


def test_times_are_told_as_people_tell_them() -> None:
    """CHAT-1: the figures above a message are short."""
    zone = timezone(timedelta(hours=2))
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    assert clock("2026-11-21T08:05:00.123Z", now, zone) == "10:05"
    assert clock("2026-11-20T23:30:00.000Z", now, zone) == "01:30"
    assert clock("2026-11-19T08:05:00.000Z", now, zone) == "19 Nov 10:05"
    assert clock("2025-11-19T08:05:00.000Z", now, zone) == "19 Nov 2025 10:05"
    assert [short_seconds(s) for s in (1.94, 42.4, 300)] == ["1.9 s", "42 s", "5 min"]
    numbers = (0, 812, 999, 3_900, 27_853, 128_000, 999_600, 1_200_000)
    shown = ["0", "812", "999", "3.9k", "27.9k", "128k", "1.0M", "1.2M"]
    assert [short_number(number) for number in numbers] == shown
    told = [short_count(number, "character") for number in (0, 1, 3_900)]
    assert told == ["0 characters", "1 character", "3.9k characters"]
    rates = [token_rate(*rate) for rate in ((62, 2.0), (37, 25.0), (2, 4.0))]
    assert rates == ["31 tokens/s", "1 token/s", "0.5 tokens/s"]


def test_history_keeps_what_was_being_typed() -> None:
    """CHAT-1: Up and Down walk through what was sent; the draft comes back."""
    typed = Typed()
    assert typed.older("draft") is None
    typed.remember("one")
    typed.remember("two")
    assert [typed.older("draft"), typed.older("two"), typed.older("one")] == ["two", "one", None]
    assert [typed.newer(), typed.newer(), typed.newer()] == ["two", "draft", None]


def test_the_conversation_is_the_widest_part() -> None:
    """VIEW-1: whatever stands beside it, it has 60 columns at least."""
    for width in range(60, 300):
        room = room_for(width)
        panes = room.panes // room.columns if room.core else 0
        assert width - room.taken >= 60
        assert width - room.taken > max(panes, room.core)
