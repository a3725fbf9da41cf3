"""How much of a request the one before began with as well, and what ended that part. Pure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.pieces import SECTION_NAMES, ChatMessage, Piece, Section, tools_text

END = "\x1e"
"""Ends each message where messages are compared: one that only grew is not the same."""
BLOCK_OPENS = "\n\n<memory>\n"
"""Begins the block that the last user turn carries."""
JOINED = ("system", "lead")
"""Places whose pieces stand in one message."""
SUMMARIES: tuple[Section, ...] = ("long_term", "short_term")


class Sent(Protocol):
    """A request: its messages and the pieces they were made of."""

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The messages that the model is sent."""
        ...

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """Their pieces."""
        ...

    @property
    def tokens(self) -> int:
        """Our count of all of it."""
        ...


@dataclass(frozen=True, slots=True)
class Shared:
    """The part at the beginning of a request that the request before began with as well."""

    chars: int
    """Characters of it, what frames a message included."""
    whole: int
    """Characters of the request."""
    message: int
    """Index of the first message that differs; the number of messages where none does."""
    broke: bool
    """Whether the request before went on otherwise; else this one only goes on where it ended."""
    in_last_turn: bool
    """Whether it reaches to the last user turn of the request before, as it always should (I9)."""

    def tokens(self, whole: int) -> int:
        """Tokens of it, by proportion, where the request has `whole`."""
        return whole * self.chars // self.whole if self.whole else 0


@dataclass(frozen=True, slots=True)
class Placed:
    """A piece and the characters of the request that it takes, its frame included."""

    piece: Piece
    message: int
    start: int
    end: int


def flat(message: ChatMessage) -> str:
    """A message in the order in which a model reads it: role, text, then calls and the rest."""
    content = message.get("content")
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    extras = json.dumps(rest, sort_keys=True, ensure_ascii=False) if rest else ""
    return f"{message['role']}\n{text}{END}{extras}{END}"


def as_sent(request: Sent) -> tuple[ChatMessage, ...]:
    """The messages of a request in reading order, the tools as one after the system prompt."""
    tools = tools_text(request.pieces)
    messages = request.messages
    if tools is None:
        return messages
    place = 1 if messages and messages[0]["role"] == "system" else 0
    return (*messages[:place], {"role": "system", "content": tools}, *messages[place:])


def size_of(message: ChatMessage) -> int:
    """Characters of a message as `flat` gives it."""
    content = message.get("content")
    if len(message) == len(("role", "content")) and isinstance(content, str):
        return len(message["role"]) + len("\n") + len(content) + 2 * len(END)
    return len(flat(message))


def shared(before: Sequence[ChatMessage], now: Sequence[ChatMessage]) -> Shared:
    """Compares two requests, character by character from their beginning."""
    sizes = [size_of(message) for message in now]
    whole = sum(sizes)
    same = 0
    while same < min(len(before), len(now)) and before[same] == now[same]:
        same += 1
    in_last_turn = same >= _last_user_turn(before)
    if same == len(before) or same == len(now):
        return Shared(sum(sizes[:same]), whole, same, same < len(before), in_last_turn)
    begun = _common_length(flat(before[same]), flat(now[same]))
    return Shared(sum(sizes[:same]) + begun, whole, same, True, in_last_turn)


def shared_tokens(before: Sent | None, now: Sent | None) -> int:
    """Tokens at the beginning of a request that the one before began with as well."""
    if before is None or now is None:
        return 0
    return shared(as_sent(before), as_sent(now)).tokens(now.tokens)


def placed(request: Sent) -> tuple[Placed, ...]:
    """The pieces of a request in the order in which the model reads them, and where they stand.

    Every character of the request belongs to one piece; a piece without text has no place.
    """
    starts = _starts(request)
    ends = [start for _, _, start in starts[1:]]
    whole = sum(map(size_of, as_sent(request)))
    return tuple(
        Placed(piece, message, start, end)
        for (piece, message, start), end in zip(starts, [*ends, whole], strict=False)
    )


def breaking_piece(now: Sent, part: Shared) -> Piece | None:
    """The piece at which the shared part of a request ends; None where it was only continued."""
    if not part.broke:
        return None
    for place in placed(now):
        if place.start <= part.chars < place.end:
            return place.piece
    return None


def describe_break(before: Sent | None, now: Sent, part: Shared | None = None) -> str:
    """What ended the part that a request shares with the one before, and the likely cause.

    Args:
        before: The request before; None where there was none.
        now: The request.
        part: What they share, where it is known already.

    Returns:
        Such as `short-term summary: folded again` or `message 31: now a receipt`; empty where
        the request begins with all of the one before, or nothing came before.
    """
    if before is None:
        return ""
    part = part or shared(as_sent(before), as_sent(now))
    if not part.broke:
        return ""
    piece = breaking_piece(now, part)
    if piece is None:
        return "messages: the last ones are no longer there"
    return _cause(before.pieces, now.pieces, piece)


def _starts(request: Sent) -> list[tuple[Piece, int, int]]:
    """Each piece with its message and the character it begins at, in reading order."""
    offsets = [0]
    messages = as_sent(request)
    for message in messages:
        offsets.append(offsets[-1] + size_of(message))
    starts: list[tuple[Piece, int, int]] = []
    block: list[Piece] = []
    place, cursor = -1, 0
    before = ""
    for piece in request.pieces:
        if _in_block(piece):
            block.append(piece)
        elif piece.text or piece.place == "message":
            if piece.place not in JOINED or piece.place != before:
                place, cursor = place + 1, 0
            before = piece.place
            starts.append((piece, place, offsets[place] + cursor))
            cursor += len(piece.text) + (len(piece.role) + 1 if cursor == 0 else len("\n\n"))
    return _with_block(messages, starts, block, offsets)


def _in_block(piece: Piece) -> bool:
    """Whether a piece stands in the block of the last user turn; a draft is a turn of its own."""
    return piece.place == "turn" and piece.section != "messages"


def _with_block(
    messages: Sequence[ChatMessage],
    starts: list[tuple[Piece, int, int]],
    block: Sequence[Piece],
    offsets: Sequence[int],
) -> list[tuple[Piece, int, int]]:
    """The pieces with those of the last user turn's block where they stand."""
    if not block:
        return starts
    turn = _last_user_turn(messages)
    text = flat(messages[turn])
    own = sum(len(piece.text) for piece, message, _ in starts if message == turn)
    begins = text.find(BLOCK_OPENS, own) if own else 0
    within: list[tuple[Piece, int, int]] = []
    for piece in block:
        within.append((piece, turn, offsets[turn] + begins))
        begins = text.find(piece.text, begins) + len(piece.text)
    before = [start for start in starts if start[1] <= turn]
    return [*before, *within, *(start for start in starts if start[1] > turn)]


def _last_user_turn(messages: Sequence[ChatMessage]) -> int:
    """Index of the last message by the user; that after the last where there is none."""
    for place in range(len(messages) - 1, -1, -1):
        if messages[place]["role"] == "user":
            return place
    return len(messages)


def _common_length(one: str, other: str) -> int:
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cause(before: Sequence[Piece], now: Sequence[Piece], piece: Piece) -> str:
    """Names the piece at which the shared part ends, or the summary that is behind it."""
    if piece.section in ("system", "files", "tools"):
        return _stable_cause(before, now, piece)
    older = {other.section: other for other in before if other.section in SUMMARIES}
    newer = {other.section: other for other in now if other.section in SUMMARIES}
    for section in SUMMARIES:
        if section in older and section not in newer:
            return f"{SECTION_NAMES[section]}: taken back"
    if piece.section in SUMMARIES:
        return f"{SECTION_NAMES[piece.section]}: {_summary_cause(older, piece)}"
    if piece.section != "messages":
        return f"{SECTION_NAMES[piece.section]}: {_other_cause(before, piece)}"
    for section, other in newer.items():
        # Two versions may happen to say the same: then what they stand for makes the difference.
        if section in older and older[section].sources != other.sources:
            return f"{SECTION_NAMES[section]}: {_summary_cause(older, other)}"
    return f"{_name(piece)}: {_message_cause(before, piece)}"


def _stable_cause(before: Sequence[Piece], now: Sequence[Piece], piece: Piece) -> str:
    if piece.section == "system" and _texts(before, "system") == _texts(now, "system"):
        # What followed it in the same message is no longer there.
        return f"{SECTION_NAMES['files']}: gone"
    return f"{SECTION_NAMES[piece.section]}: {_other_cause(before, piece)}"


def _summary_cause(older: Mapping[Section, Piece], piece: Piece) -> str:
    before = older.get(piece.section)
    if before is None:
        return "the first one"
    if before.sources == piece.sources:
        return "written anew"
    if piece.sources and before.sources and piece.sources[1] < before.sources[1]:
        return "an earlier one holds again"
    return "folded again"


def _other_cause(before: Sequence[Piece], piece: Piece) -> str:
    known = any(other.section == piece.section for other in before)
    return "changed" if known else "new"


def _texts(pieces: Sequence[Piece], section: Section) -> list[str]:
    return [piece.text for piece in pieces if piece.section == section]


def _name(piece: Piece) -> str:
    if piece.sources is None:
        return "your message"
    first, last = piece.sources
    return f"message {first}" if first == last else f"messages {first} to {last}"


def _message_cause(before: Sequence[Piece], piece: Piece) -> str:
    older = next((other for other in before if _same_messages(other, piece)), None)
    if piece.place == "lead":
        return "pinned" if piece.ref else "left out to fit"
    if older is None or older.text != piece.text:
        return _edit_cause(older, piece)
    if any(map(_in_block, before)):
        return "the block of its turn is gone"
    return "moved"


def _edit_cause(older: Piece | None, piece: Piece) -> str:
    if piece.stage == "snip":
        return "left out under a receipt"
    if older is None:
        return "in the place of another"
    if piece.stage is not None and older.stage is None:
        return "now a receipt"
    if piece.stage is None and older.stage is not None:
        return "in full again"
    return "shortened to fit" if len(piece.text) < len(older.text) else "in full again"


def _same_messages(one: Piece, other: Piece) -> bool:
    return one.section == other.section and one.sources == other.sources
