"""A text with the list of what a begun command could become (CHAT-7)."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import TextArea

from widgets.completion import Completion
from widgets.key_names import key_label
from widgets.typed import CommandHint, Offer, Offering, usage_of


class CompletingText(TextArea):
    """Offers commands while one is begun, in a list above itself that covers what is there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("tab", "complete", "complete", id="composer.complete"),
        Binding("escape", "close", "close", show=False, id="composer.close"),
    ]

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.commands: Sequence[CommandHint] = ()
        self.values: Mapping[str, Sequence[str]] = {}
        """What can stand after a command, by its name with the @."""
        self._offering = Offering()
        self._list: Completion | None = None

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What the text could become; nothing where the list is closed."""
        if not self._begun or not self.has_focus:
            return ()
        return self._offering.of(self.text, self.commands, self.values)

    def choose(self, step: int) -> None:
        """Chooses another offer."""
        self._offering.step(step)
        self.show_offers()

    def show_offers(self) -> None:
        """Brings the list up to date."""
        found = self.offers
        was_open = self._list is not None and self._list.display
        if found and self._list is None and self.parent is not None:
            self._list = Completion(self._take)
            self.screen.mount(self._list, before=self)
        if self._list is not None:
            if found:
                self._list.border_subtitle = self._keys_of_list()
            width, room = self.outer_size.width, self.region.y
            self._list.show(found, self._offering.chosen, width=width, room=room)
        if was_open != bool(found):
            self.refresh_bindings()

    @property
    def usage(self) -> str:
        """How the command is written whose arguments are being typed; empty for none."""
        found = usage_of(self.text, self.commands) if self._begun else None
        return f"{found.usage}  {found.description}" if found else ""

    def offer(self) -> None:
        """Opens the list, where there is something to offer."""
        self._offering.open()
        self.show_offers()

    def put(self, text: str) -> None:
        """Puts a text in the place of all there is; nothing is offered for it."""
        self.text = text
        self._offering.close(text)
        self.move_cursor(self.document.end)

    def take_begun(self) -> bool:
        """Takes what is chosen; returns False where it stands there already, or none is."""
        found, chosen = self.offers, self._offering.chosen
        if not found or chosen is None or found[chosen].text.strip() == self.text:
            return False
        self._take(chosen)
        return True

    def check_action(self, action: str, _: tuple[object, ...]) -> bool | None:
        """There is something to close only while the list is open."""
        return action != "close" or bool(self.offers)

    def action_complete(self) -> None:
        """Takes what is chosen in the list; opens it again where it was closed."""
        if self.offers:
            self._take(self._offering.chosen or 0)
        else:
            self.offer()

    def action_close(self) -> None:
        """Closes the list until the text changes."""
        self._offering.close(self.text)
        self.show_offers()

    def on_focus(self) -> None:
        """Shows the list again."""
        self.show_offers()

    def on_blur(self) -> None:
        """Hides the list: its keys go elsewhere."""
        self.show_offers()

    # -- inside

    @property
    def _begun(self) -> bool:
        return self.document.line_count == 1 and self.document.get_line(0).startswith("@")

    def _take(self, number: int) -> None:
        self.put(self.offers[number].text)
        self.offer()

    def _keys_of_list(self) -> str:
        """How the list is obeyed and left, with the keys there are for it."""
        keys: dict[str, str] = {}
        for active in self.screen.active_bindings.values():
            keys.setdefault(active.binding.id or "", key_label(active.binding.key))
        words = (("composer.complete", "takes it"), ("composer.close", "closes"))
        return " · ".join(f"{keys[name]} {word}" for name, word in words if name in keys)
