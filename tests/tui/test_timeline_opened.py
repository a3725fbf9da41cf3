"""VIEW-3, COMPACT-13: what an opened compaction shows, and what is done about it."""

import asyncio
import itertools
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.containers import VerticalScroll
from textual.pilot import Pilot
from textual.widgets import Input, Static

from app.screens.rewrite import RewriteScreen
from app.screens.timeline import TimelineScreen
from app.screens.timeline_deeds import RewriteDeeds, TimelineDeeds
from app.screens.timeline_detail import detail_rows
from app.screens.timeline_heat import LEVELS, heat_rows, heat_strip, level
from app.screens.timeline_loss import loss_rows
from app.screens.timeline_waterfall import waterfall_rows
from memory.compaction.summariser import Written
from memory.errors import StrataError
from memory.history import CompactionRecord
from memory.parts import SummaryRef, SummarySlot
from memory.rewriting import Rewritten
from memory.snapshot import PinView, Snapshot
from memory.versions import SummaryVersion
from memory.views import CompactionView, EditView, Represented
from tests.support.compactions import MODEL, NEW, OLD, event_of, opened_compaction
from tests.support.snapshots import snapshot_of, summary
from themes import strata
from widgets.hint_line import HintLine
from widgets.panes.pane import Pane
from widgets.panes.view import PaneView

NOW = datetime(2026, 11, 21, 15, tzinfo=UTC)
WIDTHS = [30, 48, 76, 116, 196]
ALL = frozenset({"group:lost", "group:kept", "group:retrievable", "edit:131", "edit:133"})
REF = SummaryRef("b", 66, 129, 2, "model", "2026-11-21T14:02:00.000Z", MODEL, tokens=61)


def shown(view: CompactionView, width: int = 116, unfolded: frozenset[str] = ALL) -> PaneView:
    return detail_rows(view, event_of(view), (), frozenset(), unfolded, width, NOW)


def told(view: PaneView) -> str:
    return "\n".join(row.text.rstrip() for row in view.rows)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_row_is_wider_than_the_pane(width: int) -> None:
    """VIEW-3: at every width, everything opened."""
    view = shown(opened_compaction(), width, ALL | {"heat:66"})
    assert max(cell_len(row.text) for row in view.rows) <= width
    assert len(view.rows) == len(view.keys)


def test_all_of_it_is_told() -> None:
    """VIEW-3: trigger, policy, tokens, duration, author, failures, stages."""
    text = told(shown(opened_compaction()))
    assert "9,100 → 5,000 tokens · 55% stays · 4.1k freed" in text
    assert "tokens: the prompt had grown to the trigger · 64 messages folded, 66–129" in text
    assert "3.1 s · by qwen2.5-coder-1.5b · 3.4k tokens in, 96 out · $0.0012" in text
    assert "The summary was not smaller than its source." in text
    assert "2 lost · 1 retrievable · 2 kept" in text


def test_the_waterfall_ends_where_the_next_stage_begins() -> None:
    """VIEW-3: each stage's bar hangs from the level that the one before has left."""
    rows = waterfall_rows(9_100, 5_000, opened_compaction().stages, 80)[2:]
    bars = [row.text[18:] for row in rows]
    ends = [bar.rindex("▆") + 1 for bar in bars]
    starts = [bar.index("▆") for bar in bars]
    assert [row.text.split()[0] for row in rows] == [
        "before", "budget", "snip", "micro", "auto", "after",
    ]  # fmt: skip
    assert starts[0] == starts[-1] == 0
    assert ends[0] == ends[1]
    assert [abs(a - b) <= 1 for a, b in zip(starts[1:-1], ends[2:], strict=True)] == [True] * 4


@pytest.mark.parametrize(("freed", "after"), [(0, 10), (10, 0), (99, 0), (-5, 15)])
def test_a_waterfall_of_any_figures_keeps_its_length(freed: int, after: int) -> None:
    """VIEW-3: a stage that frees nothing, all, or makes it worse."""
    stages = (replace(opened_compaction().stages[0], freed=freed),)
    rows = waterfall_rows(10, after, stages, 60)
    assert all(cell_len(row.text) <= 60 for row in rows)


def test_lost_items_stand_first_with_sentence_and_reason() -> None:
    """COMPACT-13: each with its kind, where it stood, and why it is gone."""
    text = told(shown(opened_compaction()))
    groups = [text.index(f"{n} {name}") for n, name in ((2, "lost\n"), (1, "retr"), (2, "kept\n"))
              if f"{n} {name}" in text]  # fmt: skip
    assert groups == sorted(groups)
    lost = text[text.index("▾ 2 lost") : text.index("▾ 1 retrievable")]
    assert "constraint  no ground floor" in lost
    assert "“And please: no ground floor, whatever it costs.”" in lost
    assert "message 77 · no summary, detail or receipt has it" in lost
    assert "an earlier summary" in lost
    assert "message 88 · receipt c3" in text


def test_only_what_is_lost_is_open_at_first() -> None:
    """COMPACT-13: hundreds of kept items stand behind one row."""
    text = told(shown(opened_compaction(), unfolded=frozenset({"group:lost"})))
    assert "no ground floor" in text
    assert "▸ 2 kept" in text
    assert "short-term summary" not in text.replace("into the short-term summary", "")


def test_a_pinned_item_says_so() -> None:
    """COMPACT-14: what was lost and has been pinned is in the prompt again."""
    items = opened_compaction().items
    rows = loss_rows(items, frozenset({items[3].sentence}), frozenset({"group:lost"}), 100)
    assert any("no ground floor" in r.text and "pinned now" in r.text for r, _ in rows)


def test_a_report_without_items_says_why() -> None:
    """COMPACT-13: nothing that could have been lost."""
    assert "No name, number, date" in told(shown(opened_compaction(items=())))


@pytest.mark.parametrize("width", [20, 76, 196])
@pytest.mark.parametrize("number", [1, 64, 5_000])
def test_the_heat_strip_has_a_place_for_every_message(width: int, number: int) -> None:
    """COMPACT-13: a cell each, or a group; what it stands for can be asked of each cell."""
    represented = tuple(Represented(n, n % 100 / 100) for n in range(1, number + 1))
    strip = heat_strip(represented, width)
    assert [one for row in strip for group in row.groups for one in group] == list(represented)
    assert len(strip) <= 6
    rows = heat_rows(represented, 0.5, frozenset(), width)
    assert all(cell_len(row.text) <= width for row, _ in rows)
    first = strip[0]
    assert "1" in first.told_at(first.indent)
    assert first.told_at(0) == ""


def test_levels_are_told_by_sign_as_well_as_by_hue() -> None:
    """VIEW-8: readable without colour."""
    assert len({sign for _, sign, _ in LEVELS}) == len(LEVELS) == 5
    assert [level(value)[0] for value in (1.0, 0.7, 0.5, 0.36, 0.2, 0.1, 0.0, -0.2)] == [
        "█", "█", "▓", "▒", "░", "·", "·", "·",
    ]  # fmt: skip


def test_what_is_not_measured_yet_says_so() -> None:
    """COMPACT-13: the embedding comes later, as an event."""
    assert "Not measured yet" in told(shown(opened_compaction(represented=(), similarity=None)))


def test_an_edit_opens_to_both_texts() -> None:
    """COMPACT-3, VIEW-3: message, stage, why; the long one is cut, and says so."""
    text = told(shown(opened_compaction()))
    assert "131  micro   a code block of 62 lines" in text
    assert "[code, 62 lines: m131]" in text
    assert "more rows, all in the log" in text
    folded = told(shown(opened_compaction(), unfolded=frozenset()))
    assert "[code, 62 lines: m131]" not in folded


def test_neighbours_left_out_are_one_row() -> None:
    """COMPACT-3, VIEW-3: their one receipt is the size of none of them."""
    receipt, whys = "[messages 133 to 135 left out: m133-m135]", ("only thanks", "said twice")
    snips = [EditView(133 + n, "snip", f"Thanks {n}!", receipt, whys[n // 2]) for n in range(3)]
    apart = EditView(140, "snip", "Bye!", "[message 140 left out: m140]", "only thanks")
    text = told(shown(replace(opened_compaction(), edits=(*snips, apart))))
    row = next(line for line in text.splitlines() if "133–135" in line)
    assert "snip    only thanks, said twice" in row
    assert row.split("  ")[-1] == "left out"
    assert text.count("m133-m135") == 1
    assert all(f"Thanks {n}!" in text for n in range(3))
    assert any("140" in line and "left out" in line for line in text.splitlines())


def test_versions_written_since_are_named() -> None:
    """COMPACT-11: of this summary, with what was asked for."""
    view = opened_compaction()
    made = SummaryVersion(400, view.at, "short_term", replace(REF, version=3), "x", True, "Short!")
    rows = detail_rows(view, event_of(view), [made], frozenset(), frozenset(), 116, NOW)
    assert "v3 · by qwen2.5-coder-1.5b · “Short!”" in told(rows)


def test_texts_of_any_origin_are_no_markup_and_no_control() -> None:
    """ALL-8: what was folded may hold anything."""
    bad = "[bold]a\x1b[31m\ttab\u202e"
    view = opened_compaction()
    change = replace(view.summaries[0], before=bad, after=f"{bad} more")
    item = replace(view.items[3], text=bad, sentence=bad, how=bad)
    edit = replace(view.edits[0], before=bad, after=bad, why=bad)
    text = told(shown(replace(view, summaries=(change,), items=(item,), edits=(edit,))))
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "[bold]a" in text


# -- the screen


class Opened(App[None]):
    """The Timeline screen over compactions made by hand."""

    def __init__(self) -> None:
        super().__init__()
        view = opened_compaction()
        self.view = view
        self.record = CompactionRecord(view.n, view.at, event_of(view))
        self.pinned: list[tuple[str, int | None]] = []
        self.asked: list[tuple[str, str, str]] = []
        self.accepted: list[Rewritten] = []
        self.gate: asyncio.Event | None = None
        self.text = NEW
        self.refusal: StrataError | None = None
        rewrite = RewriteDeeds(self._preview, self._accept, MODEL)
        deeds = TimelineDeeds(
            self._view, self._none, self._unused, self._unused_too, self._pin, rewrite
        )
        self.timeline = TimelineScreen((self.record,), self.snapshot(), deeds)
        self.register_theme(strata.DARK)
        self.theme = strata.DARK.name

    def snapshot(self, *pins: PinView) -> Snapshot:
        window, older = summary(66, 129, 61, 2), summary(1, 65, 48)
        return snapshot_of((), short_term=window, long_term=older, pins=pins)

    async def _view(self, compaction: str) -> CompactionView:
        assert compaction == self.view.id
        return self.view

    async def _none(self) -> list[SummaryVersion]:
        return []

    async def _unused(self, _: str) -> None:
        raise AssertionError

    async def _unused_too(self) -> None:
        raise AssertionError

    async def _pin(self, text: str, number: int | None) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.pinned.append((text, number))
        pin = PinView("p1", number, False, text, 9)
        self.timeline.update((self.record,), self.snapshot(pin))

    async def _preview(self, slot: SummarySlot, say: str, model: str) -> Rewritten:
        self.asked.append((slot, say, model))
        if self.gate is not None:
            await self.gate.wait()
        if model == "gone":
            raise StrataError("There is no model gone.", "Choose another.")
        return Rewritten(slot, REF, OLD, Written(self.text, "model", 40, MODEL), 400)

    async def _accept(self, preview: Rewritten) -> None:
        if self.refusal is not None:
            raise self.refusal
        self.accepted.append(preview)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return strata.stratum_variables(dark=True)

    def on_mount(self) -> None:
        self.push_screen(self.timeline)

    @property
    def detail(self) -> Pane:
        return self.timeline.query_one("#pane-opened", Pane)

    @property
    def said(self) -> str:
        return str(self.timeline.query_one("#timeline-said", Static).content)

    @property
    def rewriting(self) -> RewriteScreen:
        assert isinstance(self.screen, RewriteScreen)
        return self.screen

    @property
    def told(self) -> str:
        return str(self.rewriting.query_one("#rewrite-told", Static).content)

    @property
    def keys(self) -> str:
        return str(self.rewriting.query_one(VerticalScroll).border_subtitle)


async def settle(pilot: Pilot[None], *keys: str) -> None:
    """Presses keys and lets what they set going come to rest."""
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
    await pilot.pause(0.05)


async def go_to(app: Opened, pilot: Pilot[None], text: str) -> None:
    """Walks down until a row with a text is chosen."""
    for _ in range(120):
        marked = [n for n, key in enumerate(app.detail.shown.keys) if key == app.detail.cursor]
        rows = app.detail.shown.rows
        if app.detail.cursor is not None and any(text in rows[n].text for n in marked):
            return
        await pilot.press("down")
    raise AssertionError(told(app.detail.shown))


async def test_the_keys_reach_every_row_and_read_on_the_way() -> None:
    """CHAT-7: nothing is jumped over unseen: what is chosen is always in sight."""
    app = Opened()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, "enter")
        detail, tops = app.detail, list[int]()
        for _ in range(80):
            await pilot.press("down")
            await pilot.pause()
            tops.append(detail.scroll_offset.y)
            if detail.cursor is not None:
                at = detail.shown.keys.index(detail.cursor)
                assert tops[-1] <= at < tops[-1] + detail.scrollable_content_region.height
        assert max(b - a for a, b in itertools.pairwise(tops)) <= 3
        assert detail.cursor == "edit:133"


async def test_a_lost_item_is_pinned_by_its_sentence() -> None:
    """COMPACT-13, COMPACT-14: and is no longer called lost without a word."""
    app = Opened()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, "enter", "p")
        assert "Choose an item" in app.said
        await go_to(app, pilot, "no ground floor")
        await settle(pilot, "p")
        assert app.pinned == [("And please: no ground floor, whatever it costs.", 77)]
        assert app.said.startswith("Pinned: “And please: no ground floor")
        assert "pinned now" in told(app.detail.shown)
        app.refusal = StrataError("Pins may have 1,000 tokens together.", "Unpin something.")
        await settle(pilot, "p")
        assert app.said == "Pins may have 1,000 tokens together. Unpin something."


async def test_groups_and_edits_open_and_close() -> None:
    """VIEW-3: with Enter, and the reader stays where they are."""
    app = Opened()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, "enter")
        await go_to(app, pilot, "2 kept")
        assert "details under" not in told(app.detail.shown)
        await settle(pilot, "enter")
        assert "details under" in told(app.detail.shown)
        assert app.detail.cursor == "group:kept"
        await settle(pilot, "enter")
        assert "details under" not in told(app.detail.shown)


async def test_the_pointer_on_the_heat_strip_names_message_and_value() -> None:
    """COMPACT-13: and Enter on the strip lists them, for who has no mouse."""
    app = Opened()
    async with app.run_test(size=(200, 60)) as pilot:
        await settle(pilot, "enter")
        row = app.detail.shown.keys.index("heat:66")
        column = 2 + len(" 66 ") + 3
        await pilot.hover("#pane-opened", offset=(column, row + 1))
        await pilot.pause()
        line = app.timeline.query_one(HintLine)
        wanted = app.view.represented[3]
        assert line.hint == f"Message {wanted.number}: {wanted.similarity:.0%}"
        await pilot.hover("#pane-opened", offset=(column, 2))
        await pilot.pause()
        assert line.hint == ""
        await go_to(app, pilot, " 66 ")
        await settle(pilot, "enter")
        assert f"{app.view.represented[0].similarity:.0%} message 66" in told(app.detail.shown)


async def test_a_summary_is_written_anew_compared_and_accepted() -> None:
    """COMPACT-11: which, what it is to say and who writes are asked once."""
    app = Opened()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, "w", *"Only places.", "enter")
        assert app.asked == [("short_term", "Only places.", "")]
        pane = app.rewriting.query_one("#pane-compared", Pane)
        assert "Campo Grande" in told(pane.shown)
        assert "│" in told(pane.shown)
        assert app.accepted == []
        await settle(pilot, "enter")
        assert [one.after for one in app.accepted] == [NEW]
        assert app.screen is app.timeline
        assert app.said == "The short-term summary was replaced; the log keeps both."


async def test_another_summary_and_another_model_can_be_chosen() -> None:
    """COMPACT-11: what does not work is said where it was asked, and can be asked again."""
    app = Opened()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, "w", "up", "down")
        app.rewriting.query_one("#rewrite-model", Input).value = "gone"
        await settle(pilot, "enter", "enter")
        assert app.asked == [("long_term", "", "gone")]
        assert app.told == "There is no model gone. Choose another."
        field = app.rewriting.query_one("#rewrite-model", Input)
        assert (field.has_focus, field.value) == (True, "gone")
        await settle(pilot, "escape")
        assert app.screen is app.timeline
        assert app.accepted == []


async def test_waiting_for_a_model_can_be_left() -> None:
    """COMPACT-9, COMPACT-11: the screen is alive, says since when, and lets go."""
    app = Opened()
    app.gate = asyncio.Event()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, "w", "enter")
        assert re.search(
            r"qwen2\.5-coder-1\.5b is writing: \d\.\d s\. Nothing has changed\.", app.told
        )
        assert "esc leave it" in app.keys
        await pilot.pause(2.2)
        assert "is writing: 0." not in app.told
        await settle(pilot, "escape")
        assert app.screen is app.timeline
        app.gate.set()
        await settle(pilot)
        assert app.accepted == []
        assert app.screen is app.timeline


async def test_a_question_names_the_keys_that_hold() -> None:
    """CHAT-7: in the frame, own keys too; Enter writes only from a field."""
    app = Opened()
    app.set_keymap({"rewrite.leave": "f12"})
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot, "w")
        assert app.keys == "tab next field · ⏎ write · F12 leave it"
        await settle(pilot, "up")
        assert app.keys == "F12 leave it"
        await settle(pilot, "enter", "enter")
        assert app.keys == "⏎ put it in place · F12 leave it"


async def test_what_memory_refuses_stands_beside_the_comparison() -> None:
    """COMPACT-11, ALL-2: the old summary stays, and the sentence says why."""
    app = Opened()
    app.refusal = StrataError("The summary is another one by now.", "Write it anew.")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, "w", "enter", "enter")
        assert app.told == "The summary is another one by now. Write it anew."
        await settle(pilot, "escape")
        assert app.screen is app.timeline


async def test_the_same_text_is_nothing_to_accept() -> None:
    """COMPACT-11: it says so, and Enter does nothing."""
    app = Opened()
    app.text = OLD
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot, "w", "enter")
        assert "says the same" in app.told
        await settle(pilot, "enter")
        assert app.accepted == []
