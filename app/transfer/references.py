"""References in ChatGPT's answers, which stand there as marks that only its page can show. Pure.

A mark is text between two characters of the private use area, with a third one between its parts;
what it refers to stands in `content_references`, where the export has it.
"""

import json
import re
from collections.abc import Sequence

from app.transfer.fields import entries, table, text

_MARK = re.compile("\ue200([^\ue200\ue201]*)\ue201")
_BETWEEN = "\ue202"
_LEFT_OVER = re.compile("[\ue200-\ue206]")


def readable(said: str, references: Sequence[object]) -> str:
    """A text with links and names in the place of its marks; those of nothing known are left out.

    Args:
        said: The text.
        references: What its marks refer to.
    """
    if _LEFT_OVER.search(said) is None:
        return said
    known = {text(ref.get("matched_text")): text(ref.get("alt")) for ref in map(table, references)}
    shown = _MARK.sub(lambda mark: known.get(mark[0]) or _name(mark[1]), said)
    return _LEFT_OVER.sub("", shown)


def _name(mark: str) -> str:
    """The name in a mark of a person or a place; nothing for any other."""
    kind, _, inside = mark.partition(_BETWEEN)
    if kind != "entity":
        return ""
    try:
        parts = entries(json.loads(inside))
    except (ValueError, RecursionError):
        return ""
    return text(parts[1]) if len(parts) > 1 else ""
