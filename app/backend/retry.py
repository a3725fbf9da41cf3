"""Which failures are worth sending the request again for, and after what wait."""

from __future__ import annotations

from app.backend.errors import FailureKind, ModelFailure

MOST_RETRIES: dict[FailureKind, int] = {
    "rate_limit": 3,
    "overloaded": 3,
    "server": 2,
    # A server that was silent for the whole timeout will hardly answer a third time.
    "timeout": 1,
    # Nothing listens: once more, in case it is just restarting.
    "refused": 1,
    "cut": 1,
}
"""Kinds that pass by themselves, with how often each is tried again. Nothing else is."""

FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 20.0
LONGEST_ASKED_WAIT_S = 60.0
"""A provider that asks for more than this gets no retry: the user decides."""


def wait_before_retry(
    failure: ModelFailure, attempt: int, jitter: float, *, max_retries: int
) -> float | None:
    """Tells how long to wait before a failed request is sent again.

    The caller asks only while nothing of the answer has arrived.

    Args:
        failure: Why the attempt failed.
        attempt: The number of the attempt that failed, from 1.
        jitter: A number from 0 to 1 that spreads the retries of many clients.
        max_retries: The caller's own cap.

    Returns:
        Seconds to wait, or None when it is not worth it.
    """
    most = min(max_retries, MOST_RETRIES.get(failure.kind, 0))
    if not failure.retryable or attempt > most:
        return None
    if failure.retry_after_s is not None:
        asked = failure.retry_after_s
        return asked if asked <= LONGEST_ASKED_WAIT_S else None
    doubled: float = FIRST_WAIT_S * 2 ** (attempt - 1)
    return min(doubled, LONGEST_WAIT_S) * (1.0 + 0.25 * jitter)
