"""A request as it was sent, or as it would be now, with what it is made from. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory.budget import Budget
from memory.fitting import Fit
from memory.parts import Ledger
from memory.pieces import ChatMessage, Piece, pieces_of
from memory.prompt import (
    PromptTooLarge,
    build_prompt,
    pieces_of_request,
    section_tokens,
    sent_digest,
)
from memory.rendering import render
from memory.state import State
from memory.storage.bodies import ERASED
from memory.tokens import Tally

NOT_EXACT = "A part of this request is gone, or never was in the log: it was not quite this."


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A request with its pieces, and the state and texts that they are made from."""

    messages: tuple[ChatMessage, ...]
    pieces: tuple[Piece, ...]
    tokens: int
    state: State
    texts: Mapping[str, str]
    exact: bool = True
    note: str = ""


def coming(
    state: State, texts: Mapping[str, str], tally: Tally, budget: Budget, draft: str
) -> Rebuilt:
    """The next request; with everything in it where nothing could make it fit.

    Args:
        state: The session's state.
        texts: Texts by body id.
        tally: Token counts.
        budget: The levels of the model's window.
        draft: What the user is about to send; empty for nothing.
    """
    try:
        prompt = build_prompt(state, texts, tally, budget, draft)
    except PromptTooLarge as error:
        pieces = tuple(pieces_of(state, texts, tally, section_tokens(state, tally), Fit()))
        tokens = sum(piece.tokens for piece in pieces)
        messages = render(pieces, texts)
        return Rebuilt(messages, pieces, tokens, state, texts, exact=False, note=str(error))
    return Rebuilt(prompt.messages, prompt.pieces, prompt.tokens, state, texts)


def sent(state: State, texts: Mapping[str, str], tally: Tally, ledger: Ledger) -> Rebuilt:
    """A past request, as near as the log still tells it.

    Args:
        state: The state it was made in.
        texts: Texts by body id, what has gone replaced by `ERASED`.
        tally: Token counts.
        ledger: What was recorded of it.
    """
    texts = _readable(state, texts)
    pieces = tuple(pieces_of_request(state, texts, tally, ledger))
    exact = sent_digest(state, pieces, texts) == ledger.digest
    rebuilt = Rebuilt(render(pieces, texts), pieces, ledger.tokens, state, texts)
    return rebuilt if exact else replace(rebuilt, exact=False, note=NOT_EXACT)


def _readable(state: State, texts: Mapping[str, str]) -> dict[str, str]:
    """The texts, with nothing in the place of calls and reasoning that have gone."""
    extras = [
        (body, nothing)
        for ref in state.folding.verbatim
        for body, nothing in ((ref.calls, "[]"), (ref.reasoning, "{}"))
    ]
    gone = {body: nothing for body, nothing in extras if body and texts[body] == ERASED}
    return {**texts, **gone}
