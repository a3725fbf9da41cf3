"""CHAT-11: helpers on the screen: their steps in sight, their sessions opened, and back."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio

from app.backend.client import Backend
from app.backend.protocol import BackendSettings
from memory.agent_events import Delegated
from tests.support.tool_server import Says, ToolServer, call, tool_server
from tests.tui.conftest import Chat, OpenChat
from widgets.entries import CallEntry

pytestmark = pytest.mark.asyncio(loop_scope="session")


def answers(n: int, body: dict[str, Any]) -> Says:
    """Who is no helper delegates once; a helper stores something, and answers."""
    texts = [str(message["content"]) for message in body["messages"]]
    helps = any(text.startswith("You are a helper") for text in texts)
    if body["messages"][-1]["role"] == "tool":
        return Says("**Two** doors." if helps else "The helper found two.")
    if "windows" in texts[-1]:
        return Says("Fine.")
    if helps and "wait" in texts[-1]:
        return Says("I wait here.", hold=True)
    if helps:
        keep = call("store_in_memory", {"content": "[b]oak[/b] \x1b[31mdoor"}, "s1")
        return Says("I look around.", [keep])
    if "ask a helper" in texts[-1]:
        return Says("", [call("delegate", {"task": "Count the doors."}, "d1")])
    return Says("Well.")


@pytest.fixture(scope="module")
def model() -> Iterator[ToolServer]:
    with tool_server(answers) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def backend(
    model: ToolServer, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Backend]:
    """A backend that talks to the script."""
    root = tmp_path_factory.mktemp("backend")
    environment = {"OPENAI_API_KEY": "sk-test-key-of-the-screen-tests"}
    settings = BackendSettings(root, root / "models", model.api_base, environment=environment)
    backend = await Backend.start(settings)
    yield backend
    await backend.close()


OPTIONS = {"model": "gpt-script", "size": (98, 40), "ui__auto_title": False}


def calls(chat: Chat) -> list[CallEntry]:
    return [entry for entry in chat.transcript.entries if isinstance(entry, CallEntry)]


async def test_a_helper_that_the_model_sent_is_opened_by_a_key_and_left_again(
    open_chat: OpenChat,
) -> None:
    """CHAT-11: one line in the conversation; `o` leads to its steps, @delegate back from them."""
    async with open_chat(**OPTIONS) as chat:
        await chat.ready()
        await chat.say("@rename house")
        await chat.until(lambda: chat.status.startswith("house"))
        await chat.say("Please ask a helper.")
        await chat.until(lambda: "The helper found two." in chat.seen)
        await chat.ready()
        [entry] = calls(chat)
        assert (entry.name, entry.state) == ("delegate", "done")
        chat.transcript.focus()
        block = chat.transcript.block_of(entry.number)
        assert block is not None
        chat.transcript.choose(block)
        await chat.press("o")
        await chat.until(lambda: chat.status.startswith("Count the doors. (helper of house)"))
        await chat.ready()
        assert [speaker for speaker, _ in chat.said] == ["you", "strata", "strata"]
        assert chat.said[0][1].startswith("You are a helper")
        assert "Two doors." in chat.seen
        assert [entry.name for entry in calls(chat)] == ["store_in_memory"]
        assert "\x1b" not in "".join(chat.seen)

        await chat.say("And the windows?")
        await chat.until(lambda: "Fine." in chat.seen)
        await chat.ready()
        await chat.say("@delegate More.")
        await chat.until(lambda: "no helpers of its own" in chat.notices)
        await chat.say("@delegate back")
        await chat.until(lambda: chat.status.startswith("house"))
        await chat.ready()
        assert "The helper found two." in chat.seen


async def test_a_helper_that_the_user_sends(open_chat: OpenChat) -> None:
    """CHAT-11: a line with its steps, then the task and the answer as a message."""
    async with open_chat(**OPTIONS) as chat:
        await chat.ready()
        await chat.say("@delegate snapshot Count the doors.")
        await chat.until(lambda: chat.messages)
        await chat.ready()
        [entry] = calls(chat)
        assert (entry.name, entry.state) == ("delegate", "done")
        assert '"snapshot"' in entry.arguments
        [message] = chat.messages
        assert message.speaker == "you"
        assert message.text.startswith("I had a helper work on this task:")
        assert "**Two** doors." in message.text
        assert chat.composer.text == ""
        await chat.say("@delegate")
        await chat.until(lambda: "1  done  snapshot" in chat.notices)
        await chat.say("@delegate open 1")
        await chat.until(lambda: chat.status.startswith("Count the doors. (helper of session of"))
        await chat.ready()
        await chat.say("@delegate back")
        await chat.until(lambda: chat.status.startswith("session of"))
        await chat.ready()
        assert [message.speaker for message in chat.messages] == ["you"]


async def test_what_it_says_is_in_sight_while_it_works_and_esc_ends_it(
    open_chat: OpenChat, model: ToolServer
) -> None:
    """CHAT-11: nothing is said in the conversation; what it had can be opened."""
    async with open_chat(**OPTIONS) as chat:
        await chat.ready()
        await chat.say("@delegate Just wait.")
        await chat.until(lambda: chat.state.startswith("running delegate"))
        assert chat.composer.text == ""
        memory = chat.app._chat.talk._memory  # type: ignore[union-attr]
        await chat.until(lambda: [e for e in model.seen if "Just wait" in str(e)])
        await chat.press("escape")
        await chat.ready()
        model.let_go.set()
        assert chat.messages == []
        assert [entry.state for entry in calls(chat)] == ["stopped"]
        assert "@delegate open 1" in chat.notices
        kinds = [e.event for e in await memory.log() if isinstance(e.event, Delegated)]
        assert len(kinds) == 1


async def test_esc_at_any_moment_of_a_helper(open_chat: OpenChat, model: ToolServer) -> None:
    """CHAT-11, ALL-2: nothing goes wrong, and the next helper can be sent."""
    model.let_go.clear()
    async with open_chat(**OPTIONS) as chat:
        await chat.ready()
        for moment in range(6):
            await chat.say("@delegate Just wait.")
            await chat.until(lambda: chat.state.startswith("running delegate"))
            await asyncio.sleep(0.07 * moment)
            await chat.press("escape")
            await chat.ready()
            model.let_go.set()
            model.let_go.clear()
        assert [entry.state for entry in calls(chat)] == ["stopped"] * 6
        assert "went wrong" not in chat.notices
        assert chat.messages == []
