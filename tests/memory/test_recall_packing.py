"""RECALL-3: what is found, packed into a budget."""

from memory.recall.corpus import Passage
from memory.recall.packing import Entry, entry_of, header_of, line_of, pack


def passage(text: str, **more: object) -> Passage:
    given: dict[str, object] = {
        "id": 1,
        "kind": "message",
        "body": "b",
        "role": "user",
        "at": "2024-03-01T10:00:00.000Z",
        "session": "a",
        "episode": 1,
        "number": 1,
        "length": 1,
    }
    return Passage(text=text, **{**given, **more})  # type: ignore[arg-type]


def test_what_does_not_fit_is_skipped() -> None:
    """RECALL-3: in rank order; a shorter one further down may still fit."""
    packed = pack([Entry("a", 60), Entry("b", 50), Entry("c", 40)], 100)
    assert [entry.source for entry in packed.kept] == ["a", "c"]
    assert [entry.source for entry in packed.left_out] == ["b"]
    assert packed.tokens == 100


def test_a_header_is_paid_for_once() -> None:
    """RECALL-3: by the first of its group that fits."""
    entries = [Entry(n, 10, group, 5) for n, group in enumerate("xyxx")]
    assert pack(entries, 50).tokens == 4 * 10 + 2 * 5
    assert [entry.source for entry in pack(entries, 45).kept] == [0, 1, 2]
    assert [entry.source for entry in pack(entries, 28).kept] == [0, 2]
    assert pack([], 10).kept == ()
    assert pack(entries, 14).kept == ()


def test_a_line_tells_who_and_the_header_when() -> None:
    """RECALL-4: `speaker: text`; a name before the text is the speaker's."""
    assert line_of(passage("I have a boat.")) == "user: I have a boat."
    assert line_of(passage("Ada: I have a boat.")) == "Ada: I have a boat."
    assert (
        line_of(passage("Ada: boats", kind="summary", role="assistant")) == "assistant: Ada: boats"
    )
    assert header_of(passage("I have a boat.")) == "## 2024-03-01"


def test_an_entry_hands_back_its_source() -> None:
    """RECALL-4: each entry keeps where it is from."""
    found = passage("I have a boat.")
    entry = entry_of(found, found, len)
    assert entry.source is found
    assert entry.tokens == len("user: I have a boat.\n")
    assert entry.header_tokens == len("## 2024-03-01\n")
    assert entry.group == entry_of(passage("Red.", number=2), "x", len).group
    assert entry.group != entry_of(passage("Red.", session="b"), "x", len).group
