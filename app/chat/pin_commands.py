"""The @commands about what stays in the prompt word for word (COMPACT-14)."""

import re
from collections.abc import AsyncGenerator

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import Happening, Reported
from memory.snapshot import PinView
from memory.state import Pin
from widgets.figures import count
from widgets.plain import short_line

NUMBER = re.compile(r"[+-]?\d+")
SHOWN = 80
"""Characters of a pin in the list."""
NOTHING = "Nothing is pinned. @pin NUMBER keeps a message, @pin TEXT a sentence, word for word."


async def _pin(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    pinning = conversation.memory.pinning
    if not argument:
        yield Reported("Say what: @pin NUMBER keeps a message, @pin TEXT a sentence.", "note")
    elif NUMBER.fullmatch(argument):
        pin = await pinning.pin_message(int(argument))
        yield Reported(f"Message {pin.number} stays word for word. {_undo(pin)}")
    else:
        pin = await pinning.pin_text(argument)
        yield Reported(f"The sentence stays word for word. {_undo(pin)}")


async def _unpin(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    pinning = conversation.memory.pinning
    if not argument:
        yield Reported("Say which: @unpin NUMBER. @pins lists what is pinned.", "note")
        return
    of_message = {str(pin.number): pin.id for pin in pinning.pins() if pin.whole}
    pin = await pinning.unpin(of_message.get(argument, argument))
    what = f"Message {pin.number}" if pin.whole else "The sentence"
    yield Reported(f"{what} is no longer pinned.")


async def _pins(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    pins = conversation.memory.snapshot().pins
    if not pins:
        yield Reported(NOTHING, "note")
        return
    width = max(len(pin.id) for pin in pins)
    tokens = sum(pin.tokens for pin in pins)
    lines = [f"{pin.id:<{width}}  {_told(pin)}" for pin in pins]
    total = f"{count(len(pins), 'pin')}, {count(tokens, 'token')}. @unpin lets go of one."
    yield Reported("\n".join((*lines, total)))


def _told(pin: PinView) -> str:
    number = f"message {pin.number}" if pin.number is not None else "sentence"
    whole = "" if pin.whole or pin.number is None else "from "
    return f"{whole}{number} ({count(pin.tokens, 'token')}): {short_line(pin.text, SHOWN)}"


def _undo(pin: Pin) -> str:
    return f"@unpin {pin.number if pin.whole else pin.id} lets go of it."


PIN_COMMANDS = (
    Command("pin", "WHAT", "keep a message or a sentence word for word", _pin),
    Command("unpin", "WHAT", "let go of a pinned message or sentence", _unpin),
    Command("pins", "", "what is pinned", _pins),
)
