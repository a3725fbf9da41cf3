"""The door to the library that knows the rules of Markdown; loaded when it is first needed."""

from collections.abc import MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from widgets.markdown.addresses import BEGUN, REST, trimmed

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

NESTING = 40
"""Levels of blocks in blocks; the library lets go of what is deeper."""
_CROWDED = 2_000
"""Opening brackets in one paragraph; each is looked for its end, which takes long together."""

References = MutableMapping[str, Any]


class TooDeep(ValueError):
    """Blocks stand deeper in each other than is read."""


def block_tokens(text: str, references: References) -> "list[Token]":
    """The blocks of a text, their text not looked into yet.

    Args:
        text: What `printable` has cleaned.
        references: Definitions of addresses: those of the text are added.

    Raises:
        TooDeep: Something would be lost.
    """
    parser = _parser()
    tokens: list[Token] = []
    parser.block.parse(text, parser, {"references": references}, tokens)
    if any(token.level >= NESTING - 1 for token in tokens):
        raise TooDeep
    return tokens


def inline_tokens(text: str, references: References) -> "list[Token] | None":
    """What the text of one block is made of; None where it is to be shown as it is."""
    if text.count("[") > _CROWDED:
        return None
    parser = _parser()
    return parser.inline.parse(text, parser, {"references": references}, [])


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    options = {"maxNesting": NESTING, "inline_definitions": True}
    parser = MarkdownIt("js-default", options)
    parser.inline.ruler.after("text", "bare_address", _bare_address)
    # Every address is let through here: we show those that are not followed.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


def _bare_address(state: "StateInline", silent: bool) -> bool:
    """Takes an address of the web as it stands, before its characters can mean anything else."""
    if state.linkLevel or not state.src.startswith("://", state.pos):
        return False
    begun = BEGUN.search(state.pending[-10:])
    match = REST.match(state.src, state.pos, state.posMax)
    rest = trimmed(match.group()) if match else ""
    if not begun or len(rest) <= len("://"):
        return False
    if not silent:
        address = begun.group() + rest
        state.pending = state.pending[: -len(begun.group())]
        opening = state.push("link_open", "a", 1)
        opening.attrs = {"href": state.md.normalizeLink(address)}
        state.push("text", "", 0).content = address
        state.push("link_close", "a", -1)
    state.pos += len(rest)
    return True
