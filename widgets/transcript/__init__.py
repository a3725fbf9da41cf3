"""The transcript: a long conversation in one widget that holds and draws only what is near."""

from widgets.transcript.blocks import Block
from widgets.transcript.widget import Transcript

__all__ = ["Block", "Transcript"]
