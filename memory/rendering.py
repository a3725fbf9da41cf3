"""Pieces of a prompt as the messages that a model is sent. Pure."""

import json
from collections.abc import Mapping, Sequence

from memory.parts import MessageRef
from memory.pieces import ChatMessage, Piece


def render(
    pieces: Sequence[Piece], texts: Mapping[str, str], draft: str = ""
) -> tuple[ChatMessage, ...]:
    """The messages of a prompt.

    Args:
        pieces: Its pieces, in their order.
        texts: Texts by body id: tool calls and reasoning.
        draft: A user message that follows them; empty for none.
    """
    messages: list[ChatMessage] = []
    system = [piece.text for piece in pieces if piece.place == "system" and piece.text]
    if system:
        messages.append({"role": "system", "content": "\n\n".join(system)})
    lead = [piece.text for piece in pieces if piece.place == "lead"]
    if lead:
        messages.append({"role": "user", "content": "\n\n".join(lead)})
    messages += [
        _chat_message(piece.ref, piece.text, texts)
        for piece in pieces
        if piece.place == "message" and piece.ref is not None
    ]
    if draft:
        messages.append({"role": "user", "content": draft})
    block = [piece.text for piece in pieces if piece.place == "turn"]
    if block:
        _add_block(messages, "\n\n".join(block))
    return tuple(messages)


def _add_block(messages: list[ChatMessage], block: str) -> None:
    """Puts what belongs to this turn alone into the last user turn, marked as data."""
    text = f"<memory>\n{block}\n</memory>"
    for place in range(len(messages) - 1, -1, -1):
        if messages[place]["role"] == "user":
            content = f"{messages[place]['content']}\n\n{text}"
            messages[place] = {**messages[place], "content": content}
            return
    messages.append({"role": "user", "content": text})


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
