"""The prompt as a pure function of state, texts, counts and budget."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from memory.budget import Budget
from memory.errors import StrataError
from memory.events import Ledger, MessageRef, SummaryRef
from memory.fitting import Fit, NothingFits, excerpt_tokens, fit
from memory.state import State
from memory.tokens import Tally, estimate

RENDERER = 1
"""Version of this module's rendering; a ledger names the one it was made with."""

OLDER_HEADING = "## Older Memories (Summary)"
RECENT_HEADING = "## Recent Past (Summary)"
"""Headings of the summaries (S4)."""
EXCERPT_SHARE = 0.8
"""Part of a shortened message's room that its head takes; the rest is its tail."""

Section = Literal[
    "system",
    "files",
    "tools",
    "long_term",
    "short_term",
    "messages",
    "working",
    "facts",
    "recalled",
]
SECTIONS: tuple[Section, ...] = get_args(Section)
ChatMessage = dict[str, Any]
"""A message in OpenAI's form."""


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
class Piece:
    """One part of a prompt: where it came from, what it costs, why it is there."""

    section: Section
    role: str
    text: str
    tokens: int
    why: str
    sources: tuple[int, int] | None = None
    """Numbers of the messages it shows or stands for (inclusive)."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A request's messages, its pieces, and the ledger that can write it again."""

    messages: tuple[ChatMessage, ...]
    pieces: tuple[Piece, ...]
    sections: Mapping[Section, int]
    tokens: int
    budget: Budget
    ledger: Ledger


def texts_of(state: State) -> set[str]:
    """The bodies whose texts a prompt of this state needs."""
    folding = state.folding
    bodies = {summary.body for summary in (folding.long_term, folding.short_term) if summary}
    for ref in (*folding.pinned, *folding.verbatim):
        bodies.update(filter(None, (ref.body, ref.calls, ref.reasoning)))
    if state.system:
        bodies.add(state.system)
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
    fixed = sum(sections.values()) - sections["messages"] + draft_tokens
    if not budget.fits(fixed):
        raise _fixed_too_large(state, tally, budget, fixed, draft_tokens)
    chosen = _fitted(state, tally, budget, fixed, question_follows=bool(draft))
    pieces = _pieces(state, texts, tally, sections, chosen)
    if draft:
        pieces.append(Piece("messages", "user", draft, draft_tokens, "what you are about to send"))
    messages = tuple(_render(state, texts, pieces, chosen, draft))
    figures = _sections_of(pieces)
    return Prompt(
        messages=messages,
        pieces=tuple(pieces),
        sections=figures,
        tokens=sum(figures.values()),
        budget=budget,
        ledger=_ledger(state, messages, figures, chosen, budget),
    )


def section_tokens(state: State, tally: Tally) -> dict[Section, int]:
    """Tokens of every section if nothing were left out; they sum to the prompt."""
    folding = state.folding
    figures = dict.fromkeys(SECTIONS, 0)
    leading = [ref for ref in folding.verbatim if _is_leading(ref)]
    figures["system"] = tally.request_overhead + sum(
        map(tally.message, (*folding.pinned, *leading))
    )
    if state.system is not None:
        figures["system"] += tally.message_overhead + tally.body(state.system, state.system_chars)
    figures["long_term"] = summary_tokens(folding.long_term, OLDER_HEADING, tally)
    figures["short_term"] = summary_tokens(folding.short_term, RECENT_HEADING, tally)
    if folding.long_term or folding.short_term:
        figures["short_term" if folding.short_term else "long_term"] += tally.message_overhead
    figures["messages"] = sum(map(tally.message, folding.verbatim[len(leading) :]))
    return figures


def room_for_message(state: State, tally: Tally, budget: Budget) -> int:
    """Tokens that one message may have: what system prompt and summaries leave of the limit."""
    sections = section_tokens(state, tally)
    return max(0, budget.room - sum(sections.values()) + sections["messages"])


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


def summary_tokens(summary: SummaryRef | None, heading: str, tally: Tally) -> int:
    """Tokens of a summary with its heading."""
    if summary is None:
        return 0
    counted = tally.counted.get(summary.body)
    return estimate(len(heading) + 3) + (summary.tokens if counted is None else counted)


def digest_of(messages: Sequence[ChatMessage]) -> str:
    """SHA-256 of messages as canonical JSON."""
    canonical = json.dumps(messages, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def rewrite(state: State, texts: Mapping[str, str], ledger: Ledger) -> tuple[ChatMessage, ...]:
    """The messages of a past request, from the state it was made in and its ledger.

    Raises:
        NotReproducible: They would not be what was sent: a text has gone since, or part of the
            prompt never was in the log.
    """
    chosen = Fit(ledger.left_out, ledger.shortened, ledger.excerpt_chars)
    tally = Tally()
    pieces = _pieces(state, texts, tally, section_tokens(state, tally), chosen)
    messages = tuple(_render(state, texts, pieces, chosen, ""))
    if ledger.renderer != RENDERER or digest_of(messages) != ledger.digest:
        raise NotReproducible
    return messages


def _is_leading(ref: MessageRef) -> bool:
    return ref.role == "system" and ref.number == 1


def _fitted(
    state: State, tally: Tally, budget: Budget, fixed: int, *, question_follows: bool
) -> Fit:
    refs = [ref for ref in state.folding.verbatim if not _is_leading(ref)]
    rules = state.rules
    try:
        return fit(
            refs,
            tally,
            budget.room - fixed,
            keep=min(rules.keep_recent, rules.immediate_window),
            receipt_chars=rules.receipt_chars,
            question_follows=question_follows,
        )
    except NothingFits as error:
        what = f"Message {error.number} has about"
        if error.together:
            what = f"What can't be left out, most of all message {error.number}, has about"
        raise PromptTooLarge(what, error.tokens, error.room, error.number) from error


def _fixed_too_large(
    state: State, tally: Tally, budget: Budget, fixed: int, draft_tokens: int
) -> PromptTooLarge:
    """The error for what stands before and after the messages; names the largest of it."""
    folding = state.folding
    spoken = (*folding.pinned, *filter(_is_leading, folding.verbatim))
    sizes = [(tally.message(ref), ref.number) for ref in spoken]
    rest = fixed - draft_tokens - sum(size for size, _ in sizes)
    largest, number = max(sizes, default=(0, 0))
    if draft_tokens >= max(largest, rest):
        room = budget.room - fixed + draft_tokens
        return PromptTooLarge("The message has about", draft_tokens, room)
    if largest >= rest:
        room = budget.room - fixed + largest
        return PromptTooLarge(f"Message {number} has about", largest, room, number)
    what = "The system prompt with the summaries has about"
    return PromptTooLarge(what, rest, budget.room - fixed + rest)


def _pieces(
    state: State,
    texts: Mapping[str, str],
    tally: Tally,
    sections: Mapping[Section, int],
    chosen: Fit,
) -> list[Piece]:
    folding = state.folding
    pieces = [
        Piece("system", "system", _system_text(state, texts), sections["system"], "begins it")
    ]
    summaries: tuple[tuple[Section, str, SummaryRef | None], ...] = (
        ("long_term", OLDER_HEADING, folding.long_term),
        ("short_term", RECENT_HEADING, folding.short_term),
    )
    for section, heading, summary in summaries:
        if summary is not None:
            text = f"{heading}\n{texts[summary.body]}"
            why = f"stands for messages {summary.first} to {summary.last}"
            span = (summary.first, summary.last)
            pieces.append(Piece(section, "user", text, sections[section], why, span))
    if chosen.left_out:
        text = left_out_text(chosen.left_out)
        tokens = estimate(len(text)) + tally.message_overhead
        why = "the rest of the prompt would not fit otherwise"
        pieces.append(Piece("messages", "user", text, tokens, why, chosen.left_out))
    pieces += [
        _message_piece(ref, texts, tally, chosen)
        for ref in folding.verbatim
        if not _is_leading(ref) and not chosen.omits(ref)
    ]
    return pieces


def _message_piece(ref: MessageRef, texts: Mapping[str, str], tally: Tally, chosen: Fit) -> Piece:
    span = (ref.number, ref.number)
    text = texts[ref.body]
    if ref.number not in chosen.shortened:
        return Piece("messages", ref.role, text, tally.message(ref), "in the window", span)
    text = excerpt(ref.number, text, chosen.excerpt_chars)
    whole = tally.body(ref.body, ref.chars)
    tokens = tally.around(ref) + excerpt_tokens(whole, ref.chars, chosen.excerpt_chars)
    return Piece("messages", ref.role, text, tokens, "too large to stand in full", span)


def left_out_text(span: tuple[int, int]) -> str:
    """The receipt for a run of messages that does not fit."""
    first, last = span
    which = f"Message {first} is" if first == last else f"Messages {first} to {last} are"
    return f"[{which} kept in the log, but left out here: the prompt would not fit otherwise.]"


def excerpt(number: int, text: str, chars: int) -> str:
    """Head and tail of a message too large to stand in full, with its receipt between them."""
    head = int(chars * EXCERPT_SHARE)
    note = f"[… message {number} has {len(text):,} characters; the log keeps them all …]"
    return f"{text[:head]}\n{note}\n{text[len(text) - (chars - head) :]}"


def _system_text(state: State, texts: Mapping[str, str]) -> str:
    leading = [ref for ref in state.folding.verbatim if _is_leading(ref)]
    bodies = [state.system, *(ref.body for ref in (*state.folding.pinned, *leading))]
    return "\n\n".join(texts[body] for body in bodies if body and texts[body])


def _render(
    state: State, texts: Mapping[str, str], pieces: Sequence[Piece], chosen: Fit, draft: str
) -> list[ChatMessage]:
    refs = {ref.number: ref for ref in state.folding.verbatim}
    messages: list[ChatMessage] = []
    if pieces[0].text:
        messages.append({"role": "system", "content": pieces[0].text})
    summaries = [p.text for p in pieces if p.section in ("long_term", "short_term")]
    receipts = [p.text for p in pieces if p.sources and p.sources == chosen.left_out]
    if summaries or receipts:
        messages.append({"role": "user", "content": "\n\n".join([*summaries, *receipts])})
    messages += [
        _chat_message(refs[piece.sources[0]], piece.text, texts)
        for piece in pieces
        if piece.section == "messages" and piece.sources and piece.sources != chosen.left_out
    ]
    if draft:
        messages.append({"role": "user", "content": draft})
    return messages


def _chat_message(ref: MessageRef, text: str, texts: Mapping[str, str]) -> ChatMessage:
    message: ChatMessage = {"role": ref.role, "content": text}
    if ref.calls:
        message["tool_calls"] = json.loads(texts[ref.calls])
    if ref.answers:
        message["tool_call_id"] = ref.answers
    if ref.reasoning:
        # A provider's own fields never replace what the message is.
        message = {**json.loads(texts[ref.reasoning]), **message}
    return message


def _sections_of(pieces: Sequence[Piece]) -> dict[Section, int]:
    figures = dict.fromkeys(SECTIONS, 0)
    for piece in pieces:
        figures[piece.section] += piece.tokens
    return figures


def _ledger(
    state: State,
    messages: Sequence[ChatMessage],
    figures: Mapping[Section, int],
    chosen: Fit,
    budget: Budget,
) -> Ledger:
    folding = state.folding
    return Ledger(
        renderer=RENDERER,
        n=state.n,
        digest=digest_of(messages),
        system=state.system,
        long_term=folding.long_term.body if folding.long_term else None,
        short_term=folding.short_term.body if folding.short_term else None,
        first=folding.verbatim_from or 0,
        last=state.messages,
        left_out=chosen.left_out,
        shortened=chosen.shortened,
        excerpt_chars=chosen.excerpt_chars,
        sections={name: tokens for name, tokens in figures.items() if tokens},
        tokens=sum(figures.values()),
        limit=budget.limit,
    )
