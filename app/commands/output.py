"""What commands print: text that no terminal obeys, JSON, and notes that vanish."""

import json
import re
import sys
from typing import Any

_KEPT = "\n\t"
_INVISIBLE_ORDERS = dict.fromkeys(
    [*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""Control characters, and those that turn the reading direction of what follows."""
for _character in _KEPT:
    del _INVISIBLE_ORDERS[ord(_character)]


_ORDERS_IN_JSON = re.compile(r"[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What JSON need not escape, but terminals obey, line readers split at, or UTF-8 can't hold."""


def printable_text(text: str) -> str:
    """The text without control characters, line breaks and tabs excepted (ALL-8)."""
    return text.translate(_INVISIBLE_ORDERS).encode("utf-8", "replace").decode("utf-8")


def print_json(document: Any) -> None:
    """Prints one JSON document; what is not ASCII is escaped, so no terminal obeys it."""
    print(json.dumps(document, indent=2))


def json_line(document: Any) -> str:
    """One JSON document on one line, in which what people can read stands unescaped."""
    text = json.dumps(document, ensure_ascii=False)
    return _ORDERS_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def note_line(text: str) -> None:
    """Says something in one line on standard error."""
    print(" ".join(printable_text(text).split()), file=sys.stderr)


class Notes:
    """One line on standard error that says what is going on, if a person can see it."""

    def __init__(self) -> None:
        self._shown = False
        self._visible = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replaces the line."""
        if self._visible:
            sys.stderr.write(f"\r\x1b[2K{printable_text(text)}")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        """Removes the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False
