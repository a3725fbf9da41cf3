"""The report in words, for people, and as a document, for programs. Pure."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.doctor.check import Check, Group, State, has_problem
from widgets.figures import count
from widgets.plain import one_line

NAME_CELLS = 13
WORDS: dict[State, str] = {"ok": "ok", "note": "note", "problem": "wrong"}
MARKS: dict[State, str] = {"ok": "✓", "note": "·", "problem": "✗"}
COLOURS: dict[State, str] = {"ok": "32", "note": "33", "problem": "31"}
BOLD = "1"


@dataclass(frozen=True, slots=True)
class Look:
    """How the report may look.

    Args:
        width: Cells of a line.
        colours: Whether marks have colours; words stand in their place where they have none.
        unicode: Whether what shows it knows more than ASCII.
    """

    width: int = 80
    colours: bool = False
    unicode: bool = True


def document(groups: Sequence[Group]) -> dict[str, Any]:
    """The report for programs."""
    checks = [
        {
            "group": group.title,
            "name": check.name,
            "state": check.state,
            "sentence": check.sentence,
            "next_step": check.next_step,
        }
        for group in groups
        for check in group.checks
    ]
    return {
        "ok": not has_problem(groups),
        "complete": not _unseen(groups),
        "checks": checks,
    }


def words(groups: Sequence[Group], look: Look) -> str:
    """The report for people."""
    lines: list[str] = []
    for group in groups:
        lines.append(_coloured(group.title, BOLD, look))
        for check in group.checks:
            lines += _lines(check, look)
        lines.append("")
    lines += _wrapped(_verdict(groups), "", "", look)
    return "\n".join(lines)


def _lines(check: Check, look: Look) -> list[str]:
    marked = look.colours and look.unicode
    mark = MARKS[check.state] if marked else f"{WORDS[check.state]:5}"
    indent = " " * (2 + len(mark) + 1 + NAME_CELLS)
    head = f"  {_coloured(mark, COLOURS[check.state], look)} {check.name:{NAME_CELLS}}"
    # Wrapped behind blanks of the same width: colours have no cells.
    lines = _wrapped(check.sentence, indent, indent, look)
    lines[0] = head + lines[0].removeprefix(indent)
    if check.next_step:
        arrow = "→ " if look.unicode else "> "
        lines += _wrapped(check.next_step, f"{indent}{arrow}", f"{indent}  ", look)
    return lines


def _verdict(groups: Sequence[Group]) -> str:
    states = [check.state for group in groups for check in group.checks]
    notes = count(states.count("note"), "note")
    unseen = "What was said could not be looked at: " if _unseen(groups) else ""
    if "problem" in states:
        return f"{unseen}{count(states.count('problem'), 'problem')}, {notes}."
    if unseen:
        return f"{unseen}{notes}."
    return f"Nothing is wrong; {notes}." if "note" in states else "Nothing is wrong."


def _unseen(groups: Sequence[Group]) -> bool:
    return any(check.unseen for group in groups for check in group.checks)


def _wrapped(text: str, first: str, rest: str, look: Look) -> list[str]:
    wrapper = textwrap.TextWrapper(
        width=look.width,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return wrapper.wrap(one_line(text)) or [first]


def _coloured(text: str, code: str, look: Look) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if look.colours else text
