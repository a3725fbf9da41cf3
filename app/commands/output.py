"""What commands print: text that no terminal obeys, JSON, and notes that vanish."""

import json
import sys
from typing import Any

from widgets.plain import one_line, printable


def print_json(document: Any) -> None:
    """Prints one JSON document; what is not ASCII is escaped, so no terminal obeys it."""
    print(json.dumps(document, indent=2))


def note_line(text: str) -> None:
    """Says something in one line on standard error."""
    print(one_line(text), file=sys.stderr)


class Notes:
    """One line on standard error that says what is going on, if a person can see it."""

    def __init__(self) -> None:
        self._shown = False
        self._visible = sys.stderr.isatty()

    def show(self, text: str) -> None:
        """Replaces the line."""
        if self._visible:
            sys.stderr.write(f"\r\x1b[2K{printable(text)}")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        """Removes the line."""
        if self._shown:
            sys.stderr.write("\r\x1b[2K")
            sys.stderr.flush()
            self._shown = False
