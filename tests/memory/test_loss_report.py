"""The loss report: what a compaction kept, what can be had again, and what is gone."""

import json
from pathlib import Path

from memory.content_events import ContentStored
from memory.events import Compacted, LossReported
from memory.loss.gathering import Source, Standing, Way, said
from memory.loss.report import counted, loss_items
from memory.memory import Memory
from memory.parts import ContentItem, Edit, MessageRef, Stage
from memory.privacy import Door
from memory.refinding import FOUND_BY
from memory.storage import passages
from memory.storage.database import Transaction
from memory.views import CompactionView
from tests.memory.doubles import ScriptedModel, chat_model, opened, say

OFF = {"enabled": False}


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


async def edited(memory: Memory) -> str:
    """A session in which a result was put aside, one digested, and a run left out; its id."""
    long = " ".join(f"/srv/app/part{n}.log was read." for n in range(70))
    await memory.add("user", "Please look at the logs of gateway-7.")
    for call in ("a", "b"):
        calls = [{"id": call, "type": "function", "function": {"name": "read", "arguments": "{}"}}]
        await memory.add("assistant", "", tool_calls=calls)
        await memory.add("tool", f"{long} End of result_{call}.", tool_call_id=call)
    await memory.add("user", "Thanks, see ticket ABC-17.")
    await memory.add("assistant", "Ticket ABC-17 noted.")
    await say(memory, 2, length=60)
    refs = {ref.number: ref for ref in memory.state.folding.verbatim}
    texts = {"e3": "[… c1 keeps all of this result: retrieve c1 …]"}
    texts["e5"] = "[… result of read: retrieve m5 …]"
    item = ContentItem("c1", "action_result", refs[3].body, 0, 1_000, 1_000, 3)
    edits = (
        Edit(3, "budget", "e3", len(texts["e3"]), "large", ("c1",)),
        Edit(5, "micro", "e5", len(texts["e5"]), "old"),
        Edit(6, "snip", None, why="answered"),
        Edit(7, "snip", None, why="answered"),
    )
    event = Compacted(
        id="edits",
        trigger="tokens",
        policy="cascade",
        message=9,
        verbatim_from=1,
        long_term=None,
        short_term=None,
        pinned=(),
        stages=(Stage("budget", 500),),
        tokens_before=1_000,
        tokens_after=500,
        duration_s=0.0,
        by="rule",
        edits=edits,
        folds=False,
    )
    cleaned = {body: Door().clean(text) for body, text in texts.items()}
    await memory._journal.append(lambda _: ([ContentStored((item,)), event], cleaned))
    await memory.settled()
    return event.id


async def assert_retrievable(memory: Memory, view: CompactionView) -> None:
    for item in view.items:
        if item.state == "retrievable":
            handle = item.how.split()[-1]
            assert item.text in await memory.content.retrieve(handle)
            if item.how.startswith(FOUND_BY):
                assert handle in await found_by_search(memory, item.text)


async def found_by_search(memory: Memory, text: str) -> set[str]:
    found = await memory.sessions.search(text, memory.info.agent)
    return {f"m{place.number}" for place in found if place.session == memory.info.id}


async def test_whatever_is_called_retrievable_is_retrieved(tmp_path: Path) -> None:
    """COMPACT-13, I10: receipts of every stage, by item, by message and by run."""
    async with opened(tmp_path, chat=chat_model(200_000), recall=OFF) as memory:
        view = await memory.reports.compaction_view(await edited(memory))
        ways = {item.how for item in view.items if item.state == "retrievable"}
        assert ways == {"receipt c1", "receipt m5", "receipt m6-m7"}
        # The stored part ends before it: only what it really holds is claimed.
        assert state_of(view, "result_a")[0] == "lost"
        assert state_of(view, "result_b") == ("retrievable", "receipt m5")
        await assert_retrievable(memory, view)
        assert [edit.number for edit in view.edits] == [3, 5, 6, 7]
        assert "m6-m7" in view.edits[3].after


async def test_what_a_search_really_returns_is_retrievable(tmp_path: Path) -> None:
    """COMPACT-13: with the message that holds it; the log's figures say the same."""
    async with opened(tmp_path, immediate_window=4, chat=chat_model()) as memory:
        view = await folded(memory)
        again = [item for item in view.items if item.how.startswith(FOUND_BY)]
        assert again
        await assert_retrievable(memory, view)
        (record,) = await memory.compactions()
        assert record.loss is not None
        assert record.loss.retrievable == sum(i.state == "retrievable" for i in view.items)


async def test_what_no_search_returns_stays_lost(tmp_path: Path) -> None:
    """COMPACT-13: where memory is not searched, and where the message was forgotten."""
    async with opened(
        tmp_path / "off", immediate_window=4, chat=chat_model(), recall=OFF
    ) as memory:
        assert {item.state for item in (await folded(memory)).items} <= {"kept", "lost"}
    async with opened(tmp_path / "on", immediate_window=4, chat=chat_model()) as memory:
        view = await folded(memory)
        item = next(item for item in view.items if item.how.startswith(FOUND_BY))
        database = memory._journal.database
        gone = "p.number = ? AND p.kind = 'message'"

        async def forget(transaction: Transaction) -> None:
            for number in range(1, memory.state.messages + 1):
                await passages.remove(transaction, gone, (number,))

        await database.write(forget)
        after = await memory.reports.compaction_view(view.id)
        assert state_of(after, item.text)[0] == "lost"


async def test_receipts_that_were_folded_lead_back_through_the_store(tmp_path: Path) -> None:
    """COMPACT-13, CONT-1: what is stored stays retrievable when its message has left the window."""
    model = ScriptedModel(("The logs were looked at.",))
    chat = chat_model(200_000)
    async with opened(tmp_path, model=model, immediate_window=2, chat=chat) as memory:
        await edited(memory)
        done = await memory.compact()
        await memory.settled()
        assert done is not None
        view = await memory.reports.compaction_view(done.id)
        assert "content c1" in {item.how for item in view.items}
        await assert_retrievable(memory, view)


def test_the_id_of_a_call_says_nothing() -> None:
    """COMPACT-13: only its name and its arguments can be lost."""
    function = {"name": "read_file", "arguments": '{"path": "a/b.txt"}'}
    calls = json.dumps([{"id": "call_1", "type": "function", "function": function}])
    ref = MessageRef(1, "assistant", "text", 1, calls="calls")
    assert said(ref, {"text": "I look.", "calls": calls}) == "I look.\nread_file\na/b.txt"
