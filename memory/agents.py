"""Agents: a name, a profile, a default model and policy; each has its own sessions (CHAT-12)."""

from dataclasses import dataclass

from memory import policy_names, telemetry
from memory.agent_events import AgentDefined
from memory.config import PERSONA
from memory.errors import StrataError
from memory.ids import new_id
from memory.storage.agents import Agents
from memory.storage.bodies import Bodies
from memory.storage.database import Database

LONGEST_NAME = 40
"""Characters of an agent's name: it stands in the status line and in file names."""
LONGEST_PROFILE = 20_000
"""Characters of a profile, about 5,000 tokens: it stands in every prompt."""


class AgentError(StrataError):
    """What was asked of an agent can't be done."""


@dataclass(frozen=True, slots=True)
class Agent:
    """Whom the user talks with."""

    name: str
    profile: str = ""
    """Begins the system prompt; empty where the agent has none."""
    model: str | None = None
    """The model that answers in a new session; None for the configured one."""
    policy: str | None = None
    """The policy of its sessions; None for the configured one."""
    sessions: int = 0

    def system_prompt(self, base: str) -> str:
        """What begins every prompt of its sessions: the profile, then what holds for all agents."""
        if not self.profile:
            return base
        return f"{self.profile}\n\n{base.removeprefix(PERSONA)}".strip()


class AgentBook:
    """The agents of a data directory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._streams = Agents(database)

    async def list(self) -> list[Agent]:
        """Every agent that was defined or talked with, by name.

        Raises:
            StorageError: The database refused.
        """
        return [await self.find(name) for name in await self._streams.names()]

    async def find(self, name: str) -> Agent:
        """An agent; one that was never defined has nothing but its name.

        Raises:
            StorageError: The database refused.
        """
        name = self._database.door.clean(name).text
        newest = await self._streams.newest(name, AgentDefined)
        defined = newest[0].event if newest else None
        sessions = await self._streams.sessions(name)
        if not isinstance(defined, AgentDefined):
            return Agent(name, sessions=sessions)
        body = defined.profile
        texts = await Bodies(self._database).texts([body] if body else [])
        profile = texts[body] if body else ""
        return Agent(name, profile, defined.model, defined.policy, sessions)

    async def known(self, name: str) -> Agent:
        """An agent that was defined or talked with.

        Raises:
            AgentError: There is none of the name.
            StorageError: The database refused.
        """
        names = await self._streams.names()
        if name not in names:
            there = f"There {'are' if len(names) > 1 else 'is'} {', '.join(sorted(names))}."
            raise AgentError(f"There is no agent {name[:LONGEST_NAME]!r}.", there)
        return await self.find(name)

    @telemetry.operation("memory.agent.define")
    async def define(self, agent: Agent) -> Agent:
        """Makes an agent, or changes the one of the name; as it is kept.

        Raises:
            AgentError: Name, profile or policy can't be kept.
            StorageError: The database refused; nothing was changed.
        """
        _check(agent)
        if agent.name in await self._streams.names() and agent == await self.find(agent.name):
            return agent
        cleaned = self._database.door.clean(agent.profile.strip())
        body = new_id() if cleaned.text else None
        event = AgentDefined(body, len(cleaned.text), agent.model, agent.policy)
        bodies = {body: cleaned} if body else {}
        await self._streams.append(agent.name, [event], bodies)
        return await self.find(agent.name)

    @telemetry.operation("memory.agent.remove")
    async def remove(self, name: str) -> None:
        """Removes an agent that nobody has talked with, with all it knows.

        Raises:
            AgentError: It has sessions; nothing was changed.
            StorageError: The database refused.
        """
        if count := await self._streams.sessions(name):
            raise AgentError(
                f"{name} has {count} session{'s' if count > 1 else ''}.",
                "Delete them first: they would have nobody to go on with.",
            )
        await self._streams.remove(name)


def checked_name(name: str) -> str:
    """A name that an agent may have.

    Raises:
        AgentError: It may not.
    """
    name = name.strip()
    fits = 0 < len(name) <= LONGEST_NAME and ":" not in name and name.isprintable()
    if not fits or len(name.split()) > 1:
        raise AgentError(
            f"An agent can't be called {name[:LONGEST_NAME]!r}.",
            f"A name is one word of at most {LONGEST_NAME} characters, without a colon.",
        )
    return name


def _check(agent: Agent) -> None:
    checked_name(agent.name)
    if len(agent.profile) > LONGEST_PROFILE:
        raise AgentError(
            f"The profile has {len(agent.profile):,} characters.",
            f"It stands in every prompt: {LONGEST_PROFILE:,} is the most.",
        )
    if agent.policy is not None and not policy_names.is_known(agent.policy):
        raise AgentError(*policy_names.unknown(agent.policy))
