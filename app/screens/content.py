"""The content screen: all that is stored outside the prompt, found and read (CONT-1, CONT-2)."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.events import Resize
from textual.widgets import Input, Static

from app.screens.asked_line import AskedLine
from app.screens.content_head import HOWS, ContentFilter, ContentHead
from app.screens.content_rows import (
    NOWHERE,
    Cited,
    about,
    found,
    list_rows,
    title_of,
    types_of,
    with_cited,
)
from app.screens.halves import ListAndDetail
from memory.work_views import ItemView
from widgets.figures import count, short_count
from widgets.hint_line import HintLine, Key
from widgets.long_text import LongText
from widgets.panes.long_list import LongList
from widgets.panes.pane import Pane
from widgets.panes.view import PARTS, PaneView
from widgets.said_line import SaidLine

if TYPE_CHECKING:
    from memory.content.transforms import How

LOW = 18
"""Rows below which only the text of an item is shown of it, not what is told about it."""
KEYS: tuple[Key, ...] = (
    ("asked.save", "save"),
    ("asked.leave", "leave it"),
    ("pane.up pane.down", "item"),
    ("pane.open", "text"),
    ("content.back", "back"),
    ("content.search", "search"),
    ("content.type", "type"),
    ("content.before content.after", "part"),
    ("content.copy", "copy"),
    ("content.tag", "tags"),
    ("content.message", "message"),
)
SEARCH_SECONDS = 0.3
"""After the last key, before contents are searched."""
NO_WORDS = "Search for words first: the lines that hold one of them are shown then."
NO_MESSAGE = "This item stands in no message: it was stored by itself."


class Store(Protocol):
    """Reads stored items."""

    async def items(self) -> tuple[ItemView, ...]:
        """All items, the newest first."""

    async def cited(self, items: Sequence[ItemView]) -> Mapping[str, Cited]:
        """Where the next request shows items."""

    async def inside(self, words: str) -> Collection[str]:
        """Ids of the items that have all words in their content."""

    async def text(self, id: str, how: "How", words: Collection[str]) -> LongText:
        """The text of an item, or a part of it."""

    async def tag(self, item: ItemView, tags: Sequence[str]) -> None:
        """Gives an item these tags, and no others."""


class ContentScreen(ListAndDetail[int]):
    """Lists what is stored and opens it; ends with the message that is to be seen, or None.

    Args:
        store: Reads it.
        copy: Puts a text on the clipboard; the second is what it is.
        chosen: The item to begin with.
    """

    AUTO_FOCUS = "#pane-items"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("slash", "search", "search", id="content.search"),
        Binding("y", "type", "type", id="content.type"),
        Binding("left,h", "part(-1)", "part", id="content.before"),
        Binding("right,l", "part(1)", "part", id="content.after"),
        Binding("c", "copy", "copy", id="content.copy"),
        Binding("t", "tag", "tags", id="content.tag"),
        Binding("m", "message", "message", id="content.message"),
        Binding("escape,f12", "back", "back", id="content.back"),
    ]
    DETAIL = "#pane-item"
    DEFAULT_CSS = """
    ContentScreen {
        & #content-found { height: 2fr; }
        & #content-opened { height: 3fr; }
        & #pane-items { height: 1fr; }
        & #pane-item { height: 1fr; }
        & #content-about { height: auto; max-height: 7; padding: 0 2; color: $stratum-dim; }
        &.-low #content-about { display: none; }
    }
    """

    def __init__(
        self, store: Store, copy: Callable[[str, str], None], chosen: str | None = None
    ) -> None:
        super().__init__()
        self._store = store
        self._do_copy = copy
        self._wanted = chosen or None
        self._items: tuple[ItemView, ...] = ()
        self._cited: Mapping[str, Cited] = {}
        self._type: str | None = None
        self._inside: Collection[str] = ()
        self._how = 0
        self._text: LongText | None = None
        self._shown: tuple[str, int] | None = None
        """The item and the part of it that are read."""

    def compose(self) -> ComposeResult:
        """Head, search, list, the opened item, the keys."""
        yield ContentHead()
        with Container(classes="halves"):
            with Vertical(id="content-found"):
                yield ContentFilter()
                yield LongList("items", "items", "recalled")
            with Vertical(id="content-opened"):
                yield Pane("item", "", "recalled", closable=False)
                yield Static(id="content-about")
        yield SaidLine(id="content-said")
        yield AskedLine()
        yield HintLine(KEYS)

    def on_mount(self) -> None:
        """Reads all items."""
        self._load()

    def on_resize(self, event: Resize) -> None:
        """On a low screen the text comes first."""
        self.set_class(event.size.height < LOW, "-low")

    def memory_changed(self) -> None:
        """Takes in that memory has changed."""
        self._load()

    # -- what the user does

    @on(Pane.Moved)
    def _moved(self, event: Pane.Moved) -> None:
        if event.pane == "items":
            self._open()

    @on(Pane.Opened)
    def _opened(self, event: Pane.Opened) -> None:
        if event.pane == "items":
            self._open()
            self._detail.focus()

    @on(Input.Changed, "#content-filter")
    def _typed(self) -> None:
        self._inside = ()
        self._list_found()
        self._run(self._search(self._words), "search")

    @on(Input.Submitted, "#content-filter")
    def _submitted(self) -> None:
        self._list.focus()

    def action_search(self) -> None:
        """Goes to where one types what is looked for."""
        self._filter.focus()

    def action_type(self) -> None:
        """Lists items of the next type only; after the last, all again."""
        types = (None, *types_of(self._items))
        here = types.index(self._type) if self._type in types else 0
        self._type = types[(here + 1) % len(types)]
        self._list_found()

    def action_part(self, by: int) -> None:
        """Shows another part of the item: all, the beginning, the digest, lines."""
        self._how = (self._how + by) % len(HOWS)
        self.say(NO_WORDS if self._part == "filtered" and not self._words else "")
        self._open()

    def action_copy(self) -> None:
        """Copies what is shown of the item."""
        item = self._item
        if item is not None and self._text is not None and self._shown is not None:
            what = f"{item.id}, {HOWS[self._how][1]}"
            self._do_copy(self._text.text, what)
            self.say(f"Copied: {what} ({count(len(self._text.text), 'character')}).")

    def action_tag(self) -> None:
        """Asks for the tags of the item."""
        item = self._item
        if item is not None:
            self._run(self._tag(item), "tag")

    def action_message(self) -> None:
        """Goes to the message that the item stands in."""
        item = self._item
        if item is not None and item.number is None:
            self.say(NO_MESSAGE)
        elif item is not None:
            self.dismiss(item.number)

    # -- inside

    @property
    def _filter(self) -> ContentFilter:
        return self.query_one(ContentFilter)

    @property
    def _words(self) -> str:
        return self._filter.value

    @property
    def _part(self) -> "How":
        return HOWS[self._how][0]

    @property
    def _item(self) -> ItemView | None:
        return next((item for item in self._items if item.id == self._list.cursor), None)

    def _load(self) -> None:
        self._run(self._read(), "read")

    async def _read(self) -> None:
        items = await self._store.items()
        self._cited = await self._store.cited(items)
        self._items = with_cited(items, self._cited)
        self._list_found()
        if self._words.split():
            self._inside = await self._store.inside(self._words)
            self._list_found()

    async def _search(self, words: str) -> None:
        if words.split():
            await asyncio.sleep(SEARCH_SECONDS)
            self._inside = await self._store.inside(words)
            self._list_found()

    def _list_found(self) -> None:
        """Lists what is found; what was chosen stays, or the newest is."""
        items = found(self._items, self._type, self._words, self._inside)
        total, now = len(self._items), datetime.now(UTC)
        self._list.show(lambda width: list_rows(items, total, width, now))
        ids = [item.id for item in items]
        wanted = self._wanted or self._list.cursor
        self._list.mark(wanted if wanted in ids else next(iter(ids), None))
        self._wanted = None if self._items else self._wanted
        self.query_one(ContentHead).show(len(items), total, self._type)
        self.call_after_refresh(self._show_marked)
        self._open()

    def _open(self) -> None:
        """Shows the chosen item."""
        item = self._item
        self.query_one(ContentHead).part = HOWS[self._how][1]
        if item is None:
            self._shown, self._text = None, None
            self._detail.name_it("")
            self._detail.show(lambda _: PaneView())
            self.query_one("#content-about", Static).update("")
            return
        lines = about(item, self._cited.get(item.id, NOWHERE), datetime.now(UTC))
        self.query_one("#content-about", Static).update(Content("\n".join(lines)))
        words = self._words if self._part == "filtered" else ""
        if self._shown != (item.id, self._how) or words:
            self._shown = item.id, self._how
            self._run(self._read_text(item, self._how, words), "text")

    async def _read_text(self, item: ItemView, how: int, words: str) -> None:
        part, name = HOWS[how]
        text = await self._store.text(item.id, part, words.split())
        if self._shown != (item.id, how):
            return
        self._text = text
        figures = f"{name}{PARTS}{short_count(len(text.text), 'character')}"
        self._detail.name_it(title_of(item))
        self._detail.show(lambda width: PaneView(text.rows(width), figures))
        self._detail.scroll_home(animate=False)

    async def _tag(self, item: ItemView) -> None:
        words = await self.query_one(AskedLine).ask(f"Tags of {item.id}", " ".join(item.tags))
        if words is None:
            return
        tags = tuple(dict.fromkeys(words.replace(",", " ").split()))
        await self._store.tag(item, tags)
        self.say(f"{item.id} has {count(len(tags), 'tag')}.")
        self._load()
