"""When compaction rests: failures in a row, the hidden ones among them (COMPACT-7)."""

from dataclasses import dataclass

from memory.events import Compacted

THRASH_DISTANCE = 3
"""Messages: a compaction due again this soon did not help (COMPACT-7)."""

LEAST_SAVING = 0.10
"""Share of the prompt that a compaction must save not to count as a failure (COMPACT-7)."""


@dataclass(frozen=True, slots=True)
class Breaker:
    """Failures of compaction in a row, and since when the model is no longer asked by itself."""

    failures: int = 0
    opened_at: str | None = None
    reason: str | None = None

    def failed(self, reason: str, most: int, at: str) -> "Breaker":
        """After one more failure.

        Args:
            reason: Why, in words.
            most: Failures in a row that open it.
            at: When it failed (UTC).
        """
        failures = self.failures + 1
        return Breaker(failures, at if failures >= most else None, reason)

    def compacted(self, event: Compacted, last_cascade: int, most: int, at: str) -> "Breaker":
        """After a compaction that went through; it may count as a failure all the same.

        Args:
            event: The compaction.
            last_cascade: Newest message when the one before it was planned; 0 for none.
            most: Failures in a row that open it.
            at: When it was done (UTC).
        """
        if not event.folds:
            # The breaker guards the model; what is done by rule says nothing about it.
            return self
        reason = _hidden_failure(event, last_cascade)
        if reason and event.trigger != "manual":
            return self.failed(reason, most, at)
        return Breaker()


def _hidden_failure(event: Compacted, last_cascade: int) -> str | None:
    """Why a compaction that went through still counts as a failure."""
    if event.failures and event.by == "rule":
        return event.failures[-1]
    if event.tokens_before - event.tokens_after < LEAST_SAVING * event.tokens_before:
        return "less than 10 % was saved"
    distance = event.message - last_cascade
    if event.trigger == "tokens" and last_cascade and distance <= THRASH_DISTANCE:
        return "it was due again within three messages"
    return None
