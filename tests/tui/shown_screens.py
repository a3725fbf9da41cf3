"""The screens of which there are pictures: what lies in memory, and how each is come to."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from textual.screen import Screen

from app.chat.file_finding import Seen
from app.chat.file_watching import Watch
from app.palette import Palette
from app.screens.agents import AgentsScreen
from app.screens.asking import Asking
from app.screens.chat import ChatScreen
from app.screens.content import ContentScreen
from app.screens.facts import FactsScreen
from app.screens.first import FirstScreen
from app.screens.goals import GoalsScreen
from app.screens.held import HeldScreen
from app.screens.help import HelpScreen
from app.screens.plot import PlotScreen
from app.screens.prompt import PromptScreen
from app.screens.recalled import RecalledScreen
from app.screens.recalled_reading import Turn
from app.screens.rewrite import RewriteScreen
from app.screens.sessions import SessionsScreen
from app.screens.themes import ThemeScreen
from app.screens.timeline import TimelineScreen
from app.screens.travel import TravelScreen
from app.screens.unlock import UnlockScreen
from memory import Memory
from memory.agents import Agent
from memory.clock import format_time
from memory.config import MemoryConfig
from memory.files import FoundFile
from memory.parts import Usage
from memory.recall_views import IndexView, RecallView
from memory.storage.said import Said
from memory.storage.sessions import SessionInfo
from memory.views import TurnPoint
from tests.support.still_clock import StillClock
from tests.support.works import RECALLED
from tests.tui import shown_calls
from tests.tui.conftest import Chat
from tests.tui.deeds_in_goals import work_on
from tests.tui.test_agents_screen import Agents
from tests.tui.test_first_start import FEW, Coming
from tests.tui.test_sessions_screen import Shelf
from widgets.panes.pane import Pane

TITLE = "flat in Lisbon"
TALK = (
    ("We move to Lisbon in April, with Biscuit, who is a dog.", "Noted: Lisbon, April, a dog."),
    ("At most €1,100 a month, near the yellow metro line.", "The yellow line runs from Odivelas."),
    ("What about Saldanha?", "Central and lively; €1,050 for two rooms. The agent wants no pets."),
    ("Then not. Alvalade?", "Quiet, green, and €1,240: more than the €1,100 that you have set."),
    ("Too dear. Campo Grande?", "€1,080, dogs are welcome. It can be seen on Thursday at 18:30."),
    ("I'll see it on Thursday.", "Thursday, 18:30, Campo Grande. I have noted it."),
)
QUESTION = "Which flats did we drop, and why? Put the rest into a table, please."
ANSWER = """\
Two were dropped:

1. **Saldanha**, €1,050: *no pets*, and Biscuit comes with you.
2. **Alvalade**, €1,240: over the `€1,100` that you set.

| district     |  rent | dogs    | seen       |
|--------------|------:|---------|------------|
| Campo Grande | 1,080 | welcome | Thu 18:30  |
| Lumiar       |   990 | ask     | not yet    |

```python
# what is left of the budget
left = 1_100 - rent if dogs else 0
print(f"{left} a month")
```
"""
CRITIC = """\
You read what others wrote, and say what is wrong: first what misleads, then what is missing.

- Quote the sentence that you mean.
- Never praise; say nothing where nothing is wrong.
"""
NOTE = "The theme “dusk” can't be read, so the default one is used: no colour is named lost in it."
PROBLEM = "The model did not answer: the connection to 127.0.0.1 was refused. @retry asks again."


async def talk_of_flats(data: Path, clock: StillClock) -> None:
    """A session of short windows, folded by rule, with Markdown at its end."""
    config = MemoryConfig.from_values({"profile": "stress"})
    async with Memory.open(data, config=config) as memory:
        await memory.rename(TITLE)
        for question, answer in (*TALK, (QUESTION, ANSWER)):
            clock.forward(minutes=7)
            await memory.add("user", question)
            await memory.settled()
            await memory.add("assistant", answer)
            await memory.settled()


@dataclass(frozen=True)
class Shown:
    """A screen, and how it is come to."""

    act: Callable[[Chat], Awaitable[object]]
    talked: bool = True
    """Whether something has been said before."""
    model: str = "good"
    read_only: bool = False
    tools: str = "none"
    """Which tools are offered."""


def keys(*pressed: str, over: type[Screen[Any]] | None = None) -> Shown:
    """What is come to by keys.

    Args:
        pressed: The keys.
        over: The screen that the first of them opens.
    """

    async def act(chat: Chat) -> None:
        for place, key in enumerate(pressed):
            await chat.press(key)
            if place == 0 and over is not None:
                await chat.over(over)

    return Shown(act)


def laid_over(make: Callable[[Chat], Screen[Any]], *pressed: str) -> Shown:
    """What is given to the application to be asked."""

    async def act(chat: Chat) -> None:
        await chat.app.push_screen(make(chat))
        await chat.pilot.pause()
        await chat.press(*pressed)

    return Shown(act)


async def nothing(chat: Chat) -> None:
    """The chat as it opens."""


async def told(chat: Chat) -> None:
    """A turn, a note, and what did not work."""
    await chat.say("Good. Remember that the agent answers only by e-mail.")
    await chat.answered(16)
    assert chat.app._chat._sitting is not None
    stage = chat.app._chat._sitting.stage
    stage.notice(NOTE, "note")
    stage.notice(PROBLEM, "problem")


def compaction_opened(*pressed: str) -> Callable[[Chat], Awaitable[object]]:
    """The newest compaction, once all of it has been read, and keys pressed in it."""

    async def act(chat: Chat) -> None:
        await chat.press("f3")
        screen = await chat.over(TimelineScreen)
        await chat.until(lambda: screen._view is not None)
        await chat.press("enter")
        screen._detail.focus()
        for key in pressed:
            await chat.press(key)

    return act


async def rewriting(chat: Chat) -> RewriteScreen:
    """What is asked before a summary is written anew."""
    await compaction_opened()(chat)
    await chat.press("w")
    return await chat.over(RewriteScreen)


async def rewritten(chat: Chat) -> None:
    """Both versions of it."""
    screen = await rewriting(chat)
    await chat.press("enter")
    await chat.until(lambda: screen._preview is not None)


async def enlarged(chat: Chat) -> None:
    """The first pane, in a drawer where there is no room beside the conversation."""
    if chat.app.size.width < 100:
        await chat.press("f7")
    chat.app.screen.query(Pane).first().focus()
    await chat.press("f8")


def sessions(*pressed: str, number: int = 5) -> Shown:
    """The list of sessions, with so many of them."""

    def make(chat: Chat) -> Screen[Any]:
        shelf = Shelf(list(shelved()[:number]))
        current = shelf.sessions[0].id if shelf.sessions else None
        return SessionsScreen(shelf, current)

    return laid_over(make, *pressed)


def shelved() -> Sequence[SessionInfo]:
    """Sessions of all kinds: with and without a title, open elsewhere, old, long."""
    from tests.support.still_clock import StillDatetime

    now = StillDatetime.present
    rows = (
        (TITLE, 16, "embedded/qwen2.5-coder-1.5b", 0, None),
        ("tests of the parser", 204, "openai/gpt-4o", 40, None),
        ("a boat for two, or for four if the children come along after all", 8, None, 300, None),
        (None, 2, "embedded/smollm2-135m", 1_600, "strata ask on this machine"),
        ("recipes", 1_288, "ollama_chat/llama3.2:3b", 90_000, None),
    )
    return [
        SessionInfo(
            id=f"me:default:{format_time(now - timedelta(minutes=ago + 60))}",
            title=title,
            agent="default",
            branch="b",
            messages=messages,
            model=model,
            started_at=format_time(now - timedelta(minutes=ago + 60)),
            last_used=format_time(now - timedelta(minutes=ago)),
            usage=Usage(900 * messages, 120 * messages),
            bytes=2_300 * messages,
            holder=holder,
        )
        for title, messages, model, ago, holder in rows
    ]


def agents(*pressed: str) -> Shown:
    """The list of agents, and what is pressed in it."""
    known = [
        Agent("default", sessions=12),
        Agent("critic", CRITIC, "openai/o1", "rolling", 3),
        Agent("cook", "You cook for two, in half an hour, with what there is at home."),
    ]
    return laid_over(lambda _: AgentsScreen(Agents(known)), *pressed)


async def downloading(chat: Chat) -> None:
    """A model on its way."""
    await chat.app.push_screen(FirstScreen(FEW, Coming, None))
    await chat.pilot.pause()
    await chat.press("down", "enter")


def _asking(_: Chat) -> Asking:
    return Asking(
        "Take back the compaction at message 129, and the one after it?",
        "Messages 66 to 129 stand verbatim again.",
        yes="Take back",
        no="Leave it",
    )


async def worked(chat: Chat) -> None:
    """A goal with tasks, steps, tools and stored items."""
    talk = chat.app._chat.talk
    assert talk is not None
    memory = talk._memory
    await work_on(memory, messages=False)
    await memory.execution.step(
        "reasoning", "the yellow line ends at Odivelas", discovered={"metro": "yellow line"}
    )
    await memory.execution.seen(
        workspace="/home/ada/flats", memory_used_mb=9_400, disk_used_percent=61.0
    )
    await memory.tasks.fail("t3", "the agent answers by e-mail only")
    await memory.tasks.add("write to the agent", ["t2", "t3"])
    await memory.content.store("print(1)\nprint(2)", "code", "user", ["python"])
    await memory.content.store(f"{NOTE}\n" * 30, "custom", "user", ["theme", "dusk"])
    await memory.settled()


async def with_files(chat: Chat) -> None:
    """Memory files, one of them too long, and one that is none; their paths count as well."""
    from tests.support.still_clock import StillDatetime

    line = "- Ask about the dog before anything else.\n"
    files = [
        FoundFile(
            f"/home/ada/flats/{name}",
            line * lines,
            size=len(line) * lines,
            changed=format_time(StillDatetime.present - timedelta(minutes=minutes)),
            inside=name,
        )
        for name, lines, minutes in (("AGENT.md", 4, 3), ("MEMORY.md", 900, 130))
    ]
    folder = FoundFile("/home/ada/flats/.agent-context.md", note="is a folder, and is not read")
    seen = tuple(map(Seen, (*files, folder)))
    talk = chat.app._chat.talk
    assert talk is not None
    talk._conversation.files._watch = Watch([("flats", lambda: seen)])
    await chat.until(lambda: len(talk._memory.state.files) == 3)
    await talk._memory.settled()
    assert isinstance(chat.screen, ChatScreen)
    chat.screen.show_pane("files")
    await chat.pilot.pause()
    await chat.until(lambda: "is a folder" in chat.notices)


def at_work(*pressed: str, over: type[Screen[Any]] | None = None) -> Shown:
    """What is come to by keys once there is a goal and stored content."""
    shown = keys(*pressed, over=over)

    async def act(chat: Chat) -> None:
        await worked(chat)
        await shown.act(chat)

    return Shown(act)


async def knowing(chat: Chat) -> None:
    """Facts of all kinds: pinned, edited, ended, of a message."""
    talk = chat.app._chat.talk
    assert talk is not None
    facts = talk._memory.facts
    await facts.remember("They move to Lisbon in April with Biscuit, a dog.", importance=0.9)
    await facts.remember("The budget is €900 a month.", sources=[facts.here(3)])
    await facts.remember("The agent answers by e-mail only, never by phone.", importance=0.6)
    await facts.remember("They can see flats on Fridays.", importance=0.3)
    await facts.edit("f2", "The budget is €1,100 a month.")
    await facts.end("f4")
    await facts.pin("f1")
    await talk._memory.settled()
    await chat.press("ctrl+f")
    screen = await chat.over(FactsScreen)
    await chat.until(lambda: len(screen._facts) == 4)
    await chat.press("down")
    await chat.until(lambda: "f2" in screen._cited)


class Found:
    """What was recalled, as the screen of it reads it."""

    async def points(self) -> tuple[TurnPoint, ...]:
        return ()

    async def now(self) -> Turn:
        from tests.support.still_clock import StillDatetime

        return Turn(
            RECALLED, IndexView(5_310, 1_204, 4_106, "indexing"), StillDatetime.present, "this turn"
        )

    async def at(self, point: TurnPoint) -> Turn:
        raise NotImplementedError(point)

    async def said(self, view: RecallView) -> Mapping[int, Said]:
        del view
        return {}

    def is_here(self, said: Said) -> bool:
        return bool(said.passage)


async def _refuse(_: str) -> str:
    return "This passphrase does not open it. Try again."


SHOWN: dict[str, Shown] = {
    "chat-first": Shown(nothing, talked=False),
    "chat-talked": Shown(nothing),
    "chat-notices": Shown(told),
    "chat-read-only": Shown(nothing, read_only=True),
    "chat-panes": keys("f7"),
    "chat-enlarged": Shown(enlarged),
    "chat-work": replace(at_work(), tools="few"),
    "chat-files": Shown(with_files),
    "chat-completion": keys("@"),
    "calls": Shown(shown_calls.folded),
    "calls-running": Shown(shown_calls.running),
    "calls-unfolded": Shown(shown_calls.unfolded),
    "calls-asked": Shown(shown_calls.asked),
    "calls-asked-much": Shown(shown_calls.asked_much),
    "prompt": replace(keys("f2", over=PromptScreen), tools="few"),
    "prompt-opened": keys("f2", "down", "down", "down", "enter", over=PromptScreen),
    "timeline": keys("f3", over=TimelineScreen),
    "timeline-opened": Shown(compaction_opened()),
    "timeline-lost": Shown(compaction_opened("end")),
    "timeline-rewrite": Shown(rewriting),
    "timeline-rewritten": Shown(rewritten),
    "goals": at_work("ctrl+t", over=GoalsScreen),
    "goals-asking": at_work("ctrl+t", "a", *"pack after t2", over=GoalsScreen),
    "goals-ended": at_work("ctrl+t", "end", "enter", over=GoalsScreen),
    "content": at_work("f12", over=ContentScreen),
    "content-digest": at_work("f12", "right", "right", over=ContentScreen),
    "facts": Shown(knowing),
    "recalled": laid_over(lambda _: RecalledScreen(Found()), "down"),
    "travel": keys("f4", "shift+left", over=TravelScreen),
    "plot": keys("f5", over=PlotScreen),
    "sessions": sessions("down"),
    "sessions-rename": sessions("down", "ctrl+e"),
    "sessions-delete": sessions("down", "delete"),
    "sessions-none": sessions(number=0),
    "agents": agents("up"),
    "agents-new": agents("n", *"cook", "tab", *"You bake.", "tab", "tab", *"fold", "ctrl+s"),
    "palette": keys("ctrl+p", over=Palette),
    "help": keys("f1", over=HelpScreen),
    "themes": keys("f9", over=ThemeScreen),
    "first": laid_over(lambda _: FirstScreen(FEW, Coming, None)),
    "first-downloading": Shown(downloading),
    "held": laid_over(lambda _: HeldScreen("strata on this machine")),
    "asking": laid_over(_asking),
    "unlock": laid_over(lambda _: UnlockScreen(_refuse), *"a goose", "enter", *"gee"),
}
