"""A session of thousands of messages is there as a whole, though little of it is held (ALL-7)."""

import pytest

from tests.tui.reading import reading, stretch
from widgets.entries import Entry, MarkEntry, MessageEntry, NoticeEntry
from widgets.transcript import Transcript

pytestmark = pytest.mark.asyncio(loop_scope="session")
MOST = 400


def marks(transcript: Transcript) -> list[str]:
    return [entry.text for entry in transcript.entries if isinstance(entry, MarkEntry)]


async def test_the_first_message_is_one_key_away() -> None:
    """ALL-7: the start of 5,000 messages, and back at their end."""
    async with reading(5000) as reader:
        reader.transcript.go_to_start()
        await reader.settled()
        assert reader.app.sees(1)
        assert reader.transcript.scroll_y == 0
        reader.transcript.go_to_end()
        await reader.settled()
        assert reader.app.sees(5000)
        assert reader.transcript.following


async def test_the_view_stays_while_a_jump_is_answered() -> None:
    """CHAT-1: what was in sight stays there until what was asked for has come."""
    async with reading(5000) as reader:
        reader.transcript.go_to_start()
        assert reader.transcript._holding
        await reader.settled()
        assert not reader.transcript._holding


async def test_what_was_read_moves_by_a_page_and_no_more() -> None:
    """CHAT-1: back through what is not here yet, each page joins the one before."""
    async with reading(5000) as reader:
        for _ in range(80):
            before = reader.app.seen
            await reader.page(-1)
            assert reader.app.seen[-1] == before[0]
        assert min(reader.app.numbers) < 4700
        assert len(reader.app.numbers) <= MOST


async def test_and_so_it_does_on_the_way_down() -> None:
    """CHAT-1: the same from the start on, past what was let go of."""
    async with reading(700) as reader:
        reader.transcript.go_to_start()
        await reader.settled()
        pages = 0
        while not reader.transcript.following:
            before = reader.app.seen
            await reader.page(1)
            if not reader.transcript.following:
                assert reader.app.seen[0] == before[-1]
            pages += 1
        assert reader.app.sees(700)
        assert pages > 80


async def test_dragging_to_the_middle_shows_the_middle() -> None:
    """ALL-7: the scrollbar stands for the whole session."""
    async with reading(5000) as reader:
        reader.transcript.scroll_to(y=reader.transcript.max_scroll_y // 2)
        await reader.settled()
        shown = [row for row in reader.app.seen if row.startswith("message number")]
        assert 2350 < int(shown[0].split()[2]) < 2650
        assert len(reader.app.numbers) <= MOST
        before = reader.app.seen
        await reader.page(-0.5)
        await reader.page(0.5)
        assert reader.app.seen == before


async def test_the_newest_and_what_the_log_lacks_are_never_let_go_of() -> None:
    """ALL-7: notices have no number by which they could be asked for again."""
    async with reading(300) as reader:
        reader.transcript.add(NoticeEntry("a note between"))
        for entry in stretch(301, 900):
            reader.transcript.add(entry)
        await reader.settled()
        assert len(reader.app.numbers) <= MOST
        assert NoticeEntry("a note between") in reader.transcript.entries
        for _ in range(150):
            await reader.page(-1)
        assert set(range(751, 901)) <= set(reader.app.numbers)
        reader.transcript.go_to_start()
        await reader.settled()
        assert reader.app.sees(1)


async def test_what_comes_back_comes_back_once() -> None:
    """VIEW-5: each message and each mark stands in its place once, notices between them too."""
    async with reading(300) as reader:
        reader.transcript.add(NoticeEntry("a note between"))
        for entry in stretch(301, 1000):
            reader.transcript.add(entry)
        shown: set[Entry] = set()
        for _ in range(400):
            shown.update(reader.transcript.entries)
            assert len(set(marks(reader.transcript))) == len(marks(reader.transcript))
            assert reader.app.numbers == sorted(set(reader.app.numbers))
            if reader.transcript.scroll_y == 0:
                break
            await reader.page(-3)
        texts = [entry.text for entry in shown if isinstance(entry, MessageEntry | MarkEntry)]
        assert sorted(texts) == sorted(
            entry.text for entry in stretch(1, 1000) if isinstance(entry, MessageEntry | MarkEntry)
        )
        assert NoticeEntry("a note between") in reader.transcript.entries


async def test_a_resize_costs_what_is_in_sight() -> None:
    """ALL-7: only rows near the reader are made anew."""
    async with reading(5000) as reader:
        for _ in range(30):
            await reader.page(-2)
        await reader.pilot.resize_terminal(50, 24)
        await reader.settled()
        made = [block for block in reader.transcript.sheet.blocks if block.rows is not None]
        assert len(made) < 60


async def test_what_can_not_be_had_is_asked_for_when_one_scrolls_again() -> None:
    """ALL-2: a log that can't be read for a moment leaves a gap, which is filled later."""
    async with reading(5000) as reader:
        reader.app.answering = False
        reader.transcript.go_to_start()
        await reader.settled()
        assert reader.app.numbers[0] > 4000
        asked = len(reader.app.asked)
        await reader.pilot.pause(0.3)
        assert len(reader.app.asked) == asked
        reader.app.answering = True
        reader.transcript.scroll_to(y=1)
        await reader.settled()
        assert reader.app.numbers[0] == 1


@pytest.mark.parametrize("width", [52, 66, 100, 140])
async def test_a_change_of_width_and_back_leaves_the_reader_in_place(width: int) -> None:
    """CHAT-1: rows break elsewhere; the text at the top stays."""
    async with reading(5000) as reader:
        for _ in range(9):
            await reader.page(-1)
        before = reader.app.seen
        await reader.pilot.resize_terminal(width, 24)
        await reader.settled()
        await reader.pilot.resize_terminal(80, 24)
        await reader.settled()
        assert reader.app.seen == before
