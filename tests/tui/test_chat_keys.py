"""Every key of the table is pressed on the real chat, and does what it says (CHAT-7)."""

from pathlib import Path

import pytest

from app.keys import ACTIONS
from app.tui import StrataApp
from tests.support.misbehaving_server import MisbehavingServer
from tests.tui import (  # noqa: F401 (fill it)
    deeds_in_agents,
    deeds_in_calls,
    deeds_in_chat,
    deeds_in_content,
    deeds_in_facts,
    deeds_in_goals,
    deeds_in_recalled,
    deeds_in_regions,
    deeds_in_the_past,
    deeds_in_the_prompt,
    deeds_on_screens,
    deeds_on_the_way,
)
from tests.tui.conftest import OpenChat
from tests.tui.deeds import DEEDS, Doing

OWN = {"chat": "ctrl+k"}
"""The key that the configuration gives to an action of a place; a text field has it, too."""
FREE = "f11"
"""The key that it gives elsewhere."""


def test_every_action_has_its_deed() -> None:
    """CHAT-7: no key is listed of which nobody has seen what it does."""
    assert set(DEEDS) == set(ACTIONS)


def pressed() -> list[tuple[str, str]]:
    """Every action with each of its keys, and with one of the user's own."""
    own = {name: OWN.get(ACTIONS[name].place, FREE) for name in DEEDS}
    keys = {name: [*ACTIONS[name].keys.split(","), own[name]] for name in DEEDS}
    return [(name, key) for name in DEEDS for key in keys[name]]


@pytest.mark.asyncio(loop_scope="session")
@pytest.mark.parametrize(("action", "key"), pressed())
async def test_a_key_does_what_it_says(
    action: str,
    key: str,
    open_chat: OpenChat,
    server: MisbehavingServer,
    data: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """CHAT-7: by each of its keys, and by another one that the user has given it."""
    deed, happened = DEEDS[action], list[str]()
    monkeypatch.setattr(StrataApp, "action_suspend_process", lambda _: happened.append("suspended"))
    monkeypatch.setattr(StrataApp, "open_url", lambda _, url: happened.append(url))
    monkeypatch.setattr("app.clipboard.tool", lambda: None)
    keys = {} if key in ACTIONS[action].keys.split(",") else {action: key}
    async with deed.around(data), open_chat(ui__keys=keys, **deed.options) as chat:
        if deed.opens:
            await chat.ready()
        await deed.do(Doing(chat, key, server, data, happened))
