"""What was found for a turn, from the state, as a pane sees it. Pure."""

from collections.abc import Mapping

from memory.pieces import facts, found_tokens
from memory.recall_events import RecalledText
from memory.recall_views import FoundView, RecallView
from memory.state import State
from memory.tokens import Tally, estimate

PREVIEW_CHARS = 600
"""Characters of a passage that a pane shows."""


def recall_view(
    state: State, texts: Mapping[str, str], tally: Tally, session: str
) -> RecallView | None:
    """What long-term memory brought to the present turn; None where it was not searched.

    Args:
        state: The session's state.
        texts: Texts by body id.
        tally: Token counts.
        session: The stream of the session.
    """
    found = state.recalled
    if found is None:
        return None

    def view(text: RecalledText) -> FoundView:
        tokens = tally.body(text.body, text.chars)
        return FoundView(
            passage=text.passage,
            kind=text.kind,
            role=text.role,
            at=text.at,
            here=text.session == session,
            session=text.session,
            number=text.number,
            origin=text.origin,
            score=text.score,
            text=texts[text.body][text.first :][: min(PREVIEW_CHARS, text.shown or PREVIEW_CHARS)],
            tokens=tokens if text.shown is None else min(tokens, estimate(text.shown)),
            parts=text.parts,
            why_not=text.why_not,
        )

    return RecallView(
        number=found.number,
        facts=tuple(map(view, found.facts)),
        texts=tuple(map(view, found.texts)),
        left_out=tuple(
            view(text)
            for text in found.left_out
            if (text.session, text.number) != (session, found.number)
        ),
        budget=found.budget,
        tokens=found_tokens(state, tally),
        meaning=found.meaning,
        duration_s=found.duration_s,
    )


def pinned_views(state: State, texts: Mapping[str, str], tally: Tally) -> tuple[FoundView, ...]:
    """The pinned sentences that stand among the facts of a turn, as what was found does.

    Args:
        state: The session's state.
        texts: Texts by body id.
        tally: Token counts.
    """
    return tuple(
        FoundView(
            passage=0,
            kind="message",
            role="user",
            at="",
            here=True,
            session="",
            number=pin.number or 0,
            origin="user",
            score=0.0,
            text=texts[pin.body],
            tokens=tally.body(pin.body, pin.chars),
        )
        for pin in facts(state)
    )
