"""A transcript alone on a screen, with a session behind it that is made up as it is asked for."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual import on
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from themes.strata import DARK, LIGHT
from widgets.entries import Entry, MarkEntry, MessageEntry
from widgets.transcript import Transcript

ANSWERED_SECONDS = 0.004


def message(number: int) -> MessageEntry:
    """A message of one to four rows, at 80 columns."""
    text = f"message number {number} " + "and some more text " * (number % 13)
    return MessageEntry(number, "you" if number % 2 else "strata", text.strip(), ("14:02",))


def stretch(first: int, last: int) -> list[Entry]:
    """Messages, with a mark after every hundredth."""
    entries: list[Entry] = []
    for number in range(first, last + 1):
        entries.append(message(number))
        if number % 100 == 0:
            entries.append(MarkEntry(f"folded {number - 99}–{number}", f"c{number}"))
    return entries


class Reading(App[None]):
    """The transcript, with the last hundred of so many messages."""

    AUTO_FOCUS = None

    def __init__(self, messages: int) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = DARK.name
        self.messages = messages
        self.answering = True
        self.asked: list[tuple[int, int]] = []
        self.copied: list[tuple[str, str]] = []
        self.opened: list[str] = []
        self.pointed: list[str] = []
        self.told: list[str] = []

    def compose(self) -> ComposeResult:
        yield Transcript()

    @property
    def transcript(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def seen(self) -> list[str]:
        lines = [self.transcript.render_line(y).text for y in range(self.transcript.size.height)]
        return [line[1:].rstrip() for line in lines]

    @property
    def numbers(self) -> list[int]:
        """The messages that are here."""
        return [e.number for e in self.transcript.entries if isinstance(e, MessageEntry)]

    def sees(self, number: int) -> bool:
        """Whether the beginning of a message is in sight."""
        return any(f"{row} ".startswith(f"message number {number} ") for row in self.seen)

    def on_mount(self) -> None:
        self.transcript.show(stretch(max(1, self.messages - 99), self.messages))

    @on(Transcript.Wanted)
    def answer(self, event: Transcript.Wanted) -> None:
        self.asked.append((event.first, event.last))
        if not self.answering:
            self.transcript.give_up()
            return
        put = self.transcript.put
        entries = stretch(event.first, event.last)
        self.set_timer(ANSWERED_SECONDS, lambda: put(event.first, event.last, entries))

    @on(Transcript.Copied)
    def note_copied(self, event: Transcript.Copied) -> None:
        self.copied.append((event.text, event.what))

    @on(Transcript.MarkOpened)
    def note_opened(self, event: Transcript.MarkOpened) -> None:
        self.opened.append(event.compaction)

    @on(Transcript.Pointed)
    def note_pointed(self, event: Transcript.Pointed) -> None:
        self.pointed.append(event.text)

    @on(Transcript.Told)
    def note_told(self, event: Transcript.Told) -> None:
        self.told.append(event.text)

    def open_url(self, url: str, *, new_tab: bool = True) -> None:  # noqa: ARG002
        self.opened.append(url)


class Reader:
    """Someone who reads."""

    def __init__(self, app: Reading, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot
        self.transcript = app.transcript

    async def until(self, what: Callable[[], Any]) -> None:
        for _ in range(2000):
            if what():
                return
            await self.pilot.pause(0.005)
        raise AssertionError("\n".join(self.app.seen))

    async def settled(self) -> None:
        """Waits until all that was asked for has come."""
        await self.pilot.pause()
        await self.until(lambda: self.transcript._asked is None)
        await self.pilot.pause()

    async def page(self, pages: float) -> None:
        self.transcript.page(pages)
        await self.settled()


@asynccontextmanager
async def reading(messages: int = 0, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Reader]:
    app = Reading(messages)
    async with app.run_test(size=size) as pilot:
        reader = Reader(app, pilot)
        await reader.settled()
        yield reader
