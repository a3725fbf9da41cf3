"""Reading in the transcript: choosing, copying, following links, and not being moved."""

import pytest

from tests.tui.reading import Reader, message, reading
from widgets.copying import plain_text
from widgets.entries import LiveEntry, LiveMarkEntry, MarkEntry, MessageEntry, NoticeEntry, Speaker
from widgets.markdown.render import markdown_rows
from widgets.transcript import Transcript

pytestmark = pytest.mark.asyncio(loop_scope="session")
PARAGRAPH = "some words that are broken on a narrow screen " * 6
CODE = "def hello():\n    return 'a line that is broken too, since it is longer than the screen is'"
TEXT = f"{PARAGRAPH.strip()}\n\n```python\n{CODE}\n```\n\n- an item\n- another one\n\n```\nls\n```"
LINKED = "See [the docs](https://example.org/docs) or <mailto:me@example.org>."
BAR = "▎"
CONTROLS = {chr(code) for code in (*range(32), *range(127, 160))}


def row_of(reader: Reader, text: str) -> int:
    """The line of the view that shows a text."""
    return next(y for y, row in enumerate(reader.app.seen) if text in row)


def bars(reader: Reader) -> list[str]:
    """The rows that have the bar of the chosen message."""
    transcript = reader.transcript
    lines = [transcript.render_line(y).text for y in range(transcript.size.height)]
    return [line[1:].rstrip() for line in lines if line.startswith(BAR)]


async def marked(reader: Reader, start: tuple[int, int], end: tuple[int, int]) -> str:
    """What is copied when the mouse is drawn from one cell to another."""
    await reader.pilot.mouse_down(Transcript, offset=start)
    await reader.pilot.hover(Transcript, offset=end)
    await reader.pilot.mouse_up(Transcript, offset=end)
    return reader.app.screen.get_selected_text() or ""


async def test_what_is_marked_is_copied_as_it_was_written() -> None:
    """CHAT-5: no line break of the screen, no indentation, no padding."""
    async with reading(size=(40, 40)) as reader:
        reader.transcript.add(MessageEntry(1, "strata", TEXT, ("14:02",)))
        await reader.settled()
        first, last = row_of(reader, "some words"), row_of(reader, "another one")
        text = await marked(reader, (1, first), (39, last))
        assert text.startswith(PARAGRAPH.strip() + "\n")
        assert CODE in text
        assert text.endswith("another one")
        assert all(line == line.rstrip() for line in text.split("\n"))


async def test_a_part_of_a_wrapped_line_is_copied_exactly() -> None:
    """CHAT-5: from within one row to within another."""
    async with reading(size=(40, 12)) as reader:
        words = "alpha beta gamma delta epsilon zeta eta theta iota kappa"
        reader.transcript.add(MessageEntry(1, "you", words))
        await reader.settled()
        y = row_of(reader, "alpha")
        assert await marked(reader, (7, y), (4, y + 1)) == words[6 : words.index("eta theta") + 4]


async def test_a_selection_stays_with_its_text() -> None:
    """CHAT-5: what comes above or is let go of does not move it."""
    async with reading(5000) as reader:
        await reader.page(-1)
        number = next(n for n in reader.app.numbers if reader.app.sees(n))
        y = row_of(reader, f"message number {number}")
        assert await marked(reader, (1, y), (7, y)) == "message"
        for _ in range(20):
            await reader.page(-1)
        assert reader.app.screen.get_selected_text() == "message"


async def test_a_double_click_marks_the_message() -> None:
    """CHAT-5: and not the whole session."""
    async with reading(20) as reader:
        y = row_of(reader, "message number 19")
        await reader.pilot.click(Transcript, offset=(3, y), times=2)
        text = reader.app.screen.get_selected_text() or ""
        assert text == f"you  14:02\n{message(19).text}"


async def test_keys_choose_and_copy_messages() -> None:
    """CHAT-5: the chosen message has a bar; c copies it, b its code, piece by piece."""
    async with reading(30, size=(80, 40)) as reader:
        reader.transcript.add(MessageEntry(31, "strata", TEXT))
        reader.transcript.focus()
        await reader.pilot.pause()
        assert reader.transcript.chosen == MessageEntry(31, "strata", TEXT)
        before = reader.app.seen
        await reader.pilot.press("c", "b", "b", "b")
        assert [text for text, _ in reader.app.copied] == [TEXT, CODE, "ls", CODE]
        assert [what for _, what in reader.app.copied][1:3] == ["code 1 of 2", "code 2 of 2"]
        assert reader.app.seen == before
        await reader.pilot.press("up", "k", "down", "c", "b")
        assert reader.app.copied[-1] == (message(30).text, "message")
        assert bars(reader)[0].startswith("strata")
        assert reader.app.told[-1] == "There is no code in this message."
        reader.app.screen.set_focus(None)
        await reader.pilot.pause()
        assert bars(reader) == []


async def test_keys_choose_what_is_not_here_yet() -> None:
    """ALL-7: messages are fetched on the way up, and none is left out."""
    async with reading(300) as reader:
        reader.transcript.focus()
        await reader.page(-20)
        chosen: list[int] = []
        for _ in range(60):
            await reader.pilot.press("up")
            await reader.settled()
            if isinstance(entry := reader.transcript.chosen, MessageEntry):
                chosen.append(entry.number)
        assert chosen[-1] < 199
        assert sorted(set(chosen), reverse=True) == list(range(chosen[0], chosen[-1] - 1, -1))
        assert any(f"message number {chosen[-1]}" in row for row in bars(reader))


async def test_marks_are_opened_by_key_and_by_click() -> None:
    """VIEW-5: the mark leads to the compaction that it stands for."""
    async with reading(4) as reader:
        reader.transcript.add(MarkEntry("folded 1–4 into the short-term summary", "c4"))
        reader.transcript.focus()
        await reader.pilot.press("enter")
        assert reader.app.opened == ["c4"]
        await reader.pilot.press("up", "enter")
        await reader.pilot.click(Transcript, offset=(5, row_of(reader, "folded")))
        assert reader.app.opened == ["c4", "c4"]


async def test_links_are_shown_and_opened() -> None:
    """CHAT-5: the pointer shows where a link leads; keys and clicks go there."""
    async with reading(size=(80, 12)) as reader:
        reader.transcript.add(MessageEntry(1, "strata", LINKED))
        await reader.settled()
        y, x = row_of(reader, "the docs"), reader.app.seen[1].index("the docs") + 2
        await reader.pilot.hover(Transcript, offset=(x, y))
        assert reader.app.pointed[-1] == "https://example.org/docs"
        await reader.pilot.hover(Transcript, offset=(2, y))
        assert reader.app.pointed[-1] == ""
        await reader.pilot.click(Transcript, offset=(x, y))
        assert reader.app.opened == ["https://example.org/docs"]
        reader.transcript.focus()
        await reader.pilot.pause()
        await reader.pilot.press("up", "o", "o", "o")
        assert reader.app.opened[1:] == [
            "https://example.org/docs",
            "mailto:me@example.org",
            "https://example.org/docs",
        ]


@pytest.mark.parametrize("link", ["javascript:alert(1)", "file:///etc/passwd", "http://[bad"])
async def test_nothing_but_the_web_and_mail_is_opened(link: str) -> None:
    """ALL-8: a model can't start a program on this machine."""
    async with reading() as reader:
        reader.transcript._open_link(link)
        await reader.pilot.pause()
        assert reader.app.opened == []
        assert reader.app.told == [f"Not opened: {link}"]


async def test_a_reader_is_moved_by_nothing() -> None:
    """CHAT-1: not by an answer that grows and ends, nor by marks, notices and their going."""
    async with reading(40) as reader:
        transcript = reader.transcript
        live = transcript.add(LiveEntry("strata", "answering"))
        transcript.grow(live, "word " * 200)
        await reader.pilot.pause(0.1)
        await reader.page(-2)
        before = reader.app.seen
        folding = transcript.add(LiveMarkEntry("folding 1–20: short-term summary"), before=live)
        transcript.grow(live, "| a | b |\n|---|---|\n| 1 | 2 |\n" * 5)
        await reader.pilot.pause(0.1)
        assert reader.app.seen == before
        transcript.replace(folding, MarkEntry("folded 1–20", "c20"))
        transcript.replace(live, MessageEntry(41, "strata", "word " * 30))
        transcript.add(NoticeEntry("a note"))
        assert reader.app.seen == before
        assert not transcript.following


@pytest.mark.parametrize("height", [23, 24])
async def test_a_reader_inside_a_long_answer_stays_in_it(height: int) -> None:
    """CHAT-1: its rows may change when it is finished; the text at the top does not."""
    async with reading(4, size=(80, height)) as reader:
        transcript = reader.transcript
        text = "\n\n".join(f"Paragraph {n} has [a name][later] and `code`." for n in range(60))
        live = transcript.add(LiveEntry("strata", "answering"))
        transcript.grow(live, text)
        await reader.pilot.pause(0.1)
        await reader.page(-1)
        top = next(row for row in reader.app.seen if row).split(" has")[0]
        whole = f"{text}\n\n[later]: https://example.org"
        transcript.replace(live, MessageEntry(5, "strata", whole, ("14:02",)))
        assert next(row for row in reader.app.seen if row).startswith(f"{top} ")
        transcript.remove_entry(live)
        await reader.settled()
        assert reader.app.sees(4)


@pytest.mark.parametrize("following", [True, False])
async def test_an_answer_grows_on_at_another_width(following: bool) -> None:
    """CHAT-1: the rows are those of the whole text, however it came."""
    async with reading(4, size=(80, 30)) as reader:
        transcript = reader.transcript
        live = transcript.add(LiveEntry("strata", "answering"))
        if not following:
            for number in range(5, 30):
                transcript.add(message(number))
            await reader.page(-5)
        for size, piece in ((80, TEXT[:100]), (44, TEXT[100:350]), (66, TEXT[350:])):
            await reader.pilot.resize_terminal(size, 30)
            for start in range(0, len(piece), 7):
                transcript.grow(live, piece[start : start + 7])
            await reader.pilot.pause(0.1)
        width = transcript.sheet.width
        assert live.growing is not None
        assert live.growing.text == TEXT
        assert plain_text(live.growing.rows) == plain_text(markdown_rows(TEXT, width))
        assert len(transcript.sheet.make(transcript.sheet.index(live)).rows or ()) > 10


async def test_an_answer_that_is_on_its_way_ends_in_a_cursor() -> None:
    """CHAT-1: one sees that more is to come; it is no part of the text."""
    async with reading(size=(40, 12)) as reader:
        live = reader.transcript.add(LiveEntry("strata", "waiting"))
        await reader.settled()
        assert "▍" not in "".join(reader.app.seen)
        reader.transcript.grow(live, "Noted. I'll keep that")
        reader.transcript.say_state(live, "answering")
        await reader.pilot.pause(0.1)
        assert reader.app.seen[:2] == ["strata  ● answering", "Noted. I'll keep that▍"]
        text = await marked(reader, (1, 1), (39, 1))
        assert text == "Noted. I'll keep that"
        reader.transcript.replace(live, MessageEntry(1, "strata", "Noted. I'll keep that"))
        assert "▍" not in "".join(reader.app.seen)


async def test_a_theme_inks_everything_anew() -> None:
    """VIEW-8: no row keeps the colours of the theme before."""
    async with reading(20) as reader:
        before = reader.transcript.render_line(1)._segments[1].style
        reader.app.theme = "strata-light"
        await reader.settled()
        after = reader.transcript.render_line(1)._segments[1].style
        assert before is not None
        assert after is not None
        assert before.color != after.color


@pytest.mark.parametrize(
    "text",
    [
        "\ud800 half a character",
        "a\x1b[2Jb\x07\x9b1m",
        "日本語 👩‍👩‍👧 مرحبا " * 20,
        "\t\r\n\v" * 9,
        "",
    ],
)
async def test_whatever_a_message_holds_can_be_shown(text: str) -> None:
    """ALL-8: no terminal obeys it, and no row is wider than the screen."""
    speakers: tuple[Speaker, ...] = ("you", "strata", "tool", "system")
    async with reading(size=(30, 30)) as reader:
        transcript = reader.transcript
        for number, speaker in enumerate(speakers, start=1):
            transcript.add(MessageEntry(number, speaker, text, (text,)))
        live = transcript.add(LiveEntry("strata", text))
        transcript.grow(live, text)
        transcript.add(MarkEntry(text))
        await reader.pilot.pause(0.1)
        transcript.go_to_start()
        for y in range(30):
            strip = transcript.render_line(y)
            assert strip.cell_length <= 30
            assert not set(strip.text.encode().decode()) & CONTROLS
