"""How pieces of a request are called, and in which hue they stand. Pure."""

from datetime import datetime

from memory.recall_views import FoundView
from memory.views import LeftOutView, PieceView, PromptView
from widgets.failure_words import failure_words
from widgets.figures import clock, count, short_number
from widgets.panes.summaries import span
from widgets.panes.view import PARTS
from widgets.plain import one_line

NAMES = {
    "system": "system",
    "files": "files",
    "tools": "tools",
    "long_term": "long-term",
    "short_term": "short-term",
    "working": "working",
    "facts": "facts",
    "recalled": "recalled",
}
SPEAKERS = {"user": "you", "assistant": "strata", "tool": "tool", "system": "system"}
INKS = {
    "system": "system",
    "files": "files",
    "tools": "working",
    "long_term": "long-term",
    "short_term": "short-term",
    "working": "working",
    "facts": "facts",
    "recalled": "recalled",
}
ROLE_INKS = {"user": "you", "assistant": "model", "tool": "working", "system": "system"}
ENDED = {"ok": "answered", "stopped": "stopped"}
MAY_CALL = "the model may call these tools"
"""Their names stand in the text."""
SHARED = {
    "shared": "The request before has it as well, at the same place.",
    "new": "The request before did not have it, or not at this place.",
}


def name_of(piece: PieceView) -> str:
    """A word for a piece: the speaker of a message, else the section."""
    if piece.section != "messages":
        return NAMES[piece.section]
    return "receipt" if piece.receipt else SPEAKERS.get(piece.role, piece.role)


def ink_of(piece: PieceView) -> str:
    """The hue of a piece: of its stratum, or of who speaks."""
    if piece.section != "messages":
        return INKS[piece.section]
    return "dim" if piece.receipt else ROLE_INKS.get(piece.role, "dim")


def title_of(piece: PieceView) -> str:
    """What stands over the text of a piece."""
    if piece.path:
        return f"{name_of(piece)} · {one_line(piece.path)}"
    if piece.sources is None:
        own = piece.section == "messages"
        return "you are about to send" if own else name_of(piece)
    messages = "message" if piece.sources[0] == piece.sources[1] else "messages"
    return f"{name_of(piece)} · {messages} {span(*piece.sources)}"


def what_of(piece: PieceView) -> str:
    """What is copied, as a sentence names it."""
    if piece.path:
        return f"the memory file {one_line(piece.path)}"
    if piece.section != "messages":
        return f"the piece “{name_of(piece)}”"
    return f"message {span(*piece.sources)}" if piece.sources else "your message"


def why_lines(piece: PieceView, view: PromptView) -> list[str]:
    """Why a piece is there, where it came from, and whether it is shared; sentences."""
    why = MAY_CALL if piece.section == "tools" else piece.why
    lines = [f"It is here because {why}."]
    origin = []
    if piece.version is not None:
        writer = "by rule" if piece.by == "rule" else f"by {piece.by}"
        origin.append(f"version {piece.version}, written {writer}")
    if piece.sources is not None:
        first, last = piece.sources
        noun = "message" if first == last else "messages"
        origin.append(f"from {noun} {span(first, last)}")
    if piece.stage is not None:
        origin.append(f"changed by the stage {piece.stage}")
    if origin:
        text = ", ".join(origin)
        lines.append(f"{text[0].upper()}{text[1:]}.")
    if piece.sharing == "broke":
        lines.append(f"Here ends what it shares with the request before ({view.broken_by}).")
    elif view.shared_tokens or view.broken_by:
        lines.append(SHARED[piece.sharing])
    return lines


def found_lines(found: FoundView, number: int) -> list[str]:
    """Why something that was found or pinned is there, or is not; sentences.

    Args:
        found: The fact or passage.
        number: The message it was searched for.
    """
    if found.why_not:
        return [f"It was found for message {number:,} and left out: {found.why_not}."]
    if not found.parts:
        return ["It is here because it is pinned: it stands in every prompt."]
    return [f"It is here because it was found for message {number:,}."]


def gone_lines(gone: LeftOutView) -> list[str]:
    """What became of messages that a request does not show; sentences."""
    noun = "Message" if gone.first == gone.last else "Messages"
    verb = "is" if gone.first == gone.last else "are"
    return [
        f"{noun} {span(gone.first, gone.last)} {verb} not here word for word: {gone.why}.",
        f"About {count(gone.tokens, 'token')} that the model does not read. The log has them all.",
    ]


def heading(view: PromptView, place: int, requests: int, now: datetime) -> str:
    """Which request it is.

    Args:
        view: The request.
        place: Its place among the requests, from 0.
        requests: How many there were.
        now: The present, which decides how its time is told.
    """
    if view.at is None:
        return "the next request"
    which = f"request {place + 1:,} of {requests:,}"
    return PARTS.join((which, clock(view.at, now), ended(view.outcome)))


def ended(outcome: str | None) -> str:
    """How a request ended."""
    if outcome is None:
        return "no answer recorded"
    kind, _, error = outcome.partition(": ")
    told = failure_words(error).replace("_", " ")
    return f"failed ({told})" if error else ENDED.get(kind, kind)


def figures_of(view: PromptView, *, short: bool = False) -> list[tuple[str, str, int]]:
    """The line of figures: texts with their inks, and how readily each is left out.

    Args:
        view: The request.
        short: Whether there is little room.
    """
    # Until a model is there, nobody knows how many tokens it takes.
    limit = f" of {short_number(view.limit)}" if view.model is not None else ""
    tokens = f"{short_number(view.tokens)}{limit}"
    parts = [(tokens if short else f"{tokens} tokens", "figure", 0)]
    if view.provider_tokens is not None:
        parts.append((f"provider {short_number(view.provider_tokens)}", "dim", 3))
    if view.shared_tokens:
        share = f"{view.shared_tokens / max(1, view.tokens):.0%}"
        long = f"{short_number(view.shared_tokens)} shared ({share})"
        parts.append((f"shared {share}" if short else long, "dim", 1))
    if view.broken_by:
        parts.append((f"≠ {view.broken_by}", "broke", 2))
    elif view.shared_tokens:
        parts.append(("goes on where the one before ended", "dim", 4))
    return parts
