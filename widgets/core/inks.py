"""The inks of the core and of the gauge: one hue a stratum."""

HUES = {
    "system": "$stratum-system",
    "files": "$stratum-files",
    "tools": "$stratum-working 75%",
    "long-term": "$stratum-long-term",
    "short-term": "$stratum-short-term",
    "window-you": "$stratum-you",
    "window-model": "$stratum-model",
    "window-tool": "$stratum-working",
    "window-system": "$stratum-system",
    "draft": "$stratum-you",
    "answer": "$stratum-model",
    "working": "$stratum-working",
    "facts": "$stratum-facts",
    "recalled": "$stratum-recalled",
    "over": "$stratum-lost",
    "trigger": "$stratum-warning",
}
"""Each ink with its variable of the theme."""


def inks_css(prefix: str, **others: str) -> str:
    """The rules that colour the component classes `<prefix>--<ink>`.

    Args:
        prefix: Of the widget's component classes.
        others: Further inks, `_` for `-`, or other hues.
    """
    hues = HUES | {ink.replace("_", "-"): hue for ink, hue in others.items()}
    return "\n".join(f"& > .{prefix}--{ink} {{ color: {hue}; }}" for ink, hue in hues.items())
