"""`Memory.recall`: what was said before, in whatever session, with score and source."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from memory.content.moments import NoMoment
from memory.errors import StrataError
from memory.recalling import BadFilter
from memory.storage.sessions import UnknownSession
from memory.wish import Wish
from tests.memory.doubles import PlainIndex, WordEmbedder, opened

SAID = (
    "My sister Marta lives in Porto.",
    "The harbour of Lisbon opens at nine.",
    "I painted the garden fence green.",
    "We bought paper for the printer.",
)


async def test_it_works_by_words_alone(tmp_path: Path) -> None:
    """RECALL-2: without embedder and index; best first, with score, parts and source."""
    async with opened(tmp_path, session="one") as memory:
        for text in SAID:
            await memory.add("user", text, origin="user")
        best, *_ = await memory.recall("What colour is the fence in my garden?")
        assert best.text == SAID[2]
        assert (best.kind, best.role, best.number) == ("message", "user", 3)
        assert (best.session, best.title) == (memory.info.id, "one")
        assert best.score == pytest.approx(sum(best.parts.values()))
        assert best.tokens > 0
        assert await memory.recall("zeppelin") == []
        assert await memory.recall(" ") == []


async def test_it_finds_what_another_session_said(tmp_path: Path) -> None:
    """RECALL-3: across sessions of the agent where that is wanted, never of another agent."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", SAID[0])
    async with opened(tmp_path, session="alien", wish=Wish(agent="other")) as memory:
        await memory.add("user", "Marta of the other agent.")
    async with opened(tmp_path, session="two") as memory:
        (found,) = await memory.recall("Where does Marta live?")
        assert (found.text, found.title) == (SAID[0], "one")
    recall = {"across_sessions": False}
    async with opened(tmp_path, session="two", recall=recall) as memory:
        assert await memory.recall("Where does Marta live?") == []
        assert await memory.recall("Marta", filter={"session": "one"})


async def test_it_finds_by_meaning(tmp_path: Path) -> None:
    """RECALL-2: with an index, and with the stored vectors alone."""
    for index in (PlainIndex(), None):
        place = tmp_path / str(index is None)
        async with opened(place, embedder=WordEmbedder(), index=index) as memory:
            for text in SAID:
                await memory.add("user", text)
            await memory.settled()
            best, *_ = await memory.recall("the harbour of Lisbon")
            assert best.text == SAID[1]
            assert index is None or index.asked


async def test_an_embedder_that_fails_leaves_the_words(tmp_path: Path) -> None:
    embedder = WordEmbedder()
    embedder.failing = True
    async with opened(tmp_path, embedder=embedder) as memory:
        await memory.add("user", SAID[1])
        (best,) = await memory.recall("harbour")
        assert best.text == SAID[1]


async def test_number_and_tokens_are_limited(tmp_path: Path) -> None:
    """RECALL-3: what doesn't fit is passed over."""
    async with opened(tmp_path) as memory:
        for n in range(20):
            await memory.add("user", f"The owl of night {n}. " + "It flew. " * (60 if n % 2 else 1))
        assert len(await memory.recall("owl")) == 5
        assert len(await memory.recall("owl", k=99, budget=10_000)) == 20
        short = await memory.recall("owl", k=99, budget=150)
        assert 0 < sum(found.tokens for found in short) <= 150
        assert await memory.recall("owl", budget=0) == []
        assert await memory.recall("owl", k=0) == []


async def test_filters(tmp_path: Path) -> None:
    """RECALL-3: by kind, source, tag, session and time, one value or several."""
    async with opened(tmp_path, session="one") as memory:
        await memory.add("user", "the owl", origin="import")
        await memory.add("assistant", "an owl")
        await memory.content.store("owl page", tags=["bird"])

        async def found(**filter: object) -> set[str]:
            return {each.text for each in await memory.recall("owl", filter=filter)}

        assert await found() == {"the owl", "an owl", "owl page"}
        assert await found(kind="content") == await found(tag=["bird", "sea"]) == {"owl page"}
        assert await found(kind=["content", "message"]) == await found()
        assert await found(source="user") == await found(source="import") == {"the owl"}
        assert await found(source=("user", "assistant")) == {"the owl", "an owl"}
        assert await found(session="one") == await found(session=memory.info.id) == await found()
        hour = datetime.now(UTC) - timedelta(hours=1)
        assert await found(since=hour) == await found(since="1h") == await found()
        assert await found(until=hour) == await found(until="2020-01-01") == set()


@pytest.mark.parametrize(
    ("filter", "error", "says"),
    [
        ({"colour": "red"}, BadFilter, "kind, source, tag, session, since, until"),
        ({"kind": "letter"}, BadFilter, "message, fact, summary, content"),
        ({"source": "nobody"}, BadFilter, "user, assistant, tool"),
        ({"source": ["user", "import"]}, BadFilter, "or for"),
        ({"tag": 3}, BadFilter, "text or several"),
        ({"session": "never"}, UnknownSession, "never"),
        ({"since": "whenever"}, NoMoment, "whenever"),
    ],
)
async def test_a_wrong_filter_is_told(
    tmp_path: Path, filter: dict[str, object], error: type[StrataError], says: str
) -> None:
    """RECALL-3: in a sentence that says what there is."""
    async with opened(tmp_path) as memory:
        with pytest.raises(error) as raised:
            await memory.recall("owl", filter=filter)
        assert says in f"{raised.value.sentence} {raised.value.next_step}"
