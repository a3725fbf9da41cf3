"""What every text passes before it is stored: secrets and personal data are replaced (RECALL-7)."""

from memory.privacy.door import Cleaned, Door, encodable, replaced_in
from memory.privacy.kinds import KINDS, LABELS, Kind, left_out

__all__ = ["KINDS", "LABELS", "Cleaned", "Door", "Kind", "encodable", "left_out", "replaced_in"]
