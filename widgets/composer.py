"""Where the user writes: several lines, with a history and completion of commands."""

from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.box_model import BoxModel
from textual.events import Key, Paste
from textual.geometry import Size
from textual.message import Message
from textual.widgets import TextArea

from widgets.completing import CompletingText
from widgets.pastes import Pastes
from widgets.plain import printable
from widgets.typed import Typed

LOW = 20
"""Rows of the screen below which there is no border around the text."""


class Composer(CompletingText):
    """A text to send. It is emptied only when what was sent is known to be safe."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "send", "send", id="composer.send"),
        Binding("ctrl+j,shift+enter", "newline", "line", id="composer.newline"),
        Binding("up", "cursor_up", "up", show=False, id="composer.previous"),
        Binding("down", "cursor_down", "down", show=False, id="composer.next"),
        Binding("ctrl+underscore,super+z", "undo", "undo", show=False, id="composer.undo"),
    ]
    DEFAULT_CSS = """
    Composer {
        height: auto;
        min-height: 1;
        max-height: 33vh;
        padding: 0 1;
        border: round $stratum-dim;
        background: $panel;
        color: $foreground;
        scrollbar-size-vertical: 1;
        &:focus { border: round $stratum-dim; }
        &:disabled:can-focus { opacity: 1; }
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

    class Drafted(Message):
        """The text has changed."""

        def __init__(self, characters: int) -> None:
            super().__init__()
            self.characters = characters
            """Of the text with what was pasted in full."""

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
        self._pastes = Pastes()
        self._held = ""
        self._aside = ""
        self.changing = False
        """Whether the text is one that was sent before, to be sent again in its place."""
        self._slim = False

    # -- what is in it

    @property
    def message(self) -> str:
        """The text, with what was pasted in full."""
        return self._pastes.full(self.text)

    @property
    def unsent(self) -> str:
        """All that is not sent: the text, and what comes back after it."""
        return "\n\n".join(filter(None, (self.message, self._aside)))

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
            rest = self.message[len(sent) :]
            self._pastes.forget(sent)
            self.put(rest or self._aside)
            self._aside = self._aside if rest else ""
            self.changing = False

    def say(self, text: str) -> None:
        """Sends a text that was not typed; what was being written comes back after it."""
        if not self.disabled:
            self._aside = self._aside or self.message
            self.put(text)
            self.action_send()

    def begin(self, text: str) -> None:
        """Puts the beginning of a text here, to be completed."""
        self._aside = self._aside or self.message
        self.put(text)
        self.offer()
        self.focus()

    def change(self, text: str) -> None:
        """Puts a text here to be changed; what was being written comes back after it."""
        if not self.changing:
            self._aside = self._aside or self.message
        self.changing = True
        self.put(text)
        self.focus()

    def bring_back(self, text: str) -> bool:
        """Puts a text here that was begun before; False where it waits for what stands here."""
        if self.text:
            self._aside = "\n\n".join(filter(None, (self._aside, text)))
            return False
        self.put(text)
        return True

    def let_go(self, kept: str) -> None:
        """Takes away all that was here, which is kept elsewhere; what was typed since stays."""
        rest = self.message[len(kept) :] if self.message.startswith(kept) else ""
        self._held = self._aside = ""
        self.changing = False
        self._pastes = Pastes()
        self.put(rest)

    def leave(self) -> None:
        """Takes away what was to be changed, and brings back what was being written."""
        if self.changing:
            self.changing = False
            self.put(self._aside)
            self._aside = ""

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
        """Takes the command that is chosen in the list; else asks for the text to be sent."""
        if self.take_begun():
            return
        text = self.message
        if text.strip() and not self.disabled:
            self._held = ""
            self.post_message(self.Sent(text))

    def action_newline(self) -> None:
        """Breaks the line."""
        self._type("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """One up in the list; one row up; in the first row, the message before."""
        if not select and self.offers:
            self.choose(-1)
        elif select or self.wrapped_document.location_to_offset(self.cursor_location).y > 0:
            super().action_cursor_up(select)
        elif (older := self.typed.older(self.message)) is not None:
            self.put(older)

    def action_cursor_down(self, select: bool = False) -> None:
        """One down in the list; one row down; in the last row, the message after."""
        last = self.wrapped_document.height - 1
        if not select and self.offers:
            self.choose(1)
        elif select or self.wrapped_document.location_to_offset(self.cursor_location).y < last:
            super().action_cursor_down(select)
        elif (newer := self.typed.newer()) is not None:
            self.put(newer)

    def on_paste(self, event: Paste) -> None:
        """Takes what was pasted without what a terminal would obey."""
        event.prevent_default()
        event.stop()
        if not self.read_only:
            self.take(event.text)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Says how long the text is and what it could become."""
        event.stop()
        if self._held and not self.held:
            self._held = ""
        if not self.held:
            self.post_message(self.Hint(self.usage))
        self.post_message(self.Drafted(self._pastes.length(self.text)))
        self.show_offers()

    def take(self, text: str) -> None:
        """Adds a text where the cursor is, as if it were typed or pasted here."""
        self._type(self._pastes.short(printable(text)))

    def put(self, text: str) -> None:
        """Puts a text in the place of all there is; nothing is offered for it."""
        super().put(self._pastes.short(text))

    # -- inside

    def _type(self, text: str) -> None:
        result = self.replace(text, *self.selection, maintain_selection_offset=False)
        self.move_cursor(result.end_location)

    def _get_box_model(
        self, container: Size, viewport: Size, *others: Any, **options: Any
    ) -> BoxModel:
        # A style sheet would leave the border out only after a first layout with it, which on a
        # low screen has no row for the conversation: the reader's place would be lost.
        self._fit(viewport.height)
        return super()._get_box_model(container, viewport, *others, **options)

    def _fit(self, height: int) -> None:
        slim = height < LOW
        if slim and not self._slim:
            self.styles.border = ("none", "transparent")
        elif self._slim and not slim:
            for side in ("top", "right", "bottom", "left"):
                self.styles.clear_rule(f"border_{side}")
        self._slim = slim
