"""What the user prefers and where the last session was held: known across sessions (GOAL-7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memory import telemetry
from memory.events import Event, Recorded
from memory.ids import new_id
from memory.journal import Journal
from memory.notebook import checked_name
from memory.state import State
from memory.storage.agents import Agents
from memory.storage.bodies import Bodies
from memory.work_events import PreferenceSet, PreferencesSeen, WorkspaceUsed
from memory.work_keeping import WorkError, WorkKeeping, Writing
from memory.work_parts import Preference, Text

LONGEST = 300
"""Characters of a preference: all of them may stand in every prompt."""
MOST = 30


@dataclass(frozen=True, slots=True)
class Known:
    """What an agent knows from all of its sessions."""

    preferences: Mapping[str, str] = field(default_factory=dict)
    workspace: str = ""
    """The folder of the session held last."""


class Preferences:
    """Reads and writes what outlives the session; the session sees it by an event of its own."""

    def __init__(self, keeping: WorkKeeping) -> None:
        self._keeping = keeping

    async def known(self) -> Known:
        """What the session's agent knows.

        Raises:
            StorageError: The database refused.
        """
        journal = self._keeping.journal
        agents, agent = Agents(journal.database), _agent(journal)
        recorded = await agents.read(agent, PreferenceSet)
        recorded += await agents.newest(agent, WorkspaceUsed)
        texts = await Bodies(journal.database).texts(_bodies(recorded))
        preferences: dict[str, str] = {}
        workspace = ""
        for entry in recorded:
            match entry.event:
                case PreferenceSet(name=name, text=None):
                    preferences.pop(name, None)
                case PreferenceSet(name=name, text=Text(body=body)):
                    preferences[name] = texts[body]
                case WorkspaceUsed(text=Text(body=body)):
                    workspace = texts[body]
        return Known(preferences, workspace)

    @telemetry.operation("memory.preference.set")
    async def set(self, name: str, text: str) -> None:
        """Notes a preference of the user.

        Raises:
            WorkError: The name or the text can't be kept, or there are too many.
            StorageError: The database refused.
        """
        name = checked_name(name, self._keeping)
        cleaned = self._keeping.door.clean_named(name, text)
        text = self._keeping.checked(cleaned.text, "preference", LONGEST)
        self._keeping.journal.note(cleaned)
        known = (await self.known()).preferences
        if name not in known and len(known) >= MOST:
            raise WorkError(f"There are {MOST} preferences already.", "Remove one first.")
        if known.get(name) != text:
            await self._append(name, text)
        await self.see()

    @telemetry.operation("memory.preference.remove")
    async def remove(self, name: str) -> None:
        """Lets go of a preference.

        Raises:
            WorkError: There is none of the name.
            StorageError: The database refused.
        """
        if name not in (await self.known()).preferences:
            raise WorkError(f"There is no preference {name}.", "@preference lists those there are.")
        await self._append(name, None)
        await self.see()

    async def see(self) -> None:
        """Has the session know what its agent knows.

        Raises:
            StorageError: The database refused; nothing was changed.
        """
        known = (await self.known()).preferences

        def decide(state: State, writing: Writing) -> Sequence[Event]:
            seen = {p.name: writing.read(p.text) for p in state.work.preferences}
            if list(seen.items()) == list(known.items()):
                return ()
            items = tuple(Preference(name, writing.text(text)) for name, text in known.items())
            return (PreferencesSeen(items),)

        await self._keeping.carry_out(decide)

    async def used(self, workspace: str) -> None:
        """Notes the folder of this session as the one used last.

        Raises:
            StorageError: The database refused; nothing was changed.
        """
        cleaned = self._keeping.door.clean(workspace)
        if (await self.known()).workspace == cleaned.text:
            return
        body = new_id()
        event = WorkspaceUsed(Text(body, len(cleaned.text)))
        journal = self._keeping.journal
        await Agents(journal.database).append(_agent(journal), [event], {body: cleaned})

    async def _append(self, name: str, text: str | None) -> None:
        journal = self._keeping.journal
        agents, agent = Agents(journal.database), _agent(journal)
        if text is None:
            await agents.append(agent, [PreferenceSet(name, None)], {})
            return
        body, cleaned = new_id(), journal.door.clean(text)
        event = PreferenceSet(name, Text(body, len(cleaned.text)))
        await agents.append(agent, [event], {body: cleaned})


def _agent(journal: Journal) -> str:
    return journal.state.agent or "default"


def _bodies(recorded: Sequence[Recorded]) -> list[str]:
    events = (entry.event for entry in recorded)
    texts = (e.text for e in events if isinstance(e, PreferenceSet | WorkspaceUsed))
    return [text.body for text in texts if text is not None]
