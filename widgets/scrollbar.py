"""How a scrollbar looks beside text: narrow and faint, on the ground of what it scrolls."""


def thin_scrollbar(selector: str, ground: str = "$background") -> str:
    """A rule of CSS for what scrolls.

    Args:
        selector: What scrolls.
        ground: Its colour, or the name of one.
    """
    return f"""
    {selector} {{
        scrollbar-size-vertical: 1;
        scrollbar-color: $stratum-dim 50%;
        scrollbar-color-hover: $stratum-dim;
        scrollbar-color-active: $stratum-dim;
        scrollbar-background: {ground};
        scrollbar-background-hover: {ground};
        scrollbar-background-active: {ground};
    }}
    """
