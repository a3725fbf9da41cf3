"""Microcompact: old bulk stands as a short digest with a receipt (COMPACT-3). Pure.

Of a message only the bulk is replaced: what a user wrote around a pasted text, and what an
answer says around its code, stays word for word.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from memory.compaction.scope import (
    Call,
    Proposal,
    Scope,
    Standing,
    result_item,
    stored_as,
    tool_calls,
)
from memory.content.digests import digest, digest_of_result
from memory.content.handles import item_handle
from memory.content.receipts import digest_receipt, result_of
from memory.parts import ContentItem, ItemType, Thresholds

LEAST_SAVED = 120
"""Characters, about 30 tokens: for less it is not worth to take a text out of sight."""
DIGEST_SHARE = 3
"""A digest has at most this part of what it stands for."""
LONGEST_ASKING = 400
"""Characters kept at either end of a pasted text: what is asked about it stands there."""
SHORTEST_BULK = 400
"""Characters between them below which nothing is pasted text."""
LONGEST_LANGUAGE = 20
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})([^`\n]*)$", re.MULTILINE)
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")


@dataclass(frozen=True, slots=True)
class _Bulk:
    """A part of a message that a digest may stand for."""

    start: int
    end: int
    type: ItemType
    what: str
    source: str


def micro(scope: Scope) -> list[Proposal]:
    """Digests for the bulk of the messages before the newest ones."""
    calls = tool_calls(scope.standing)
    proposals: list[Proposal] = []
    following = scope.next_item
    for index, standing in enumerate(scope.standing[: scope.recent]):
        if not scope.may_change(index) or _is_digested(standing):
            continue
        if standing.ref.role == "tool":
            proposal = _of_result(standing, calls[index], following, scope.digest_chars)
        else:
            proposal = _of_message(standing, _bulks(standing, scope), following, scope.digest_chars)
        if proposal is not None:
            proposals.append(proposal)
            following += len(proposal.items)
    return proposals


def _is_digested(standing: Standing) -> bool:
    return standing.edit is not None and standing.edit.stage in ("micro", "shown")


def _of_result(standing: Standing, call: Call, following: int, longest: int) -> Proposal | None:
    text = standing.text
    if len(text) < LEAST_SAVED:
        return None
    tool = call.name
    id, new = result_item(standing, tool, following)
    told = digest_of_result(text, tool, call.arguments, _room(text, longest))
    shown = digest_receipt(id, result_of(tool), len(text), told)
    if len(shown) + LEAST_SAVED > len(standing.shown):
        return None
    return Proposal(standing.ref.number, "micro", shown, "tool result", new, (id,))


def _of_message(
    standing: Standing, bulks: list[_Bulk], following: int, longest: int
) -> Proposal | None:
    """The message with a digest in the place of each part that gains by it."""
    text, parts, items, done = standing.text, list[str](), list[ContentItem](), 0
    pasted = any(bulk.type == "pasted_text" for bulk in bulks)
    stored = stored_as(standing) if pasted else ()
    for bulk in bulks:
        body = text[bulk.start : bulk.end]
        item = ContentItem(
            id=stored[0] if stored else item_handle(following + len(items)),
            type=bulk.type,
            body=standing.ref.body,
            start=bulk.start,
            end=bulk.end,
            chars=len(body),
            number=standing.ref.number,
            source=bulk.source,
        )
        receipt = digest_receipt(
            item.id, bulk.what, len(body), digest(body, bulk.type, _room(body, longest))
        )
        if len(receipt) + LEAST_SAVED <= len(body):
            parts += (text[done : bulk.start], receipt)
            items.append(item)
            done = bulk.end
    if not items:
        return None
    shown = "".join([*parts, text[done:]])
    why = " and ".join(dict.fromkeys(item.type.replace("_", " ") for item in items))
    cites = tuple(item.id for item in items)
    new = () if stored else tuple(items)
    return Proposal(standing.ref.number, "micro", shown, why, new, cites)


def _room(text: str, longest: int) -> int:
    return min(longest, len(text) // DIGEST_SHARE)


def _bulks(standing: Standing, scope: Scope) -> list[_Bulk]:
    """The code blocks of a message, or else the pasted text in it."""
    text, role = standing.text, standing.ref.role
    source = "user" if role == "user" else "model"
    blocks = list(_code_blocks(text, scope.code_lines, source)) if "\n" in text else []
    if role == "user" and (standing.ref.item or _is_paste(text, blocks, scope.paste_chars)):
        pasted = _pasted(text)
        # A paste may hold code blocks: one digest for all of it says what it is.
        return [pasted] if pasted else blocks
    return blocks


def pasted_part(text: str, rules: Thresholds) -> tuple[int, int] | None:
    """The first and the last character of what seems pasted in a user's message, if anything."""
    if len(text) <= rules.paste_chars:
        return None
    blocks = list(_code_blocks(text, rules.code_lines, "user"))
    pasted = _pasted(text) if _is_paste(text, blocks, rules.paste_chars) else None
    return (pasted.start, pasted.end) if pasted else None


def _is_paste(text: str, blocks: Sequence[_Bulk], most: int) -> bool:
    return len(text) - sum(block.end - block.start for block in blocks) > most


def _code_blocks(text: str, most_lines: int, source: str) -> Iterator[_Bulk]:
    """The insides of fenced blocks of more than so many lines; a fence never closed ends none."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and not fence[2].strip():
            start, end = opened.end() + 1, max(opened.end() + 1, fence.start() - 1)
            if text.count("\n", start, end) + 1 > most_lines:
                language = opened[2].strip().split(" ")[0][:LONGEST_LANGUAGE]
                yield _Bulk(start, end, "code", f"{language} code".strip(), source)
            opened = None


def _pasted(text: str) -> _Bulk | None:
    """The bulk of a long message, without what seems to be asked before and after it."""
    start = _asking_before(text)
    end = len(text) - _asking_after(text[start:])
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end - start < SHORTEST_BULK:
        return None
    return _Bulk(start, end, "pasted_text", "pasted text", "user")


def _asking_before(text: str) -> int:
    """Characters at the beginning that stay: a paragraph, a line, or the first words."""
    for end in (_first_paragraph(text), text.find("\n")):
        if 0 < end <= LONGEST_ASKING:
            return end
    return max(text.rfind(" ", 0, LONGEST_ASKING // 2), 0)


def _asking_after(text: str) -> int:
    """Characters at the end that stay."""
    ends = [match.end() for match in _PARAGRAPH_END.finditer(text, max(0, len(text) - 2_000))]
    for start in (ends[-1] if ends else -1, text.rfind("\n") + 1):
        if start > 0 and len(text) - start <= LONGEST_ASKING:
            return len(text) - start
    start = text.find(" ", max(0, len(text) - LONGEST_ASKING // 2))
    return len(text) - start if start >= 0 else 0


def _first_paragraph(text: str) -> int:
    match = _PARAGRAPH_END.search(text, 0, 2 * LONGEST_ASKING)
    return match.start() if match else -1
