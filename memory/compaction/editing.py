"""The deterministic stages together: what they change, and whether it suffices. Pure.

All stages up to the first that suffices are planned in one go, so that a request's prefix is
broken once and not stage by stage.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

from memory.compaction.micro import micro
from memory.compaction.scope import Proposal, Scope
from memory.compaction.snip import snip
from memory.compaction.tool_budget import cut_tool_results
from memory.content_events import ContentStored
from memory.events import Event
from memory.ids import new_id
from memory.parts import ContentItem, Edit, EditStage
from memory.privacy import Cleaned, Door
from memory.prompt import prompt_tokens
from memory.state import Folding, State, with_edits
from memory.tokens import Tally

STAGES: tuple[tuple[EditStage, Callable[[Scope], Sequence[Proposal]]], ...] = (
    ("budget", cut_tool_results),
    ("snip", snip),
    ("micro", micro),
)
"""The stages in their order (S0)."""


@dataclass(frozen=True, slots=True)
class EditPlan:
    """Edits that would make a prompt smaller."""

    seen: Folding
    """The folding they were planned for."""
    edits: tuple[Edit, ...] = ()
    bodies: Mapping[str, str] = field(default_factory=dict)
    """New texts by body id."""
    items: tuple[ContentItem, ...] = ()
    first_item: int = 0
    """Content items there were when it was planned; its own are numbered from there."""
    after: int = 0
    """Tokens of the prompt with them, estimated."""

    @classmethod
    def none(cls, state: State) -> "EditPlan":
        """A plan that changes nothing."""
        return cls(state.folding, first_item=state.content_items)

    def holds_for(self, state: State) -> bool:
        """Whether nothing that it was planned for has changed; messages may have come."""
        seen, now = self.seen, state.folding
        return (
            seen.long_term == now.long_term
            and seen.short_term == now.short_term
            and seen.verbatim_from == now.verbatim_from
            and seen.edits == now.edits
            and self.first_item == state.content_items
        )

    def recorded_with(self, event: Event, door: Door) -> tuple[list[Event], dict[str, Cleaned]]:
        """What is appended where the event puts it in force: new content first, and the texts."""
        texts = {body: door.clean(text) for body, text in self.bodies.items()}
        stored: list[Event] = [ContentStored(self.items)] if self.items else []
        return [*stored, event], texts

    def among(self, first: int) -> "EditPlan":
        """The plan without the edits of messages before `first`; the content stays cited."""
        edits = tuple(edit for edit in self.edits if edit.number >= first)
        wanted = {edit.body for edit in edits}
        bodies = {id: text for id, text in self.bodies.items() if id in wanted}
        return replace(self, edits=edits, bodies=bodies)


def plan_edits(
    state: State,
    texts: Mapping[str, str],
    tally: Tally,
    below: int,
    around: Callable[[str], AbstractContextManager[object]] = nullcontext,
) -> EditPlan | None:
    """The edits of the stages in their order, up to the first with which it is below a level.

    Args:
        state: The session's state.
        texts: Texts by body id, those of all verbatim messages among them.
        tally: Token counts.
        below: Tokens, as they are counted, under which the prompt is to come.
        around: A block around each stage, by its name.

    Returns:
        The plan, or None where no stage would save anything.
    """
    plan = EditPlan(
        state.folding, first_item=state.content_items, after=prompt_tokens(state, tally)
    )
    known = dict(texts)
    for name, propose in STAGES:
        if plan.after < below:
            break
        with around(name):
            proposals = propose(Scope.of(edited(state, plan.edits, len(plan.items)), known))
            plan = with_proposals(plan, proposals, state, tally)
        known |= plan.bodies
    return plan if plan.edits and plan.after < prompt_tokens(state, tally) else None


def edited(state: State, edits: Sequence[Edit], items: int = 0) -> State:
    """The state once the edits hold and so many content items were stored."""
    after = with_edits(state.folding, edits)
    return replace(state, folding=after, content_items=state.content_items + items)


def with_proposals(
    plan: EditPlan, proposals: Sequence[Proposal], state: State, tally: Tally
) -> EditPlan:
    """The plan with what another stage proposes."""
    bodies = dict(plan.bodies)
    edits = {edit.number: edit for edit in plan.edits}
    items = list(plan.items)
    for proposal in proposals:
        body = None
        if proposal.text is not None:
            body = new_id()
            bodies[body] = proposal.text
        before = edits.get(proposal.number)
        if before is not None and before.body is not None:
            del bodies[before.body]
        edits[proposal.number] = Edit(
            number=proposal.number,
            stage=proposal.stage,
            body=body,
            chars=len(proposal.text or ""),
            why=proposal.why,
            items=proposal.cites,
        )
        items += proposal.items
    ordered = tuple(edits[number] for number in sorted(edits))
    after = prompt_tokens(edited(state, ordered), tally)
    return EditPlan(plan.seen, ordered, bodies, tuple(items), plan.first_item, after)
