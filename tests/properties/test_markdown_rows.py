"""What must hold of every text in Markdown, at every width, however it comes."""

from collections.abc import Iterable

from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from tests.properties.depth import PURE
from widgets.copying import plain_text
from widgets.markdown.growing import GrowingMarkdown
from widgets.markdown.render import code_blocks, markdown_rows
from widgets.rows import Row

MARKS = [
    "\n", "\n\n", " ", "  ", "    ", "\t", "# ", "## ", "> ", "- ", "* ", "+ ", "1. ", "12) ",
    "---", "===", "```", "```python\n", "~~~\n", "`", "**", "*", "_", "__", "~~", "[", "]", "](",
    ")", "![", "<b>", "</b>", "<!--", "&amp;", "&#27;", "&#x202e;", "\\", "|", "| a | b |\n",
    "|---|:-:|\n", "https://example.org/a_b_c", "www.example.org", "a@example.org", "[x] ", "[ ] ",
    "[name]: https://example.org\n", "[name]", "\x1b[31m", "\x1b]8;;x\x07", "\r\n", "\x00",
    "\u2028", "word", "some longer words", "x = 'y'  # z", '"""', "/*", "日本語", "한국어。", "é",
    "e\u0301", "👩\u200d👩\u200d👧", "❤\ufe0f", "🇩🇪", "\u05e9\u05dc\u05d5\u05dd", "नि", "\u00a0",
    "\u3000", "\u200d", "\ufe0f", "\u0301", "supercalifragilisticexpialidocious",
]  # fmt: skip
texts = st.one_of(
    st.lists(st.sampled_from(MARKS), max_size=40).map("".join),
    st.lists(st.sampled_from(MARKS) | st.text(max_size=5), max_size=30).map("".join),
    st.text(max_size=200),
)
widths = st.integers(2, 90)
WORDS = st.text("abc ,.é日本", min_size=1, max_size=80).map(lambda text: " ".join(text.split()))


def size(row: Row) -> int:
    return sum(cell_len(piece.text) for piece in row.pieces)


def drawn(rows: Iterable[Row]) -> str:
    return "".join(row.text for row in rows)


@PURE
@given(texts, widths)
@example("\u200d\u200d| a | b |\n", 2)
def test_no_row_is_wider_than_the_screen(text: str, width: int) -> None:
    """CHAT-1, ALL-8: whatever is written, every row fits, and no terminal obeys any of it."""
    rows = markdown_rows(text, width)
    assert all(size(row) <= width for row in rows)
    assert all(row.bare <= len(row.text) for row in rows)
    assert not set("\x1b\n\r\t\x9b\u202e\u2028") & set(drawn(rows))
    for row in rows:
        assert all(
            not piece.link or piece.link.startswith(("http", "mailto:", "HTTP"))
            for piece in row.pieces
        )


@PURE
@given(texts, widths, st.data())
def test_a_text_that_grows_ends_as_the_whole_text(
    text: str, width: int, data: st.DataObject
) -> None:
    """CHAT-1: what was drawn while an answer came is what is drawn of the answer."""
    growing = GrowingMarkdown(width)
    place = 0
    frozen: list[Row] = []
    while place < len(text):
        step = data.draw(st.integers(1, 30))
        growing.grow(text[place : place + step])
        place += step
        rows = growing.rows
        assert rows[: len(frozen)] == frozen
        assert all(size(row) <= width for row in rows)
        frozen = rows[: growing.frozen]
    growing.finish()
    assert growing.text == text
    assert growing.rows == markdown_rows(text, width)
    assert growing.at_width(33).text == text


@PURE
@given(st.lists(st.sampled_from(MARKS), max_size=40).map("".join), widths, st.integers(1, 30))
def test_little_changes_when_the_answer_ends(text: str, width: int, step: int) -> None:
    """CHAT-1: nothing jumps at the end of an answer, but where its addresses came late."""
    for mark in ("[name]", "\x00", "](", "\u00a0", "\u3000"):
        text = text.replace(mark, "")
    text += "\n\nend of it\n"
    growing = GrowingMarkdown(width)
    for place in range(0, len(text), step):
        growing.grow(text[place : place + step])
        assert growing.frozen <= len(growing.rows)
    shown = [row.text for row in growing.rows]
    growing.finish()
    assert shown == [row.text for row in growing.rows]


@PURE
@given(st.lists(st.sampled_from([mark for mark in MARKS if not set("[]`~<") & set(mark)])), widths)
def test_no_word_is_lost(parts: list[str], width: int) -> None:
    """CHAT-1: whatever a text means in Markdown, its words are on the screen."""
    text = "".join(parts)
    shown = drawn(markdown_rows(text, width)).replace("▎", "").replace(" ", "")
    assert shown.count("日") == text.count("日")
    assert sum(map(shown.count, "wk")) == sum(map(text.count, "wk"))


@PURE
@given(st.lists(WORDS.filter(bool), min_size=1, max_size=5), widths)
def test_copying_gives_paragraphs_back(paragraphs: list[str], width: int) -> None:
    """CHAT-1: a text that was broken to fit is copied as it was written."""
    text = "\n\n".join(paragraphs)
    assert plain_text(markdown_rows(text, width)) == text


@PURE
@given(st.lists(st.text("ab =(){}'\"#/*日\u0301", max_size=60), min_size=1, max_size=8), widths)
def test_copying_gives_code_back(lines: list[str], width: int) -> None:
    """CHAT-1: code is copied as it was written, however narrow the screen."""
    code = "\n".join(lines)
    text = f"~~~~~\n{code}\n~~~~~"
    assert code_blocks(text) == [code]
    assert plain_text(markdown_rows(text, width)) == code


@PURE
@given(
    st.lists(
        st.sampled_from(["a", " ", "日", "e\u0301", "👩\u200d👧", "❤\ufe0f", "🇩🇪", "**", "*"]),
        max_size=60,
    ),
    widths,
)
def test_what_the_eye_sees_as_one_stays_in_one_row(parts: list[str], width: int) -> None:
    """CHAT-1: no row begins with the rest of a character."""
    for row in markdown_rows("".join(parts), width):
        pieces = [piece.text for piece in row.pieces]
        assert not any(
            piece[0] in "\u0301\ufe0f\u200d"
            for piece in pieces
            if row.text[0] not in "\u0301\ufe0f\u200d"
        )
