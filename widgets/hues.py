"""Whether hues can be told apart on this terminal."""

from typing import Any

from textual.app import App


def few_hues(app: App[Any]) -> bool:
    """Whether patterns have to do what hues can't: without colour, or with 16.

    The application may know of it by itself, as its attribute `few_hues`.
    """
    return app.no_color or bool(getattr(app, "few_hues", False))
