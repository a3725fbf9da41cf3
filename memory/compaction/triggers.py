"""When a compaction is due (COMPACT-6)."""

from dataclasses import dataclass
from typing import Literal

from memory.budget import WARNING_SHARE, Budget
from memory.compaction.plan import plan_fold, situation
from memory.compaction.policies import Policy, Situation, find
from memory.prompt import prompt_tokens
from memory.state import State
from memory.tokens import Tally

MESSAGES_A_TURN = 2
"""A question and its answer, for the forecast in turns."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Which trigger comes next, and how far it is, in tokens as they are counted here."""

    trigger: Literal["count", "tokens"]
    in_messages: int
    in_tokens: int
    in_turns: int
    gains: bool = True
    """Whether there is enough to fold; where it is due and there is not, messages wait for more."""


@dataclass(frozen=True, slots=True)
class Levels:
    """Where compaction begins and where it is warned of, in tokens as the model counts them."""

    trigger: int
    warning: int


def due(state: State, tally: Tally, budget: Budget) -> Literal["count", "tokens"] | None:
    """The trigger that holds now, or None."""
    policy = _acting(state)
    if policy is None:
        return None
    tokens = prompt_tokens(state, tally)
    if state.automatic_waits and tokens <= budget.room:
        return None
    seen = situation(state, tally, budget, policy, tokens)
    if tokens >= budget.trigger_at or _passes(policy, seen):
        return "tokens"
    return "count" if policy.next_folding(seen) <= state.messages else None


def over_trigger(state: State, tally: Tally, budget: Budget) -> bool:
    """Whether the prompt itself has reached the trigger, and not only a policy's own level."""
    return prompt_tokens(state, tally) >= budget.trigger_at


def levels(state: State, tally: Tally, budget: Budget) -> Levels:
    """The levels in force: the model's, or the policy's own where those are lower."""
    policy = _acting(state)
    if policy is None or policy.conversation_tokens is None:
        return Levels(budget.trigger, budget.warning)
    whole = prompt_tokens(state, tally)
    seen = situation(state, tally, budget, policy, whole)
    beside = whole - seen.conversation
    own = round((beside + policy.conversation_tokens + 1) * budget.spare)
    trigger = min(budget.trigger, own)
    warned = policy.warning_tokens or round(WARNING_SHARE * policy.conversation_tokens)
    return Levels(trigger, min(budget.warning, round((beside + warned) * budget.spare), trigger))


def forecast(state: State, tally: Tally, budget: Budget) -> Forecast | None:
    """The next compaction, by the average size of the messages in the window.

    On tokens nothing is folded before there are more messages than always stay.
    """
    policy = _acting(state)
    if policy is None:
        return None
    tokens = prompt_tokens(state, tally)
    seen = situation(state, tally, budget, policy, tokens)
    by_count = max(0, policy.next_folding(seen) - state.messages)
    in_tokens = max(0, budget.trigger_at - tokens)
    if policy.conversation_tokens is not None:
        in_tokens = min(in_tokens, max(0, policy.conversation_tokens + 1 - seen.conversation))
    average = max(1, tokens // max(1, len(state.folding.verbatim)))
    floor = min(seen.thresholds.keep_recent, seen.thresholds.immediate_window)
    by_tokens = max(-(-in_tokens // average), floor + 1 - len(state.folding.verbatim))
    trigger: Literal["count", "tokens"] = "tokens" if by_tokens < by_count else "count"
    in_messages = min(by_tokens, by_count)
    gains = bool(in_messages) or trigger == "tokens" or _gains(state, tally, budget)
    return Forecast(trigger, in_messages, in_tokens, -(-in_messages // MESSAGES_A_TURN), gains)


def _gains(state: State, tally: Tally, budget: Budget) -> bool:
    return plan_fold(state, tally, budget, "count") is not None


def keeps_one_summary(state: State) -> bool:
    """Whether the policy in force keeps one running summary."""
    return state.thresholds is not None and find(state.thresholds.policy).summaries == "one"


def _acting(state: State) -> Policy | None:
    """The policy in force, unless it never compacts by itself."""
    if state.thresholds is None:
        return None
    policy = find(state.thresholds.policy)
    return policy if policy.acts else None


def _passes(policy: Policy, seen: Situation) -> bool:
    most = policy.conversation_tokens
    return most is not None and seen.conversation > most
