"""The content screen: stored items found, read, tagged (CONT-1, CONT-2, VIEW-1)."""

import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from app.screens.chat import ChatScreen
from app.screens.content import ContentScreen
from app.screens.content_rows import Cited, about, found, list_rows, with_cited
from tests.support.works import ITEMS, item
from tests.tui.conftest import Chat, OpenChat, memory_in
from tests.tui.deeds import WIDE
from tests.tui.deeds_in_content import read, said, store_things, stored
from widgets.long_text import LONGEST_WRAPPED, LongText
from widgets.panes.content import NO_ITEMS

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


def listed(screen: ContentScreen) -> list[str | None]:
    return list(screen._list.shown.keys)


async def opened(chat: Chat, number: int = 3) -> ContentScreen:
    await chat.ready()
    await chat.press("f12")
    screen = await chat.over(ContentScreen)
    await chat.until(lambda: len(screen._items) == number)
    return screen


# -- rows


async def test_items_are_found_by_what_is_known_of_them_or_stands_in_them() -> None:
    """CONT-1: source, tags, digest, id; by content where that was searched."""

    def ids(words: str, type: str | None = None, inside: tuple[str, ...] = ()) -> list[str]:
        return [one.id for one in found(ITEMS, type, words, inside)]

    assert ids("campo RENT") == ["c4"]
    assert ids("agent flat") == ["c2"]
    assert ids("c5") == ["c5"]
    assert ids("nowhere") == []
    assert ids("nowhere", inside=("c1",)) == ["c1"]
    assert ids("", "action_result") == ["c5", "c1"]


async def test_what_is_known_of_an_item_is_told() -> None:
    """CONT-1: type, source, time, size, tags, relations, message, and where it is cited."""
    full = replace(ITEMS[1], tags=("flat",), related=("c2",), number=12)
    lines = about(full, Cited(places=("message 12",)), NOW)

    assert lines[0].startswith("web content from fetch_page · ")
    assert lines[0].endswith("(20 min ago) · 31,800 characters")
    assert lines[1:] == [
        "tags: flat",
        "belongs with c2",
        "stands in message 12",
        "next request: as a receipt, cited in message 12",
    ]


@pytest.mark.parametrize("width", [4, 20, 44, 90])
async def test_listed_items_keep_to_their_width(width: int) -> None:
    """VIEW-1: any source, any digest; made only where they are seen."""
    items = tuple(item(n, "custom", "漢字[b]" * 9, n, "\x1b[31m" * 5) for n in range(1, 40_001))
    begun = time.process_time()
    view = list_rows(items, len(items), width, NOW)
    rows = [*view.rows[:30], view.rows[-1]]
    assert time.process_time() - begun < 0.5
    assert all(cell_len(row.text) <= width for row in rows)
    assert view.figures.startswith("40,000 items")


async def test_items_tell_how_the_next_request_shows_them() -> None:
    """CONT-3: in full, as a receipt, or not."""
    cited = {"c5": Cited(in_full=True), "c4": Cited(places=("message 3",))}
    assert [one.in_prompt for one in with_cited(ITEMS[:3], cited)] == ["full", "receipt", "no"]


# -- long texts


@pytest.mark.parametrize("line", ["word " * 30, "漢字 " * 40, "x" * 500, "\t[b]a\x1b[0m\u202e", ""])
@pytest.mark.parametrize("width", [2, 7, 80])
async def test_a_long_text_is_whole_and_keeps_to_its_width(line: str, width: int) -> None:
    """CONT-2: broken where a row is full, and nothing is lost or obeyed."""
    long = LongText.of((line + "\n") * (LONGEST_WRAPPED // (len(line) + 1) + 1))
    rows = long.rows(width)
    seen = [rows[at] for at in (*range(0, len(rows), 997), len(rows) - 1)]

    assert all(cell_len(row.text) <= width for row in seen)
    assert not any("\x1b" in row.text or "\u202e" in row.text for row in seen)
    first = next((at for at in range(1, len(rows)) if rows[at].glue is None), len(rows))
    assert "".join(rows[at].text for at in range(first)) == long.lines[0]
    assert rows == LongText.of(long.text).rows(width)
    with pytest.raises(IndexError):
        rows[len(rows)]


async def test_megabytes_are_laid_out_at_once() -> None:
    """CONT-2: as fast as one can turn the size of the window."""
    long = LongText.of("".join(f"{n} a line of a log that goes on and on\n" for n in range(80_000)))
    begun = time.process_time()
    for width in (40, 80, 120):
        rows = long.rows(width)
        assert rows[len(rows) // 2].text
    assert time.process_time() - begun < 1.0


# -- the screen


async def test_contents_are_searched_while_one_types(open_chat: OpenChat, data: Path) -> None:
    """CONT-1: words that stand only in the text find an item as well."""
    async with stored(data), open_chat() as chat:
        screen = await opened(chat)
        await chat.press("slash", *"sixty lumiar")
        await chat.until(lambda: listed(screen) == [])
        await chat.press(*["backspace"] * 12, *"lumiar flats")
        await chat.until(lambda: listed(screen) == ["c1"])
        await chat.press("enter")
        assert screen._list.has_focus
        await chat.press("left")
        await chat.until(lambda: read(screen).count("about flats") > 10)
        assert screen._part == "filtered"


async def test_parts_of_an_item_are_shown_one_after_the_other(
    open_chat: OpenChat, data: Path
) -> None:
    """CONT-2: beginning, digest, first and last lines."""
    async with stored(data), open_chat(size=WIDE) as chat:
        screen = await opened(chat)
        await chat.press("end", "right")
        await chat.until(lambda: "…" in read(screen))
        await chat.press("right", "right")
        await chat.until(lambda: read(screen).startswith("line 1 "))
        await chat.until(lambda: len(read(screen).split("\n")) == 20)
        await chat.press("right")
        await chat.until(lambda: read(screen).endswith("line 60 about flats in Lumiar"))
        await chat.press("right")
        await chat.until(lambda: "Search for words first" in said(screen))


async def test_a_change_of_memory_is_seen(open_chat: OpenChat, data: Path) -> None:
    """CONT-1: what is stored meanwhile is listed, and what was chosen stays."""
    async with stored(data), open_chat() as chat:
        screen = await opened(chat)
        await chat.press("down")
        talk = chat.app._chat.talk
        assert talk is not None
        await talk._memory.content.store("one more", "custom", "user")
        talk.errands.memory_changed(talk._memory.snapshot())
        await chat.until(lambda: listed(screen) == ["c4", "c3", "c2", "c1"])
        assert screen._list.cursor == "c2"


async def test_an_empty_store_says_what_will_stand_there(open_chat: OpenChat) -> None:
    """VIEW-1: in a sentence."""
    async with open_chat() as chat:
        screen = await opened(chat, 0)
        await chat.until(lambda: screen._list.shown.rows)
        assert "Nothing is stored yet" in screen._list.shown.rows[0].text
        await chat.press("c", "t", "m", "right", "enter")
        assert NO_ITEMS
        await chat.press("escape")
        await chat.over(ChatScreen)


async def test_text_of_an_item_is_never_markup(open_chat: OpenChat, data: Path) -> None:
    """ALL-8: shown as it stands, without what a terminal would obey."""
    async with memory_in(data) as memory:
        await store_things(memory)
        await memory.content.store("[red]no[/red] \x1b[31mhue", "custom", "[b]x", ["[i]"])
    async with open_chat() as chat:
        screen = await opened(chat, 4)
        await chat.until(lambda: read(screen) == "[red]no[/red] hue")
        assert "custom from [b]x" in about(screen._items[0], Cited(), NOW)[0]


async def test_a_session_that_is_only_read_keeps_its_tags(open_chat: OpenChat, data: Path) -> None:
    """STORE-5: what can't be changed is said in a sentence."""
    from memory.wish import Wish

    async with stored(data), open_chat(wish=Wish(read_only=True)) as chat:
        await chat.until(lambda: chat.state == "read-only")
        await chat.press("f12")
        screen = await chat.over(ContentScreen)
        await chat.until(lambda: len(screen._items) == 3)
        await chat.press("t", *" mail", "enter")
        await chat.until(lambda: "read-only" in said(screen))
        assert screen._items[0].tags == ("agent", "flat")
