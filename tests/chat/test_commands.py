"""CHAT-7: what @commands do, as the screen and `strata ask` are told of it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from app.chat.commands import COMMANDS, find_command
from app.chat.content_commands import wanted_part
from app.chat.conversation import Conversation
from app.chat.happenings import (
    CopyWanted,
    DeletionWanted,
    Reported,
    SessionWanted,
    ThemeWanted,
    TimelineWanted,
    TraceWanted,
)
from app.chat.names import name_of, session_name
from app.chat.status import status_document
from memory.errors import StrataError
from memory.memory import Memory
from memory.storage.sessions import SeveralSessions, UnknownSession
from memory.storage.shown_names import begun
from memory.wish import Wish
from tests.support.commanding import reported, said
from tests.support.misbehaving_server import GOOD_ANSWER

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.parametrize("name", COMMANDS)
async def test_every_command_is_found_and_described(name: str) -> None:
    """CHAT-7: none is without a word of what it is for."""
    assert find_command(f"@{name}") == (COMMANDS[name], "")
    assert COMMANDS[name].description


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("@gaol Write a book.", "goal"),
        ("@tasks done t1", "task"),
        ("@retreive c1", "retrieve"),
        ("@statu", None),
        ("@goals", "goal"),
    ],
)
async def test_a_mistyped_command_is_asked_back(text: str, meant: str | None) -> None:
    """CHAT-7: it does not go to a model, which would act on it."""
    with pytest.raises(StrataError) as raised:
        find_command(text)
    name = text.split(maxsplit=1)[0]
    assert f"There is no command {name}." in str(raised.value)
    assert meant is None or f"Perhaps @{meant};" in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "@anna wrote to me",
        "@theo and @grace are late",
        "@team all is well",
        "@property makes it one",
        " @gaol is no command",
        "anna@goal.org wrote",
    ],
)
async def test_what_is_no_command_is_a_message(text: str) -> None:
    """CHAT-7: names of people are near no command; a space before it makes anything a message."""
    assert find_command(text) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("@regenerate", "Nothing has been said yet. Write a message first."),
        ("@policy zig", "There is no policy 'zig'. There are "),
        ("@agent policy zig", "There is no policy 'zig'. There are "),
        ("@goal show g7", "No archived goal is called g7. @goal list"),
    ],
)
async def test_what_can_not_be_done_is_a_problem(
    conversation: Conversation, text: str, told: str
) -> None:
    """ALL-2: it looks like one, and says what to do."""
    [report] = await said(conversation, text)
    assert isinstance(report, Reported)
    assert report.tone == "problem"
    assert report.text.startswith(told)


async def test_a_title_is_found_in_any_letters(conversation: Conversation) -> None:
    """CHAT-4: where it can mean one session only."""
    sessions = conversation.memory.sessions
    await conversation.memory.rename("Flats in Porto")
    here = conversation.memory.info.id
    assert await said(conversation, "@session flats in porto") == [SessionWanted(here)]
    for title in ("TOWNS", "Towns"):
        await sessions.create(user="ada", agent="default", title=title)
    assert "No session is named 'towns'. @sessions lists" in (
        await reported(conversation, "@session towns")
    )
    with pytest.raises(UnknownSession, match="`strata sessions` lists"):
        await sessions.find("towns")


async def test_a_session_without_a_title_is_found_as_it_is_shown(tmp_path: Path) -> None:
    """CHAT-4: by when it began; of several that began in one minute the ids are told."""
    async with Memory.open(tmp_path, wish=Wish(session="titled")) as memory:
        made = [await memory.sessions.create(user="ada", agent="default", title=None)]
        name = name_of(made[0], datetime.now(UTC))
        assert name.startswith("session of ")
        assert (await memory.sessions.find(name)).id == made[0].id
        while len({name_of(one, datetime.now(UTC)) for one in made}) == len(made):
            made.append(await memory.sessions.create(user="ada", agent="default", title=None))
        with pytest.raises(SeveralSessions, match=made[-1].id):
            await memory.sessions.find(name_of(made[-1], datetime.now(UTC)))


async def test_of_an_older_session_the_day_is_shown() -> None:
    """CHAT-4: the time alone means today's."""
    now = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
    old, new = Began("2025-11-20T18:57:00.000Z"), Began("2026-11-21T18:57:00.000Z")
    for began in (old, new):
        name = session_name(None, f"ada:default:{began.started_at}", now, UTC)
        assert begun([old, new], name, now, UTC) == [began]
    assert begun([old, new], "Session of 20 nov 18:57", now, UTC) == [old]
    assert begun([old, new], "session of 18:58", now, UTC) == []


@dataclass(frozen=True)
class Began:
    """A session without a title."""

    started_at: str
    title: None = None


async def test_deleting_is_only_wished_for(conversation: Conversation) -> None:
    """CHAT-4: the command deletes nothing; whoever shows it has to ask."""
    await conversation.memory.add("user", "hello")
    await conversation.memory.rename("letters")
    here = conversation.memory.info.id
    assert await said(conversation, "@delete") == [DeletionWanted(here, "letters", 1)]
    assert await said(conversation, "@delete letters") == [DeletionWanted(here, "letters", 1)]
    assert "No session is named 'nowhere'" in await reported(conversation, "@delete nowhere")
    assert (await conversation.memory.sessions.find(here)).messages == 1


async def test_copying_the_last_answer(conversation: Conversation) -> None:
    """CHAT-5: the text itself goes to the screen, if there is one."""
    assert await reported(conversation, "@copy") == "There is no answer yet."
    await said(conversation, "Hello?")
    await conversation.memory.add("user", "and then?")
    assert await said(conversation, "@copy") == [CopyWanted(GOOD_ANSWER)]


async def test_what_only_a_screen_can_do(conversation: Conversation) -> None:
    """CHAT-7: commands pass it on."""
    assert await said(conversation, "@theme strata-light") == [ThemeWanted("strata-light")]
    assert await said(conversation, "@theme") == [ThemeWanted(None)]
    assert await said(conversation, "@timeline") == [TimelineWanted()]
    assert await said(conversation, "@new") == [SessionWanted(None)]


async def test_the_list_marks_the_open_session(conversation: Conversation) -> None:
    """CHAT-4: with name, messages, size, last use, agent and model."""
    await conversation.ready()
    await conversation.memory.add("user", "x" * 3_900)
    await conversation.memory.rename("a long letter")
    lines = (await reported(conversation, "@sessions")).splitlines()
    here = [line for line in lines if line.startswith("›")]
    assert len(here) == 1
    assert here[0].split()[1:4] == ["a", "long", "letter"]
    for part in ("1 message", " kB", "just now", "default", "good"):
        assert part in here[0]
    await said(conversation, "@rename two\nlines")
    assert "two lines" in await reported(conversation, "@sessions")


async def test_nothing_to_fold_is_said_in_numbers(conversation: Conversation) -> None:
    """COMPACT-6: a manual compaction that changes nothing says why."""
    await conversation.memory.add("user", "one")
    assert "the only message is inside the window of" in await reported(
        conversation, "@compact-memories"
    )
    await conversation.memory.add("assistant", "two")
    assert "all 2 messages are inside the window of" in await reported(
        conversation, "@compact-memories"
    )


async def test_a_receipt_is_followed(conversation: Conversation) -> None:
    """CONT-2, I10: `@retrieve` shows what a receipt cites, in full or in part."""
    memory = conversation.memory
    assert "@retrieve c3" in await reported(conversation, "@retrieve")
    assert "Nothing is stored yet." in await reported(conversation, "@retrieve c1")
    item = await memory.content.store("alpha\nbeta\n[b]gamma[/b]", "custom")
    assert await reported(conversation, f"@retrieve {item.id}") == "alpha\nbeta\n[b]gamma[/b]"
    assert await reported(conversation, f"@retrieve {item.id} last 2") == "beta\n[b]gamma[/b]"
    assert await reported(conversation, f"@retrieve {item.id} ALP et") == "alpha\nbeta"
    assert "No line of c1 has" in await reported(conversation, f"@retrieve {item.id} delta")
    await memory.add("user", "Which port?")
    assert await reported(conversation, "@retrieve m1") == "Which port?"
    assert "This session has no message 9." in await reported(conversation, "@retrieve m9")
    status = status_document(memory.snapshot(), ())
    assert status["content"] == {"items": 1, "characters": 23}


async def test_the_command_takes_parts_and_words() -> None:
    """CONT-2: `@retrieve c3 first 5`; whatever is no part is looked for."""
    assert wanted_part([]) == ("full", 20, [])
    assert wanted_part(["last", "5"]) == ("last", 5, [])
    assert wanted_part(["first"]) == ("first", 20, [])
    assert wanted_part(["first", "error"]) == ("filtered", 20, ["first", "error"])
    assert wanted_part(["summary"]) == ("summary", 20, [])


async def test_a_text_is_followed_in_plain_lines(conversation: Conversation) -> None:
    """VIEW-10: what `strata ask` prints; the screen is given the same ways."""
    await conversation.memory.add("user", "The key lies under the third flowerpot.")
    report, wanted = await said(conversation, "@trace third  FLOWERPOT")
    assert isinstance(report, Reported)
    assert report.text.splitlines()[0].endswith("it is in the prompt: it stands word for word.")
    assert "You said it in message" in report.text
    assert isinstance(wanted, TraceWanted)
    assert wanted.traced.text == "third  FLOWERPOT"
    assert "nowhere in this session" in await reported(conversation, "@trace a fourth one")
    assert "@trace TEXT" in await reported(conversation, "@trace")
