"""The agents of the data directory, as a screen lists and changes them (CHAT-12)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from app.host.catalogue import canonical
from memory import policy_names
from memory.agents import LONGEST_PROFILE, Agent, checked_name
from memory.errors import StrataError
from memory.memory import Memory

AgentField = Literal["name", "profile", "model", "policy"]


@dataclass(frozen=True, slots=True)
class AgentDraft:
    """What was typed of an agent."""

    name: str
    profile: str = ""
    model: str = ""
    """Empty for the configured one."""
    policy: str = ""
    """Empty for the configured one."""

    @classmethod
    def of(cls, agent: Agent) -> "AgentDraft":
        """An agent as it is kept."""
        return cls(agent.name, agent.profile, agent.model or "", agent.policy or "")

    @property
    def agent(self) -> Agent:
        """The agent that it describes.

        Raises:
            UnknownModel: There is no embedded model of the name.
        """
        model = canonical(self.model.strip()) if self.model.strip() else None
        return Agent(self.name.strip(), self.profile.strip(), model, self.policy.strip() or None)


def wrong(draft: AgentDraft, taken: Sequence[str] = ()) -> Mapping[AgentField, str]:
    """What can't be kept of an agent, as a sentence by field; nothing where all is well.

    Args:
        draft: What was typed.
        taken: Names that a new agent may not have.
    """
    found: dict[AgentField, str] = {}
    name = draft.name.strip()
    try:
        checked_name(name)
    except StrataError as error:
        found["name"] = error.next_step if name else "Give it a name."
    if name in taken:
        found["name"] = f"There is an agent {name} already."
    if len(draft.profile.strip()) > LONGEST_PROFILE:
        length = len(draft.profile.strip())
        found["profile"] = f"It has {length:,} characters; {LONGEST_PROFILE:,} is the most."
    try:
        canonical(draft.model.strip())
    except StrataError as error:
        found["model"] = str(error)
    policy = draft.policy.strip()
    if policy and not policy_names.is_known(policy):
        found["policy"] = f"One of {', '.join(policies())}."
    return found


def policies() -> Sequence[str]:
    """The policies that an agent may have."""
    return list(policy_names.names())


class AgentShelf:
    """Lists agents and changes them.

    Args:
        memory: The open session, which goes on as its agent is defined from then on.
    """

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    @property
    def current(self) -> str:
        """With whom the user talks."""
        return self._memory.info.agent

    @property
    def read_only(self) -> bool:
        """Whether nothing can be changed from here."""
        return self._memory.read_only

    async def list(self) -> Sequence[Agent]:
        """Every agent, by name.

        Raises:
            StorageError: The database refused.
        """
        return await self._memory.agents.list()

    async def keep(self, draft: AgentDraft) -> Agent:
        """Makes an agent, or changes the one of the name.

        Raises:
            StrataError: It can't be kept; nothing was changed.
        """
        agent = await self._memory.agents.define(draft.agent)
        if agent.name == self.current and not self._memory.read_only:
            await self._memory.follow_agent()
        return agent

    async def remove(self, name: str) -> None:
        """Removes an agent that nobody has talked with.

        Raises:
            AgentError: It has sessions; nothing was changed.
            StorageError: The database refused.
        """
        await self._memory.agents.remove(name)
