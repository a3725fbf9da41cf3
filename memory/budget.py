"""How much a prompt may hold, and at which fill compaction begins (COMPACT-6)."""

import math
from dataclasses import dataclass

from memory.events import ModelChosen
from memory.parts import Thresholds

DEFAULT_WINDOW = 32_768
"""Tokens assumed where nobody knows the model's window."""
RESERVE_SHARE = 0.15
BUFFER_SHARE = 0.10
"""Caps of reserve and buffer as shares of the window: a small model must keep room to talk."""
WARNING_SHARE = 0.75
"""Share of the trigger at which the gauge warns (S2)."""
ESTIMATE_SPARE = 1.10
"""An estimated prompt must fit with this to spare."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The levels of one model's context window, in tokens as the model counts them."""

    window: int
    limit: int
    """The largest prompt: the window less the reserve for the answer."""
    trigger: int
    warning: int
    spare: float = 1.0
    """Factor from our count to a safe count: learned ratio, with room where we estimate."""

    @classmethod
    def of(cls, window: int, thresholds: Thresholds, spare: float = 1.0) -> "Budget":
        """The budget of a window of so many tokens."""
        reserve = min(thresholds.reserve_tokens, round(RESERVE_SHARE * window))
        buffer = min(thresholds.buffer_tokens, round(BUFFER_SHARE * window))
        limit = window - reserve
        trigger = max(1, min(round(thresholds.trigger_share * window), limit - buffer))
        return cls(window, limit, trigger, round(WARNING_SHARE * trigger), spare)

    def fits(self, tokens: int) -> bool:
        """Whether a prompt of so many counted tokens may be sent."""
        return tokens <= self.room

    @property
    def room(self) -> int:
        """The largest counted prompt that fits."""
        return largest_below(self.limit, self.spare)

    @property
    def trigger_at(self) -> int:
        """The counted prompt at which compaction begins."""
        return smallest_at(self.trigger, self.spare)


def largest_below(level: int, spare: float) -> int:
    """The largest count whose safe count does not exceed a level."""
    return math.floor(level / spare)


def smallest_at(level: int, spare: float) -> int:
    """The smallest count whose safe count reaches a level."""
    return math.ceil(level / spare)


def budget_for(
    model: ModelChosen | None,
    thresholds: Thresholds,
    window: int | None,
    ratio: float,
    learned: int | None = None,
) -> Budget:
    """The budget in force: the configured window, else the model's, else the default.

    The embedded model's own window can't be exceeded; what is known of others may be wrong, and
    gives way to what a refusal has taught.

    Args:
        model: The model that answers.
        thresholds: Reserve, buffer and trigger.
        window: The configured window, in tokens.
        ratio: The provider's count over ours.
        learned: The window that the provider told when it refused a request.
    """
    own = model.window if model else None
    chosen = window or own or DEFAULT_WINDOW
    chosen = min(chosen, learned or chosen)
    if model is None:
        return Budget.of(chosen, thresholds)
    if model.counted_by == "model":
        return Budget.of(min(chosen, own or chosen), thresholds)
    room = ESTIMATE_SPARE if model.counted_by == "estimate" else 1.0
    return Budget.of(chosen, thresholds, max(1.0, ratio * room))
