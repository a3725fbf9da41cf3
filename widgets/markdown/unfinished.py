"""The last line of a text that is still coming, so that its marks are not seen before they act."""

import re

# A mark of a block, which may become another one with the next character.
_BEGUN_MARK = re.compile(r"[ ]{0,12}(?:[-+*=_~`#>|]{1,3}|[0-9]{1,9}[.)])[ ]?")
_STRONG = re.compile(r"\*\*(?=[^\s*])|(?<=[^\s*])\*\*")
_FENCES = "```", "~~~"


def without_loose_ends(text: str) -> str:
    """The text with its last line as it will probably look.

    A mark that has only begun is left out; bold text and code that are open are closed.
    """
    place = text.rfind("\n") + 1
    line = text[place:]
    if _BEGUN_MARK.fullmatch(line):
        return text[:place]
    if any(fence in text for fence in _FENCES):
        return text
    return text[:place] + _closed(line)


def _closed(line: str) -> str:
    if "``" not in line and line.count("`") % 2:
        return line[:-1] if line.endswith("`") else f"{line}`"
    begun = line.rstrip("*")
    if len(line) - len(begun) > len("**") or begun.endswith("\\"):
        return line
    kept = begun.rstrip(" ")
    if len(_STRONG.findall(kept)) % 2:
        return f"{kept}**" if len(kept) == len(begun) or begun == line else line
    # A single one may end what is slanted, or multiply.
    return line.removesuffix("**")
