"""The prompt as a pure function of state, texts, counts and budget."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory.budget import Budget
from memory.cuts import whole_exchanges
from memory.errors import StrataError
from memory.fitting import Fit, NothingFits, fit
from memory.parts import Ledger
from memory.pieces import (
    OLDER_HEADING,
    RECENT_HEADING,
    SECTIONS,
    ChatMessage,
    Piece,
    Section,
    beside_messages_tokens,
    facts_tokens,
    found_tokens,
    pieces_of,
    pinned_messages,
    pinned_tokens,
    recalled_tokens,
    summary_tokens,
    system_messages,
    tools_of,
    tools_text,
)
from memory.plain_prompt import plain_text
from memory.project_context import files_tokens
from memory.rendering import render
from memory.state import State
from memory.tokens import Tally, estimate
from memory.window import Window
from memory.working import working_tokens

ToolSchema = dict[str, Any]
RENDERER = 2
"""Version of the rendering; a ledger names the one it was made with."""
STEPS = 4
"""What must be left out goes in steps of this part of the limit, so that requests keep a prefix."""


class PromptTooLarge(StrataError):
    """The prompt can't be made to fit; names what is too large.

    Args:
        what: What it is, to begin the sentence with.
        tokens: Tokens of it.
        room: Tokens there are for it.
        number: The message that is too large, if it is one of the log.
    """

    def __init__(self, what: str, tokens: int, room: int, number: int | None = None) -> None:
        super().__init__(
            f"{what} {tokens:,} tokens, but the model takes {max(0, room):,} here.",
            "Send it in parts, or choose a model with a larger window."
            if number is None
            else "Send it in parts, or choose a model with a larger window. It is kept in the log.",
        )
        self.number = number


class NotReproducible(StrataError):
    """A past request can't be shown as it was."""

    def __init__(self) -> None:
        super().__init__("This request is no longer reproducible: a part of it is gone.")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request's messages, its pieces, and the ledger that can write it again."""

    messages: tuple[ChatMessage, ...]
    pieces: tuple[Piece, ...]
    sections: Mapping[Section, int]
    tokens: int
    budget: Budget
    ledger: Ledger
    tools: tuple[ToolSchema, ...] = ()
    """Schemas of the tools that are offered, in OpenAI's shape."""
    text: str | None = None
    """What is sent in the place of the messages to a model that continues plain text (PROMPT-6)."""


def texts_of(state: State) -> set[str]:
    """The bodies whose texts a prompt of this state needs, and who looks at what was recalled."""
    folding = state.folding
    bodies = {pin.body for pin in state.pins}
    for summary in (folding.long_term, folding.short_term):
        if summary is not None:
            bodies.update(filter(None, (summary.body, summary.details)))
    for ref in (*folding.pinned, *folding.verbatim):
        bodies.update(filter(None, (ref.body, ref.calls, ref.reasoning)))
    bodies.update(edit.body for edit in folding.edits if edit.body is not None)
    if state.system:
        bodies.add(state.system)
    if state.tools is not None and state.tools.body is not None:
        bodies.add(state.tools.body)
    bodies.update(ref.body for ref in state.files if ref.body is not None)
    bodies.update(text.body for text in state.work.texts())
    if state.recalled is not None:
        found = state.recalled
        bodies.update(text.body for text in (*found.facts, *found.texts, *found.left_out))
    return bodies


def build_prompt(
    state: State, texts: Mapping[str, str], tally: Tally, budget: Budget, draft: str = ""
) -> Prompt:
    """The prompt of the next request.

    Args:
        state: The session's state.
        texts: Texts by body id, at least those that `texts_of` names.
        tally: Token counts.
        budget: The levels of the model's window.
        draft: A user message that is not in the log yet; empty for none.

    Raises:
        PromptTooLarge: It can't be made to fit, whatever is left out.
    """
    draft_tokens = estimate(len(draft)) + tally.message_overhead if draft else 0
    sections = section_tokens(state, tally)
    fixed = _beside_window(state, tally, sections) + draft_tokens
    found = found_tokens(state, tally)
    if not budget.fits(fixed - found):
        raise _fixed_too_large(state, tally, budget, fixed - found, draft_tokens)
    chosen = _fitted(state, tally, budget, (fixed, found), question_follows=bool(draft))
    pieces = pieces_of(state, texts, tally, sections, chosen)
    messages = render(pieces, texts, draft)
    text = plain_text(pieces, texts, draft) if _continues(state) else None
    if draft:
        pieces.append(
            Piece("messages", "user", draft, draft_tokens, "you are about to send it", place="turn")
        )
    figures = _sections_of(pieces)
    return Prompt(
        messages=messages,
        pieces=tuple(pieces),
        sections=figures,
        tokens=sum(figures.values()),
        budget=budget,
        ledger=_ledger(state, _digest(messages, text, tools_text(pieces)), figures, chosen, budget),
        tools=tuple(json.loads(tools_text(pieces) or "[]")),
        text=text,
    )


def section_tokens(state: State, tally: Tally) -> dict[Section, int]:
    """Tokens of every section if nothing were left out; they sum to the prompt."""
    folding = state.folding
    figures = dict.fromkeys(SECTIONS, 0)
    figures["system"] = tally.request_overhead + sum(map(tally.message, system_messages(state)))
    if state.system is not None:
        figures["system"] += tally.message_overhead + tally.body(state.system, state.system_chars)
    figures["files"] = files_tokens(state, tally)
    if figures["files"] and state.system is None and not system_messages(state):
        figures["system"] += tally.message_overhead
    offered = tools_of(state)
    if offered is not None and offered.body is not None:
        figures["tools"] = tally.body(offered.body, offered.chars)
    figures["long_term"] = summary_tokens(folding.long_term, OLDER_HEADING, tally)
    figures["short_term"] = summary_tokens(folding.short_term, RECENT_HEADING, tally)
    if folding.long_term or folding.short_term:
        figures["short_term" if folding.short_term else "long_term"] += tally.message_overhead
    window = Window.of(folding).refs
    figures["messages"] = sum(map(tally.message, window)) + pinned_tokens(state, tally)
    figures["messages"] += beside_messages_tokens(state, window, tally)
    figures["working"] = working_tokens(state, tally)
    figures["facts"] = facts_tokens(state, tally)
    figures["recalled"] = recalled_tokens(state, tally)
    return figures


def prompt_tokens(state: State, tally: Tally) -> int:
    """Tokens of the prompt if nothing were left out."""
    return sum(section_tokens(state, tally).values())


def room_for_message(state: State, tally: Tally, budget: Budget) -> int:
    """Tokens that one message may have: what system prompt and summaries leave of the limit."""
    beside = _beside_window(state, tally, section_tokens(state, tally))
    return max(0, budget.room - beside + found_tokens(state, tally))


def fitted_sections(
    state: State, texts: Mapping[str, str], tally: Tally, budget: Budget
) -> Mapping[Section, int]:
    """Tokens of every section of the prompt as it would be sent; unfitted where nothing fits."""
    figures = section_tokens(state, tally)
    if budget.fits(sum(figures.values())):
        return figures
    try:
        return build_prompt(state, texts, tally, budget).sections
    except PromptTooLarge:
        return figures


def digest_of(sent: Sequence[ChatMessage] | str) -> str:
    """SHA-256 of messages, or of a plain text, as canonical JSON."""
    canonical = json.dumps(sent, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def rewrite(state: State, texts: Mapping[str, str], ledger: Ledger) -> tuple[ChatMessage, ...]:
    """The messages of a past request, from the state it was made in and its ledger.

    Raises:
        NotReproducible: They would not be what was sent: a text has gone since, or part of the
            prompt never was in the log.
    """
    pieces = pieces_of_request(state, texts, Tally(), ledger)
    if sent_digest(state, pieces, texts) != ledger.digest:
        raise NotReproducible
    return render(pieces, texts)


def rewrite_text(state: State, texts: Mapping[str, str], ledger: Ledger) -> str | None:
    """The plain text of a past request; None where messages were sent.

    Raises:
        NotReproducible: It would not be what was sent.
    """
    if not _continues(state):
        return None
    pieces = pieces_of_request(state, texts, Tally(), ledger)
    if sent_digest(state, pieces, texts) != ledger.digest:
        raise NotReproducible
    return plain_text(pieces, texts)


def sent_digest(state: State, pieces: Sequence[Piece], texts: Mapping[str, str]) -> str:
    """The digest of what is sent of these pieces: messages, or plain text where a model asks so."""
    text = plain_text(pieces, texts) if _continues(state) else None
    messages = () if text is not None else render(pieces, texts)
    return _digest(messages, text, tools_text(pieces))


def _digest(messages: Sequence[ChatMessage], text: str | None, tools: str | None) -> str:
    """The digest of what is sent: plain text, or messages with the tools that are offered."""
    if text is not None:
        return digest_of(text)
    return digest_of(messages if tools is None else [*messages, {"tools": tools}])


def _continues(state: State) -> bool:
    """Whether the model is asked to continue plain text."""
    return state.model is not None and state.model.mode == "completion"


def pieces_of_request(
    state: State, texts: Mapping[str, str], tally: Tally, ledger: Ledger
) -> list[Piece]:
    """The pieces of a past request, from the state it was made in and its ledger."""
    omitted = _pinned_numbers(state, Window.of(state.folding))
    chosen = Fit(
        ledger.left_out, ledger.shortened, ledger.excerpt_chars, omitted, ledger.without_recall
    )
    return pieces_of(state, texts, tally, section_tokens(state, tally), chosen)


def _beside_window(state: State, tally: Tally, sections: Mapping[Section, int]) -> int:
    """Tokens of what stands beside the window and can't be left out; pinned messages are of it."""
    window = Window.of(state.folding).refs
    beside = pinned_tokens(state, tally) + beside_messages_tokens(state, window, tally)
    return sum(sections.values()) - sections["messages"] + beside


def _fitted(
    state: State, tally: Tally, budget: Budget, beside: tuple[int, int], *, question_follows: bool
) -> Fit:
    """What gives way: first what was recalled, then messages.

    Args:
        state: The session's state.
        tally: Token counts.
        budget: The levels of the model's window.
        beside: Tokens beside the window, and those of them that were recalled.
        question_follows: Whether a draft is the question.
    """
    fixed, found = beside
    if found and not budget.fits(fixed + _window_tokens(state, tally)):
        chosen = _fit_window(state, tally, budget.room - fixed + found, budget, question_follows)
        return replace(chosen, without_recall=True)
    return _fit_window(state, tally, budget.room - fixed, budget, question_follows)


def _window_tokens(state: State, tally: Tally) -> int:
    return sum(map(tally.message, Window.of(state.folding).refs))


def _fit_window(
    state: State, tally: Tally, room: int, budget: Budget, question_follows: bool
) -> Fit:
    window = Window.of(state.folding)
    rules = state.rules
    try:
        chosen = fit(
            window.refs,
            tally,
            room,
            keep=min(rules.keep_recent, rules.immediate_window),
            receipt_chars=rules.receipt_chars,
            question_follows=question_follows,
            pinned=_pinned_numbers(state, window),
            step=budget.limit // STEPS,
        )
    except NothingFits as error:
        what = f"Message {error.number} has about"
        if error.together:
            what = f"What can't be left out, most of all message {error.number}, has about"
        raise PromptTooLarge(what, error.tokens, error.room, error.number) from error
    if chosen.left_out is None:
        return chosen
    first = window.first_number(window.refs[0])
    return replace(chosen, left_out=(first, chosen.left_out[1]))


def _pinned_numbers(state: State, window: Window) -> frozenset[int]:
    """Messages of the window that may not be left out, with the exchanges they belong to."""
    return whole_exchanges(window.refs, state.pinned_numbers)


def _fixed_too_large(
    state: State, tally: Tally, budget: Budget, fixed: int, draft_tokens: int
) -> PromptTooLarge:
    """The error for what stands before and after the messages; names the largest of it."""
    spoken = (*pinned_messages(state), *system_messages(state))
    sizes = [(tally.message(ref), ref.number) for ref in spoken]
    rest = fixed - draft_tokens - sum(size for size, _ in sizes)
    largest, number = max(sizes, default=(0, 0))
    if draft_tokens >= max(largest, rest):
        room = budget.room - fixed + draft_tokens
        return PromptTooLarge("The message has about", draft_tokens, room)
    if largest >= rest:
        room = budget.room - fixed + largest
        return PromptTooLarge(f"Message {number} has about", largest, room, number)
    what = "The system prompt with memory files, tools and summaries has about"
    return PromptTooLarge(what, rest, budget.room - fixed + rest)


def _sections_of(pieces: Sequence[Piece]) -> dict[Section, int]:
    figures = dict.fromkeys(SECTIONS, 0)
    for piece in pieces:
        figures[piece.section] += piece.tokens
    return figures


def _ledger(
    state: State,
    digest: str,
    figures: Mapping[Section, int],
    chosen: Fit,
    budget: Budget,
) -> Ledger:
    folding = state.folding
    return Ledger(
        renderer=RENDERER,
        n=state.n,
        digest=digest,
        system=state.system,
        long_term=folding.long_term.body if folding.long_term else None,
        short_term=folding.short_term.body if folding.short_term else None,
        first=folding.verbatim_from or 0,
        last=state.messages,
        left_out=chosen.left_out,
        shortened=chosen.shortened,
        excerpt_chars=chosen.excerpt_chars,
        without_recall=chosen.without_recall,
        sections={name: tokens for name, tokens in figures.items() if tokens},
        tokens=sum(figures.values()),
        limit=budget.limit,
        tools=offered.body if (offered := tools_of(state)) else None,
        files=tuple(ref.body for ref in state.files if ref.body is not None),
    )
