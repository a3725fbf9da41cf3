"""Agents as the screen lists them, and one of them opened. Pure."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len

from widgets.figures import count, short_number
from widgets.panes.fitting import line, padded
from widgets.panes.view import PaneView, wrapped
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from memory.agents import Agent

HERE, THERE = "● ", "  "
MOST_NAME, LEAST_NAME = 24, 8
LABEL_CELLS = 10
CONFIGURED = "as configured"
NO_PROFILE = "No profile: its prompt begins as the configuration says. e gives it one."
YOURS = "you talk with it"
CHARACTERS_PER_TOKEN = 4


def list_rows(agents: Sequence["Agent"], current: str, width: int) -> PaneView:
    """One row an agent: name, what it is, sessions, model, policy as far as there is room."""
    longest = max((cell_len(one_line(agent.name)) for agent in agents), default=0)
    name_cells = min(MOST_NAME, max(LEAST_NAME, longest))
    rows = tuple(_row(agent, current, name_cells, width) for agent in agents)
    return PaneView(rows, count(len(agents), "agent"), tuple(agent.name for agent in agents))


def detail_rows(agent: "Agent | None", current: str, width: int) -> PaneView:
    """All that is known of an agent."""
    if agent is None:
        return PaneView()
    facts = {
        "model": one_line(agent.model or CONFIGURED).removeprefix("embedded/"),
        "policy": one_line(agent.policy or CONFIGURED),
        "sessions": f"{agent.sessions:,}" + (f", {YOURS}" if agent.name == current else ""),
    }
    profile = wrapped(agent.profile, width) if agent.profile else wrapped(NO_PROFILE, width, "dim")
    return PaneView((*_facts(facts, width), EMPTY, *profile), _size(agent))


def _row(agent: "Agent", current: str, name_cells: int, width: int) -> Row:
    here = agent.name == current
    left = [
        Piece(HERE if here else THERE, "you" if here else "dim"),
        Piece(f"{padded(agent.name, name_cells)}  ", "text", "b"),
    ]
    first = next((part for part in agent.profile.splitlines() if part.strip()), "")
    right = [Piece(f"  {count(agent.sessions, 'session'):>12}", "dim")]
    right += [Piece(f"  {_short(agent.model)}", "dim")] if agent.model else []
    right += [Piece(f"  {one_line(agent.policy)}", "dim")] if agent.policy else []
    return line(left, Piece(first or "no profile", "text" if first else "dim"), right, width)


def _short(model: str) -> str:
    return one_line(model).rstrip("/").rsplit("/", 1)[-1]


def _facts(facts: dict[str, str], width: int) -> Iterable[Row]:
    for label, text in facts.items():
        yield line([Piece(padded(label, LABEL_CELLS), "dim")], Piece(text), [], width)


def _size(agent: "Agent") -> str:
    if not agent.profile:
        return ""
    return f"about {short_number(len(agent.profile) // CHARACTERS_PER_TOKEN)} tok in each prompt"
