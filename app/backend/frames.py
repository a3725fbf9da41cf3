"""Frames on the pipes between the screen's process and the backend.

One frame is the byte length of a JSON object in decimal digits, a line feed, the object in
UTF-8, and a line feed. The length is checked, so that a stray print can never be taken for data.
"""

from __future__ import annotations

import json

from app.backend.errors import ProtocolError
from app.backend.protocol import JsonObject

MAX_FRAME_BYTES = 64 * 1024 * 1024
"""A larger frame is a mistake on the other side; reading it would only eat the memory."""

MAX_LENGTH_DIGITS = len(str(MAX_FRAME_BYTES))


def encode_frame(message: JsonObject) -> bytes:
    """Returns one message as a frame.

    Lone surrogates are replaced: they are no UTF-8 and no provider takes them.

    Raises:
        ProtocolError: The message is larger than a frame may be.
    """
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    body = text.encode("utf-8", errors="replace")
    if len(body) > MAX_FRAME_BYTES:
        raise ProtocolError(
            f"The request is larger than {MAX_FRAME_BYTES // 2**20} MB.", "Send a shorter text."
        )
    return b"%d\n%s\n" % (len(body), body)


def parse_length(line: bytes) -> int:
    """Returns the length that a frame's first line announces.

    Raises:
        ProtocolError: The line is not a decimal number within the limit.
    """
    digits = line.removesuffix(b"\n")
    if not digits.isdigit() or len(digits) > MAX_LENGTH_DIGITS or int(digits) > MAX_FRAME_BYTES:
        raise ProtocolError("The backend's stream is out of step.")
    return int(digits)


def parse_body(body: bytes) -> JsonObject:
    """Returns the message in a frame's body, which includes the closing line feed.

    Raises:
        ProtocolError: The body is not a JSON object with a line feed behind it.
    """
    if not body.endswith(b"\n"):
        raise ProtocolError("The backend's stream is out of step.")
    try:
        message = json.loads(body)
    except ValueError:
        raise ProtocolError("The backend's stream is not JSON.") from None
    if not isinstance(message, dict):
        raise ProtocolError("The backend's stream holds something that is no object.")
    return message
