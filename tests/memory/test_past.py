"""Going back in time: moments, turns and their figures (VIEW-4, VIEW-7)."""

import time
from pathlib import Path

from memory.config import RecallConfig
from memory.events import Event, Message, RequestEnded, RequestPrepared
from memory.files import FoundFile
from memory.ids import new_id
from memory.memory import Memory
from memory.parts import Ledger, MessageRef, Usage
from memory.plotting import Change, Figures, Fixed, points
from memory.privacy import Cleaned, Door
from memory.state import State
from memory.storage.points import MessageFigures, RequestFigures
from memory.wish import Wish
from tests.memory.doubles import chat_model, opened, say, words

LONGEST_S = 0.15
TRIES = 5


async def ask(memory: Memory, number: int) -> None:
    """A turn: a question, its request, its answer."""
    await memory.add("user", words(number))
    request = await memory.prepare(await memory.prompt())
    answer = memory.answer(request)
    answer.text = words(number + 1)
    await answer.close()
    await memory.ended(RequestEnded(request, 1, "m", "ok", usage=Usage(10, 10)))
    memory.start_upkeep()
    await memory.settled()


async def test_every_moment_is_what_it_was(tmp_path: Path) -> None:
    """VIEW-4: in any order, near or far, once or twice: the snapshot of then."""
    async with opened(tmp_path, profile="stress") as memory:
        seen = {}
        for _ in range(18):
            await say(memory, 1)
            seen[memory.state.n] = memory.snapshot()
        await memory.undo()
        seen[memory.state.n] = memory.snapshot()
        past = memory.past()
        order = [*reversed(seen), *list(seen)[::3], *seen]
        for n in order:
            then, now = seen[n], await past.snapshot(n)
            assert now.context == then.context, n
            assert (now.window, now.short_term, now.long_term) == (
                then.window,
                then.short_term,
                then.long_term,
            )
            assert [r.event.id for r in now.recent_compactions] == [
                r.event.id for r in then.recent_compactions
            ]
            assert [r.undone for r in now.recent_compactions] == [
                r.undone for r in then.recent_compactions
            ]
            assert now.read_only


async def test_a_moment_knows_when_it_was(tmp_path: Path) -> None:
    """VIEW-4: ages are told as they were told then."""
    async with opened(tmp_path) as memory:
        await say(memory, 3)
        past = memory.past()
        for recorded in await memory.log():
            at = (await past.moment(recorded.n))[1]
            assert f"{at:%Y-%m-%dT%H:%M:%S}" == recorded.at[:19]


async def test_the_past_grows_with_the_session(tmp_path: Path) -> None:
    """VIEW-4: what another process writes meanwhile can be gone to as well."""
    async with (
        opened(tmp_path, profile="stress") as writing,
        opened(tmp_path, wish=Wish(read_only=True), profile="stress") as reading,
    ):
        await say(writing, 6)
        await reading.refresh()
        past = reading.past()
        before = await past.snapshot(reading.state.n)
        await say(writing, 6)
        await reading.refresh()
        after = await past.snapshot(reading.state.n)
        assert (before.messages, after.messages) == (6, 12)
        assert after.compactions > before.compactions
        assert len(after.recent_compactions) == after.compactions


async def test_a_turn_is_a_request(tmp_path: Path) -> None:
    """VIEW-7: with the tokens of its prompt, and those of all that had been said."""
    silent = RecallConfig(enabled=False)
    async with opened(tmp_path, profile="stress", recall=silent) as memory:
        for number in range(1, 13, 2):
            await ask(memory, number)
        turns = await memory.turn_points()
        requests = [e for e in await memory.log() if isinstance(e.event, RequestPrepared)]
        assert [turn.n for turn in turns] == [e.n for e in requests]
        assert [turn.message for turn in turns] == [1, 3, 5, 7, 9, 11]
        assert [turn.prompt_tokens for turn in turns] == [
            e.event.ledger.tokens for e in requests if isinstance(e.event, RequestPrepared)
        ]
        # Nothing was folded before the first of them.
        assert turns[0].full_history_tokens == turns[0].prompt_tokens
        assert turns[-1].full_history_tokens > turns[-1].prompt_tokens


async def test_both_counts_of_a_turn_have_the_same_fixed_parts(tmp_path: Path) -> None:
    """VIEW-7: memory files, tools and the goal are in the full history as in the prompt."""
    silent = RecallConfig(enabled=False)
    rules = FoundFile("/w/AGENT.md", "Answer in English.\n" * 9, size=171)
    async with opened(tmp_path, recall=silent) as memory:
        await memory.use_files([rules])
        await memory.offer_tools([{"type": "function", "function": {"name": "read_file"}}])
        await ask(memory, 1)
        await memory.goals.set("Find a flat")
        await ask(memory, 3)
        turns = await memory.turn_points()
        assert [turn.full_history_tokens for turn in turns] == [t.prompt_tokens for t in turns]
    async with opened(tmp_path / "import", recall=silent) as memory:
        await memory.use_files([rules])
        await say(memory, 2)
        turns = await memory.turn_points()
        used = memory.snapshot().context.used
        assert (turns[-1].prompt_tokens, turns[-1].full_history_tokens) == (used, used)


async def test_an_import_has_turns_as_well(tmp_path: Path) -> None:
    """VIEW-4: where nothing was asked, each message is a moment, its prompt as it would be."""
    async with opened(tmp_path, profile="stress") as memory:
        prompts = {}
        for _ in range(14):
            await say(memory, 1)
            prompts[memory.state.messages] = memory.snapshot().context.used
        turns = await memory.turn_points()
        assert [turn.message for turn in turns] == list(range(1, 15))
        compacted = {record.event.message for record in await memory.compactions()}
        for turn in turns:
            if turn.message not in compacted:
                assert turn.prompt_tokens == prompts[turn.message]


def test_questions_that_were_never_sent_are_turns() -> None:
    """VIEW-4: an import that is gone on with keeps its turns, by the messages of the user."""
    figures = Figures(
        messages=[
            MessageFigures(1, 1, "user", 10),
            MessageFigures(2, 2, "assistant", 20),
            MessageFigures(4, 3, "user", 30),
            MessageFigures(5, 4, "user", 40),
            MessageFigures(7, 5, "assistant", 50),
        ],
        requests=[RequestFigures(6, 70, files=7, beside=9)],
        changes=[Change(3, 15)],
    )
    found = [
        (p.n, p.message, p.prompt_tokens, p.full_history_tokens)
        for p in points(figures, Fixed(5, message=1))
    ]
    assert found == [(1, 1, 16, 16), (4, 3, 15 + 31, 16 + 21 + 31), (6, 4, 70, 109 + 7 + 9)]


async def test_ten_thousand_turns_are_read_at_once(tmp_path: Path) -> None:
    """VIEW-7: in less than 150 ms of CPU, by the fastest of a few tries."""
    async with opened(tmp_path, chat=chat_model(), policy="none") as memory:
        await memory._journal.database.all("PRAGMA synchronous = OFF")
        for _ in range(20):
            await memory._journal.append(lambda state: many_turns(state, 500))
        seconds = []
        for _ in range(TRIES):
            started = time.process_time()
            turns = await memory.turn_points()
            seconds.append(time.process_time() - started)
        assert len(turns) == 10_000
        assert min(seconds) < LONGEST_S, seconds


def many_turns(state: State, turns: int) -> tuple[list[Event], dict[str, Cleaned]]:
    """The events of so many turns, and their texts."""
    events: list[Event] = []
    bodies: dict[str, Cleaned] = {}
    door = Door()
    for place in range(turns):
        for role in ("user", "assistant"):
            number = state.messages + 2 * place + (1 if role == "user" else 2)
            body = new_id()
            bodies[body] = door.clean(words(number))
            ref = MessageRef(number, "user" if role == "user" else "assistant", body, 120)
            if role == "user":
                events.append(Message(ref, "user"))
                continue
            request = new_id()
            ledger = Ledger(
                renderer=1,
                n=state.n + len(events),
                digest="0" * 64,
                system=None,
                long_term=None,
                short_term=None,
                first=max(1, number - 100),
                last=number - 1,
                left_out=None,
                shortened=(),
                sections={"system": 60, "messages": 7_000},
                tokens=7_060,
                limit=27_853,
            )
            events.append(RequestPrepared(request, ledger))
            events.append(Message(ref, "model", request))
            events.append(RequestEnded(request, 1, "m", "ok", usage=Usage(7_000, 30)))
    return events, bodies
