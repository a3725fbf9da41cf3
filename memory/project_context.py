"""Memory files in the system message: which words stand around their texts (PROMPT-1). Pure."""

from memory.enclosing import unmarked
from memory.file_events import FileRef
from memory.state import State
from memory.tokens import Tally, estimate

HEADING = "## Project Context (always apply)"
"""S0's heading."""
BETWEEN = "\n\n"
"""Stands before each file: they follow the system prompt in one message."""
OPENS, CLOSES = "<memory_file>", "</memory_file>"


def shown_files(state: State) -> tuple[FileRef, ...]:
    """The files of which something stands in the prompt."""
    return tuple(ref for ref in state.files if ref.body is not None)


def file_text(ref: FileRef, text: str, *, first: bool) -> str:
    """A file as the model reads it: below its path (S0), inside marks that it can't close.

    Args:
        ref: The file.
        text: What stands in the prompt of it.
        first: Whether it is the first of them, which the heading stands over.
    """
    inside = unmarked(text)
    return f"{_head(ref, first)}{inside}\n{CLOSES}"


def file_tokens(ref: FileRef, tally: Tally, *, first: bool) -> int:
    """Tokens of a file with what stands around it."""
    frame = estimate(len(BETWEEN) + len(_head(ref, first)) + len(f"\n{CLOSES}"))
    return frame + (tally.body(ref.body, ref.chars) if ref.body is not None else 0)


def files_tokens(state: State, tally: Tally) -> int:
    """Tokens of all memory files in the prompt."""
    refs = shown_files(state)
    return sum(file_tokens(ref, tally, first=place == 0) for place, ref in enumerate(refs))


def _head(ref: FileRef, first: bool) -> str:
    heading = f"{HEADING}\n\n" if first else ""
    return f"{heading}### From {ref.path}\n{OPENS}\n"
