"""`@agent`: whom the user talks with (CHAT-12)."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace

from app.chat.command import Command
from app.chat.conversation import Conversation
from app.chat.happenings import AgentWanted, Happening, Reported
from app.host.catalogue import canonical
from memory.agents import Agent, AgentError, checked_name
from widgets.figures import count

NONE = "none"
"""What takes a default model or policy away."""
SHOWN_CHARS = 60


async def _agent(conversation: Conversation, argument: str) -> AsyncGenerator[Happening, None]:
    verb, _, rest = argument.partition(" ")
    if not verb:
        yield Reported(await _listed(conversation))
    elif verb in _VERBS:
        yield Reported(await _VERBS[verb](conversation, rest.strip()))
    else:
        yield AgentWanted(await _known(conversation, argument))


async def _listed(conversation: Conversation) -> str:
    present = conversation.memory.info.agent
    agents = await conversation.memory.agents.list()
    width = max(len(agent.name) for agent in agents)
    lines = [
        f"{'*' if agent.name == present else ' '} {agent.name:<{width}}  {_says(agent)}"
        for agent in agents
    ]
    ways = (
        "@agent NAME goes to one, @agent new NAME PROFILE makes one.",
        "@agent profile TEXT, model NAME, policy NAME change this one; none takes it away.",
    )
    return "\n".join([*lines, *ways])


async def _known(conversation: Conversation, name: str) -> str:
    """The name of an agent that there is."""
    names = [agent.name for agent in await conversation.memory.agents.list()]
    if name not in names:
        raise AgentError(
            f"There is no agent {name!r}.", f"@agent new {name} makes one; @agent lists them all."
        )
    return name


async def _new(conversation: Conversation, rest: str) -> str:
    name, _, profile = rest.partition(" ")
    name = checked_name(name)
    agents = conversation.memory.agents
    if name in [agent.name for agent in await agents.list()]:
        raise AgentError(f"There is an agent {name} already.", f"@agent {name} goes to it.")
    agent = await agents.define(Agent(name, profile.strip()))
    return f"There is an agent {agent.name} now. @agent {agent.name} goes to it."


async def _profile(conversation: Conversation, text: str) -> str:
    agent = await _present(conversation)
    if not text:
        return agent.profile or f"{agent.name} has no profile; @agent profile TEXT gives it one."
    profile = "" if text == NONE else text
    agent = await _define(conversation, replace(agent, profile=profile))
    if not profile:
        return f"{agent.name} has no profile from here on."
    return f"Every prompt of {agent.name} begins with it from here on."


async def _model(conversation: Conversation, name: str) -> str:
    agent = await _present(conversation)
    if not name:
        return f"{agent.name}: {agent.model or 'the configured model'}"
    model = None if name == NONE else canonical(name)
    agent = await _define(conversation, replace(agent, model=model))
    return f"New sessions of {agent.name} begin with {agent.model or 'the configured model'}."


async def _policy(conversation: Conversation, name: str) -> str:
    agent = await _present(conversation)
    if not name:
        return f"{agent.name}: {agent.policy or 'the configured policy'}"
    policy = None if name == NONE else name
    agent = await _define(conversation, replace(agent, policy=policy))
    return f"Sessions of {agent.name} fold by {agent.policy or 'the configured policy'}."


async def _remove(conversation: Conversation, name: str) -> str:
    await conversation.memory.agents.remove(await _known(conversation, name))
    return f"The agent {name} is gone."


async def _present(conversation: Conversation) -> Agent:
    return await conversation.memory.agents.find(conversation.memory.info.agent)


async def _define(conversation: Conversation, agent: Agent) -> Agent:
    agent = await conversation.memory.agents.define(agent)
    await conversation.memory.follow_agent()
    return agent


def _says(agent: Agent) -> str:
    told = [count(agent.sessions, "session")]
    told += [agent.model] if agent.model else []
    told += [agent.policy] if agent.policy else []
    profile = " ".join(agent.profile.split())
    if profile:
        told.append(profile if len(profile) <= SHOWN_CHARS else f"{profile[:SHOWN_CHARS]}…")
    return ", ".join(told)


_VERBS: dict[str, Callable[[Conversation, str], Awaitable[str]]] = {
    "new": _new,
    "profile": _profile,
    "model": _model,
    "policy": _policy,
    "remove": _remove,
}

AGENT_COMMANDS = (
    Command(
        "agent",
        "[NAME]",
        "whom you talk with; also new, profile, model, policy",
        _agent,
    ),
)
