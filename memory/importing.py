"""Takes in conversations of elsewhere, each as a session of its own (STORE-6).

What they say is data: it passes the door like all that is stored, has the origin "import", and
keeps the times at which it was said.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memory import opening, telemetry
from memory.answer import CleanedMessage, NewMessage
from memory.clock import utc_now
from memory.config import MemoryConfig
from memory.errors import StrataError
from memory.events import Event, Imported, Pinned, SessionStarted
from memory.ids import new_id
from memory.journal import Journal, uncounted
from memory.privacy import Cleaned, Door
from memory.results import name_of_call, with_items
from memory.state import State
from memory.storage import arrivals, checkpoints, leases
from memory.storage.arrivals import Arrival, Arrived
from memory.storage.database import Database
from memory.storage.log import Batch, Log, numbered
from memory.vault_reading import KeptPin
from memory.vault_work import KeptTask, KeptWork
from memory.work_restoring import Restored

LONGEST_TITLE = 200
LONGEST_NAME = 100
"""Characters of a model's name."""
DIGEST_SIZE = 16

How = Literal["new", "there", "more", "changed"]


class NothingSaid(StrataError):
    """A conversation without any message."""

    def __init__(self) -> None:
        super().__init__("It holds no messages.")


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """A conversation as another program, or another Strata, has kept it."""

    format: str
    id: str
    """Its id there."""
    title: str
    messages: Sequence[NewMessage]
    marks: Sequence[str] = ()
    """The messages' ids there, one for each, to see later whether it has gone on."""
    started_at: str | None = None
    models: Sequence[str] = ()
    left_out: Mapping[str, int] = field(default_factory=dict)
    """How many of what stays behind."""
    pins: Sequence[KeptPin] = ()
    work: KeptWork = field(default_factory=KeptWork)
    tasks: Sequence[KeptTask] = ()
    own: bool = False
    """Whether its id is that of a session of Strata, which may be here itself."""

    @property
    def source(self) -> str:
        """Which conversation it is, without telling anything of it."""
        return f"{self.format}:{_digest([self.id])}"

    def digest(self, messages: int) -> str:
        """Which messages its first ones are."""
        marks = self.marks or [str(place) for place in range(len(self.messages))]
        return _digest(marks[:messages])


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of a conversation."""

    how: How
    session: str
    """The session's id."""
    messages: int
    """How many messages were added."""


class Importing:
    """Imports into an open database, one conversation after the other.

    Args:
        database: Where to.
        agent: Whose sessions they become.
        config: What holds in them.
        label: What this process is, told to others that want a session.
    """

    def __init__(self, database: Database, agent: str, config: MemoryConfig, label: str) -> None:
        self._database = database
        self._agent = database.door.clean(agent).text
        self._config = config
        self._label = label
        self._here: dict[str, Arrived] | None = None
        self._seen = 0

    async def look(self, conversation: Elsewhere) -> How:
        """What `take` would do with a conversation.

        Raises:
            StorageError: The database refused.
        """
        version = await self._database.data_version()
        if self._here is None or version != self._seen:
            self._seen = version
            self._here = await arrivals.arrived(self._database, self._agent)
        here = self._here.get(conversation.source)
        if here is None:
            own = conversation.own
            return "there" if own and await self._holds(conversation.id) else "new"
        if conversation.digest(here.messages) != here.digest:
            return "changed"
        return "more" if len(conversation.messages) > here.messages else "there"

    @telemetry.operation(
        "memory.import", lambda taken: {"outcome": taken.how, "messages": taken.messages}
    )
    async def take(self, conversation: Elsewhere) -> Taken:
        """Takes in a conversation, or what is new of it: all of that or nothing.

        A session that has gone on otherwise than the conversation stays as it is.

        Raises:
            NothingSaid: There is nothing in it.
            SessionHeld: It is here and open in another program.
            StorageError: The database refused.
        """
        if not conversation.messages:
            raise NothingSaid
        how = await self.look(conversation)
        here = (self._here or {}).get(conversation.source)
        if how == "there":
            return Taken(how, conversation.id if here is None else here.session, 0)
        if here is None:
            made = await self._make(conversation)
            added = 0 if made.before else len(conversation.messages)
            taken = Taken("there" if made.before else "new", made.session, added)
        elif how == "more":
            added = await self._add(conversation, here)
            taken = Taken("more" if added else "changed", here.session, added)
            made = Arrived(
                here.session,
                here.branch,
                here.messages + added,
                conversation.digest(here.messages + added),
            )
        else:
            return Taken(how, here.session, 0)
        if self._here is not None:
            self._here[conversation.source] = made
        return taken

    async def _make(self, conversation: Elsewhere) -> Arrived:
        door, user = self._database.door, opening.user_name()
        called = door.clean(conversation.title)
        title = " ".join(called.text.split())[:LONGEST_TITLE] or None
        said = sorted(message.said_at for message in conversation.messages if message.said_at)
        now = utc_now()
        started = min(conversation.started_at or (said[0] if said else now), now)
        # Looking for secrets in thousands of messages takes longer than a screen may stand still.
        events, bodies = await asyncio.to_thread(_events, conversation, 0, State(), door)
        begun = SessionStarted(self._agent, user, title)
        first, texts = await opening.beginning(self._database, begun, self._config)
        bodies |= texts
        also = uncounted(events, bodies.values(), Counter(called.kinds))
        recorded = numbered([*first, *events, *also], after=0)
        arrival = Arrival(
            user,
            self._agent,
            title,
            started,
            said[-1] if said else now,
            Batch(recorded, bodies),
        )
        return await arrivals.put(self._database, arrival, self._seen)

    async def _add(self, conversation: Elsewhere, here: Arrived) -> int:
        """Appends what is new; 0 where something else was said in the session meanwhile."""
        lease = await leases.acquire(self._database, here.branch, self._label)
        try:
            log = await Log.open(self._database, here.branch)
            state = await checkpoints.state_at(self._database, log)
            journal = Journal(self._database, log, lease, state)
            if state.messages != here.messages:
                return 0
            # In a thread, as in `_make`: the session is ours meanwhile.
            made = await asyncio.to_thread(
                _events, conversation, here.messages, state, self._database.door
            )
            recorded = await journal.append(lambda now: made if now.n == state.n else None)
        finally:
            await leases.release(self._database, lease)
        return len(conversation.messages) - here.messages if recorded else 0

    async def _holds(self, session: str) -> bool:
        return await arrivals.is_there(self._database, session)


def _events(
    conversation: Elsewhere, after: int, state: State, door: Door
) -> tuple[list[Event], dict[str, Cleaned]]:
    """The events of the messages after number `after`, and their texts."""
    news = conversation.messages[after:]
    cleaned = [CleanedMessage.of(new, door) for new in news]
    bodies = {id: text for entry in cleaned for id, text in entry.bodies.items()}
    said = [entry.event(state.messages + place) for place, entry in enumerate(cleaned, start=1)]
    tools = dict(name_of_call(call, door) for new in news for call in new.tool_calls)
    imported = Imported(
        conversation.source,
        len(conversation.messages),
        conversation.digest(len(conversation.messages)),
        tuple(door.clean(name[:LONGEST_NAME]).text for name in conversation.models),
        tuple(sorted(conversation.left_out.items())),
    )
    events: list[Event] = [imported, *with_items(said, [new.kept for new in news], tools, state)]
    if not after:
        events += _pins(conversation, bodies, door)
        events += Restored(bodies, door).events(conversation.work, conversation.tasks)
    return events, bodies


def _pins(conversation: Elsewhere, bodies: dict[str, Cleaned], door: Door) -> list[Event]:
    events: list[Event] = []
    for place, pin in enumerate(conversation.pins, start=1):
        body = new_id()
        bodies[body] = door.clean(pin.text)
        # Later pins are called by the number of their event, which is higher.
        events.append(Pinned(f"p{place}", body, len(bodies[body].text), pin.number, pin.whole))
    return events


def _digest(texts: Sequence[str]) -> str:
    joined = "\0".join(texts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(joined, digest_size=DIGEST_SIZE).hexdigest()
