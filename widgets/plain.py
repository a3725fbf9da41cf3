"""Text that comes from anywhere, made safe to show: no terminal obeys it (ALL-8). Pure."""

import re

_LINE_ENDS = re.compile("\r\n?|[\v\f\x1c-\x1e\x85\u2028\u2029]")
# Control sequences (CSI), strings up to their end (OSC, DCS, SOS, PM, APC), and short escapes.
_ESCAPES = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"
    "|(?:\x1b[]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f]*(?:\x07|\x1b\\\\|\x9c)"
    "|\x1b[ -/]*[0-Z\\\\`-~]"
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f]")
# What turns the reading direction of its neighbours, what hides text, halves of characters.
_TRICKS = re.compile(
    "[\u202a-\u202e\u2066-\u2069\u206a-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
_BEGUN_ESCAPE = re.compile("[\x1b\x90\x98\x9b\x9d-\x9f][^\n\x1b]{0,200}$")


def printable(text: str) -> str:
    r"""The text without what a terminal would obey; line breaks and tabs stay.

    Terminal escapes and control characters go; characters that turn the reading direction, hide
    text, or are no characters at all are shown as escapes such as `\u202e`.
    """
    if text.isascii() and text.isprintable():
        return text
    text = _LINE_ENDS.sub("\n", _ESCAPES.sub("", text))
    text = _CONTROLS.sub("", text)
    return _TRICKS.sub(lambda match: ascii(match.group())[1:-1], text)


def one_line(text: str) -> str:
    """The text as `printable` makes it, on one line."""
    return " ".join(printable(text).split())


def complete_part(text: str) -> tuple[str, str]:
    """Splits a piece of a stream before an escape that it only begins.

    Returns:
        What can be shown now, and what has to wait for the next piece.
    """
    begun = _BEGUN_ESCAPE.search(_ESCAPES.sub(lambda match: "\0" * len(match.group()), text))
    cut = begun.start() if begun else len(text)
    if cut == len(text) and text.endswith("\r"):
        cut -= 1
    return text[:cut], text[cut:]
