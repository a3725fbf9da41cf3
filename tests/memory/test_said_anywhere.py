"""CHAT-4: what was said is found across all sessions."""

from pathlib import Path

from memory.storage.everywhere import excerpt
from memory.storage.sessions import Sessions
from memory.wish import Wish
from tests.memory.doubles import database_at, opened


async def test_all_words_count_in_all_sessions(tmp_path: Path) -> None:
    """CHAT-4: of all agents or of one; with the message and an excerpt."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", "The owl of Athens flew.\nIt was late.")
        await memory.add("assistant", "Owls fly at night.")
    async with opened(tmp_path, session="two", wish=Wish(agent="other")) as memory:
        await memory.add("user", "An owl in Lisbon.")
    async with database_at(tmp_path) as database:
        sessions = Sessions(database)
        assert {each.name for each in await sessions.search("owl")} == {"one", "two"}
        (found,) = await sessions.search("flew owls athens")
        assert (found.number, found.role) == (1, "user")
        assert found.excerpt == "The owl of Athens flew. It was late."
        assert [each.name for each in await sessions.search("owl", "other")] == ["two"]
        assert len(await sessions.search("owl", most=1)) == 1
        assert await sessions.search("owl zeppelin") == await sessions.search(" ") == []


async def test_the_last_word_may_be_begun(tmp_path: Path) -> None:
    """CHAT-4: a person is still typing; quotation marks and signs are no syntax."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "The harbour of Lisbon :-)")
        sessions = memory.sessions
        assert await sessions.search("lisbon harb")
        assert await sessions.search('"lisbon" OR (harb*') == []
        assert await sessions.search('"lisbon" (harb*')
        assert await sessions.search(":-)")
        assert await sessions.search("%") == []


def test_an_excerpt_is_about_the_words() -> None:
    text = "word " * 100 + "the harbour\nof Lisbon " + "word " * 100
    shown = excerpt(text, ["harbour"])
    assert "the harbour of Lisbon" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")
    assert len(shown) < 200
