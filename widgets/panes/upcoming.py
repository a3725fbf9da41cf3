"""When memory folds next, in words. Pure."""

from typing import TYPE_CHECKING

from widgets.figures import count, short_number
from widgets.plain import one_line

if TYPE_CHECKING:
    from datetime import datetime

    from memory.snapshot import Snapshot

BY_HAND = "@compact-memories folds at once."


def next_fold(snapshot: "Snapshot") -> str:
    """When the next compaction comes, as a figure: `next in 56 messages`; empty if unknown."""
    states = (
        (snapshot.running is not None, "folding now"),
        (snapshot.policy == "none", "off"),
        (snapshot.automatic_waits, "waits"),
        (snapshot.breaker.open, "rests"),
    )
    hindered = next((words for holds, words in states if holds), "")
    following = snapshot.next_compaction
    if hindered or following is None:
        return hindered
    if not following.in_messages:
        return "next is due" if following.gains else "waits for more"
    if following.trigger == "tokens" and snapshot.model is None:
        return ""
    if following.trigger == "tokens":
        return f"next in {short_number(following.in_tokens)} tok"
    return f"next in {count(following.in_messages, 'message')}"


def why_not(snapshot: "Snapshot", now: "datetime") -> str:
    """Why nothing is folded by itself, and the way out; empty where it is."""
    if snapshot.policy == "none":
        return "Policy none: nothing is folded by itself."
    if snapshot.automatic_waits:
        return f"After an undo nothing is folded by itself, unless it must be. {BY_HAND}"
    breaker = snapshot.breaker
    if not breaker.open:
        return ""
    reason = one_line(breaker.reason or "it failed")
    minutes = _minutes_until(breaker.until, now)
    rest = f" for {count(minutes, 'more minute')}" if minutes else ""
    return (
        f"Folding rests{rest} after {count(breaker.failures, 'failure')}, "
        f"the last: {reason.rstrip('.')}. {BY_HAND}"
    )


def first_fold(snapshot: "Snapshot") -> str:
    """When the next cascade comes, as the end of a sentence; empty if it is not known."""
    following = snapshot.next_compaction
    if following is None:
        return ""
    if not following.in_messages:
        return "with the next message" if following.gains else "once there is more to fold"
    if following.trigger == "tokens" and snapshot.model is None:
        return ""
    if following.trigger == "tokens":
        about = short_number(following.in_tokens)
        return f"in about {about} tokens, some {count(following.in_messages, 'message')} from now"
    at = snapshot.messages + following.in_messages
    from_now = f", {following.in_messages:,} from now" if snapshot.messages else ""
    return f"at message {at:,}{from_now}"


def empty_sentence(snapshot: "Snapshot", begins: str, comes: str, now: "datetime") -> str:
    """What stands where a compaction will have left something.

    Args:
        snapshot: Memory.
        begins: What there is not yet: `Nothing folded yet`.
        comes: What brings it: `the first cascade comes`.
        now: The present.
    """
    hindered = why_not(snapshot, now)
    if hindered:
        return f"{begins}. {hindered}"
    if snapshot.running is not None:
        return f"{begins}: it is being folded now."
    when = first_fold(snapshot)
    return f"{begins}: {comes} {when}." if when else f"{begins}."


def _minutes_until(until: str | None, now: "datetime") -> int:
    if until is None:
        return 0
    from datetime import datetime

    seconds = (datetime.fromisoformat(until) - now).total_seconds()
    return max(1, round(seconds / 60))
