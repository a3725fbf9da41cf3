"""What stands between quotation marks, in prose, in code, and in JSON inside of JSON."""

import re

QUOTE = r"(?:\\{0,3}[\"'`])"
LONGEST = 2_000
"""Characters between two marks."""
LINE = 2_000
"""Characters of a line that are looked at for the mark that a second one closes."""
_MARK = re.compile(QUOTE)
_INSIDE = {
    mark: re.compile(rf"(?:\\[^\n]|[^\n\\{mark}]){{1,{LONGEST}}}") for mark in ("'", '"', "`")
}
_BEHIND = re.compile(r"\s*(?:[+),;.\]}%]|\Z)|\s")


def quoted(text: str, at: int) -> tuple[int, int] | None:
    """Where the inside of a quotation that begins at a place stands.

    One that the text ends in goes on to its end: what is missing may still arrive.
    """
    opened = _MARK.match(text, at)
    if opened is None:
        return None
    mark, start = opened[0], opened.end()
    if len(mark) > 1:
        end = text.find(mark, start, start + LONGEST)
        line = text.find("\n", start, start + LONGEST)
        if end < 0:
            return (start, len(text)) if line < 0 and len(text) - start < LONGEST else None
        return (start, end) if end > start and not start <= line < end else None
    inside = _INSIDE[mark].match(text, start)
    if inside is None:
        return None
    end = inside.end()
    return (start, end) if end == len(text) or text[end] == mark else None


def closes(text: str, at: int) -> bool:
    """Whether the mark at a place ends a quotation that the line began: `"Password: " + value`."""
    opened = _MARK.match(text, at)
    if opened is None:
        return False
    mark = opened[0]
    begin = text.rfind("\n", max(0, at - LINE), at) + 1
    if not begin and at > LINE:
        return _BEHIND.match(text, opened.end()) is not None
    if text.count(mark, begin, at) % 2 == 0:
        return False
    return mark[-1] == '"' or _BEHIND.match(text, opened.end()) is not None
