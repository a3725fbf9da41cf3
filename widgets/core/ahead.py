"""What memory does next, in a few words. Pure."""

from typing import TYPE_CHECKING

from widgets.figures import count, short_number
from widgets.plain import one_line

if TYPE_CHECKING:
    from memory.snapshot import Snapshot


def next_step(snapshot: "Snapshot") -> str:
    """What memory does next, and when."""
    following = snapshot.next_compaction
    waits = _what_it_waits_for(snapshot)
    if waits or following is None:
        return waits
    if not following.in_messages and not following.gains:
        return "folds once there is more to gain"
    if not following.in_messages or not following.in_tokens:
        return "folds next"
    if following.trigger == "tokens" and snapshot.model is None:
        return ""
    if following.trigger == "tokens":
        return f"folds in {short_number(following.in_tokens)} tokens"
    return f"folds in {count(following.in_messages, 'message')}"


def _what_it_waits_for(snapshot: "Snapshot") -> str:
    if snapshot.running is not None:
        return "folding now"
    if snapshot.policy == "none":
        return "nothing is folded (policy none)"
    if snapshot.automatic_waits:
        return "folding waits for @compact-memories"
    if snapshot.breaker.open:
        return f"folding rests: {one_line(snapshot.breaker.reason or 'it failed')}"
    return ""
