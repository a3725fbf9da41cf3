"""What requests teach: how the provider counts, and how much its model takes."""

from memory.events import RequestEnded, RequestRefused

RATIO_WEIGHT = 0.3
"""Weight of the newest request in the learned ratio of the provider's count to ours."""

REFUSED_SHARE = 0.9
"""Part of a refused prompt that is taken for the window where the provider gives no number."""

LEAST_WINDOW = 1_000
"""Tokens below which a refusal speaks of something else than the model's window."""

MOST_RATIO = 4.0
"""Highest ratio that a refusal can teach: a token for each character that we took for a quarter."""


def ratio_after(ratio: float, event: RequestEnded) -> float:
    """The provider's count over ours, once a request has ended."""
    if event.outcome != "ok" or not event.counted or not event.usage.input:
        return ratio
    return ratio + RATIO_WEIGHT * (event.usage.input / event.counted - ratio)


def ratio_after_refusal(ratio: float, event: RequestRefused) -> float:
    """The ratio after a refusal: never smaller than what the refused request tells."""
    if not event.sent_tokens or not event.counted:
        return ratio
    return max(ratio, min(MOST_RATIO, event.sent_tokens / event.counted))


def window_after_refusal(window: int | None, event: RequestRefused) -> int | None:
    """The smallest window in tokens that refusals have told; None while none was told."""
    known = [value for value in (window, _told_window(event)) if value is not None]
    return min(known, default=None)


def _told_window(event: RequestRefused) -> int | None:
    """The window that a refusal tells; None where it would not be believed."""
    told = event.limit_tokens or round(REFUSED_SHARE * event.counted)
    return told if told >= LEAST_WINDOW else None


SPEED_WEIGHT = 0.5
"""Weight of the newest request in the learned reading speed."""
LEAST_READ = 200
"""Tokens that a model must have read anew for the time to tell how fast it reads."""


def speed_after(speed: float | None, event: RequestEnded) -> float | None:
    """Tokens a second that the model reads, once a request has ended; None while nobody knows."""
    read = event.usage.input - event.usage.cached
    if event.outcome != "ok" or read < LEAST_READ or not event.first_token_s:
        return speed
    now = read / event.first_token_s
    return now if speed is None else speed + SPEED_WEIGHT * (now - speed)
