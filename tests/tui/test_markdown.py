"""CHAT-1: Markdown as rows of text: what each mark becomes, at every width, and as it streams."""

import subprocess
import sys
import time

import pytest
from rich.cells import cell_len

from widgets.copying import plain_text
from widgets.markdown.growing import GrowingMarkdown
from widgets.markdown.render import LARGEST, code_blocks, markdown_rows
from widgets.rows import Piece, Row

ROOT = __file__.rsplit("/tests/", 1)[0]
SAMPLE = """## Two were dropped

I looked at the **six flats** on the list and at what you told me in *March*.
Two of them do not fit; `limit` says why.

1. **Saldanha**, €1,050: no pets, and Biscuit comes with you.
2. **Alvalade**, €1,240: over the €1,100 you set in March.
   - the agent said the price is firm
   - see [the page](https://example.org/flats)

> We would rather not have pets.

```python
def fits(price: int, limit: int = 1_100) -> bool:
    \"\"\"Whether we can pay it.\"\"\"
    return price <= limit  # from March
```

| flat | price | pets |
|:-----|------:|:----:|
| Saldanha | 1,050 | no |
| Campo Grande | 1,090 | yes |

Shall I write to the agent? She answers only by e-mail, so I would draft the text.
"""


def shown(text: str, width: int = 60) -> list[str]:
    return [row.text for row in markdown_rows(text, width)]


def pieces(text: str, width: int = 60) -> list[Piece]:
    return [piece for row in markdown_rows(text, width) for piece in row.pieces]


def test_text_without_marks_is_shown_as_it_was_typed() -> None:
    """CHAT-1: line breaks that somebody typed stay."""
    assert shown("one\ntwo\n\n\nthree") == ["one", "two", "", "three"]


@pytest.mark.parametrize(
    ("text", "piece"),
    [
        ("**x**", Piece("x", "text", "b")),
        ("*x*", Piece("x", "text", "i")),
        ("~~x~~", Piece("x", "text", "s")),
        ("***x***", Piece("x", "text", "bi")),
        ("`**x**`", Piece("**x**", "code")),
        ("# x", Piece("x", "heading", "b")),
        ("## x", Piece("x", "heading", "bu")),
        ("### x", Piece("x", "heading", "b")),
        ("#### x", Piece("x", "heading", "i")),
        ("<b>x</b>", Piece("<b>x</b>")),
        ("&lt;x&gt;", Piece("<x>")),
    ],
)
def test_marks_become_looks(text: str, piece: Piece) -> None:
    """CHAT-1: what is marked looks marked; HTML stays text."""
    assert pieces(text)[0] == piece


def test_headings_differ_without_colours() -> None:
    """CHAT-1, ALL-8: the greatest has a line below it; an empty row stands above each."""
    assert shown("# Big\ntext\n## Less\n\ntext") == ["Big", "───", "text", "", "Less", "text"]


def test_lists_hang_and_their_numbers_stand_right() -> None:
    """CHAT-1: rows of an item stand below its text."""
    text = (
        "Two were dropped:\n\n9. Saldanha, which is far\n10. Alvalade\n    - loud\n      - at night"
    )
    assert shown(text, 22) == [
        "Two were dropped:",
        "",
        " 9 Saldanha, which is",
        "   far",
        "10 Alvalade",
        "    ◦ loud",
        "       · at night",
    ]
    assert Piece("9 ", "dim") in pieces(text)


def test_items_are_apart_where_they_were_typed_apart() -> None:
    """CHAT-1: a later empty line moves nothing that stands above it."""
    assert shown("- a\n- b\n\n- c") == [" • a", " • b", "", " • c"]


def test_tasks_have_boxes() -> None:
    """CHAT-1: done and to do are told apart."""
    assert shown("- [x] list districts\n- [ ] see one\n- [no] box") == [
        " ✓ list districts",
        " ○ see one",
        " • [no] box",
    ]


def test_quotes_have_a_bar_that_is_no_text() -> None:
    """CHAT-1: the bar stands at every row, and copying leaves it out."""
    rows = markdown_rows("> we would rather\n>\n> > not", 12)
    assert [row.text for row in rows] == ["▎ we would", "▎ rather", "▎ ", "▎ not"]
    assert plain_text(rows) == "we would rather\n\nnot"


def test_links_lead_to_the_web_and_to_mailboxes_only() -> None:
    """ALL-8: other addresses are shown, not followed."""
    text = "[a](https://a.org) <b@c.org> [d](file:///etc/passwd) [e](javascript:x) [f](g.md)"
    assert [piece for piece in pieces(text, 200) if piece.link] == [
        Piece("a", "link", "u", "https://a.org"),
        Piece("b@c.org", "link", "u", "mailto:b@c.org"),
    ]
    assert shown(text, 200) == [
        "a (a.org) b@c.org d (file:///etc/passwd) e (javascript:x) f (g.md)"
    ]


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("see https://a.org/b_c_d.", "https://a.org/b_c_d"),
        ("(https://a.org/x(y))", "https://a.org/x(y)"),
        ("https://a.org/__init__.py", "https://a.org/__init__.py"),
        ("**https://a.org/b**", "https://a.org/b"),
        ("www.a.org/b, and", "http://www.a.org/b"),
        ("to a.b@c.org!", "mailto:a.b@c.org"),
    ],
)
def test_bare_addresses_are_links(text: str, address: str) -> None:
    """CHAT-1: an address ends where the sentence goes on."""
    assert [piece.link for piece in pieces(text) if piece.link] == [address]


def test_names_of_addresses_are_shown_where_they_are_given() -> None:
    """CHAT-1: a line that only looks like one is not lost either."""
    rows = markdown_rows('see [x].\n\n[x]: https://a.org "A"\n[INFO]: done', 60)
    assert [row.text for row in rows] == [
        "see x (a.org).",
        "",
        '[x]: https://a.org "A"',
        "[INFO]: done",
    ]
    assert [piece.link for piece in rows[2].pieces] == ["", "https://a.org", ""]


def test_an_address_that_pretends_to_be_another_is_shown() -> None:
    """ALL-8: where a text names one place and leads to another, that is seen."""
    long = "https://evil.org/" + "x" * 60
    assert shown(f"[https://good.org]({long})", 200)[0].endswith(f"(evil.org/{'x' * 60})")
    assert shown(f"[good.org]({long})", 200)[0].endswith(f"(evil.org/{'x' * 60})")
    assert shown(f"[the www.evil.org page]({long})", 200) == ["the www.evil.org page"]
    assert shown(f"[evil.org]({long})", 200) == ["evil.org"]
    assert shown("[https://good.org/](https://good.org)", 200) == ["https://good.org/"]
    assert shown("https://good.org/é http://g\u043e\u043ed.org/", 200) == [
        "https://good.org/é http://g\u043e\u043ed.org/ (http://xn--gd-fmca.org)"
    ]


def test_pictures_are_named() -> None:
    """CHAT-1: what a terminal can't show is told."""
    assert shown("![The kitchen](https://a.org/k.png)") == ["[image: The kitchen] (a.org/k.png)"]


def test_code_is_indented_and_never_filled() -> None:
    """CHAT-1: code keeps its lines; long ones are broken, and copying joins them again."""
    code = "def f():\n\n    return 'a long string that does not fit'"
    rows = markdown_rows(f"```python\n{code}\n```", 24)
    assert [row.text for row in rows] == [
        "  python",
        "  def f():",
        "",
        "      return 'a long ",
        "  string that does not ",
        "  fit'",
    ]
    assert [row.bare for row in rows] == [8, 2, 0, 2, 2, 2]
    assert plain_text(rows) == code
    assert code_blocks("- x\n\n  ```\n  a\n   b\n  ```\n> ~~~\n> c\n> ~~~\n\n    d") == [
        "a\n b",
        "c",
        "d",
    ]


def test_code_has_few_inks() -> None:
    """CHAT-1: what stands out is what one looks for; an unknown language is plain."""
    inks = {piece.text: piece.ink for piece in pieces(SAMPLE)}
    assert inks["def"] == "code-keyword"
    assert inks["fits"] == "code-name"
    assert inks["1_100"] == "code-number"
    assert inks["# from March"] == "code-comment"
    assert inks['"""Whether we can pay it."""'] == "code-string"
    assert {piece.ink for piece in pieces("```nonsense\ndef f\n```")} == {"dim", "code"}


def test_long_code_tells_its_length() -> None:
    """CHAT-1: how much there is can be seen at its top."""
    assert shown("```sh\n" + "ls\n" * 30 + "```")[0] == "  sh · 30 lines"


def test_tabs_in_code_are_shown_as_spaces_and_copied_as_tabs() -> None:
    """CHAT-1: a makefile stays one."""
    text = "```make\nall:\n\tcc\tx\n```"
    assert shown(text)[1:] == ["  all:", "      cc  x"]
    assert code_blocks(text) == ["all:\n\tcc\tx"]


TABLE = (
    "| flat | price | pets |\n|:--|--:|:-:|\n| Saldanha | 1,050 | no |\n| Campo Grande | 9 | yes |"
)


def test_tables_are_as_wide_as_what_stands_in_them() -> None:
    """CHAT-1: columns are aligned as marked; nothing stands at the ends of rows."""
    assert shown(TABLE) == [
        "flat          price  pets",
        "────────────  ─────  ────",
        "Saldanha      1,050   no",
        "Campo Grande      9  yes",
    ]


def test_wide_columns_of_a_table_give_way() -> None:
    """CHAT-1: cells are broken, and a line parts the rows of the table then."""
    assert shown(TABLE, 22) == [
        "flat       price  pets",
        "─────────  ─────  ────",
        "Saldanha   1,050   no",
        "┈┈┈┈┈┈┈┈┈  ┈┈┈┈┈  ┈┈┈┈",
        "Campo          9  yes",
        "Grande",
    ]


def test_a_table_without_room_becomes_a_list() -> None:
    """CHAT-1: a drawer shows every cell too."""
    assert shown(TABLE, 16)[:5] == ["flat: Saldanha", "price: 1,050", "pets: no", "", "flat: Campo"]


def test_a_table_is_measured_in_cells() -> None:
    """CHAT-1: wide characters take two."""
    rows = shown("| a | b |\n|---|---|\n| 日本 | x |\n| 👩\u200d👧 | y |\n| e\u0301 | z |")[2:]
    before = [row.removesuffix(last) for row, last in zip(rows, "xyz", strict=True)]
    assert [cell_len(part) for part in before] == [6, 6, 6]


def test_what_the_eye_sees_as_one_is_not_broken() -> None:
    """CHAT-1: accents, joined pictures and flags stay whole."""
    family, heart, flag = "👩\u200d👩\u200d👧", "❤\ufe0f", "🇩🇪"
    assert shown(f"{family * 2}{heart * 2}", 4) == [family * 2, heart * 2]
    assert shown(f"a{flag}{flag}", 4) == [f"a{flag}", flag]
    assert shown("e\u0301" * 5, 2) == ["e\u0301" * 2, "e\u0301" * 2, "e\u0301"]
    assert [row.pieces[0].text for row in markdown_rows("**ae**\u0301", 2)] == ["ae\u0301"]


def test_chinese_is_broken_anywhere_but_before_its_full_stop() -> None:
    """CHAT-1: rows are filled where there are no spaces."""
    assert shown("ab 日本語日本", 9) == ["ab 日本語", "日本"]
    assert shown("日本語。日本", 6) == ["日本", "語。日", "本"]


def test_text_from_right_to_left_keeps_its_order() -> None:
    """CHAT-1, ALL-8: the terminal turns it; characters that turn more are shown."""
    hebrew = "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd"
    assert shown(f"**{hebrew}**") == [hebrew]
    assert shown("a\u202eb &#x202e;") == ["a\\u202eb \\u202e"]


def test_no_terminal_obeys_anything() -> None:
    """ALL-8: neither as it is, nor as an entity, nor in code, nor in an address."""
    text = "a\x1b[31mb [x](https://a.org/\x1b]0;t\x07) `c\x9b2Jd` &#x9b;31m\n"
    text += "```s\x1b[1mh\n\x1b[2Je\n```"
    assert not set("\x1b\x9b\x07") & set("".join(shown(text) + code_blocks(text)))


def test_plain_text_joins_what_was_broken() -> None:
    """CHAT-1: rows are joined by what stood between them, without what is only drawn."""
    rows = [
        Row((Piece("▎ one"),), None, 2),
        Row((Piece("▎ two"),), " ", 2),
        Row((Piece("▎ "),), None, 2),
        Row((Piece("───"),), None, 3),
        Row((Piece("thr"),)),
        Row((Piece("ee"),), ""),
    ]
    assert plain_text(rows) == "one two\n\nthree"
    assert plain_text([]) == ""


@pytest.mark.parametrize("width", [2, 5, 12, 40, 66, 100])
def test_everything_fits(width: int) -> None:
    """CHAT-1: also where there is hardly any room."""
    assert all(cell_len(row) <= width for row in shown(SAMPLE, width))


# -- growing


@pytest.mark.parametrize("step", [1, 7, 64])
def test_an_answer_that_grows_jumps_little(step: int) -> None:
    """CHAT-1: finished rows never change, and the end changes nothing but colours."""
    growing = GrowingMarkdown(66)
    frozen: list[Row] = []
    for place in range(0, len(SAMPLE), step):
        growing.grow(SAMPLE[place : place + step])
        assert growing.rows[: len(frozen)] == frozen
        frozen = growing.rows[: growing.frozen]
    assert [row.text for row in growing.rows] == shown(SAMPLE, 66)
    growing.finish()
    assert growing.rows == markdown_rows(SAMPLE, 66)
    assert growing.text == SAMPLE
    assert growing.at_width(40).rows[0].text == "Two were dropped"


def test_an_escape_in_two_pieces_is_still_one() -> None:
    """ALL-8: a sequence that is split between pieces of a stream is not shown in part."""
    growing = GrowingMarkdown(40)
    for piece in ("a\x1b", "[3", "1mb"):
        growing.grow(piece)
        assert growing.rows[0].text in ("a", "ab")
    assert growing.rows[0].text == "ab"


def test_a_mark_that_has_only_begun_does_not_flash() -> None:
    """CHAT-1: a dash below a line makes no heading before it becomes a list."""
    growing = GrowingMarkdown(40, "Two were dropped:\n-")
    assert growing.rows == [Row((Piece("Two were dropped:"),))]
    growing.grow(" Saldanha")
    assert [row.text for row in growing.rows] == ["Two were dropped:", " • Saldanha"]
    growing = GrowingMarkdown(40, "42\n1.")
    growing.finish()
    assert growing.rows == markdown_rows("42\n1.", 40)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("Not **Salda", Piece("Salda", "text", "b")),
        ("Not **Saldanha *", Piece("Not **Saldanha *")),
        ("Not **Saldanha ", Piece("Saldanha", "text", "b")),
        ("Not **Saldanha*", Piece("Saldanha", "text", "b")),
        ("Not **Saldanha**", Piece("Saldanha", "text", "b")),
        ("Not **", Piece("Not")),
        ("Not **a**, **b", Piece("b", "text", "b")),
        ("Not 2 ** 3", Piece("Not 2 ** 3")),
        ("Not `lim", Piece("lim", "code")),
        ("Not `", Piece("Not")),
        ("- **a", Piece("a", "text", "b")),
        ("| a |\n|---|\n| **b", Piece("b", "text", "b")),
    ],
)
def test_bold_text_is_bold_while_it_comes(text: str, last: Piece) -> None:
    """CHAT-1: no stars are seen that vanish a moment later."""
    assert GrowingMarkdown(40, text).rows[-1].pieces[-1] == last


def test_an_open_fence_is_code_at_once() -> None:
    """CHAT-1: code is coloured while it comes, also inside a text of several lines."""
    growing = GrowingMarkdown(40, 'Run:\n```python\ndef f():\n    """One\n    two if')
    assert [row.text for row in growing.rows][2:] == [
        "  python",
        "  def f():",
        '      """One',
        "      two if",
    ]
    assert growing.rows[3].pieces[1] == Piece("def", "code-keyword")
    assert growing.rows[-1].pieces[1:] == (Piece("    two if", "code-string"),)


def test_an_address_that_comes_late_is_known_at_the_end() -> None:
    """CHAT-1: names of addresses are looked up again when the answer is complete."""
    growing = GrowingMarkdown(40)
    for piece in ("see [x].\n\n", "more\n\n", "[x]: https://a.org\n"):
        growing.grow(piece)
        assert growing.rows[0].text == "see [x]."
    growing.finish()
    assert growing.rows[0].text == "see x (a.org)."


LONG = {
    "prose": SAMPLE * 20,
    "code": "```python\n" + "def f(x):\n    return x + 1  # more\n\n" * 450,
    "list": "- **one** of `many` things to be seen here\n" * 380,
    "table": "| a | b |\n|---|---|\n" + "| **one** | of many things to be seen |\n" * 410,
    "nested": "- a\n" + "  - **one** of `many` things to be seen here\n" * 360,
    "quote": "> **one** of `many` things to be seen here\n" * 380,
    "paragraph": "**one** of `many` things to be seen here " * 400,
}


@pytest.mark.parametrize("kind", LONG)
def test_a_fast_answer_is_cheap_to_draw(kind: str) -> None:
    """CHAT-1: 4,000 tokens at 1,000 a second, drawn 20 times a second, leave the screen free."""
    text = LONG[kind][:16_000]
    growing = GrowingMarkdown(80)
    began = time.process_time()
    for place in range(0, len(text), 200):
        growing.grow(text[place : place + 200])
        assert growing.rows
    assert time.process_time() - began < 2


# -- what wants to hurt


@pytest.mark.parametrize(
    "text",
    [
        ">" * 10_000,
        "> " * 5_000 + "deep",
        "[" * 10_000,
        "![" * 10_000,
        "`" * 100_000,
        "- " * 5_000,
        "".join("  " * level + "- a\n" for level in range(300)),
        "*a **a " * 8_000,
        "|" + "a|" * 5_000 + "\n|" + "-|" * 5_000 + "\n" + "|b|\n" * 10,
        "[a]: b\n" * 10_000,
        "```js\n" + "/*\n" * 5_000,
        "```python\n" + "'" * 39_000,
        "\u0301" * 50_000,
        "**\u200d** *\u200d* " * 3_000,
        "x" * 1_000_000,
    ],
    ids=range(15),
)
def test_no_text_holds_the_screen_up(text: str) -> None:
    """ALL-8: hostile texts are shown, soon, in one way or another."""
    began = time.process_time()
    rows = markdown_rows(text, 80)
    growing = GrowingMarkdown(80)
    for place in range(0, len(text), len(text) // 10):
        growing.grow(text[place : place + len(text) // 10])
        assert growing.rows is not None
    assert time.process_time() - began < 15
    assert rows or not text.strip("`\n")


@pytest.mark.parametrize("block", ["```\na\n```\n", "|a|\n|-|\n|b|\n\n", "- a\n\n1. b\n", "# a\n"])
def test_many_blocks_at_once_are_read_one_after_the_other(block: str) -> None:
    """CHAT-1, ALL-8: a long answer is laid out anew where the width changes."""
    text = block * 3_000
    began = time.process_time()
    rows = GrowingMarkdown(40, text).at_width(80).rows
    assert time.process_time() - began < 10
    assert [row.text for row in rows] == shown(text, 80)


def test_what_is_too_deep_or_too_long_is_shown_as_it_is() -> None:
    """CHAT-1: nothing of it is left out."""
    deep = "> " * 60 + "word"
    assert plain_text(markdown_rows(deep, 80)) == deep
    long = "**a** " * (LARGEST // 6 + 1) + "end"
    assert plain_text(markdown_rows(long, 80)) == long
    growing = GrowingMarkdown(80, "**a** ")
    assert growing.rows[0].text == "a"
    growing.grow(long[6:])
    assert plain_text(growing.rows) == long


def test_the_libraries_are_loaded_when_they_are_needed() -> None:
    """ALL-7: the first paint waits for no parser, and text without marks never does."""
    code = (
        "import sys, widgets.markdown.growing, widgets.copying\n"
        "widgets.markdown.growing.GrowingMarkdown(40, 'Two were dropped.\\n\\nWhy?').rows\n"
        "print(*sys.modules)"
    )
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert not {"markdown_it", "pygments"} & set(run.stdout.split())
