"""Characters that nobody sees, and that are left out where a text is looked at. Pure."""

UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff"
)
"""As between the brackets of a regular expression: joiners, marks of direction, fillers,
selectors and tags (Unicode's Default_Ignorable_Code_Point)."""
