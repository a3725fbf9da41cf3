"""Text that comes from anywhere, made safe to show: no terminal obeys it (ALL-8). Pure."""

import re
import unicodedata

_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
# Control sequences (CSI), strings up to their end (OSC, DCS, SOS, PM, APC), and short escapes.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-Z\\\\`-~]"
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
# A flag of a region: a black flag, its code in tags, and their end.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
# What turns the reading direction of its neighbours, what hides text, halves of characters.
_TRICKS = re.compile(
    f"({_FLAG})|"
    "[\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_UNSEEN = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0") | {
    *map(chr, range(0x180B, 0x1810)),
    *map(chr, range(0xFE00, 0xFE10)),
    *map(chr, range(0xE0100, 0xE01F0)),
}
"""Characters that count as letters or marks, and show nothing."""
_UNSEEN_KINDS = {"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp", "Zs"}
"""Kinds of characters that a reader can't tell from nothing, or from a plain blank."""
_BEGUN_ESCAPE = re.compile(
    "(?:[\x1b\x90\x98\x9b\x9d-\x9f][^\n\x1b]{0,200}|\U0001f3f4[\U000e0030-\U000e007a]{0,6})$"
)


def printable(text: str) -> str:
    r"""The text without what a terminal would obey; line breaks and tabs stay.

    Terminal escapes and control characters go; characters that turn the reading direction, hide
    text, or are no characters at all are shown as escapes such as `\u202e`. The flag of a region
    stays whole.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    text = _CONTROLS.sub("", text)
    return _TRICKS.sub(lambda match: match[1] or ascii(match.group())[1:-1], text)


def one_line(text: str) -> str:
    """The text as `printable` makes it, on one line."""
    return " ".join(printable(text).split())


def short_line(text: str, most: int) -> str:
    """The text on one line of at most so many characters, with … where it has more."""
    line = one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def to_the_letter(text: str) -> list[tuple[str, bool]]:
    r"""A text of which nothing is hidden: what can't be seen stands there as an escape.

    Line breaks stay. Where `printable` takes escapes of the terminal away, they are shown here:
    what is shown is what would be done.

    Returns:
        Stretches of it, each with whether it is an escape such as `\u200b`.
    """
    parts: list[tuple[str, bool]] = []
    for character in text:
        hidden = _hidden(character)
        shown = ascii(character)[1:-1] if hidden else character
        if parts and parts[-1][1] == hidden:
            parts[-1] = parts[-1][0] + shown, hidden
        else:
            parts.append((shown, hidden))
    return parts


def _hidden(character: str) -> bool:
    if character in " \n":
        return False
    return character in _UNSEEN or unicodedata.category(character) in _UNSEEN_KINDS


def complete_part(text: str) -> tuple[str, str]:
    """Splits a piece of a stream before an escape, or a flag, that it only begins.

    Returns:
        What can be shown now, and what has to wait for the next piece.
    """
    begun = _BEGUN_ESCAPE.search(_ESCAPES.sub(lambda match: "\0" * len(match.group()), text))
    cut = begun.start() if begun else len(text)
    if cut == len(text) and text.endswith("\r"):
        cut -= 1
    return text[:cut], text[cut:]
