"""Where the user writes: several lines, with a history and completion of commands."""

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key, Paste
from textual.message import Message
from textual.widgets import TextArea

from widgets.figures import short_number
from widgets.plain import printable
from widgets.typed import CommandHint, Typed, completed, matching

LONGEST_INSERTED = 20_000
"""Characters of a paste that are put into the text itself; a longer one stands there by name,
since breaking it into rows would take the screen away for seconds."""


class Composer(TextArea):
    """A text to send. It is emptied only when what was sent is known to be safe."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", id="composer.send"),
        Binding("ctrl+j,shift+enter", "newline", "line", id="composer.newline"),
        Binding("tab", "complete", "complete", id="composer.complete"),
        Binding("ctrl+underscore,super+z", "undo", "undo", show=False, id="composer.undo"),
    ]
    DEFAULT_CSS = """
    Composer {
        height: auto;
        min-height: 1;
        max-height: 33vh;
        padding: 0 1 0 0;
        border: none;
        border-left: outer $stratum-you;
        background: $panel;
        color: $foreground;
        scrollbar-size-vertical: 1;
        &:focus { border: none; border-left: outer $stratum-you; }
        &:disabled { border-left: outer $stratum-dim; }
        & .text-area--cursor-line { background: transparent; }
        & .text-area--placeholder { color: $stratum-dim; }
    }
    """

    class Sent(Message):
        """The user wants this said."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class Hint(Message):
        """What could be typed, or why the text is still here; empty where there is nothing."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, placeholder: str) -> None:
        super().__init__(
            id="composer",
            soft_wrap=True,
            tab_behavior="focus",
            highlight_cursor_line=False,
            placeholder=placeholder,
        )
        self.cursor_blink = False
        self.typed = Typed()
        self.commands: Sequence[CommandHint] = ()
        self._pastes: dict[str, str] = {}
        self._held = ""

    # -- what is in it

    @property
    def message(self) -> str:
        """The text, with what was pasted in full."""
        text = self.text
        for name, pasted in self._pastes.items():
            text = text.replace(name, pasted)
        return text

    @property
    def held(self) -> bool:
        """Whether the text waits to be sent by itself."""
        return bool(self._held) and self._held == self.text

    def hold(self, reason: str) -> None:
        """Keeps the text until it can be sent; changing it takes the wish back."""
        self._held = self.text
        self.post_message(self.Hint(reason))

    def release(self) -> None:
        """Sends a text that was held."""
        if self.held:
            self.action_send()

    def accept(self, sent: str) -> None:
        """Takes away what was sent, now that it is safe; what was typed since stays."""
        self.typed.remember(sent)
        if self.message.startswith(sent):
            names = [name for name, pasted in self._pastes.items() if pasted in sent]
            rest = self.message[len(sent) :]
            for name in names:
                del self._pastes[name]
            self._show(rest)

    # -- keys

    async def on_key(self, event: Key) -> None:
        """Carries out this widget's keys in the order they were typed.

        Textual hands a key that is bound to the application, which comes to it only after
        letters that were typed later: a quick writer's Enter would send the wrong text.
        """
        active = self.screen.active_bindings.get(event.key)
        if active is not None and active.node is self:
            event.stop()
            event.prevent_default()
            await self.run_action(active.binding.action)

    def action_send(self) -> None:
        """Asks for the text to be sent."""
        text = self.message
        if text.strip() and not self.disabled:
            self._held = ""
            self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Breaks the line."""
        self._type("\n")

    def action_complete(self) -> None:
        """Writes out the command that has been begun."""
        text = completed(self.text, self.commands)
        if text is not None:
            self._show(text)

    def action_cursor_up(self, select: bool = False) -> None:
        """One row up; in the first row, the message before."""
        if select or self.wrapped_document.location_to_offset(self.cursor_location).y > 0:
            super().action_cursor_up(select)
        elif (older := self.typed.older(self.message)) is not None:
            self._show(older)

    def action_cursor_down(self, select: bool = False) -> None:
        """One row down; in the last row, the message after."""
        last = self.wrapped_document.height - 1
        if select or self.wrapped_document.location_to_offset(self.cursor_location).y < last:
            super().action_cursor_down(select)
        elif (newer := self.typed.newer()) is not None:
            self._show(newer)

    def on_paste(self, event: Paste) -> None:
        """Takes what was pasted without what a terminal would obey."""
        event.prevent_default()
        event.stop()
        if not self.read_only:
            self._type(self._by_name(printable(event.text)))

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Says what the text could become."""
        event.stop()
        if self._held and not self.held:
            self._held = ""
        if not self.held:
            self.post_message(self.Hint(self._completion()))

    # -- inside

    def _type(self, text: str) -> None:
        result = self.replace(text, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def _show(self, text: str) -> None:
        self.text = self._by_name(text)
        self.move_cursor(self.document.end)

    def _by_name(self, text: str) -> str:
        """The text itself, or the name it stands under where it is too long to be shown."""
        if len(text) <= LONGEST_INSERTED:
            return text
        name = f"[pasted {len(self._pastes) + 1}: {short_number(len(text))} characters]"
        self._pastes[name] = text
        return name

    def _completion(self) -> str:
        found = matching(self.text, self.commands)
        if not found:
            return ""
        first = f"{found[0].usage}  {found[0].description}"
        others = "  ".join(command.name for command in found[1:])
        return f"{first}   {others}" if others else first
