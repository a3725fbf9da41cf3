"""What a request shares with the one before, and what is said to have ended that."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from memory.pieces import Piece
from memory.sharing import describe_break, flat, placed, shared, shared_tokens
from tests.memory.doubles import ScriptedModel, chat_model, opened, say, words


async def test_a_request_that_goes_on_shares_all_of_the_one_before(tmp_path: Path) -> None:
    """VIEW-2, I9: nothing broke where messages were only added."""
    async with opened(tmp_path, system_prompt="Be brief.") as memory:
        await say(memory, 5)
        before = await memory.prompt()
        await say(memory, 2)
        now = await memory.prompt()

    part = shared(before.messages, now.messages)
    assert part.chars == sum(len(flat(message)) for message in before.messages)
    assert (part.message, part.broke, part.in_last_turn) == (len(before.messages), False, True)
    assert describe_break(before, now) == ""
    assert 0 < shared_tokens(before, now) < now.tokens


async def test_a_cascade_ends_the_shared_part_at_its_summary(tmp_path: Path) -> None:
    """VIEW-2, I9: the first one, and one that folds again, are told apart."""
    async with opened(tmp_path, profile="stress", model=ScriptedModel()) as memory:
        prompts = [await memory.prompt()]
        for _ in range(30):
            await say(memory, 1)
            await memory.settled()
            prompts.append(await memory.prompt())

    told = [describe_break(*pair) for pair in pairwise(prompts)]
    assert "short-term summary: the first one" in told
    assert "long-term summary: the first one" in told
    assert any(text.endswith(": folded again") for text in told)
    assert told.count("") > len(told) / 2


async def test_an_undone_cascade_is_named(tmp_path: Path) -> None:
    """VIEW-2, COMPACT-11: what had stood there is gone."""
    async with opened(tmp_path, profile="stress", model=ScriptedModel()) as memory:
        await say(memory, 9)
        await memory.settled()
        before = await memory.prompt()
        await memory.undo()
        now = await memory.prompt()

    assert describe_break(before, now).endswith("summary: taken back")
    assert shared(before.messages, now.messages).in_last_turn is False


async def test_left_out_and_shortened_messages_are_named(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-3: a request that had to leave messages out tells which."""
    async with opened(tmp_path, chat=chat_model(1_024)) as memory:
        prompts = []
        for n in range(12):
            await memory.add("user", words(n, 400))
            prompts.append(await memory.prompt())

    told = [describe_break(*pair) for pair in pairwise(prompts)]
    assert any(text.endswith(": left out to fit") for text in told)


async def test_every_character_belongs_to_one_piece(tmp_path: Path) -> None:
    """VIEW-2: pieces stand one after the other, without a gap, and show what is sent."""
    async with opened(tmp_path, profile="stress", system_prompt="Be brief.") as memory:
        await say(memory, 13)
        call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "done", tool_call_id="1")
        prompt = await memory.prompt("What now?")

    whole = "".join(map(flat, prompt.messages))
    places = placed(prompt)
    assert len(places) == len(prompt.pieces)
    assert places[0].start == 0
    assert places[-1].end == len(whole)
    assert all(one.end == two.start for one, two in pairwise(places))
    assert all(place.piece.text in whole[place.start : place.end] for place in places)


def test_the_block_of_the_last_turn_is_read_where_it_stands() -> None:
    """VIEW-2, I9: a turn's block belongs to its turn, and is gone in the next request."""
    said = Piece("messages", "user", "Where?", 2, "", (1, 1))
    fact = Piece("facts", "user", "## Facts\n- Lisbon", 5, "", place="turn")
    answer = Piece("messages", "assistant", "Here.", 2, "", (2, 2))
    block = f"Where?\n\n<memory>\n{fact.text}\n</memory>"
    before = _prompt([said, answer, fact], [("user", block), ("assistant", "Here.")])
    now = _prompt([said, answer], [("user", "Where?"), ("assistant", "Here.")])

    assert [place.piece for place in placed(before)] == [said, fact, answer]
    assert describe_break(before, now) == "message 1: the block of its turn is gone"
    assert shared(before.messages, now.messages).in_last_turn
    again = replace(fact, text="## Facts\n- Porto")
    other = _prompt([said, answer, again], [("user", block.replace("Lisbon", "Porto"))])
    assert describe_break(before, other) == "facts: changed"


def test_an_edited_message_is_named() -> None:
    """VIEW-2, COMPACT-3: a receipt, a snipped run, and a message in full again."""
    full = Piece("messages", "tool", "x" * 90, 30, "", (4, 4))
    receipt = replace(full, text="[c1]", stage="budget")
    snipped = Piece("messages", "user", "[left out]", 9, "", (4, 6), stage="snip")

    def prompt(piece: Piece) -> _Sent:
        return _prompt([piece], [(piece.role, piece.text)])

    assert describe_break(prompt(full), prompt(receipt)) == "message 4: now a receipt"
    assert describe_break(prompt(receipt), prompt(full)) == "message 4: in full again"
    told = describe_break(prompt(full), prompt(snipped))
    assert told == "messages 4 to 6: left out under a receipt"


class _Sent:
    tokens = 100

    def __init__(self, pieces: list[Piece], messages: list[tuple[str, str]]) -> None:
        self.pieces = tuple(pieces)
        self.messages = tuple({"role": role, "content": text} for role, text in messages)


def _prompt(pieces: list[Piece], messages: list[tuple[str, str]]) -> _Sent:
    return _Sent(pieces, messages)
