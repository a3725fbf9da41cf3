"""What must hold of the loss report's rules for every text."""

from hypothesis import example, given
from hypothesis import strategies as st

from memory.loss.details import choose_details, split_details
from memory.loss.found import Found
from memory.loss.gathering import Source, Way
from memory.loss.gathering import Standing as Part
from memory.loss.items import find_items
from memory.loss.judge import Standing
from memory.loss.report import counted, loss_items
from memory.parts import Role
from tests.properties.depth import PURE

PROSE = """
Alice met Bob Smith on 14 March 2026 at 14:30 . Never touch prod-eu-1 ! €1,240 35% 1.5 GB 1.240,50
/etc/hosts src/a.py https://a.org/b?c=d `git push` v1.2.3 ABC-12 do_it camelCase a@b.org TODO: - [ ]
I will you must only " ; ’ “ 2026-03-14 12/5/24 3pm Monday next x
"""
WORDS = st.sampled_from([*PROSE.split(), "\n"])
TEXTS = st.one_of(st.text(max_size=300), st.lists(WORDS, max_size=40).map(" ".join))
ENTRIES = st.lists(TEXTS).map(lambda lines: [e for line in lines for e in split_details(line)])
ROLES = st.sampled_from(["system", "user", "assistant", "tool", None])


@PURE
@given(TEXTS, ROLES)
def test_items_lie_where_they_say(text: str, role: Role | None) -> None:
    """COMPACT-13: an item is the source's own text; but for sentences, no two overlap."""
    end = 0
    for item in find_items(text, role):
        assert item.text
        assert item.text == text[item.start : item.end]
        if item.kind not in ("constraint", "task"):
            assert item.start >= end
            end = item.end


@PURE
@given(TEXTS, ROLES)
@example("0" * 300 + " must not change", "system")
@example("You must never change " + "0" * 300, "user")
def test_every_item_stands_in_its_source(text: str, role: Role | None) -> None:
    """COMPACT-13: a compaction that changes nothing loses nothing."""
    standing = Standing(text)
    for item in find_items(text, role):
        assert standing.holds(item), item


@PURE
@given(st.lists(st.tuples(TEXTS, ROLES), max_size=6), TEXTS, st.integers(0, 400), ENTRIES)
def test_details_never_exceed_their_room(
    source: list[tuple[str, Role | None]], summary: str, room: int, carried: list[str]
) -> None:
    """COMPACT-13, I2: the line fits its room, names nothing twice, and can be taken apart."""
    lines, roles = [text for text, _ in source], [role for _, role in source]
    line = choose_details(lines, roles, summary, room, carried)
    entries = split_details(line)
    assert len(line) <= room
    assert "\n" not in line
    assert len(set(entries)) == len(entries)
    assert line == choose_details(lines, roles, summary, room, carried)


@PURE
@given(
    st.lists(st.tuples(TEXTS, ROLES, st.integers(1, 3)), max_size=6),
    st.lists(TEXTS, max_size=3),
    st.dictionaries(st.integers(1, 3), st.lists(TEXTS, max_size=2), max_size=3),
)
def test_every_item_is_kept_retrievable_or_lost(
    said: list[tuple[str, Role | None, int]], prompt: list[str], stored: dict[int, list[str]]
) -> None:
    """COMPACT-13: each in one state; only what stands is kept, only what is stored retrievable."""
    sources = [Source(text, role, number, "gone") for text, role, number in said]
    parts = [Part(f"part {place}", text) for place, text in enumerate(prompt)]
    ways = {n: [Way(f"receipt m{n}", text) for text in texts] for n, texts in stored.items()}
    items = loss_items(sources, parts, ways)
    report = counted("one", items)
    assert report.kept + report.retrievable + report.lost == report.items == len(items)
    for item in items:
        if item.state == "kept":
            text = next(part.text for part in parts if part.where == item.how)
            assert Standing(text).holds(Found(item.kind, item.text, 0, len(item.text)))
        elif item.state == "retrievable":
            assert item.number is not None
            assert any(item.text in text for text in stored[item.number])
