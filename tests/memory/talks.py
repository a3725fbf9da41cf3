"""Conversations written down as they would be, and what stands of them in a prompt."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.compaction.scope import Proposal, Scope
from memory.parts import Edit, MessageRef, Role
from memory.state import Folding, Pin, State
from tests.memory.doubles import rules


@dataclass(frozen=True, slots=True)
class Line:
    """A message to be."""

    role: Role
    text: str
    calls: tuple[tuple[str, str, str], ...] = ()
    """Id, tool and arguments of each call."""
    answers: str | None = None


def user(text: str) -> Line:
    """What the user says."""
    return Line("user", text)


def model(text: str) -> Line:
    """What the model says."""
    return Line("assistant", text)


def calls(*named: tuple[str, str, Mapping[str, Any]], text: str = "") -> Line:
    """The model calls tools: id, tool, arguments."""
    return Line("assistant", text, tuple((id, tool, json.dumps(args)) for id, tool, args in named))


def result(answers: str, text: str) -> Line:
    """What a tool returned."""
    return Line("tool", text, answers=answers)


@dataclass
class Talk:
    """A conversation with the state it leads to."""

    lines: Sequence[Line]
    settings: Mapping[str, Any] = field(default_factory=dict)
    pinned: Sequence[int] = ()
    texts: dict[str, str] = field(default_factory=dict)

    @property
    def state(self) -> State:
        """The state in which every message stands as it is."""
        refs = tuple(self._ref(number, line) for number, line in enumerate(self.lines, start=1))
        pins = tuple(Pin(f"p{n}", f"b{n}", 1, n, True) for n in self.pinned)
        return State(
            messages=len(refs),
            thresholds=rules(**{"keep_recent_messages": 2, **self.settings}),
            folding=Folding(verbatim=refs),
            pins=pins,
        )

    @property
    def scope(self) -> Scope:
        """What the stages look at."""
        state = self.state
        return Scope.of(state, self.texts)

    def scope_with(self, edits: Iterable[Edit]) -> Scope:
        """What the stages look at once these edits hold."""
        state = self.state
        folding = Folding(verbatim=state.folding.verbatim, edits=tuple(edits))
        return Scope.of(State(thresholds=state.thresholds, folding=folding), self.texts)

    def _ref(self, number: int, line: Line) -> MessageRef:
        body, called = f"b{number}", f"calls{number}" if line.calls else None
        self.texts[body] = line.text
        if called:
            self.texts[called] = json.dumps(
                [
                    {"id": id, "type": "function", "function": {"name": tool, "arguments": args}}
                    for id, tool, args in line.calls
                ]
            )
        return MessageRef(
            number,
            line.role,
            body,
            len(line.text),
            calls=called,
            call_ids=tuple(id for id, _, _ in line.calls),
            answers=line.answers,
            extra_chars=len(self.texts[called]) if called else 0,
        )


def originals(proposals: Iterable[Proposal], texts: Mapping[str, str]) -> dict[str, str]:
    """The text that each new item of some proposals names."""
    items = [item for proposal in proposals for item in proposal.items]
    return {item.id: texts[item.body][item.start : item.end] for item in items}
