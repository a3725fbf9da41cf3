"""What is to be played on the screen: the scenes, and how. Pure."""

from dataclasses import dataclass

from app.lab.scenes import Scene


@dataclass(frozen=True, slots=True)
class Play:
    """A conversation that is to be played.

    Args:
        scenes: What is said.
        speed: Times the usual pace.
        asks: Whether each answer has a request before it, for which the store is searched. A
            replay goes without, as `strata replay` does.
        note: What whoever watches should know first.
    """

    scenes: tuple[Scene, ...]
    speed: float = 1.0
    asks: bool = False
    note: str = ""
