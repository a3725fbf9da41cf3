"""The loss report: what a compaction kept, what can be had again, and what is gone."""

from pathlib import Path

from memory.events import LossReported
from memory.loss.gathering import Source, Standing, Way
from memory.loss.report import counted, loss_items
from memory.memory import Memory
from memory.views import CompactionView
from tests.memory.doubles import ScriptedModel, chat_model, opened, say


def state_of(view: CompactionView, text: str) -> tuple[str, str]:
    (item,) = (item for item in view.items if item.text == text)
    return item.state, item.how


async def folded(memory: Memory) -> CompactionView:
    """A session whose only compaction has folded its first six messages."""
    await memory.add("user", "Never touch prod-eu-1! I met Alice Johnson on 14 March 2026.")
    await memory.add("assistant", "Noted: the invoice is €1,240, see https://example.org/bill.")
    await say(memory, 8, length=60)
    await memory.compact()
    await memory.settled()
    (record,) = await memory.compactions()
    return await memory.reports.compaction_view(record.event.id)


async def test_a_compaction_is_reported_in_figures(tmp_path: Path) -> None:
    """COMPACT-13: one event after each compaction, and kept, retrievable and lost make the sum."""
    async with opened(tmp_path, immediate_window=4, chat=chat_model()) as memory:
        view = await folded(memory)
        (record,) = await memory.compactions()
        loss = record.loss
        assert isinstance(loss, LossReported)
        states = [item.state for item in view.items]
        assert loss.items == len(view.items) > 0
        assert loss.kept == states.count("kept")
        assert loss.lost == states.count("lost")
        assert loss.kept + loss.retrievable + loss.lost == loss.items


async def test_what_the_summary_says_is_kept_and_the_rest_is_lost(tmp_path: Path) -> None:
    """COMPACT-13: each item with its sentence, its message, and where it is or why it is gone."""
    model = ScriptedModel(("The user met Alice Johnson on March 14, 2026.",))
    async with opened(tmp_path, model=model, immediate_window=4) as memory:
        view = await folded(memory)
        assert state_of(view, "Alice Johnson") == ("kept", "short-term summary")
        assert state_of(view, "14 March 2026") == ("kept", "short-term summary")
        assert state_of(view, "Never touch prod-eu-1!")[0] in ("kept", "lost")
        address = next(item for item in view.items if item.kind == "url")
        assert address.number == 2
        assert "invoice is €1,240" in address.sentence
        assert view.folded == (1, 6)
        assert [change.slot for change in view.summaries] == ["short_term"]
        assert "Alice Johnson" in view.summaries[0].after


async def test_what_is_pinned_is_kept(tmp_path: Path) -> None:
    """COMPACT-13, COMPACT-14: a pinned sentence stands in the prompt."""
    async with opened(tmp_path, immediate_window=4, chat=chat_model(200_000)) as memory:
        await memory.pinning.pin_text("The bill is at https://example.org/bill.")
        view = await folded(memory)
        state, how = state_of(view, "https://example.org/bill")
        assert state == "kept"
        assert how in ("pinned", "short-term summary", "details of the short-term summary")


async def test_an_undone_compaction_can_still_be_shown(tmp_path: Path) -> None:
    """COMPACT-11, VIEW-3: with what it had lost."""
    async with opened(tmp_path, immediate_window=4, chat=chat_model()) as memory:
        before = await folded(memory)
        await memory.undo()
        after = await memory.reports.compaction_view(before.id)
        assert after.undone
        assert after.items == before.items


async def test_a_missing_report_is_made_at_the_next_start(tmp_path: Path) -> None:
    """COMPACT-13: also where the program ended before it was made."""
    async with opened(tmp_path, immediate_window=4) as memory:
        memory.reports._journal._listeners.remove(memory.reports._note)
        await folded(memory)
        assert (await memory.compactions())[0].loss is None
    async with opened(tmp_path, immediate_window=4) as memory:
        await memory.settled()
        assert (await memory.compactions())[0].loss is not None


def test_a_receipt_leads_back_only_to_what_it_gives() -> None:
    """COMPACT-13: retrievable is claimed only for what retrieving really returns."""
    sources = [Source("Look at a/b.txt and c/d.txt.", "tool", 7, "left out (snip)")]
    ways = {7: [Way("receipt c3", "only a/b.txt stands here")]}
    items = loss_items(sources, [Standing("window", "Nothing.")], ways)
    assert [(item.text, item.state, item.how) for item in items] == [
        ("a/b.txt", "retrievable", "receipt c3"),
        ("c/d.txt", "lost", "left out (snip)"),
    ]
    report = counted("one", items)
    assert (report.items, report.kept, report.retrievable, report.lost) == (2, 0, 1, 1)


def test_an_item_said_twice_is_counted_once() -> None:
    """COMPACT-13: and it is not lost where one of its messages can be retrieved."""
    sources = [
        Source("See a/b.txt.", "user", 1, "folded"),
        Source("Again A/B.txt.", "user", 2, "folded"),
    ]
    (item,) = loss_items(sources, [], {2: [Way("receipt m2", "Again A/B.txt.")]})
    assert (item.state, item.number, item.how) == ("retrievable", 2, "receipt m2")
