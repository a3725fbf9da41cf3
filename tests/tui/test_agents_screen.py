"""CHAT-12: agents are listed, looked at, made, changed, removed and gone to on a screen."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from textual.widgets import Input, Static, TextArea

from app.chat.agent_shelf import AgentDraft, wrong
from app.screens.agent_form import AgentForm
from app.screens.agents import AgentsScreen
from app.screens.agents_rows import detail_rows, list_rows
from memory.agents import LONGEST_PROFILE, Agent
from memory.errors import StrataError
from tests.tui.conftest import OpenChat

CRITIC = Agent("critic", "You find what is wrong.\n\nBe [b]kind[/b].", "openai/o1", "rolling")
COOK = Agent("cook", "You cook for two, in half an hour, with what there is at home.")
DEFAULT = Agent("default", sessions=12)

ON_SCREEN = pytest.mark.asyncio(loop_scope="session")


@dataclass
class Agents:
    """Agents in memory, as the screen is given them."""

    agents: list[Agent] = field(default_factory=lambda: [COOK, CRITIC, DEFAULT])
    current: str = "default"
    read_only: bool = False

    async def list(self) -> Sequence[Agent]:
        return sorted(self.agents, key=lambda agent: agent.name)

    async def keep(self, draft: AgentDraft) -> Agent:
        agent = draft.agent
        if agent.name == "full":
            raise StrataError("The disk is full.", "Make room.")
        self.agents = [*(a for a in self.agents if a.name != agent.name), agent]
        return agent

    async def remove(self, name: str) -> None:
        self.agents = [agent for agent in self.agents if agent.name != name]


@pytest.mark.parametrize("width", [1, 20, 38, 76, 120])
def test_a_row_fits_and_tells_what_there_is_room_for(width: int) -> None:
    """VIEW-1: name and what it is first; sessions, model and policy give way."""
    view = list_rows([COOK, CRITIC, DEFAULT], "default", width)
    assert view.keys == ("cook", "critic", "default")
    assert all(len(row.text) <= width for row in view.rows)
    if width >= 76:
        assert "0 sessions  o1  rolling" in view.rows[1].text
        assert view.rows[2].text.startswith("● default")
        assert "12 sessions" in view.rows[2].text


def test_an_opened_agent_shows_all_of_its_profile_as_text() -> None:
    """ALL-8: whatever stands in it."""
    told = "\n".join(row.text for row in detail_rows(CRITIC, "default", 60).rows)
    assert "You find what is wrong." in told
    assert "Be [b]kind[/b]." in told
    assert "openai/o1" in told
    none = "\n".join(row.text for row in detail_rows(DEFAULT, "default", 60).rows)
    assert "12, you talk with it" in none
    assert "No profile" in none
    assert detail_rows(None, "default", 60).rows == ()


@pytest.mark.parametrize(
    ("draft", "field", "words"),
    [
        (AgentDraft(""), "name", "Give it a name."),
        (AgentDraft("two words"), "name", "one word"),
        (AgentDraft("a:b"), "name", "without a colon"),
        (AgentDraft("cook"), "name", "already"),
        (AgentDraft("new", "x" * (LONGEST_PROFILE + 1)), "profile", "20,001 characters"),
        (AgentDraft("new", model="embedded/nothing"), "model", "nothing"),
        (AgentDraft("new", policy="fold"), "policy", "cascade"),
    ],
)
def test_what_is_wrong_is_said_of_its_field(draft: AgentDraft, field: str, words: str) -> None:
    """CHAT-12: before anything is kept."""
    found = wrong(draft, ["cook"])
    assert list(found) == [field]
    assert words in found[field]  # type: ignore[index]


def test_what_is_right_is_kept_as_it_was_typed() -> None:
    """CHAT-12: blanks at the ends go; empty is as configured; a short name is the whole one."""
    draft = AgentDraft(" cook ", " You cook. ", "light", " rolling ")
    assert wrong(draft) == {}
    assert draft.agent == Agent("cook", "You cook.", "embedded/smollm2-135m", "rolling")
    assert AgentDraft.of(AgentDraft("a").agent) == AgentDraft("a")


@ON_SCREEN
async def test_a_wrong_value_is_said_beside_its_field(open_chat: OpenChat) -> None:
    """CHAT-12: the form stays, the first wrong field has the keys, and a right one is kept."""
    shelf = Agents()
    async with open_chat(size=(100, 30)) as chat:
        await chat.ready()
        await chat.app.push_screen(AgentsScreen(shelf))
        screen = await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen == DEFAULT)
        await chat.press("n")
        form = await chat.over(AgentForm)
        await chat.press(*"cook", "tab", *"Hi", "enter", *"there", "tab", "tab", *"fold", "ctrl+s")
        assert chat.screen is form

        def told(name: str) -> str:
            return str(form.query_one(f"#agent-{name}-wrong", Static).content)

        assert "already" in told("name")
        assert "cascade" in told("policy")
        assert told("model") == ""
        assert form.query_one("#agent-name", Input).has_focus
        assert form.query_one(TextArea).text == "Hi\nthere"
        form.query_one("#agent-name", Input).value = "full"
        form.query_one("#agent-policy", Input).value = "rolling"
        await chat.press("ctrl+s")
        problem = form.query_one("#agent-told", Static)
        await chat.until(lambda: "disk is full" in str(problem.content))
        form.query_one("#agent-name", Input).value = "full2"
        await chat.press("enter")
        await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen == Agent("full2", "Hi\nthere", None, "rolling"))


@ON_SCREEN
async def test_who_has_sessions_is_not_removed_and_nothing_is_changed_while_reading(
    open_chat: OpenChat,
) -> None:
    """CHAT-12: said at once, in place of a question that could only be answered no."""
    shelf = Agents()
    async with open_chat(size=(100, 30)) as chat:
        await chat.ready()
        await chat.app.push_screen(AgentsScreen(shelf))
        screen = await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen == DEFAULT)
        said = screen.query_one("#agents-said", Static)
        await chat.press("delete")
        assert "default has 12 sessions" in str(said.content)
        shelf.read_only = True
        for key in ("n", "e", "up", "delete"):
            await chat.press(key)
            assert chat.screen is screen
        assert "only read here" in str(said.content)


@ON_SCREEN
async def test_one_is_gone_to(open_chat: OpenChat) -> None:
    """CHAT-12: its newest session, or its first; the status line says who it is."""
    async with open_chat(size=(120, 40)) as chat:
        await chat.ready()
        await chat.say("@agent new critic You find what is wrong.")
        await chat.until(lambda: "goes to it" in chat.notices)
        await chat.press("ctrl+l")
        screen = await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen is not None)
        await chat.press("up", "enter")
        await chat.until(lambda: "critic" in chat.status)
        await chat.ready()
        assert chat.messages == []
        await chat.press("ctrl+l")
        screen = await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen is not None and screen.chosen.name == "critic")
        # Its own row leads back.
        await chat.press("enter")
        await chat.until(lambda: chat.composer.has_focus)


@ON_SCREEN
async def test_the_open_session_follows_a_change_at_once(open_chat: OpenChat) -> None:
    """CHAT-12: the next prompt begins with the new profile."""
    async with open_chat(size=(120, 40)) as chat:
        await chat.ready()
        await chat.press("ctrl+l")
        screen = await chat.over(AgentsScreen)
        await chat.until(lambda: screen.chosen is not None)
        await chat.press("e")
        await chat.over(AgentForm)
        await chat.press(*"You are a pirate.", "ctrl+s")
        await chat.over(AgentsScreen)
        talk = chat.app._chat.talk
        assert talk is not None
        await chat.until(lambda: screen.chosen is not None and screen.chosen.profile)
        prompt = await talk._memory.prompt("Ahoy")
        assert str(prompt.messages[0]["content"]).startswith("You are a pirate.")
