"""What is kept word for word under a summary: what its source said and it does not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memory.loss.found import Found
from memory.loss.items import find_items
from memory.loss.judge import Standing, normalised
from memory.parts import Role
from memory.views import ItemKind

SEPARATOR = "; "
QUOTE = '"'
_ORDER: tuple[tuple[frozenset[ItemKind], float], ...] = (
    (frozenset({"constraint"}), 0.5),
    (frozenset({"task"}), 0.15),
    (frozenset({"identifier", "path", "url"}), 0.25),
    (frozenset({"number"}), 0.15),
    (frozenset({"date"}), 0.15),
    (frozenset({"name"}), 0.3),
)
"""Kinds by weight, and the part of the room that each has before all others have had theirs."""
_VOICE: dict[Role | None, int] = {"user": 4, "system": 4, None: 3, "assistant": 2, "tool": 1}
"""What the user said is asked for again most; a tool's output can be had again."""
_PASSING: frozenset[ItemKind] = frozenset({"number", "date", "name"})
"""What a tool prints by the hundred: sizes, line numbers, words with a capital."""
_ROLE = re.compile(r"(?:- )?(system|user|assistant|tool): ")
_ENTRY = re.compile(r'"[^"]*"|[^;"]+(?:"[^"]*"[^;"]*)*')


@dataclass(slots=True)
class _Candidate:
    found: Found
    voice: int
    times: int
    newest: int

    @property
    def rank(self) -> tuple[int, int, int]:
        return (self.voice + min(self.times, 5), self.newest, -len(self.found.text))


def choose_details(
    lines: Sequence[str],
    roles: Sequence[Role | None],
    summary: str,
    room_chars: int,
    carried: Sequence[str] = (),
) -> str:
    """One line with the items of the source that the summary lacks, the weightiest first.

    Conditions, then tasks come before identifiers, paths and addresses, these before figures,
    dates and names; within a kind counts who said it, how often, and how late.

    Args:
        lines: The texts of the source, oldest first, with or without `role: ` before them.
        roles: Who said each of them; None for an earlier summary.
        summary: The summary under which the line is to stand.
        room_chars: Characters that the line may have.
        carried: Entries of the details of the summaries that it replaces, which compete too.

    Returns:
        The line, such as `"Never touch prod."; /etc/hosts; €1,240; 14 March`; empty where
        nothing is missing or nothing fits.
    """
    standing = Standing(summary)
    candidates = _candidates(lines, roles, carried)
    wanted = sorted(
        (entry for entry in candidates.values() if not standing.holds(entry.found)),
        key=lambda entry: entry.rank,
        reverse=True,
    )
    return SEPARATOR.join(_fill(wanted, room_chars))


def split_details(details: str) -> tuple[str, ...]:
    """The entries of a line that `choose_details` made."""
    entries = (match.group().strip() for match in _ENTRY.finditer(details))
    return tuple(entry for entry in entries if entry)


def read_details(details: str) -> str:
    """What a line of details says, an entry a line, without the quotation marks around them."""
    return "\n".join(_unquoted(entry) or entry for entry in split_details(details))


def _unquoted(entry: str) -> str:
    quoted = len(entry) > 1 and entry[0] == entry[-1] == QUOTE
    return entry[1:-1] if quoted else ""


def _candidates(
    lines: Sequence[str], roles: Sequence[Role | None], carried: Sequence[str]
) -> dict[str, _Candidate]:
    """The items of all sources, those that read the same as one."""
    candidates: dict[str, _Candidate] = {}
    for entry in filter(str.strip, carried):
        for found in _items_of_entry(entry):
            # Only the user sets conditions: an older one weighs as much as a new one.
            _add(candidates, found, _VOICE["user" if found.kind == "constraint" else None], -1)
    for place, (text, role) in enumerate(zip(lines, roles, strict=True)):
        for line in [text] if role else text.splitlines():
            _take(candidates, line, role, place)
    return candidates


def _take(candidates: dict[str, _Candidate], line: str, role: Role | None, place: int) -> None:
    """Takes in the items of a message, or of a line of a summary, which may say who spoke."""
    prefix = _ROLE.match(line)
    said_by = role or (cast(Role, prefix[1]) if prefix else None)
    for found in find_items(line[prefix.end() :] if prefix else line, said_by):
        if said_by != "tool" or found.kind not in _PASSING:
            _add(candidates, found, _VOICE[said_by], place)


def _items_of_entry(entry: str) -> list[Found]:
    entry = entry.strip()
    if quoted := _unquoted(entry):
        kinds = {found.kind for found in find_items(quoted)}
        is_task = "task" in kinds and "constraint" not in kinds
        return [Found("task" if is_task else "constraint", quoted, 1, len(entry) - 1)]
    whole = [found for found in find_items(entry) if found.text == entry]
    return whole[:1] or [Found("name", entry, 0, len(entry))]


def _add(candidates: dict[str, _Candidate], found: Found, voice: int, place: int) -> None:
    known = candidates.get(key := normalised(found.text))
    if known is None:
        candidates[key] = _Candidate(found, voice, 1, place)
    else:
        known.voice, known.times = max(known.voice, voice), known.times + 1
        known.newest = max(known.newest, place)


def _fill(wanted: list[_Candidate], room: int) -> list[str]:
    """The entries that fit, in the order of their kinds: shares first, then what is left."""
    chosen: dict[str, int] = {}
    left = room
    conditions = _entries(wanted, _ORDER[0][0])
    for share_holds in (True, False):
        for place, (kinds, share) in enumerate(_ORDER):
            own = min(left, int(room * share)) if share_holds else left
            for entry in _entries(wanted, kinds):
                cost = len(entry) + len(SEPARATOR) * bool(chosen)
                if cost > own or any(_within(entry, other) for other in chosen):
                    continue
                # A condition says more than its parts: these wait until it has had all the room.
                if share_holds and place and any(_within(entry, c) for c in conditions):
                    continue
                chosen[entry] = place
                own, left = own - cost, left - cost
    return sorted(chosen, key=lambda entry: chosen[entry])


def _entries(wanted: list[_Candidate], kinds: frozenset[ItemKind]) -> list[str]:
    return [_entry(each.found) for each in wanted if each.found.kind in kinds]


def _within(entry: str, other: str) -> bool:
    """Whether another entry says this one already: a sentence that names a path, for example."""
    return entry in other and Standing(other).holds(Found("identifier", entry, 0, len(entry)))


def _entry(found: Found) -> str:
    """An item as it stands in the line; sentences are quoted, so that they can be told apart."""
    text = " ".join(found.text.split())
    if found.kind not in ("constraint", "task"):
        return text.replace(SEPARATOR, ", ")
    return QUOTE + text.replace(QUOTE, "'") + QUOTE
