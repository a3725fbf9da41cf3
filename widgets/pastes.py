"""Long texts that were pasted and stand by a name in what is written. Pure."""

from widgets.figures import short_number

LONGEST_SHOWN = 20_000
"""Characters of a paste that are put into the text itself; a longer one stands there by name,
since breaking it into rows would take the screen away for seconds."""


class Pastes:
    """The long texts, by their names."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def short(self, text: str) -> str:
        """The text itself, or the name it stands under where it is too long to be shown."""
        if len(text) <= LONGEST_SHOWN:
            return text
        name = f"[pasted {len(self._texts) + 1}: {short_number(len(text))} characters]"
        self._texts[name] = text
        return name

    def full(self, text: str) -> str:
        """A text with what was pasted in full."""
        for name, pasted in self._texts.items():
            text = text.replace(name, pasted)
        return text

    def length(self, text: str) -> int:
        """Characters of `full`, without putting it together."""
        more = (text.count(name) * (len(full) - len(name)) for name, full in self._texts.items())
        return len(text) + sum(more)

    def forget(self, sent: str) -> None:
        """Lets go of what stands in a text that was sent."""
        self._texts = {name: full for name, full in self._texts.items() if full not in sent}
