"""The content store of an open session: what stands outside the prompt, cited (CONT-1)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from memory.content.handles import ItemHandle, MessagesHandle, UnknownItem, parse_handle
from memory.content.handles import item_handle as handle_of
from memory.content.transforms import FIRST_LINES, How, transform
from memory.events import ContentStored, Event, Message
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import ContentItem, ItemType, MessageRef
from memory.privacy import Cleaned, Door
from memory.state import State
from memory.storage.bodies import ERASED

MOST_FOUND = 10
"""Items that a query names (S3)."""


@dataclass(frozen=True, slots=True)
class Content:
    """Stores content and finds it again.

    Items that stand in a message are parts of its body; only what is stored by itself is a text
    of its own.
    """

    journal: Journal

    async def store(
        self, text: str, type: ItemType, source: str = "", tags: Sequence[str] = ()
    ) -> ContentItem:
        """Keeps a text outside the prompt; it is on disk when this returns.

        Args:
            text: What to keep; secrets in it are replaced.
            type: What it is.
            source: Where it came from: a tool's name, `user`, …
            tags: Words to find it by.

        Raises:
            ReadOnly, Conflict, StorageError: It was not stored.
        """
        body, cleaned = new_id(), Door().clean(text)

        def make(state: State) -> tuple[list[Event], Mapping[str, Cleaned]]:
            item = ContentItem(
                id=handle_of(state.content_items + 1),
                type=type,
                body=body,
                chars=len(cleaned.text),
                source=Door().clean(source).text,
                tags=tuple(Door().clean(tag).text for tag in tags),
            )
            return [ContentStored((item,))], {body: cleaned}

        recorded = await self.journal.append(make)
        return cast(ContentStored, recorded[0].event).items[0]

    async def items(self) -> list[ContentItem]:
        """Every item, oldest first."""
        events = await self.journal.log.read(kinds=(ContentStored.KIND,))
        return [item for entry in events for item in cast(ContentStored, entry.event).items]

    async def query(
        self,
        type: ItemType | None = None,
        source: str | None = None,
        tags: Collection[str] = (),
        limit: int = MOST_FOUND,
    ) -> list[ContentItem]:
        """The newest items that are all that is asked for, newest first; data, never the content.

        Args:
            type: Of this type only.
            source: From this source only.
            tags: With all of these tags only.
            limit: At most so many.
        """
        found = [
            item
            for item in reversed(await self.items())
            if type in (None, item.type)
            and source in (None, item.source)
            and set(tags).issubset(item.tags)
        ]
        return found[: max(0, limit)]

    async def retrieve(
        self,
        handle: str,
        how: How = "full",
        *,
        n: int = FIRST_LINES,
        words: Sequence[str] = (),
    ) -> str:
        """What a handle names: a content item, a message, or a run of messages.

        A single message without tool calls is its text and nothing else; several stand one after
        the other, each under its number and role.

        Args:
            handle: As a receipt cites it: `c3`, `m14`, `m14-m16`.
            how: In full or which part; see `transform`.
            n: Lines, for the first and the last ones.
            words: What lines are looked for.

        Raises:
            UnknownItem: There is nothing of that name, or it was forgotten.
            StorageError: The database refused.
        """
        named = parse_handle(handle)
        if isinstance(named, ItemHandle):
            item, text = await self._item(named)
            return transform(text, how, n=n, words=words, type=item.type)
        return transform(await self._messages(named), how, n=n, words=words)

    async def _item(self, named: ItemHandle) -> tuple[ContentItem, str]:
        items = {item.id: item for item in await self.items()}
        item = items.get(named.id)
        if item is None:
            raise UnknownItem(
                f"There is no stored item {named.id} in this session.",
                f"There are c1 to c{len(items)}." if items else "Nothing is stored yet.",
            )
        texts = await self.journal.bodies.texts([item.body])
        text = texts.get(item.body, ERASED)
        if text == ERASED:
            raise UnknownItem(f"{named.id} was forgotten.", "Its text is no longer kept anywhere.")
        return item, text[item.start : item.end]

    async def _messages(self, named: MessagesHandle) -> str:
        last = min(named.last, self.journal.state.messages)
        found = await self.journal.log.messages(named.first, last)
        refs = [cast(Message, entry.event).ref for entry in found]
        if not refs:
            raise _no_messages(named, self.journal.state)
        bodies = {body for ref in refs for body in (ref.body, ref.calls) if body}
        texts = await self.journal.bodies.texts(bodies)
        if len(refs) == 1 and not refs[0].calls:
            return texts[refs[0].body]
        return "\n\n".join(_told(ref, texts) for ref in refs)


def _told(ref: MessageRef, texts: Mapping[str, str]) -> str:
    heading = f"Message {ref.number}, {ref.role}:"
    calls = [f"calls {texts[ref.calls]}"] if ref.calls else []
    return "\n".join([heading, *filter(None, [texts[ref.body]]), *calls])


def _no_messages(named: MessagesHandle, state: State) -> UnknownItem:
    which = (
        f"message {named.first}"
        if named.first == named.last
        else f"messages {named.first} to {named.last}"
    )
    if named.last <= state.before_log:
        return UnknownItem(
            f"The text of {which} is not in this log: the session was restored.",
            "The summaries stand for what came before.",
        )
    first = state.before_log + 1
    has = f"It has {first} to {state.messages}." if state.messages >= first else "It is empty."
    return UnknownItem(f"This session has no {which}.", has)
