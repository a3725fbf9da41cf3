"""Snapshots made by hand, for what is drawn from them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory.compaction.triggers import Forecast
from memory.parts import Role, Usage
from memory.snapshot import BreakerView, ContextView, MessageView, Snapshot, SummaryView

LIMIT, TRIGGER = 27_853, 24_576
_PLAIN = Snapshot(
    session="flat",
    session_id="flat",
    title=None,
    agent="default",
    model="m",
    policy="cascade",
    n=0,
    messages=0,
    context=ContextView(32_768, LIMIT, 0, 0, TRIGGER, TRIGGER * 3 // 4, "model", {}),
    verbatim=None,
    window=(),
    short_term=None,
    long_term=None,
    next_compaction=Forecast("count", 88, 9_000, 44),
    automatic_waits=False,
    breaker=BreakerView(open=False, failures=0, reason=None, until=None),
    compactions=0,
    recent_compactions=(),
    running=None,
    usage=Usage(),
    requests=0,
    ratio=1.0,
    cache_hits=0,
    cache_misses=0,
    read_only=False,
)


def talk(first: int, tokens: Sequence[int]) -> tuple[MessageView, ...]:
    """Messages of the user and the model by turns, the odd ones the user's."""
    roles: tuple[Role, Role] = ("assistant", "user")
    return tuple(
        MessageView(number, roles[number % 2], f"words of message {number}", size, False)
        for number, size in enumerate(tokens, start=first)
    )


def summary(first: int, last: int, tokens: int, version: int = 1) -> SummaryView:
    """A summary of the messages `first` to `last`."""
    return SummaryView(
        first, last, tokens, version, "model", "m", "2026-01-01T00:00:00.000Z", "text"
    )


def snapshot_of(
    window: Sequence[MessageView] = (),
    *,
    sections: Mapping[str, int] | None = None,
    short_term: SummaryView | None = None,
    long_term: SummaryView | None = None,
    levels: tuple[int, int] = (LIMIT, TRIGGER),
    unfitted: int | None = None,
    **others: Any,
) -> Snapshot:
    """A snapshot whose figures fit together.

    Args:
        window: The messages that stand verbatim.
        sections: Tokens of further sections.
        short_term: The short-term summary.
        long_term: The long-term summary.
        levels: Limit and trigger.
        unfitted: The prompt with what had to be left out, where something had to.
        others: Fields of the snapshot.
    """
    given = {
        "system": 57,
        "long_term": long_term.tokens if long_term else 0,
        "short_term": short_term.tokens if short_term else 0,
        "messages": sum(message.tokens for message in window),
    } | dict(sections or {})
    used, (limit, trigger) = sum(given.values()), levels
    context = replace(
        _PLAIN.context,
        limit=limit,
        used=used,
        unfitted=used if unfitted is None else unfitted,
        trigger=trigger,
        warning=trigger * 3 // 4,
        sections=given,
    )
    return replace(
        _PLAIN,
        context=context,
        window=tuple(window),
        short_term=short_term,
        long_term=long_term,
        messages=window[-1].number if window else 0,
        **others,
    )
