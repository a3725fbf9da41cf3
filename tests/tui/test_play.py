"""LAB-1, LAB-4: conversations that are played on the real chat screen."""

import argparse
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.commands.demo import TITLE, demo, thresholds
from app.commands.playing import settings_for as settings_of_play
from app.commands.watching import recorded_play, watched
from app.lab.play import Play
from app.lab.played import PLAYED
from app.lab.recorded import read_recording
from app.lab.replay import Lab, replay
from app.screens.player import ENDED, OVER
from app.settings import Settings
from memory import Memory
from memory.wish import Wish
from tests.support.program import conversation
from tests.tui.conftest import Chat, OpenChat
from widgets.entries import MessageEntry
from widgets.player_line import PlayerLine

AT_ONCE = 1000.0
MESSAGES = 30

pytestmark = pytest.mark.asyncio(loop_scope="session")


def memory_of(chat: Chat) -> Memory:
    talk = chat.app._chat.talk
    assert talk is not None
    return talk._memory


@pytest.fixture
def open_demo(open_chat: OpenChat, settings_for: Callable[..., Settings]) -> Callable[[Play], Any]:
    @asynccontextmanager
    async def open_it(play: Play) -> AsyncIterator[Chat]:
        settings = settings_of_play(settings_for(None), thresholds(), PLAYED, None)
        wish = Wish(session=TITLE, label="the demo")
        async with open_chat(settings=settings, play=play, wish=wish, size=(120, 36)) as chat:
            yield chat

    return open_it


async def test_the_demo_shows_every_part_of_memory(open_demo: Callable[[Play], Any]) -> None:
    """LAB-4, RECALL-3: to its end, without a model; the session stays open to be explored."""
    async with open_demo(demo(None, AT_ONCE)) as chat:
        await chat.until(lambda: chat.app._chat.talk is not None)
        memory, found = memory_of(chat), list[str]()

        def note(_: object) -> None:
            view = memory.snapshot().recalled
            if view is not None:
                found.extend(entry.text for entry in view.texts)

        memory.listen(note)
        await chat.until(lambda: OVER in chat.notices)
        # What had left the prompt weeks before, and was asked for again.
        assert any("VX-20871-B" in text for text in found)
        assert any("hook 14" in text for text in found)
        await memory.settled()
        snapshot = memory.snapshot()
        assert snapshot.messages == len([s for scene in demo(None).scenes for s in scene.spoken])
        assert snapshot.short_term is not None
        assert snapshot.long_term is not None
        assert snapshot.content_items == 2
        assert snapshot.facts.live == 2
        assert snapshot.compactions >= 4
        assert snapshot.context.used < snapshot.context.limit
        assert "Goal g1 is set" in chat.notices
        assert "Task t5 is done" in chat.notices
        talk = chat.app._chat.talk
        assert talk is not None
        last = (await talk.paging.show_newest())[-1]
        assert isinstance(last, MessageEntry)
        assert "Mar 2025" in last.figures[0]
        await chat.press("f3")
        await chat.until(lambda: not chat.app._chat.is_active)
        await chat.press("escape")
        await chat.until(lambda: chat.app._chat.is_active)
        await chat.say("Hello?")
        await chat.until(lambda: "No model answers" in chat.notices)


async def test_a_play_pauses_changes_its_pace_and_ends(open_demo: Callable[[Play], Any]) -> None:
    """LAB-4: space, arrows, Esc; afterwards there is a composer again."""
    async with open_demo(demo(None)) as chat:
        await chat.until(lambda: chat.app._chat.query(PlayerLine))
        line = chat.app._chat.query_one(PlayerLine)
        await chat.until(lambda: line.view.said >= 1)
        assert not chat.composer.display
        await chat.press("space")
        await chat.until(lambda: line.view.paused)
        await chat.press("right", "right", "left")
        await chat.until(lambda: line.view.speed == 2.0)
        said = line.view.said
        await chat.pilot.pause(0.3)
        assert line.view.said <= said + 1
        await chat.press("space", "escape")
        await chat.until(lambda: ENDED in chat.notices)
        assert chat.composer.display
        await chat.until(lambda: chat.app.focused is chat.composer)


async def test_a_watched_replay_is_the_replay(
    open_chat: OpenChat, settings_for: Callable[..., Settings], tmp_path: Path
) -> None:
    """LAB-1: the same foldings at the same messages as without a screen."""
    file = tmp_path / "talk.jsonl"
    file.write_text("".join(json.dumps(m) + "\n" for m in conversation(MESSAGES)))
    given = {"memory__immediate_window": 4, "memory__recent_window": 4}
    settings = settings_for(None, **given)
    options = argparse.Namespace(
        file=str(file), conversation=None, speed=AT_ONCE, summarizer="rule", model=None
    )
    play = recorded_play(options)
    seen = watched(settings, options)
    async with open_chat(settings=seen, play=play, wish=Wish(label="the replay")) as chat:
        await chat.until(lambda: OVER in chat.notices)
        compactions = await memory_of(chat).compactions()
        shown = [(c.event.message, c.event.tokens_before, c.event.by) for c in compactions]
        assert [m.number for m in chat.messages][-1] == MESSAGES
    document = await replay(str(file), read_recording(file), Lab(settings.memory))
    assert shown == [(c["message"], c["tokens_before"], c["by"]) for c in document["compactions"]]
    assert shown
