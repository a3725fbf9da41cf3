"""What `@memory-status` and `status --json` say of long-term memory (VIEW-6)."""

from dataclasses import replace

from app.chat.report import memory_report
from app.chat.status import status_document
from memory.recall_views import IndexView
from tests.support.snapshots import snapshot_of, talk
from tests.support.works import FACTS, RECALLED

EMPTY = snapshot_of(talk(1, [40, 60]))
INDEX = IndexView(5_310, 1_204, 4_106, "indexing")
FULL = replace(EMPTY, facts=FACTS, recalled=RECALLED, index=INDEX)


def test_the_report_tells_facts_index_and_what_was_recalled() -> None:
    """VIEW-6: the same figures as beside the conversation."""
    told = memory_report(FULL, ())
    assert "Facts: 4 hold, 1 pinned, 2 ended" in told
    assert "Recall: 1,204 of 5,310 passages indexed, 4,106 to go" in told
    assert "for message 201: 3 passages, 1 fact, 412 tokens of 2,000, in 0.1 s" in told
    assert "left out: 2 more" in told
    told = memory_report(replace(EMPTY, index=IndexView(passages=7)), ())
    assert "Recall: 7 passages found by their words; no embedding model" in told


def test_the_document_has_the_contracts_keys() -> None:
    """VIEW-6: and what is not there is null."""
    document = status_document(FULL, ())
    assert document["facts"] == {"live": 4, "ended": 2}
    assert document["index"]["backlog"] == 4_106
    assert document["recalled"] == {
        "message": 201,
        "passages": 3,
        "facts": 1,
        "left_out": 2,
        "tokens": 412,
        "budget": 2_000,
        "by_meaning": True,
        "seconds": 0.12,
    }
    assert status_document(EMPTY, ())["recalled"] is None


def test_levels_that_are_assumed_are_said_to_be() -> None:
    """VIEW-6: until a model is there, nobody knows its window."""
    assert "(assumed until" not in memory_report(snapshot_of(), ())
    assert "32,768 (assumed until a model is there)" in memory_report(snapshot_of(model=None), ())
