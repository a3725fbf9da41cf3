"""A compaction's sources, what stands after it, and the ways back to what does not. Pure."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memory.content.handles import ItemHandle, UnknownItem, messages_handle, parse_handle
from memory.content.receipts import handles_in
from memory.events import Compacted
from memory.loss.details import read_details
from memory.parts import ContentItem, Edit, MessageRef, Role, SummaryRef
from memory.prompt import texts_of
from memory.state import State
from memory.storage.bodies import ERASED
from memory.window import Window


@dataclass(frozen=True, slots=True)
class Change:
    """A compaction with the states on both sides of it."""

    before: State
    after: State
    event: Compacted

    @property
    def folded(self) -> tuple[MessageRef, ...]:
        """Messages that stood word for word and do no longer."""
        standing = {ref.number for ref in self.after.folding.verbatim}
        standing |= {ref.number for ref in self.after.folding.pinned}
        before = self.before.folding
        return tuple(r for r in (*before.pinned, *before.verbatim) if r.number not in standing)

    @property
    def edited(self) -> tuple[MessageRef, ...]:
        """Messages of the window that stand otherwise since then."""
        numbers = {edit.number for edit in self.event.edits}
        return tuple(ref for ref in self.after.folding.verbatim if ref.number in numbers)

    @property
    def replaced(self) -> tuple[tuple[str, SummaryRef], ...]:
        """Summaries that no longer stand, each with its name."""
        kept = {summary.body for _, summary in _summaries(self.after)}
        return tuple(pair for pair in _summaries(self.before) if pair[1].body not in kept)


@dataclass(frozen=True, slots=True)
class Source:
    """A text that a compaction folded, edited or replaced."""

    text: str
    role: Role | None
    """Who said it; None for a summary."""
    number: int | None
    fate: str
    """Why what it says is gone, where it is gone."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A part of the prompt after the compaction."""

    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Way:
    """A handle by which a source's text can be had again, and what it gives."""

    where: str
    text: str


def bodies_of(change: Change, items: Mapping[str, ContentItem]) -> set[str]:
    """The bodies whose texts are needed to tell what was lost."""
    bodies = texts_of(change.after) | {item.body for item in _cited(change, items)}
    for ref in (*change.folded, *change.edited):
        bodies.update(filter(None, (ref.body, ref.calls)))
    for _, summary in change.replaced:
        bodies.update(filter(None, (summary.body, summary.details)))
    return bodies


def item_ids(change: Change) -> set[str]:
    """The content items that hold what the compaction's messages said."""
    numbers = {ref.number for ref in (*change.folded, *change.edited)}
    cited = {id for edit in _edits(change) if edit.number in numbers for id in edit.items}
    return cited | set(change.event.kept)


def sources_of(change: Change, texts: Mapping[str, str]) -> list[Source]:
    """The texts that the compaction folded, edited or replaced, oldest first."""
    found = [
        Source(text, None, None, f"it stood in the {name}, and no summary says it now")
        for name, summary in change.replaced
        for text in (_text(texts, summary.body), read_details(_text(texts, summary.details or "")))
    ]
    fate = _fate_of_folded(change)
    found += [_source(ref, texts, fate) for ref in change.folded]
    stages = {edit.number: edit for edit in change.event.edits}
    found += [_source(ref, texts, _fate_of(stages[ref.number])) for ref in change.edited]
    return [source for source in found if source.text]


def standing_after(change: Change, texts: Mapping[str, str]) -> list[Standing]:
    """The prompt that stands after the compaction, by its parts, the summaries first."""
    state = change.after
    parts: list[tuple[str, Iterable[str]]] = []
    for name, summary in _summaries(state)[::-1]:
        parts.append((name, [_text(texts, summary.body)]))
        if summary.details is not None:
            parts.append((f"details of the {name}", [_text(texts, summary.details)]))
    parts.append(("pinned", _pinned(state, texts)))
    window = Window.of(state.folding)
    edited = [_text(texts, edit.body) for edit in window.edits.values() if edit.body]
    parts.append(("shortened messages", edited))
    whole = [
        r for r in state.folding.verbatim if r.number not in window.edits.keys() | window.snipped
    ]
    parts.append(("window", [said(ref, texts) for ref in whole]))
    calls = [_calls(ref, texts) for ref in state.folding.verbatim if ref.number in window.edits]
    parts.append(("window", calls))
    found = [Standing(where, "\n".join(filter(None, given))) for where, given in parts]
    return [part for part in found if part.text]


def ways_of(
    change: Change, texts: Mapping[str, str], items: Mapping[str, ContentItem]
) -> dict[int, list[Way]]:
    """The ways back to each message: receipts that stand, and what the content store holds of it.

    Each gives what retrieving its handle really gives.
    """
    ways: dict[int, list[Way]] = {}
    for run in Window.of(change.after.folding).runs.values():
        handle = messages_handle(run.first, run.last)
        for ref in change.edited:
            if run.first <= ref.number <= run.last:
                ways.setdefault(ref.number, []).append(Way(f"receipt {handle}", _kept(ref, texts)))
    for ref in (*change.folded, *change.edited):
        for edit in _edits(change):
            if edit.number == ref.number:
                ways.setdefault(ref.number, []).extend(_ways(ref, edit, change, texts, items))
    for id in change.event.kept:
        if (item := items.get(id)) is not None and item.number is not None:
            text = _text(texts, item.body)[item.start : item.end]
            ways.setdefault(item.number, []).append(Way(f"content {id}", text))
    return ways


def said(ref: MessageRef, texts: Mapping[str, str]) -> str:
    """What a message says, with what it has tools do."""
    return "\n".join(filter(None, (_text(texts, ref.body), _calls(ref, texts))))


def _ways(
    ref: MessageRef,
    edit: Edit,
    change: Change,
    texts: Mapping[str, str],
    items: Mapping[str, ContentItem],
) -> Iterator[Way]:
    stands = edit in change.after.folding.edits
    cited = handles_in(_text(texts, edit.body)) if stands and edit.body else list(edit.items)
    word = "receipt" if stands else "content"
    for handle in cited:
        try:
            named = parse_handle(handle)
        except UnknownItem:
            continue
        if not isinstance(named, ItemHandle):
            if named.first <= ref.number <= named.last:
                yield Way(f"{word} {handle}", _kept(ref, texts))
        elif item := items.get(named.id):
            yield Way(f"{word} {handle}", _text(texts, item.body)[item.start : item.end])


def _cited(change: Change, items: Mapping[str, ContentItem]) -> list[ContentItem]:
    return [items[id] for id in item_ids(change) if id in items]


def _edits(change: Change) -> list[Edit]:
    """Edits that hold after the compaction, and those that held of what it folded."""
    return list(dict.fromkeys((*change.after.folding.edits, *change.before.folding.edits)))


def _summaries(state: State) -> list[tuple[str, SummaryRef]]:
    folding = state.folding
    known = (("long-term summary", folding.long_term), ("short-term summary", folding.short_term))
    return [(name, summary) for name, summary in known if summary is not None]


def _pinned(state: State, texts: Mapping[str, str]) -> list[str]:
    bodies = [pin.body for pin in state.pins]
    bodies += [ref.body for ref in state.folding.pinned]
    return [_text(texts, body) for body in (*bodies, *filter(None, [state.system]))]


def _source(ref: MessageRef, texts: Mapping[str, str], fate: str) -> Source:
    return Source(said(ref, texts), ref.role, ref.number, fate)


def _fate_of_folded(change: Change) -> str:
    folding = change.after.folding
    if (
        folding.short_term is not None
        and change.event.short_term != change.before.folding.short_term
    ):
        return "folded into the short-term summary, which does not say it"
    if folding.long_term is not None and change.event.long_term != change.before.folding.long_term:
        return "folded into the long-term summary, which does not say it"
    return "left out of the window without a summary"


def _fate_of(edit: Edit) -> str:
    if edit.body is None:
        return f"left out ({edit.stage})"
    return f"shortened ({edit.stage}), and the shorter text does not say it"


def _text(texts: Mapping[str, str], body: str) -> str:
    text = texts.get(body, "")
    return "" if text == ERASED else text


def _kept(ref: MessageRef, texts: Mapping[str, str]) -> str:
    """What retrieving the message gives: its text, and its calls as they were recorded."""
    return "\n".join(filter(None, (_text(texts, ref.body), _text(texts, ref.calls or ""))))


def _calls(ref: MessageRef, texts: Mapping[str, str]) -> str:
    """The texts in a message's tool calls, a line each."""
    recorded = _text(texts, ref.calls or "")
    if not recorded:
        return ""
    try:
        return "\n".join(_said_in(json.loads(recorded)))
    except (ValueError, RecursionError):
        return recorded


def _said_in(calls: object) -> Iterator[str]:
    """The names and arguments of calls: their ids and types only tie them to their results."""
    for call in calls if isinstance(calls, list) else [calls]:
        told = call.get("function", call) if isinstance(call, dict) else call
        if isinstance(told, dict):
            told = [value for key, value in told.items() if key not in ("id", "type", "index")]
        yield from _leaves(told)


def _leaves(value: object) -> Iterator[str]:
    """The texts in a value of JSON, those in JSON that is written as a text included."""
    match value:
        case str() if value[:1] in "{[" and value:
            try:
                yield from _leaves(json.loads(value))
            except (ValueError, RecursionError):
                yield value
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _leaves(inner)
        case list():
            for inner in value:
                yield from _leaves(inner)
        case int() | float():
            yield str(value)
