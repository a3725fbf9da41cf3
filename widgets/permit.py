"""A question above the composer: whether a tool may do what it wants to do, word for word."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import Click, Key, Paste
from textual.widgets import Static

from widgets.composer import Composer
from widgets.key_names import key_label
from widgets.plain import one_line, printable, to_the_letter
from widgets.wrapping import wrap

Verdict = Literal["no", "once", "always"]
VERDICTS: tuple[Verdict, ...] = ("no", "once", "always")
GUARD_SECONDS = 0.4
"""So long nothing may have been typed before a key is an answer: it may be meant for a text."""
NARROW = 48
"""Columns below which the answers are short."""
LOW = 16
"""Rows of the terminal below which there is no frame."""
SHARE = 60
"""Percent of the terminal's rows that the question may take."""
FRAME, FRAME_ROWS = 4, 4
"""Columns of the frame with its padding; rows of the frame and of the answers."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked."""

    tool: str
    question: str
    subject: str
    """What would be done, to the letter."""
    where: str = ""
    always: str = "Always for this tool"
    """The answer that holds from now on."""


class Permit(Vertical, can_focus=True):
    """Asks; the safe answer stands first and is chosen.

    Args:
        asked: What.
        answer: Takes the answer, once.
        composer: Where all goes on that is written and is no answer.
        following: How many questions wait behind it.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "answer('no')", "no", id="permit.no"),
        Binding("o", "answer('once')", "once", id="permit.once"),
        Binding("a", "answer('always')", "always", id="permit.always"),
        Binding("enter", "take", "answer", id="permit.take"),
        Binding("left", "step(-1)", show=False),
        Binding("right", "step(1)", show=False),
        Binding("up", "scroll_by(-1)", show=False),
        Binding("down", "scroll_by(1)", show=False),
    ]
    DEFAULT_CSS = """
    Permit {
        height: auto;
        padding: 0 1;
        background: $panel;
        border: round $stratum-warning;
        border-title-color: $stratum-warning;
        border-subtitle-color: $stratum-dim;
        & Static { height: auto; color: $foreground; }
        & > VerticalScroll {
            height: auto;
            margin: 0;
            padding: 0 1;
            background: $background;
            scrollbar-size-vertical: 1;
            scrollbar-background: $background;
            scrollbar-background-hover: $background;
            scrollbar-color: $stratum-dim 60%;
        }
        & > .where { color: $stratum-dim; }
        & > Horizontal { height: auto; margin-top: 1; }
        & .answer { width: auto; padding: 0 2; margin-right: 1; background: $background; }
        & .-chosen { color: $foreground; text-style: bold; }
        &:focus .-chosen {
            background: $stratum-short-term;
            color: $background;
        }
        &.-narrow .answer { padding: 0 1; margin-right: 0; }
        &.-low {
            border: none;
            & > .question { display: none; }
            & > .where { display: none; }
            & > Horizontal { margin-top: 0; }
        }
    }
    """

    def __init__(
        self,
        asked: Asked,
        answer: Callable[[Verdict], None],
        composer: Composer,
        following: int = 0,
    ) -> None:
        super().__init__()
        self.asked = asked
        self._answer = answer
        self._composer = composer
        self._following = following
        self.chosen: Verdict = "no"
        self.takes_keys = False
        """Whether it has the keys as soon as it stands, unless something was written since."""
        self._unsought = False
        """Whether it has the keys though nobody went to it."""
        self._quiet_since = time.monotonic()
        self._answered = False
        self.border_title = Content(f"{one_line(asked.tool)} asks")

    def compose(self) -> ComposeResult:
        """The question, what it is about, and the answers."""
        asked = self.asked
        yield Static(Content(printable(asked.question)), classes="question")
        with VerticalScroll(can_focus=False):
            yield Static(Content.assemble(*_shown(asked.subject)))
        if asked.where:
            yield Static(Content.assemble("in ", *_shown(asked.where)), classes="where")
        with Horizontal():
            yield Choice("no", "No")
            yield Choice("once", "Once")
            yield Choice("always", one_line(asked.always))

    def on_mount(self) -> None:
        """Begins with the safe answer."""
        self._quiet_since = time.monotonic()
        self._choose("no")
        if self.takes_keys and not self._composer.text:
            self._unsought = True
            self.screen.set_focus(self, scroll_visible=False)

    def on_resize(self) -> None:
        """Stands in the room there is."""
        self.fit(self.outer_size.width, self.app.size.height)

    def fit(self, width: int, height: int) -> None:
        """Takes no more room than there is: the answers stay in sight.

        Args:
            width: Columns of the conversation.
            height: Rows of the terminal.
        """
        if not self.query(Choice):
            return
        low, narrow = height < LOW, width < NARROW
        self.set_class(low, "-low")
        self.set_class(narrow, "-narrow")
        always = "Always" if narrow else one_line(self.asked.always)
        self.query(Choice).last().update(Content(always))
        said = [] if low else [self.asked.question, f"in {self.asked.where}"]
        around = sum(len(wrap(printable(text), max(2, width - FRAME))) for text in said)
        most = height // 4 if low else height * SHARE // 100 - around - FRAME_ROWS
        self._box.styles.max_height = max(1, most)
        self.call_after_refresh(self._say_length)

    def tell_following(self, following: int) -> None:
        """Says how many questions wait behind this one."""
        self._following = following
        self._say_length()

    # -- keys

    def on_key(self, event: Key) -> None:
        """Hands what is being written to the composer, and takes nothing of it as an answer.

        The keys go there with it: whoever pauses and writes on would answer otherwise.
        """
        if not (event.is_printable or event.key == "enter"):
            return
        if self._answers(event.key):
            return
        self._quiet_since = time.monotonic()
        event.stop()
        event.prevent_default()
        if event.is_printable and event.character:
            self._write(event.character)

    def on_paste(self, event: Paste) -> None:
        """Hands on what is pasted: it is no answer."""
        event.stop()
        self._quiet_since = time.monotonic()
        self._write(event.text)

    def action_answer(self, verdict: Verdict) -> None:
        """Answers."""
        if not self._answered:
            self._answered = True
            self._choose(verdict)
            self._answer(verdict)

    def action_take(self) -> None:
        """Answers with what is chosen."""
        self.action_answer(self.chosen)

    def action_step(self, by: int) -> None:
        """Chooses the answer beside the chosen one."""
        place = VERDICTS.index(self.chosen) + by
        self._choose(VERDICTS[max(0, min(place, len(VERDICTS) - 1))])

    def action_scroll_by(self, rows: int) -> None:
        """Shows more of what would be done."""
        self._box.scroll_relative(y=rows, animate=False, immediate=True)

    def on_focus(self) -> None:
        """Says no more how to come here."""
        self._say_length()

    def on_blur(self) -> None:
        """Says how to come back; who does so goes to it."""
        self._unsought = False
        self._say_length()

    # -- inside

    def _answers(self, key: str) -> bool:
        """Whether a key is meant for the question."""
        binding = self.screen.active_bindings.get(key)
        bound = binding is not None and binding.node is self
        guarded = time.monotonic() - self._quiet_since < GUARD_SECONDS
        writing = self._unsought and bool(self._composer.text)
        # A key may have been on its way here when another one moved the focus.
        return bound and self.screen.focused is self and not guarded and not writing

    def _write(self, text: str) -> None:
        self._composer.take(text)
        self.screen.set_focus(self._composer, scroll_visible=False)

    def _choose(self, verdict: Verdict) -> None:
        self.chosen = verdict
        for choice in self.query(Choice):
            choice.set_class(choice.verdict == verdict, "-chosen")

    def _say_length(self) -> None:
        """Says what is not in sight, and how many questions wait."""
        if not self.is_mounted:
            return
        told = []
        if self._box.max_scroll_y > 0:
            told.append("↑↓ shows all of it")
        if self._following:
            told.append(f"{self._following} more after this")
        # Its own word for having the keys changes only after it was told of it.
        if self.screen.focused is not self:
            told.append(f"{self._way_here()} answers it")
        self.border_subtitle = Content(" · ".join(told))

    def _way_here(self) -> str:
        """The key that goes to the question."""
        held = self.screen.active_bindings.values()
        keys = [one.binding.key for one in held if one.binding.id == "chat.next_region"]
        return key_label(keys[0]) if keys else "F6"

    @property
    def _box(self) -> VerticalScroll:
        return self.query_one(VerticalScroll)


class Choice(Static):
    """An answer that can be clicked."""

    def __init__(self, verdict: Verdict, word: str) -> None:
        super().__init__(Content(word), classes="answer")
        self.verdict: Verdict = verdict

    def on_click(self, event: Click) -> None:
        """Answers."""
        event.stop()
        permit = self.query_ancestor(Permit)
        permit.action_answer(self.verdict)


def _shown(text: str) -> Iterator[tuple[str, str]]:
    for part, escaped in to_the_letter(text):
        yield part, "$stratum-warning bold" if escaped else ""
