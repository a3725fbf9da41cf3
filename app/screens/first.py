"""The first start: which model shall answer, asked once; a download goes on in sight (CHAT-3)."""

import asyncio
from collections.abc import Callable
from textwrap import wrap
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Resize
from textual.screen import ModalScreen
from textual.widgets import Button, OptionList, Static
from textual.widgets.option_list import Option

from app.offers.download import Arrived, DownloadStopped
from app.offers.offer import Offers
from app.screens.first_rows import (
    arrived_words,
    bar,
    best,
    heading,
    offer_rows,
)
from memory.errors import StrataError
from widgets.plain import one_line

LOOK_SECONDS = 0.2
LOW = 14
"""Rows below which only the list itself is shown."""
AIRY = 30
"""Rows from which a blank line stands between the places."""
WIDEST = 88
FRAME = 7
"""Cells beside the rows: border, paddings, scrollbar."""
FRAME_ROWS = 6
"""Rows of border and margins, and two for what went wrong."""
ASKED = "Which model shall answer?"
SAFE = "With a model on this machine, nothing you write leaves it."
NOTHING = "None was found here."
LATER = "@model NAME chooses another at any time, [model] in config.toml for good."
KEYS = "⏎ choose   esc later"
FETCHING_KEYS = "⏎ press   esc write meanwhile"
MEANWHILE = "It loads as soon as it is here. You can write meanwhile."
KEPT = "Stopped; what has come is kept."


class OnItsWay(Protocol):
    """A download as the screen sees it."""

    model: str

    @property
    def arrived(self) -> Arrived:
        """How far it is."""

    async def wait(self) -> None:
        """Waits until the model is there."""

    def stop(self) -> None:
        """Stops it."""


class FirstScreen(ModalScreen[str | None]):
    """Offers models; ends with the name of the one chosen, or None for later.

    A model that has to be fetched is fetched in sight. The screen ends with its name once it is
    there, or before, where the user wants to write meanwhile: then the download goes on.

    Args:
        offers: What there is.
        start: Begins or continues the download of a model.
        running: A download that is on its way already.
        kept: What was chosen before, but is not there.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "later", "later", id="first.later"),
        Binding("left,up", "app.focus_previous", show=False),
        Binding("right,down", "app.focus_next", show=False),
    ]
    DEFAULT_CSS = """
    FirstScreen {
        align: center middle;
        background: $background 70%;
        & > Vertical {
            width: 88;
            max-width: 100%;
            height: auto;
            max-height: 100%;
            padding: 0 1;
            background: $panel;
            border: round $stratum-short-term;
            border-title-color: $foreground;
            border-title-style: bold;
            border-subtitle-color: $stratum-dim;
        }
        & .said { height: auto; padding: 0 1; color: $foreground; }
        & .dim { color: $stratum-dim; }
        & #problem { color: $stratum-warning; }
        & OptionList {
            height: auto;
            margin: 1 0;
            padding: 0;
            border: none;
            background: $panel;
            background-tint: transparent;
            scrollbar-size-vertical: 1;
            scrollbar-background: $panel;
            scrollbar-background-hover: $panel;
            scrollbar-background-active: $panel;
            scrollbar-color: $stratum-dim 60%;
            scrollbar-color-hover: $stratum-dim;
            scrollbar-color-active: $stratum-dim;
            & > .option-list--option { padding: 0 1; }
            & > .option-list--option-disabled { color: $foreground; }
            & > .option-list--option-hover { background: $foreground 6%; }
            & > .option-list--option-highlighted {
                color: $foreground;
                background: $stratum-short-term 20%;
                text-style: none;
            }
            &:focus {
                border: none;
                background-tint: transparent;
                & > .option-list--option-highlighted {
                    color: $foreground;
                    background: $stratum-short-term 20%;
                    text-style: none;
                }
            }
        }
        & #fetching { height: auto; display: none; }
        & Horizontal { height: 1; margin: 1 1 0 1; }
        & Button {
            margin-right: 2;
            background: $background;
            color: $foreground;
        }
        & Button:focus {
            background: $stratum-short-term;
            background-tint: transparent;
            color: $background;
            text-style: bold !important;
        }
        &.-fetching #choosing { display: none; }
        &.-fetching #fetching { display: block; }
        & #choosing { height: auto; max-height: 100%; }
        &.-low {
            & > Vertical { border: none; padding: 0; }
            & .dim { display: none; }
            & OptionList { margin: 0; }
            & Horizontal { margin: 0; }
        }
    }
    """

    def __init__(
        self,
        offers: Offers,
        start: Callable[[str], OnItsWay],
        running: OnItsWay | None = None,
        kept: str | None = None,
    ) -> None:
        super().__init__()
        self._offers = offers
        self._start = start
        self._download = running
        self._kept = kept
        self._waiting: asyncio.Task[None] | None = None
        self._marked: int | None = None

    def compose(self) -> ComposeResult:
        """The list of offers, and the download in its place."""
        with Vertical() as panel:
            panel.border_title = ASKED
            with Vertical(id="choosing"):
                safe = SAFE if self._offers.all else NOTHING
                yield Static(safe, classes="said dim", markup=False)
                yield Static(id="problem", classes="said", markup=False)
                yield OptionList(markup=False)
                yield Static(LATER, classes="said dim", markup=False)
            with Vertical(id="fetching"):
                yield Static(id="bar", classes="said", markup=False)
                yield Static(id="figures", classes="said dim", markup=False)
                yield Static(MEANWHILE, classes="said dim", markup=False)
                with Horizontal():
                    yield Button("Write meanwhile", id="meanwhile", compact=True)
                    yield Button("Stop", id="stop", compact=True)

    def on_mount(self) -> None:
        """Shows what there is."""
        self.set_interval(LOOK_SECONDS, self._look)
        self._say("")
        self._fill()
        if self._download is not None:
            self._fetch(self._download)
        else:
            self.query_one(OptionList).focus()

    def on_resize(self, event: Resize) -> None:
        """Leaves everything but the list out where there is hardly room for it."""
        low = event.size.height < LOW
        self.set_class(low, "-low")
        self._look()
        chooser = self.query_one(OptionList)
        # What stands above and below the list must stay in sight, however long it is.
        said = 0 if low else FRAME_ROWS + sum(self._height(text) for text in (SAFE, LATER))
        chooser.styles.max_height = max(1, event.size.height - said)
        highlighted = chooser.highlighted
        self._fill()
        if highlighted is not None:
            chooser.highlighted = highlighted

    # -- the list

    def _fill(self) -> None:
        """Puts the offers into the list, each place under its heading."""
        options: list[Option] = []
        place = None
        for index, offer in enumerate(self._offers.all):
            if offer.place != place:
                place = offer.place
                above = bool(options) and self.size.height >= AIRY
                options.append(Option(heading(place, self._offers, above=above), disabled=True))
            marked = index == self._marked
            options.append(Option(self._rows(index, marked=marked), id=str(index)))
        chooser = self.query_one(OptionList)
        chooser.clear_options()
        chooser.add_options(options)
        if self._offers.all:
            first = chooser.get_option_index(str(best(self._offers, self._kept)))
            chooser.highlighted = first
        if self._download is None:
            self._panel.border_subtitle = KEYS

    def _rows(self, index: int, *, marked: bool) -> Content:
        offers = self._offers.all
        same = [offer for offer in offers if offer.place == offers[index].place]
        return offer_rows(offers[index], same, self._width - FRAME, marked=marked)

    def _height(self, text: str) -> int:
        return len(wrap(text, max(8, self._width - FRAME)))

    @property
    def _width(self) -> int:
        return min(WIDEST, self.size.width)

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        if self._marked is not None:
            self._mark(self._marked, marked=False)
        self._marked = int(event.option_id or 0)
        self._mark(self._marked, marked=True)

    def _mark(self, index: int, *, marked: bool) -> None:
        rows = self._rows(index, marked=marked)
        self.query_one(OptionList).replace_option_prompt(str(index), rows)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        offer = self._offers.all[int(event.option_id or 0)]
        if offer.place == "download":
            self._fetch(self._start(offer.model))
        else:
            self.dismiss(offer.model)

    # -- the download

    def _fetch(self, download: OnItsWay) -> None:
        self._download = download
        title = next((o.title for o in self._offers.all if o.model == download.model), "The model")
        self.add_class("-fetching")
        self._panel.border_title = Content(f"Fetching {one_line(title)}")
        self._panel.border_subtitle = FETCHING_KEYS
        self._look()
        self.query_one("#meanwhile").focus()
        self._waiting = asyncio.create_task(self._arrive(download))

    async def _arrive(self, download: OnItsWay) -> None:
        try:
            await download.wait()
        except DownloadStopped:
            self._back(KEPT)
        except StrataError as error:
            self._back(str(error))
        else:
            self.dismiss(download.model)

    def _back(self, problem: str) -> None:
        """To the list again, with what happened above it."""
        self._download = None
        self.remove_class("-fetching")
        self._panel.border_title = ASKED
        self._panel.border_subtitle = KEYS
        self._say(problem)
        self.query_one(OptionList).focus()

    def _look(self) -> None:
        if self._download is None or not self.is_mounted:
            return
        arrived = self._download.arrived
        line = self.query_one("#bar", Static)
        line.update(bar(arrived, self._width - FRAME))
        self.query_one("#figures", Static).update(Content(arrived_words(arrived)))

    @on(Button.Pressed, "#meanwhile")
    def _meanwhile(self) -> None:
        if self._download is not None:
            self.dismiss(self._download.model)

    @on(Button.Pressed, "#stop")
    def _stop(self) -> None:
        if self._download is not None:
            self._download.stop()

    # -- all of it

    def action_later(self) -> None:
        """Opens the chat; a download goes on beside it."""
        self.dismiss(self._download.model if self._download is not None else None)

    def on_unmount(self) -> None:
        """Leaves a download to who started it."""
        if self._waiting is not None:
            self._waiting.cancel()

    @property
    def _panel(self) -> Vertical:
        return self.query(Vertical).first()

    def _say(self, problem: str) -> None:
        said = self.query_one("#problem", Static)
        said.update(Content(one_line(problem)))
        said.display = bool(problem)
