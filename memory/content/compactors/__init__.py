"""Compactors: what stands for a text where it does not stand itself (CONT-5)."""

from memory.content.compactors.brought import compactor_for
from memory.content.compactors.built_in import compact
from memory.content.compactors.sketch import DIGEST_CHARS, About, Compact
from memory.parts import ItemType

__all__ = ["DIGEST_CHARS", "About", "Compact", "compact", "digest_of"]


def digest_of(
    text: str,
    type: ItemType,
    tool: str = "",
    source: str = "",
    arguments: str = "",
    *,
    chars: int = DIGEST_CHARS,
) -> str:
    """The digest of a text: one line that tells what one would look for in it.

    Args:
        text: The text.
        type: What it is stored as.
        tool: The tool whose result it is; empty where it is none.
        source: What it shows: a path, an address, a command.
        arguments: What the tool was called with, as JSON.
        chars: Characters it may have.
    """
    about = About(type, tool, source, arguments, chars)
    return compactor_for(about)(text, about)
