"""A request as a screen shows it: its pieces beside those of the request before. Pure."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.parts import MessageRef, SummaryRef
from memory.pieces import DETAILS_LABEL, REMINDER, Piece
from memory.rebuilt import Rebuilt
from memory.recall_viewing import pinned_views, recall_view
from memory.recall_views import FoundView, RecallView
from memory.sharing import Placed, Shared, placed
from memory.state import State
from memory.tokens import Tally
from memory.views import LeftOutView, PieceView, Sharing
from memory.window import Window, is_receipt

Texts = Mapping[str, str]
NO_ROOM = "the prompt had no room for it"


def piece_views(
    now: Rebuilt, part: Shared | None, older: Mapping[str, SummaryRef], older_texts: Texts
) -> tuple[PieceView, ...]:
    """The pieces of a request in the order in which the model reads them.

    Args:
        now: The request.
        part: What it shares with the one before; None where there was none.
        older: The version before each summary in force, by the section.
        older_texts: Texts of these.
    """
    whole = max(1, sum(piece.tokens for piece in now.pieces))
    seen = placed(now)
    standing = {id(place.piece) for place in seen}
    unseen = [Placed(piece, 0, 0, 0) for piece in now.pieces if id(piece) not in standing]
    return tuple(
        _piece_view(place, now, _sharing(place, part), whole, _older(place, older, older_texts))
        for place in (*unseen, *seen)
    )


def left_out_views(
    now: Rebuilt, tally: Tally, covered: Mapping[tuple[int, int], int]
) -> tuple[LeftOutView, ...]:
    """The messages that a request does not show word for word, oldest first.

    Args:
        now: The request.
        tally: Token counts.
        covered: Tokens of the messages under each summary.
    """
    folding = now.state.folding
    views = [
        LeftOutView(ref.first, ref.last, covered.get((ref.first, ref.last), 0), f"{name} for them")
        for name, ref in (
            ("the long-term summary stands", folding.long_term),
            ("the short-term summary stands", folding.short_term),
        )
        if ref is not None
    ]
    shown = {
        number for piece in now.pieces if _is_message(piece) for number in _numbers(piece.sources)
    }
    for piece in now.pieces:
        if _stands_for_others(piece) and piece.sources is not None:
            first, last = piece.sources
            gone = _between(folding.verbatim, first, last)
            tokens = sum(tally.message(ref) for ref in gone if ref.number not in shown)
            views.append(LeftOutView(first, last, tokens, _why_left_out(piece, now.state)))
    return tuple(sorted(views, key=lambda view: (view.first, view.last)))


def found_view(now: Rebuilt, tally: Tally, session: str) -> RecallView | None:
    """What was found for a request, as far as it stands there; the rest is left out.

    Args:
        now: The request.
        tally: Token counts.
        session: The stream of the session.
    """
    found = recall_view(now.state, now.texts, tally, session)
    if found is None:
        return None
    sent = {piece.section for piece in now.pieces}
    facts = found.facts if "facts" in sent else ()
    texts = found.texts if "recalled" in sent else ()
    without = (*found.facts[len(facts) :], *found.texts[len(texts) :])
    left_out = (*(replace(one, why_not=NO_ROOM) for one in without), *found.left_out)
    return replace(found, facts=facts, texts=texts, left_out=left_out)


def pinned_in(now: Rebuilt, tally: Tally) -> tuple[FoundView, ...]:
    """The pinned sentences that stand among the facts of a request."""
    if all(piece.section != "facts" for piece in now.pieces):
        return ()
    return pinned_views(now.state, now.texts, tally)


def replaced_by(piece: Piece, now: Rebuilt) -> str | None:
    """The text of the log that a piece stands in the place of; None where it is that text."""
    if piece.section != "messages" or piece.sources is None or piece.place != "message":
        return None
    first, last = piece.sources
    refs = _between(now.state.folding.verbatim, first, last)
    if piece.ref is not None and is_receipt(piece.ref):
        return "\n\n".join(f"{ref.number} {ref.role}: {now.texts[ref.body]}" for ref in refs)
    original = now.texts[refs[0].body] if refs else piece.text
    if piece.text == f"{original}{REMINDER}":
        return None
    return original if original != piece.text else None


def extras_of(ref: MessageRef | None, texts: Texts) -> str:
    """What a message carries beside its text, one line each, as it is sent."""
    if ref is None:
        return ""
    named = (("tool_calls", ref.calls), ("reasoning", ref.reasoning))
    lines = [f"{name}: {texts[body]}" for name, body in named if body]
    if ref.answers:
        lines.append(f"tool_call_id: {json.dumps(ref.answers, ensure_ascii=False)}")
    return "\n".join(lines)


def _piece_view(
    place: Placed, now: Rebuilt, sharing: Sharing, whole: int, older: str | None
) -> PieceView:
    piece = place.piece
    summary = _summary(piece, now.state)
    return PieceView(
        section=piece.section,
        role=piece.role,
        text=piece.text,
        tokens=piece.tokens,
        share=piece.tokens / whole,
        why=piece.why,
        sources=piece.sources,
        sharing=sharing,
        stage=piece.stage,
        replaced=older if summary else replaced_by(piece, now),
        extras=extras_of(piece.ref if piece.place == "message" else None, now.texts),
        receipt=_stands_for_others(piece),
        version=summary.version if summary else None,
        by=(summary.model or summary.by) if summary else None,
        path=piece.path,
    )


def _sharing(place: Placed, part: Shared | None) -> Sharing:
    if part is None:
        return "new"
    if place.end <= part.chars:
        return "shared"
    return "broke" if part.broke and place.start <= part.chars else "new"


def _summary(piece: Piece, state: State) -> SummaryRef | None:
    if piece.section == "long_term":
        return state.folding.long_term
    return state.folding.short_term if piece.section == "short_term" else None


def _older(place: Placed, older: Mapping[str, SummaryRef], texts: Texts) -> str | None:
    ref = older.get(place.piece.section)
    if ref is None or ref.body not in texts:
        return None
    details = texts.get(ref.details) if ref.details else None
    return texts[ref.body] if details is None else f"{texts[ref.body]}\n{DETAILS_LABEL}{details}"


def _is_message(piece: Piece) -> bool:
    """Whether a piece shows a message of its own, in full or not."""
    return piece.ref is not None and not is_receipt(piece.ref)


def _stands_for_others(piece: Piece) -> bool:
    if piece.section != "messages" or piece.sources is None:
        return False
    return piece.ref is None or is_receipt(piece.ref)


def _why_left_out(piece: Piece, state: State) -> str:
    if piece.ref is None:
        return "the prompt would not fit otherwise"
    run = Window.of(state.folding).runs.get(piece.ref.number)
    whys = dict.fromkeys(edit.why for edit in run.edits if edit.why) if run else {}
    return "; ".join(whys) or "they were not needed"


def _between(refs: Sequence[MessageRef], first: int, last: int) -> Sequence[MessageRef]:
    """The messages with numbers `first` to `last`; they stand in order."""
    low = bisect_left(refs, first, key=_number)
    return refs[low : bisect_right(refs, last, key=_number)]


def _number(ref: MessageRef) -> int:
    return ref.number


def _numbers(span: tuple[int, int] | None) -> Sequence[int]:
    return range(span[0], span[1] + 1) if span else ()
