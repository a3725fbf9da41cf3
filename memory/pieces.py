"""The pieces of a prompt in the order in which the model reads them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from memory.content.receipts import NO_ROOM, budget_receipt, left_out_receipt
from memory.enclosing import unmarked
from memory.events import ToolsOffered
from memory.fitting import Fit, excerpt_tokens
from memory.pairing import NOT_RUN, Paired, paired, pairing_tokens
from memory.parts import EditStage, MessageRef, SummaryRef
from memory.project_context import file_text, file_tokens, shown_files
from memory.recalled import fact_lines, lines_tokens, passage_lines
from memory.state import Pin, State
from memory.tokens import Tally, estimate
from memory.window import Window, is_leading, is_receipt
from memory.working import working_lines, write_block

OLDER_HEADING = "## Older Memories (Summary)"
RECENT_HEADING = "## Recent Past (Summary)"
"""Headings of the summaries (S4)."""
DETAILS_LABEL = "Details: "
"""Begins the line under a summary with what is kept word for word."""
PINNED_HEADING = "## Kept Word for Word"
REMINDER = "\n\n[Now answer the user in words, or call another function if this is not enough.]"
"""Behind a tool's result that comes last, for small models: without it the default model repeats
the call that it has just made. It did so for 8 of 8 results that held the answer, and answered from
8 of 8 with it."""
FACTS_HEADING = "## Facts to keep in mind"
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
SECTION_NAMES: dict[str, str] = {
    "system": "system prompt",
    "files": "memory files",
    "tools": "tools",
    "long_term": "long-term summary",
    "short_term": "short-term summary",
    "messages": "messages",
    "working": "working memory",
    "facts": "facts",
    "recalled": "recalled",
}
"""Sections as sentences name them."""
Place = Literal["system", "tools", "lead", "message", "turn"]
"""Where a piece stands: the system message, the list of tools, the user message that leads the
conversation, a message of its own, or the block that the last user turn carries."""
ChatMessage = dict[str, Any]
"""A message in OpenAI's form."""


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
    place: Place = "message"
    ref: MessageRef | None = None
    """The message it is, where it is one."""
    stage: EditStage | None = None
    """The stage that changed or left out what it stands for."""
    path: str = ""
    """The memory file it is, where it is one."""


def pieces_of(
    state: State,
    texts: Mapping[str, str],
    tally: Tally,
    sections: Mapping[Section, int],
    chosen: Fit,
) -> list[Piece]:
    """The pieces of a prompt of this state.

    Args:
        state: The session's state.
        texts: Texts by body id.
        tally: Token counts.
        sections: Tokens of the sections if nothing were left out.
        chosen: What is left out or shortened so that it fits.
    """
    return [
        Piece(
            "system",
            "system",
            _system_text(state, texts),
            sections["system"],
            "it begins every prompt",
            place="system",
        ),
        *_files(state, texts, tally),
        *_tools(state, texts, sections),
        *_summaries(state, texts, sections),
        *_pinned_messages(state, texts, tally),
        *_left_out(chosen, tally),
        *_messages(state, texts, tally, chosen),
        *_working(state, texts, sections),
        *_facts(state, texts, tally, with_found=not chosen.without_recall),
        *([] if chosen.without_recall else _recalled(state, texts, tally)),
    ]


def tools_of(state: State) -> ToolsOffered | None:
    """The tools that a request offers; a model that only continues text is offered none."""
    continues = state.model is not None and state.model.mode == "completion"
    return None if continues else state.tools


def tools_text(pieces: Sequence[Piece]) -> str | None:
    """The schemas of the tools among the pieces, as JSON; None where none are offered."""
    return next((piece.text for piece in pieces if piece.place == "tools"), None)


def is_reminded(state: State) -> bool:
    """Whether the model is told behind a last result that it may answer."""
    return state.model is not None and state.model.reminded and tools_of(state) is not None


def beside_messages_tokens(state: State, refs: Sequence[MessageRef], tally: Tally) -> int:
    """Tokens beyond those of the window's messages: for results that never came, a reminder."""
    reminds = is_reminded(state) and bool(refs) and refs[-1].role == "tool"
    return pairing_tokens(refs, tally) + (estimate(len(REMINDER)) if reminds else 0)


def summary_tokens(summary: SummaryRef | None, heading: str, tally: Tally) -> int:
    """Tokens of a summary with its heading and its details."""
    if summary is None:
        return 0
    tokens = estimate(len(heading) + 3) + tally.counted.get(summary.body, summary.tokens)
    if summary.details is not None:
        counted = tally.counted.get(summary.details, summary.details_tokens)
        tokens += counted + estimate(len(DETAILS_LABEL) + 1)
    return tokens


def pinned_messages(state: State) -> tuple[MessageRef, ...]:
    """Messages of user and model that stand word for word though they have left the window.

    One that is let go of stands until the next folding takes it in.
    """
    return tuple(ref for ref in state.folding.pinned if ref.role != "system")


def system_messages(state: State) -> tuple[MessageRef, ...]:
    """System messages that stand with the system prompt."""
    leading = [ref for ref in state.folding.verbatim[:1] if is_leading(ref)]
    return (*(ref for ref in state.folding.pinned if ref.role == "system"), *leading)


def facts(state: State) -> tuple[Pin, ...]:
    """Pins whose text the prompt does not show anyhow."""
    edited = {edit.number for edit in state.folding.edits}
    first = state.folding.verbatim_from
    kept = {ref.number for ref in pinned_messages(state)}

    def is_shown(pin: Pin) -> bool:
        number = pin.number
        if number is None:
            return False
        in_window = first is not None and number >= first and number not in edited
        return in_window or number in kept

    return tuple(pin for pin in state.pins if not is_shown(pin))


def facts_tokens(state: State, tally: Tally, *, with_found: bool = True) -> int:
    """Tokens of the block with pinned facts and those that were found for this turn."""
    pins, found = facts(state), fact_lines(state) if with_found else ()
    if not pins and not found:
        return 0
    frame = estimate(len(FACTS_HEADING) + len("<memory>\n\n</memory>\n\n"))
    pinned = sum(tally.body(pin.body, pin.chars) + 2 for pin in pins)
    return frame + pinned + sum(line.counted(tally) for line in found)


def recalled_tokens(state: State, tally: Tally) -> int:
    """Tokens of the block with recalled passages."""
    return lines_tokens(passage_lines(state), tally)


def found_tokens(state: State, tally: Tally) -> int:
    """Tokens of all that gives way where messages would not fit beside it."""
    if state.recalled is None:
        return 0
    found = facts_tokens(state, tally) - facts_tokens(state, tally, with_found=False)
    return found + recalled_tokens(state, tally)


def pinned_tokens(state: State, tally: Tally) -> int:
    """Tokens of the pinned messages that have left the window."""
    refs = pinned_messages(state)
    frame = estimate(len(PINNED_HEADING) + 2) if refs else 0
    return frame + sum(_pinned_cost(ref, tally) for ref in refs)


def left_out_text(span: tuple[int, int]) -> str:
    """The receipt for a run of messages that does not fit."""
    return left_out_receipt(*span, NO_ROOM)


def excerpt(number: int, text: str, chars: int) -> str:
    """Head and tail of a message too large to stand in full, with its receipt between them."""
    head = int(chars * EXCERPT_SHARE)
    note = budget_receipt(f"m{number}", "message", len(text))
    return f"{text[:head]}\n{note}\n{text[len(text) - (chars - head) :]}"


def _system_text(state: State, texts: Mapping[str, str]) -> str:
    bodies = [state.system, *(ref.body for ref in system_messages(state))]
    return "\n\n".join(texts[body] for body in bodies if body and texts[body])


def _files(state: State, texts: Mapping[str, str], tally: Tally) -> list[Piece]:
    pieces = []
    for place, ref in enumerate(shown_files(state)):
        text = file_text(ref, texts[ref.body or ""], first=place == 0)
        tokens = file_tokens(ref, tally, first=place == 0)
        why = f"it is the memory file {ref.path}, and memory files always apply"
        pieces.append(Piece("files", "system", text, tokens, why, place="system", path=ref.path))
    return pieces


def _tools(state: State, texts: Mapping[str, str], sections: Mapping[Section, int]) -> list[Piece]:
    offered = tools_of(state)
    if offered is None or offered.body is None:
        return []
    why = f"the model may call {', '.join(offered.names)}"
    text, tokens = texts[offered.body], sections["tools"]
    return [Piece("tools", "system", text, tokens, why, place="tools")]


def _summaries(
    state: State, texts: Mapping[str, str], sections: Mapping[Section, int]
) -> list[Piece]:
    folding = state.folding
    summaries: tuple[tuple[Section, str, SummaryRef | None], ...] = (
        ("long_term", OLDER_HEADING, folding.long_term),
        ("short_term", RECENT_HEADING, folding.short_term),
    )
    pieces = []
    for section, heading, summary in summaries:
        if summary is not None:
            text = f"{heading}\n{texts[summary.body]}"
            if summary.details is not None:
                text = f"{text}\n{DETAILS_LABEL}{texts[summary.details]}"
            why = f"it stands for messages {summary.first} to {summary.last}"
            span = (summary.first, summary.last)
            pieces.append(Piece(section, "user", text, sections[section], why, span, "lead"))
    return pieces


def _pinned_messages(state: State, texts: Mapping[str, str], tally: Tally) -> list[Piece]:
    pieces = []
    for place, ref in enumerate(pinned_messages(state)):
        heading = f"{PINNED_HEADING}\n" if place == 0 else ""
        text = f"{heading}{ref.role} (message {ref.number}): {texts[ref.body]}"
        tokens = _pinned_cost(ref, tally) + (estimate(len(heading) + 1) if heading else 0)
        pinned = ref.number in state.pinned_numbers
        why = "you pinned it" if pinned else "it stays until the next compaction"
        span = (ref.number, ref.number)
        pieces.append(Piece("messages", "user", text, tokens, why, span, "lead", ref))
    return pieces


def _pinned_cost(ref: MessageRef, tally: Tally) -> int:
    return tally.body(ref.body, ref.chars) + estimate(
        len(ref.role) + len(f" (message {ref.number}): ")
    )


def _left_out(chosen: Fit, tally: Tally) -> list[Piece]:
    if chosen.left_out is None:
        return []
    text = left_out_text(chosen.left_out)
    tokens = estimate(len(text)) + tally.message_overhead
    why = "the rest of the prompt would not fit otherwise"
    return [Piece("messages", "user", text, tokens, why, chosen.left_out, "lead")]


def _messages(state: State, texts: Mapping[str, str], tally: Tally, chosen: Fit) -> list[Piece]:
    window = Window.of(state.folding)
    shown = [ref for ref in window.refs if not chosen.omits(ref)]
    by_number = {ref.number: ref for ref in shown}
    pieces = [
        _missing(message, tally)
        if message.how == "missing"
        else _paired(
            message, _message(by_number[message.ref.number], window, texts, tally, chosen), tally
        )
        for message in paired(shown)
    ]
    return [*pieces[:-1], _reminding(pieces[-1])] if is_reminded(state) and pieces else pieces


def _reminding(piece: Piece) -> Piece:
    """The last piece, which tells the model that it may answer where it is a tool's result."""
    if piece.role != "tool":
        return piece
    tokens = piece.tokens + estimate(len(REMINDER))
    why = f"{piece.why}; the line behind it says that the model may answer"
    return replace(piece, text=f"{piece.text}{REMINDER}", tokens=tokens, why=why)


def _missing(message: Paired, tally: Tally) -> Piece:
    ref = message.ref
    why = "the call before it was interrupted"
    return Piece("messages", ref.role, NOT_RUN, tally.message(ref), why, ref=ref)


def _paired(message: Paired, piece: Piece, tally: Tally) -> Piece:
    if message.how == "own":
        return piece
    tokens = piece.tokens + message.extra_tokens(tally)
    text = f"{message.before}{piece.text}"
    return replace(piece, role=message.ref.role, text=text, tokens=tokens, ref=message.ref)


def _message(
    ref: MessageRef, window: Window, texts: Mapping[str, str], tally: Tally, chosen: Fit
) -> Piece:
    span = (window.first_number(ref), ref.number)
    text = window.text(ref, texts)
    if is_receipt(ref):
        why = "it says what was left out"
        return Piece("messages", "user", text, tally.message(ref), why, span, ref=ref, stage="snip")
    edit = window.edits.get(ref.number)
    if ref.number in chosen.shortened:
        why = "it is too large to stand in full"
        tokens = tally.around(ref) + excerpt_tokens(
            tally.body(ref.body, ref.chars), ref.chars, chosen.excerpt_chars
        )
        text = excerpt(ref.number, text, chosen.excerpt_chars)
    else:
        why = "it is in the window" if edit is None else f"it stands shortened: {edit.why}"
        tokens = tally.message(ref)
    stage = edit.stage if edit else None
    return Piece("messages", ref.role, text, tokens, why, span, ref=ref, stage=stage)


def _working(
    state: State, texts: Mapping[str, str], sections: Mapping[Section, int]
) -> list[Piece]:
    lines = working_lines(state)
    if not lines:
        return []
    text = unmarked(write_block(lines, texts))
    why = "it is what is being worked on"
    return [Piece("working", "user", text, sections["working"], why, place="turn")]


def _facts(
    state: State, texts: Mapping[str, str], tally: Tally, *, with_found: bool
) -> list[Piece]:
    pins, found = facts(state), fact_lines(state) if with_found else ()
    if not pins and not found:
        return []
    lines = [f"- {unmarked(texts[pin.body])}" for pin in pins]
    lines += [unmarked(line.write(texts)) for line in found]
    text = "\n".join([FACTS_HEADING, *lines])
    numbers = [pin.number for pin in pins if pin.number is not None]
    span = (min(numbers), max(numbers)) if numbers else None
    why = " and ".join(
        reason
        for reason, holds in (
            ("you pinned what it says", pins),
            ("it was found for this message", found),
        )
        if holds
    )
    tokens = facts_tokens(state, tally, with_found=with_found)
    return [Piece("facts", "user", text, tokens, why, span, "turn")]


def _recalled(state: State, texts: Mapping[str, str], tally: Tally) -> list[Piece]:
    lines = passage_lines(state)
    if not lines:
        return []
    text, tokens = unmarked(write_block(lines, texts)), lines_tokens(lines, tally)
    why = "it was found for this message"
    return [Piece("recalled", "user", text, tokens, why, place="turn")]
