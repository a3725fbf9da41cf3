"""Markdown as blocks. Texts in which nothing is marked need no library."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from widgets.markdown.blocks import (
    Block,
    Code,
    Heading,
    Item,
    Line,
    Listing,
    Paragraph,
    Placed,
    Quote,
    Rule,
    Table,
)
from widgets.markdown.inline import definition, plain_lines, text_lines
from widgets.markdown.library import References, block_tokens
from widgets.plain import one_line

if TYPE_CHECKING:
    from markdown_it.token import Token

# White space other than a blank at the ends of lines has rules of its own.
_BLANKS = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_MARKED = re.compile(
    rf"[\\`*_~\[\]<>&|\t]|://|www\.|@|^[ {_BLANKS}]|[{_BLANKS}] *$|^[-+=#]|^[0-9]{{1,9}}[.)]",
    re.MULTILINE,
)
_TASK = re.compile(r"\[([ xX])\](?:[ \n]|$)")
_HEADING_STYLES = ("b", "bu", "b", "i", "i", "i")
"""The first has a line below it besides, so that they differ without colours too."""
_ALIGNMENT = "text-align:"


def parse(text: str, references: References | None = None) -> list[Placed]:
    """The blocks of a text.

    Args:
        text: What `printable` has cleaned.
        references: Addresses by their names, from what came before; the text's own are added.

    Raises:
        TooDeep: More blocks in blocks than can be read.
    """
    if not _MARKED.search(text):
        return list(_plain_paragraphs(text))
    known: References = {} if references is None else references
    return _Reader(text, known).blocks()


def language_of(info: str) -> str:
    """The name of a language, from what stands behind an opening fence."""
    return one_line(info).split(" ", 1)[0].strip("{}.")


def _plain_paragraphs(text: str) -> Iterator[Placed]:
    """The paragraphs of a text in which nothing is marked."""
    lines = text.split("\n")
    start: int | None = None
    for index, line in enumerate([*lines, ""]):
        if line.strip(" ") and start is None:
            start = index
        elif not line.strip(" ") and start is not None:
            paragraph = Paragraph(plain_lines("\n".join(lines[start:index])))
            yield Placed(paragraph, start, gap=start > 0)
            start = None


class _Reader:
    """Reads the library's tokens, which say where blocks open and close."""

    def __init__(self, text: str, references: References) -> None:
        self._tokens = iter(block_tokens(text, references))
        self._source = text.split("\n")
        self._references = references

    def blocks(self, until: str = "") -> list[Placed]:
        """The blocks up to the token that closes what they stand in."""
        found: list[Placed] = []
        for token in self._tokens:
            if token.type == until:
                break
            start, gap = self._place(token)
            found.append(Placed(self._block(token), start, gap))
        return found

    def _place(self, token: "Token") -> tuple[int, bool]:
        start = token.map[0] if token.map else 0
        return start, start > 0 and not self._source[start - 1].strip(" \t>")

    def _block(self, token: "Token") -> Block:
        block: Block
        match token.type:
            case "heading_open":
                level = int(token.tag[1:])
                lines = self._lines("heading_close", "heading", _HEADING_STYLES[level - 1])
                block = Heading(level, lines)
            case "fence" | "code_block":
                block = Code(token.content.removesuffix("\n"), language_of(token.info))
            case "hr":
                block = Rule()
            case "blockquote_open":
                block = Quote(tuple(self.blocks("blockquote_close")))
            case "bullet_list_open" | "ordered_list_open":
                block = self._listing(token)
            case "table_open":
                block = self._table()
            case "definition":
                names = (str(token.meta[name]) for name in ("label", "url", "title"))
                block = Paragraph((definition(*names),))
            case _:
                block = Paragraph(self._lines("paragraph_close"))
        return block

    def _lines(self, until: str, ink: str = "text", style: str = "") -> tuple[Line, ...]:
        """The text of a block that holds nothing else."""
        lines: tuple[Line, ...] = ()
        for token in self._tokens:
            if token.type == until:
                break
            lines = text_lines(token.content, self._references, ink, style)
        return lines

    def _listing(self, opening: "Token") -> Listing:
        ordered = opening.type == "ordered_list_open"
        until = opening.type.replace("open", "close")
        items: list[Item] = []
        for token in self._tokens:
            if token.type == until:
                break
            items.append(self._item(token))
        first = int(opening.attrs.get("start", 1)) if ordered else None
        return Listing(tuple(items), first)

    def _item(self, opening: "Token") -> Item:
        start, gap = self._place(opening)
        blocks: list[Placed] = []
        done: bool | None = None
        for token in self._tokens:
            if token.type == "list_item_close":
                break
            place = self._place(token)
            if not blocks and token.type == "paragraph_open":
                block, done = self._task()
            else:
                block = self._block(token)
            blocks.append(Placed(block, *place))
        return Item(tuple(blocks), start, gap, done)

    def _task(self) -> tuple[Block, bool | None]:
        """The first paragraph of an item, and what the box before it says, if there is one."""
        content = next(self._tokens).content
        next(self._tokens)
        box = _TASK.match(content)
        text = content[box.end() :] if box else content
        lines = text_lines(text, self._references)
        return Paragraph(lines), box.group(1) != " " if box else None

    def _table(self) -> Table:
        rows: list[list[Line]] = []
        aligns: list[str] = []
        for token in self._tokens:
            match token.type:
                case "table_close":
                    break
                case "tr_open":
                    rows.append([])
                case "th_open":
                    style = str(token.attrs.get("style", ""))
                    aligns.append(style.removeprefix(_ALIGNMENT))
                case "inline":
                    rows[-1].append(self._cell(token.content, header=len(rows) == 1))
        return Table(tuple(aligns), tuple(rows[0]), tuple(tuple(row) for row in rows[1:]))

    def _cell(self, text: str, *, header: bool) -> Line:
        lines = text_lines(text, self._references, "text", "b" if header else "")
        return lines[0] if lines else ()
