"""The keys of the agents screen, as deeds."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.widgets import Input, TextArea

from app.screens.agent_form import AgentForm
from app.screens.agents import AgentsScreen
from app.screens.asking import Asking
from memory.agents import Agent
from tests.tui.conftest import fill, memory_in
from tests.tui.deeds import Doing, deed

PROFILE = "You find what is wrong.\nBe kind."


@asynccontextmanager
async def two_agents(data: Path) -> AsyncIterator[None]:
    """The agent one talks with, and one that nobody has talked with."""
    async with memory_in(data) as memory:
        await fill(memory, 2, "of the first")
        await memory.agents.define(Agent("critic", PROFILE, "openai/o1"))
    yield


async def agents(doing: Doing, chosen: str = "critic") -> AgentsScreen:
    """The screen, with one of them chosen."""
    await doing.chat.press("ctrl+l")
    screen = await doing.chat.over(AgentsScreen)
    await doing.chat.until(lambda: screen.chosen is not None)
    screen._list.mark(chosen)
    return screen


def names(screen: AgentsScreen) -> list[str]:
    return list(screen._agents)


@deed("chat.agents", two_agents)
async def _agents(doing: Doing) -> None:
    await doing.press()
    screen = await doing.chat.over(AgentsScreen)
    await doing.chat.until(lambda: names(screen) == ["critic", "default"])
    await doing.chat.until(lambda: screen.chosen is not None and screen.chosen.name == "default")


@deed("agents.new", two_agents)
async def _new(doing: Doing) -> None:
    screen = await agents(doing)
    await doing.press()
    form = await doing.chat.over(AgentForm)
    assert form.query_one("#agent-name", Input).has_focus
    await doing.chat.press(*"cook", "tab", *"You cook.", "ctrl+s")
    await doing.chat.until(lambda: names(screen) == ["cook", "critic", "default"])
    await doing.chat.until(lambda: screen.chosen == Agent("cook", "You cook."))


@deed("agents.edit", two_agents)
async def _edit(doing: Doing) -> None:
    await agents(doing)
    await doing.press()
    form = await doing.chat.over(AgentForm)
    assert form.query_one(TextArea).text == PROFILE
    assert form.query_one("#agent-model", Input).value == "openai/o1"
    assert not form.query("#agent-name")


@deed("agents.remove", two_agents)
async def _remove(doing: Doing) -> None:
    screen = await agents(doing)
    await doing.press()
    await doing.chat.over(Asking)
    await doing.chat.press("y")
    await doing.chat.until(lambda: names(screen) == ["default"])


@deed("agents.back", two_agents)
async def _back(doing: Doing) -> None:
    await agents(doing)
    await doing.press()
    await doing.chat.until(lambda: doing.chat.composer.has_focus)


@deed("agent.save", two_agents)
async def _save(doing: Doing) -> None:
    screen = await agents(doing)
    await doing.chat.press("e")
    form = await doing.chat.over(AgentForm)
    form.query_one(TextArea).text = "You praise.\nA lot."
    await doing.press()
    await doing.chat.until(
        lambda: screen.chosen is not None and screen.chosen.profile == "You praise.\nA lot."
    )


@deed("agent.leave", two_agents)
async def _leave(doing: Doing) -> None:
    screen = await agents(doing)
    await doing.chat.press("e")
    form = await doing.chat.over(AgentForm)
    form.query_one(TextArea).text = "You praise."
    await doing.press()
    await doing.chat.over(AgentsScreen)
    assert screen.chosen is not None
    assert screen.chosen.profile == PROFILE
