"""What the deterministic stages look at, and what they propose. Pure."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from memory.content.digests import item_type
from memory.content.handles import item_handle
from memory.cuts import SafeCuts
from memory.parts import ContentItem, Edit, EditStage, MessageRef
from memory.state import State

CALLS_KEPT = 512
"""Parsed lists of tool calls at hand: more than are verbatim at a time."""


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    id: str
    name: str
    arguments: str
    """Canonical JSON, so that equal arguments are equal texts."""


NO_CALL = Call("", "", "")
"""What a result answers whose call is not known."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A verbatim message as it stands in the prompt now."""

    ref: MessageRef
    text: str
    """Its own full text."""
    edit: Edit | None
    """What stands in its place already."""
    shown: str
    """The text that stands in the prompt now; empty where it is left out."""
    calls: tuple[Call, ...] = ()

    @property
    def left_out(self) -> bool:
        """Whether only the receipt of its run stands for it."""
        return self.edit is not None and self.edit.body is None


@dataclass(frozen=True, slots=True)
class Proposal:
    """What a stage would let stand in the place of a message."""

    number: int
    stage: EditStage
    text: str | None
    """None where the message is left out under the receipt of its run."""
    why: str
    items: tuple[ContentItem, ...] = ()
    """New content to store."""
    cites: tuple[str, ...] = ()
    """Ids of content that the text cites, new or stored before."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The standing messages and the rules of what may be done to which."""

    standing: tuple[Standing, ...]
    """Oldest first."""
    recent: int
    """Index from which messages are the newest ones (I4); a safe cut."""
    pinned: frozenset[int]
    """Numbers of messages that no stage touches, system messages among them."""
    question: int | None
    """Index of the newest user message, which no stage touches."""
    tool_budget: int
    """Characters of a tool result that may stand (COMPACT-1)."""
    paste_chars: int
    code_lines: int
    digest_chars: int
    """Longest digest."""
    next_item: int
    """Number of the next content item."""

    @classmethod
    def of(cls, state: State, texts: Mapping[str, str]) -> "Scope":
        """The scope of a state.

        Args:
            state: The session's state.
            texts: Texts by body id, at least those of the prompt's messages, calls and edits.
        """
        rules = state.rules
        verbatim = state.folding.verbatim
        edits = {edit.number: edit for edit in state.folding.edits}
        keep = min(rules.keep_recent, rules.immediate_window)
        asked = [i for i, ref in enumerate(verbatim) if ref.role == "user"]
        system = {ref.number for ref in verbatim if ref.role == "system"}
        return cls(
            standing=tuple(_standing(ref, edits.get(ref.number), texts) for ref in verbatim),
            recent=SafeCuts.of(verbatim).at_or_before(max(0, len(verbatim) - keep)),
            pinned=state.pinned_numbers | system,
            question=asked[-1] if asked else None,
            tool_budget=rules.receipt_chars,
            paste_chars=rules.paste_chars,
            code_lines=rules.code_lines,
            digest_chars=rules.digest_chars,
            next_item=state.content_items + 1,
        )

    def may_change(self, index: int) -> bool:
        """Whether a stage may touch the message at an index."""
        standing = self.standing[index]
        free = standing.ref.number not in self.pinned and index != self.question
        return free and not standing.left_out

    def after(self, proposals: Iterable[Proposal]) -> "Scope":
        """The scope once these proposals hold; their edits name no body that is stored yet."""
        by_number = {proposal.number: proposal for proposal in proposals}
        stored = sum(len(proposal.items) for proposal in by_number.values())
        return replace(
            self,
            standing=tuple(
                _proposed(standing, by_number.get(standing.ref.number))
                for standing in self.standing
            ),
            next_item=self.next_item + stored,
        )


def stored_as(standing: Standing) -> tuple[str, ...]:
    """The content items that keep the text of a message already."""
    if standing.edit is not None and standing.edit.items:
        return standing.edit.items
    return (standing.ref.item,) if standing.ref.item else ()


def result_item(
    standing: Standing, tool: str, following: int
) -> tuple[str, tuple[ContentItem, ...]]:
    """The content item that a tool result is, and the item to store where it is none yet.

    Args:
        standing: The result.
        tool: Where it comes from.
        following: Number of the next content item.
    """
    stored = stored_as(standing)
    if stored:
        return stored[0], ()
    item = ContentItem(
        id=item_handle(following),
        type=item_type(tool),
        body=standing.ref.body,
        chars=len(standing.text),
        number=standing.ref.number,
        source=tool,
    )
    return item.id, (item,)


def tool_names(standing: Sequence[Standing]) -> dict[int, str]:
    """The tool that each tool result comes from, by index; empty where no call is known."""
    return {index: call.name for index, call in tool_calls(standing).items()}


def tool_calls(standing: Sequence[Standing]) -> dict[int, Call]:
    """The call that each tool result answers, by index; an id belongs to its newest call."""
    calls: dict[int, Call] = {}
    called: dict[str, Call] = {}
    for index, entry in enumerate(standing):
        if entry.ref.role == "tool":
            calls[index] = called.get(entry.ref.answers or "", NO_CALL)
        called.update((call.id, call) for call in entry.calls)
    return calls


def _standing(ref: MessageRef, edit: Edit | None, texts: Mapping[str, str]) -> Standing:
    text = texts[ref.body]
    calls = _calls(texts[ref.calls]) if ref.calls else ()
    if edit is None:
        return Standing(ref, text, None, text, calls)
    return Standing(ref, text, edit, "" if edit.body is None else texts[edit.body], calls)


def _proposed(standing: Standing, proposal: Proposal | None) -> Standing:
    if proposal is None:
        return standing
    text = proposal.text
    body = None if text is None else f"proposed-{proposal.number}-{proposal.stage}"
    edit = Edit(
        proposal.number, proposal.stage, body, len(text or ""), proposal.why, proposal.cites
    )
    return replace(standing, edit=edit, shown=text or "")


@lru_cache(maxsize=CALLS_KEPT)
def _calls(text: str) -> tuple[Call, ...]:
    """Tool calls in OpenAI's form; what has another form has no name and equals nothing."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ()
    entries = value if isinstance(value, list) else []
    return tuple(_call(entry) for entry in entries if isinstance(entry, dict))


def _call(entry: Mapping[str, object]) -> Call:
    function = entry.get("function")
    function = function if isinstance(function, dict) else {}
    return Call(
        str(entry.get("id", "")),
        str(function.get("name", "")),
        _canonical(function.get("arguments", "")),
    )


def _canonical(arguments: object) -> str:
    """Arguments as canonical JSON; what is no JSON stays as it is."""
    try:
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
        return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    except (ValueError, RecursionError):
        return str(arguments).strip()
