"""Code in its inks. The library that knows the languages is loaded when it is first needed."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Protocol, cast

from widgets.markdown.blocks import Line, Lines
from widgets.rows import Piece
from widgets.wrapping import TAB

LARGEST = 40_000
"""Characters of a block that is coloured; a larger one would hold up the screen."""
_LONGEST_LINE = 1_000
_LOOK_BACK = 40
"""Lines above new ones that are read again to know what the new ones stand in."""

# Well-known languages only: some of the library's many take for ever on hostile code.
_NAMES = (
    "apacheconf applescript awk bash bat batch c c# c++ clj clojure cmake console cpp cs csharp"
    " css cython d dart delphi diff docker dockerfile elisp elixir elm erl erlang ex f# fish"
    " fortran fsharp gherkin glsl go golang gradle graphql groovy haskell hcl hs html http ini"
    " java javascript jinja jl js json json5 jsonc jsx julia kotlin kt latex less lisp"
    " lua make makefile mako matlab nasm nginx nim nix objc objective-c ocaml octave pascal"
    " perl php pl postgres postgresql powershell prolog properties proto protobuf ps1 pwsh py"
    " py3 pycon python python3 r racket rb rs ruby rust scala scheme scss sh shell"
    " shell-session sql svg swift systemverilog tcl terraform tex text tf toml ts"
    " tsx typescript udiff vb.net verilog vhdl vim vue xml yaml yml zig zsh"
)
_LANGUAGES = frozenset(_NAMES.split())
_OTHER_NAMES = {"gradle": "groovy", "jsonc": "json", "kt": "kotlin", "svg": "xml"}
_INKS = (
    ("Comment.Preproc", "code-keyword"),
    ("Comment", "code-comment"),
    ("Keyword", "code-keyword"),
    ("Operator.Word", "code-keyword"),
    ("Name.Tag", "code-keyword"),
    ("Literal.String", "code-string"),
    ("Literal.Number", "code-number"),
    ("Name.Function", "code-name"),
    ("Name.Class", "code-name"),
    ("Name.Decorator", "code-name"),
    ("Name.Attribute", "code-name"),
    ("Generic.Prompt", "code-comment"),
    ("Generic.Output", "code"),
    ("Generic.Deleted", "code-number"),
    ("Generic.Inserted", "code-string"),
    ("Generic.Heading", "code-name"),
    ("Generic.Subheading", "code-name"),
)


class _Lexer(Protocol):
    """What knows a language."""

    def get_tokens_unprocessed(self, text: str) -> Iterable[tuple[int, object, str]]:
        """The parts of a text, with their places and kinds."""


def code_lines(text: str, language: str) -> Lines:
    """The lines of code, in the inks of its language where that is known."""
    lexer = _lexer(language.lower()) if language else None
    if lexer is None or len(text) > LARGEST or _has_long_line(text):
        return tuple(_plain(line) for line in text.split("\n"))
    return tuple(_inked(text, lexer))


def _has_long_line(text: str) -> bool:
    return len(text) > _LONGEST_LINE and any(len(line) > _LONGEST_LINE for line in text.split("\n"))


def _plain(line: str) -> Line:
    return (Piece(line.expandtabs(TAB), "code"),) if line else ()


@lru_cache(maxsize=len(_LANGUAGES))
def _lexer(language: str) -> _Lexer | None:
    if language not in _LANGUAGES:
        return None
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return cast(_Lexer, get_lexer_by_name(_OTHER_NAMES.get(language, language)))
    except ClassNotFound:
        return None


def _inked(text: str, lexer: _Lexer) -> list[Line]:
    lines: list[list[tuple[str, str]]] = [[]]
    # The line break at the end belongs to the code: some lexers see a line's end only there.
    for _, kind, part in lexer.get_tokens_unprocessed(text + "\n"):
        ink = _ink(kind)
        for index, stretch in enumerate(part.split("\n")):
            if index:
                lines.append([])
            if stretch:
                lines[-1].append((stretch, ink))
    return [_line(stretches) for stretches in lines[:-1]]


def _line(stretches: list[tuple[str, str]]) -> Line:
    """One line; neighbours in one ink become one piece, and tabs become spaces."""
    pieces: list[Piece] = []
    column = 0
    for stretch, ink in stretches:
        text = _spaced(stretch, column) if "\t" in stretch else stretch
        column += len(text)
        if pieces and pieces[-1].ink == ink:
            pieces[-1] = Piece(pieces[-1].text + text, ink)
        else:
            pieces.append(Piece(text, ink))
    return tuple(pieces)


def _spaced(text: str, column: int) -> str:
    """Text that begins at a column, with spaces for its tabs."""
    before = " " * (column % TAB)
    return (before + text).expandtabs(TAB)[len(before) :]


@lru_cache(maxsize=512)
def _ink(kind: object) -> str:
    name = str(kind).removeprefix("Token.")
    return next((ink for start, ink in _INKS if name.startswith(start)), "code")


class GrowingCode:
    """Code that grows by whole lines, in inks that may still be wrong in a few places.

    Only new lines are read, from the nearest line above them where no text and no comment is
    open; `code_lines` of the whole block is right, and takes its place when the block ends.
    """

    def __init__(self, language: str) -> None:
        self._language = language
        self._typed: list[str] = []
        self._lines: list[Line] = []

    @property
    def text(self) -> str:
        """All lines so far."""
        return "\n".join(self._typed)

    def add(self, lines: list[str]) -> list[Line]:
        """Adds lines; gives them in their inks."""
        shown = self.preview(lines)
        self._typed += lines
        self._lines += shown
        return shown

    def preview(self, lines: list[str]) -> list[Line]:
        """Lines in their inks as they would be if they were added."""
        start = self._known_start()
        above = self._typed[start:]
        text = "\n".join([*above, *lines])
        return list(code_lines(text, self._language)[len(above) :])

    def _known_start(self) -> int:
        """A line shortly above the end that begins something, rather than going on with it."""
        last = len(self._lines)
        best, least = last, _LONGEST_LINE
        for index in range(last - 1, max(-1, last - _LOOK_BACK), -1):
            line = self._typed[index]
            indent = len(line) - len(line.lstrip())
            if not line or indent >= least or (index and self._is_inside(index)):
                continue
            best, least = index, indent
            if not indent:
                break
        return best

    def _is_inside(self, index: int) -> bool:
        """Whether a line begins inside a text or a comment of several lines, by its look."""
        line, above = self._lines[index], self._lines[index - 1]
        inks = ("code-string", "code-comment")
        return bool(line and above and line[0].ink == above[-1].ink and line[0].ink in inks)
