"""What every text passes before it is stored: secrets and personal data are replaced (RECALL-7)."""

from typing import TYPE_CHECKING, Any

from memory.privacy.kinds import KINDS, LABELS, Kind, left_out

if TYPE_CHECKING:
    from memory.privacy.door import Cleaned, Door, encodable, replaced_in

__all__ = ["KINDS", "LABELS", "Cleaned", "Door", "Kind", "encodable", "left_out", "replaced_in"]

_OF_THE_DOOR = ("Cleaned", "Door", "encodable", "replaced_in")


def __getattr__(name: str) -> Any:
    """Loads the door when it is first used: its patterns take a while, and a screen needs none."""
    if name not in _OF_THE_DOOR:
        raise AttributeError(f"module 'memory.privacy' has no attribute {name!r}")
    from memory.privacy import door

    return getattr(door, name)
