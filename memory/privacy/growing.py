"""What may still become a secret at the end of an arriving text: no draft has a half of one."""

import re
from collections.abc import Sequence

from memory.privacy import columns, keys, logins, named, tokens
from memory.privacy.kinds import Kind, Span
from memory.privacy.looked import Looked

TAIL = 4_500
"""Characters at the end that are looked at: more than the longest token has."""
NEAR = 600
"""Characters before the end within which a name, a command or a number begins that reaches it."""
_LAST_WORD = re.compile(r"[^\s\"'`{}\[\](),;<>|]*\Z")
_NO_BLANK = re.compile(r"\S*\Z")
_GROUPS = re.compile(r"[0-9A-Za-z]+|[^0-9A-Za-z]+")
_GROUP = re.compile(r"[0-9A-Z]{1,6}|[0-9A-Za-z]*[0-9][0-9A-Za-z]*")
_LABEL = re.compile(r"[a-z][0-9]{1,3}")
"""What stands whole and is part of no number: labels such as f1, or m12."""
_BETWEEN = re.compile(r"[ .\-/()+\r\n\t]{1,12}")
LONGEST_NUMBER = 80
LONGEST_ADDRESS = 330
"""Characters of an e-mail address: 64 before the @ (RFC 5321), 255 after it."""
_HELD_WORD = re.compile(r"\d|://|[A-Z]{2}|=|~|^[A-Z]\Z")
_SHOWN_TOKEN = re.compile(r"(?:bearer|basic|token|authorization)[\"']?\s*[:=]?\s*\Z", re.IGNORECASE)
_REST = re.compile(r"[ \t]{0,8}\r?(?:\n[ \t]{0,8}[A-Za-z0-9_.-]*)?\Z")


def settled(looked: Looked, spans: Sequence[Span], kinds: frozenset[Kind]) -> int:
    """Characters at the beginning of an arriving text that nothing can reach back to.

    Args:
        looked: What has arrived.
        spans: What is replaced in it as it stands.
        kinds: What is replaced at all.
    """
    text = looked.text
    end = len(text)
    first = min(_held_word(text, kinds), _held_number(text), _held_names(looked, kinds))
    if "private_keys" in kinds:
        first = min(first, keys.held(text))
    for span in reversed(spans):
        if span.end + named.LOOKAHEAD >= end:
            first = min(first, span.start)
        elif _REST.match(text, span.end, end) is not None:
            # A token that was broken at the end of a line may go on in the next one.
            first = min(first, span.end)
        if span.start < first < span.end:
            first = span.start
    return first


def _held_word(text: str, kinds: frozenset[Kind]) -> int:
    """Where the last word begins, if it may become a secret."""
    end = len(text)
    if "emails" in kinds:
        # Any word may be the beginning of an address.
        blank = _NO_BLANK.search(text, max(0, end - LONGEST_ADDRESS))
        return blank.start() if blank else end
    word = _LAST_WORD.search(text, max(0, end - TAIL))
    if word is None or not word[0]:
        return end
    start = word.start()
    held = (
        _HELD_WORD.search(word[0])
        or keys.begins_with(word[0])
        or tokens.held(text, start) < end
        or _SHOWN_TOKEN.search(text, max(0, start - 40), start)
    )
    return start if held else end


def _held_number(text: str) -> int:
    """Where a number begins that is written in groups and may have another one."""
    begin = max(0, len(text) - LONGEST_NUMBER)
    first = held = len(text)
    for group in reversed(list(_GROUPS.finditer(text, begin))):
        if _GROUP.fullmatch(group[0]) is None and _BETWEEN.fullmatch(group[0]) is None:
            break
        if group.end() < len(text) and _LABEL.fullmatch(group[0]):
            break
        first = group.start()
        if re.search(r"[0-9A-Z(+]", group[0]):
            held = first
    while held and text[held - 1] in "+(":
        held -= 1
    return held if re.search(r"[0-9]", text[held:]) else len(text)


def _held_names(looked: Looked, kinds: frozenset[Kind]) -> int:
    text = looked.text
    begin = max(0, len(text) - NEAR)
    end = len(text)
    if not kinds & {"passwords", "api_keys", "private_keys"}:
        return end
    return min(
        named.held(looked, begin),
        logins.held(text, begin),
        columns.held(looked, max(0, end - TAIL)),
    )
