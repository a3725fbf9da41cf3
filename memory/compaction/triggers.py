"""When a compaction is due (COMPACT-6)."""

from dataclasses import dataclass
from typing import Literal

from memory.budget import Budget
from memory.events import Thresholds
from memory.state import State

MESSAGES_A_TURN = 2
"""A question and its answer, for the forecast in turns."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Which trigger comes next, and how far it is, in tokens as they are counted here."""

    trigger: Literal["count", "tokens"]
    in_messages: int
    in_tokens: int
    in_turns: int


def due(state: State, tokens: int, budget: Budget) -> Literal["count", "tokens"] | None:
    """The trigger that holds now, or None.

    Args:
        state: The session's state.
        tokens: The prompt if it were sent now.
        budget: The levels of the model's window.
    """
    thresholds = state.thresholds
    if thresholds is None or thresholds.policy == "none":
        return None
    if state.automatic_waits and tokens <= budget.room:
        return None
    if tokens >= budget.trigger_at:
        return "tokens"
    return "count" if messages_to_count_trigger(state, thresholds) <= 0 else None


def messages_to_count_trigger(state: State, thresholds: Thresholds) -> int:
    """Messages until the count trigger holds: first at both windows plus one, then by `recent`."""
    first = thresholds.immediate_window + thresholds.recent_window + 1
    next_at = max(first, state.folding.last_cascade + thresholds.recent_window)
    return next_at - state.messages


def forecast(state: State, tokens: int, budget: Budget) -> Forecast | None:
    """The next compaction, by the average size of the messages in the window.

    On tokens nothing is folded before there are more messages than always stay.
    """
    thresholds = state.thresholds
    if thresholds is None or thresholds.policy == "none":
        return None
    by_count = max(0, messages_to_count_trigger(state, thresholds))
    in_tokens = max(0, budget.trigger_at - tokens)
    average = max(1, tokens // max(1, len(state.folding.verbatim)))
    stay = min(thresholds.keep_recent, thresholds.immediate_window)
    by_tokens = max(-(-in_tokens // average), stay + 1 - len(state.folding.verbatim))
    trigger: Literal["count", "tokens"] = "tokens" if by_tokens < by_count else "count"
    in_messages = min(by_tokens, by_count)
    return Forecast(trigger, in_messages, in_tokens, -(-in_messages // MESSAGES_A_TURN))
