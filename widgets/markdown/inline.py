"""The text of a block in its looks: bold, code, links and the like."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from widgets.markdown.addresses import bare_addresses, beside, may_follow
from widgets.markdown.blocks import Line, Lines
from widgets.markdown.library import References, inline_tokens
from widgets.plain import printable
from widgets.rows import Piece
from widgets.wrapping import TAB

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKED = re.compile(r"[\\`*_~\[\]<&]|://|www\.|@")
_STYLES = {"strong": "b", "em": "i", "s": "s"}


def text_lines(text: str, references: References, ink: str = "text", style: str = "") -> Lines:
    """The lines of a block's text.

    Args:
        text: The text in Markdown.
        references: Where the names of addresses lead.
        ink: The ink of what has no other.
        style: The style that holds throughout.
    """
    tokens = inline_tokens(text, references) if _MARKED.search(text) else None
    if tokens is None:
        return plain_lines(text, ink, style)
    writer = _Writer(ink, style)
    for token in tokens:
        writer.take(token)
    return writer.lines()


def plain_lines(text: str, ink: str = "text", style: str = "") -> Lines:
    """The lines of a text in which nothing is marked."""
    return tuple(
        (Piece(shown, ink, style),) if (shown := _clean(line).strip(" ")) else ()
        for line in text.split("\n")
    )


def definition(label: str, address: str, title: str) -> Line:
    """What gives an address a name, as it is typed: it may also be meant as a plain line."""
    writer = _Writer("text", "")
    writer.write(f"[{label}]: ")
    writer.write(address, link=address if may_follow(address) else "")
    writer.write(f' "{title}"' if title else "")
    return writer.lines()[0]


def _clean(text: str) -> str:
    """Text on one line that may have come from entities such as `&#27;`."""
    if text.isascii() and text.isprintable():
        return text
    return printable(text).replace("\n", " ").expandtabs(TAB)


class _Writer:
    """Writes the tokens of a text into lines."""

    def __init__(self, ink: str, style: str) -> None:
        self._ink = ink
        self._style = style
        self._styles: list[str] = []
        self._lines: list[list[Piece]] = [[]]
        self._text = ""
        self._address = ""
        self._label = ""
        self._in_link = False

    def take(self, token: "Token") -> None:
        """Writes a token."""
        if token.type in ("text", "text_special"):
            self._text += token.content
            return
        self._flush()
        if action := _ACTIONS.get(token.type):
            action(self, token)
        elif style := _STYLES.get(token.tag):
            if token.nesting > 0:
                self._styles.append(style)
            else:
                self._styles.remove(style)
        else:
            self.write(token.content)

    def lines(self) -> Lines:
        """All that was written."""
        self._flush()
        return tuple(_trimmed(line) for line in self._lines)

    def new_line(self, _token: "Token") -> None:
        """Begins a line, where one was begun in the text, whether strongly marked or not."""
        self._lines.append([])

    def code(self, token: "Token") -> None:
        """Writes code inside of text."""
        self.write(token.content, ink="code")

    def open_link(self, token: "Token") -> None:
        """Notes where the text that follows leads."""
        self._address = str(token.attrs.get("href", ""))
        self._label, self._in_link = "", True

    def close_link(self, _token: "Token") -> None:
        """Adds where the text led, if that is to be seen."""
        address, label = self._address, self._label
        self._address, self._in_link = "", False
        aside = beside(label, address) if may_follow(address) else address
        if aside:
            self.write(f" ({aside})" if label else aside, ink="dim")

    def image(self, token: "Token") -> None:
        """Names a picture, which a terminal does not show, and where it is."""
        address = str(token.attrs.get("src", ""))
        link = address if may_follow(address) else ""
        self.write(f"[image: {token.content}]" if token.content else "[image]", link=link)
        if aside := beside("", address) if link else address:
            self.write(f" ({aside})", ink="dim")

    def _flush(self) -> None:
        """Writes the text that has come, with the addresses that stand in it."""
        text, self._text = self._text, ""
        if not text:
            return
        place = 0
        for start, end, address in [] if self._in_link else bare_addresses(text):
            self.write(text[place:start])
            self.write(text[start:end], link=address)
            place = end
        self.write(text[place:])

    def write(self, text: str, *, ink: str = "", link: str = "") -> None:
        """Writes text of one look into the line."""
        text = _clean(text)
        if not text:
            return
        if self._in_link:
            self._label += text
            link = self._address if may_follow(self._address) else ""
        style = "".join(sorted({*self._style, *self._styles, *("u" if link else "")}))
        piece = Piece(text, ink or ("link" if link else self._ink), style, link)
        line = self._lines[-1]
        if line and line[-1][1:] == piece[1:]:
            line[-1] = piece._replace(text=line[-1].text + text)
        else:
            line.append(piece)


_ACTIONS: dict[str, Callable[[_Writer, "Token"], None]] = {
    "softbreak": _Writer.new_line,
    "hardbreak": _Writer.new_line,
    "code_inline": _Writer.code,
    "link_open": _Writer.open_link,
    "link_close": _Writer.close_link,
    "image": _Writer.image,
}


def _trimmed(line: list[Piece]) -> Line:
    """A line without spaces at its ends."""
    while line and not (text := line[-1].text.rstrip(" ")):
        line.pop()
    if line and text != line[-1].text:
        line[-1] = line[-1]._replace(text=text)
    while line and not (text := line[0].text.lstrip(" ")):
        line.pop(0)
    if line and text != line[0].text:
        line[0] = line[0]._replace(text=text)
    return tuple(line)
