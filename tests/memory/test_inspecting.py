"""The requests of a session, piece by piece: exact text, sharing, and what was left out."""

import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from memory.errors import StrataError
from memory.events import RequestEnded
from memory.memory import Memory
from memory.parts import Usage
from memory.pieces import ChatMessage
from memory.views import PieceView, PromptView
from tests.memory.doubles import (
    DenseCounter,
    ScriptedModel,
    chat_model,
    database_at,
    opened,
    say,
    words,
)


async def ask(memory: Memory, text: str = "") -> tuple[str, tuple[ChatMessage, ...]]:
    """A turn; returns the request and what was sent."""
    number = memory.state.messages + 1
    await memory.add("user", text or words(number))
    prompt = await memory.prompt()
    request = await memory.prepare(prompt)
    await memory.add("assistant", words(number + 1))
    await memory.settled()
    return request, prompt.messages


def joined(pieces: Sequence[PieceView]) -> str:
    return "".join(piece.text for piece in pieces)


def said(messages: Sequence[ChatMessage]) -> str:
    """What was sent, without what stands between the pieces of one message."""
    whole = "".join(message["content"] for message in messages)
    for between, after in (("\n\n", "## Rec"), ("\n\n<memory>\n", "## Rel"), ("\n</memory>", "")):
        whole = whole.replace(between + after, after)
    return whole


def covered(view: PromptView) -> set[int]:
    """The messages that a request shows, or tells that it does not."""
    spans = [piece.sources for piece in view.pieces if piece.sources]
    spans += [(gone.first, gone.last) for gone in view.left_out]
    return {number for first, last in spans for number in range(first, last + 1)}


async def test_the_pieces_are_what_was_sent(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-5: joined they are the request, through cascades and a restart."""
    model = ScriptedModel(lambda messages: f"Summary of {len(str(messages))} characters.")
    async with opened(tmp_path, profile="stress", model=model, system_prompt="Be brief.") as memory:
        requests = [await ask(memory) for _ in range(12)]

    async with opened(tmp_path, profile="stress") as memory:
        inspecting = memory.inspecting
        assert [info.request for info in await inspecting.requests()] == [r for r, _ in requests]
        for request, messages in requests:
            view = await inspecting.inspect(request)
            assert view.exact, view.note
            assert joined(view.pieces) == said(messages)
            assert sum(piece.share for piece in view.pieces) == pytest.approx(1)


async def test_the_next_request_is_what_would_be_sent(tmp_path: Path) -> None:
    """VIEW-2: with what stands in the composer as its last piece."""
    async with opened(tmp_path, profile="stress", counter=DenseCounter()) as memory:
        await say(memory, 13)
        prompt = await memory.prompt("What now?")
        view = await memory.inspecting.inspect(draft="What now?")

    assert view.request is None
    assert joined(view.pieces) == said(prompt.messages)
    assert view.pieces[-1].text == "What now?"
    assert view.tokens == prompt.tokens == sum(piece.tokens for piece in view.pieces)
    assert view.limit == prompt.budget.room
    assert view.trigger == prompt.budget.trigger_at


async def test_a_session_without_a_word_has_a_next_request(tmp_path: Path) -> None:
    """VIEW-2: nothing came before it, so nothing is shared."""
    async with opened(tmp_path) as memory:
        assert await memory.inspecting.requests() == []
        view = await memory.inspecting.inspect()

    assert (view.shared_tokens, view.broken_by, view.left_out) == (0, "", ())
    assert [piece.section for piece in view.pieces] == ["system"]


async def test_sharing_after_a_cascade(tmp_path: Path) -> None:
    """VIEW-2, I9: pieces before the break are shared, one broke, the rest is new."""
    model = ScriptedModel(lambda messages: f"Summary of {len(str(messages))} characters.")
    async with opened(tmp_path, profile="stress", model=model, system_prompt="Be brief.") as memory:
        for _ in range(9):
            await ask(memory)
        inspecting = memory.inspecting
        views = [await inspecting.inspect(info.request) for info in await inspecting.requests()]

    assert any(view.broken_by == "short-term summary: the first one" for view in views)
    for view in views[1:]:
        marks = [piece.sharing for piece in view.pieces]
        order = ["shared", "broke", "new"]
        assert marks == sorted(marks, key=order.index)
        assert marks.count("broke") == bool(view.broken_by)
        assert marks[0] == "shared"
        assert 0 < view.shared_tokens < view.tokens
    grown = next(view for view in views[1:] if not view.broken_by)
    assert [piece.sharing for piece in grown.pieces].count("new") == 2


async def test_every_message_is_shown_or_accounted_for(tmp_path: Path) -> None:
    """VIEW-2, I1: in a piece, under a summary, or named where it was left out to fit."""
    async with opened(tmp_path, profile="stress", chat=chat_model(700)) as memory:
        for n in range(20):
            await ask(memory, words(n, 60 + 200 * (n % 4)))
        inspecting = memory.inspecting
        infos = await inspecting.requests()
        views = [await inspecting.inspect(info.request) for info in infos]
        views.append(await inspecting.inspect())

    assert any("summary" in gone.why for view in views for gone in view.left_out)
    for view in views:
        assert covered(view) >= set(range(1, view.message + 1))
        assert all(gone.tokens > 0 and gone.why for gone in view.left_out)


async def test_messages_left_out_to_fit_are_named(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-3: their range, their tokens, and why."""
    async with opened(tmp_path, chat=chat_model(1_024)) as memory:
        for n in range(9):
            await memory.add("user", words(n, 600))
        view = await memory.inspecting.inspect()

    (gone,) = view.left_out
    assert gone.first == 1
    assert gone.why == "the prompt would not fit otherwise"
    assert gone.tokens > 100


async def test_a_message_shortened_to_fit_shows_what_it_replaced(tmp_path: Path) -> None:
    """VIEW-2: the whole text of the log."""
    whole = words(1, 9_000)
    async with opened(tmp_path, chat=chat_model(1_024)) as memory:
        await memory.add("tool", whole)
        await memory.add("user", "And?")
        view = await memory.inspecting.inspect()

    (piece,) = [piece for piece in view.pieces if piece.sources == (1, 1)]
    assert len(piece.text) < len(whole)
    assert piece.replaced == whole


async def test_a_summary_shows_the_version_it_replaced(tmp_path: Path) -> None:
    """VIEW-2, COMPACT-11: with its version and who wrote it."""
    answers = iter(f"Summary number {n}." for n in range(99))
    model = ScriptedModel(lambda _: next(answers), name="writer")
    async with opened(tmp_path, profile="stress", model=model) as memory:
        await say(memory, 30)
        view = await memory.inspecting.inspect()
        short = memory.state.folding.short_term

    piece = next(piece for piece in view.pieces if piece.section == "short_term")
    assert short is not None
    assert (piece.version, piece.by) == (short.version, "writer")
    assert piece.replaced is not None
    assert piece.replaced.startswith("Summary number ")
    assert piece.replaced not in piece.text


async def test_tool_calls_are_shown_beside_the_text(tmp_path: Path) -> None:
    """VIEW-2, I3: what a message carries is part of what the model reads."""
    call = {"id": "a1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    async with opened(tmp_path) as memory:
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "done", tool_call_id="a1")
        view = await memory.inspecting.inspect()

    assert '"find"' in view.pieces[1].extras
    assert "a1" in view.pieces[2].extras


async def test_the_providers_count_stands_beside_ours(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-4: with how the request ended, of all its attempts."""
    async with opened(tmp_path) as memory:
        request, _ = await ask(memory)
        await memory.ended(RequestEnded(request, 1, "m", "failed", "rate_limit"))
        await memory.ended(RequestEnded(request, 2, "m", "ok", usage=Usage(321, 4)))
        failed, _ = await ask(memory)
        await memory.ended(RequestEnded(failed, 1, "m", "failed", "server"))
        unfinished, _ = await ask(memory)
        inspecting = memory.inspecting
        views = [await inspecting.inspect(r) for r in (request, failed, unfinished)]

    assert [(view.provider_tokens, view.outcome) for view in views] == [
        (321, "ok"),
        (None, "failed: server"),
        (None, None),
    ]


async def test_a_request_that_can_not_be_told_exactly_says_so(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-5: a text has gone, or stood in the composer only."""
    async with opened(tmp_path) as memory:
        prompt = await memory.prompt("never kept")
        draft = await memory.prepare(prompt)
        call = {"id": "a1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
        await memory.add("assistant", "to be forgotten", tool_calls=[call])
        request, _ = await ask(memory)
        first = await memory.inspecting.inspect(draft)
    async with database_at(tmp_path) as database:

        async def forget(transaction: object) -> None:
            await transaction.run("UPDATE body SET text = NULL, erased_at = 'now'")  # type: ignore[attr-defined]

        await database.write(forget)
    async with opened(tmp_path, vault=False) as memory:
        second = await memory.inspecting.inspect(request)

    for view in (first, second):
        assert not view.exact
        assert view.note.endswith("it was not quite this.")
    assert "[forgotten]" in joined(second.pieces)


async def test_a_prompt_that_can_not_be_sent_is_shown_all_the_same(tmp_path: Path) -> None:
    """VIEW-2, PROMPT-3: with the sentence that says why."""
    async with opened(tmp_path, chat=chat_model(600)) as memory:
        await memory.add("user", words(1, 9_000))
        view = await memory.inspecting.inspect()

    assert not view.exact
    assert view.note.startswith("Message 1 has about")
    assert view.tokens > view.limit


async def test_an_unknown_request_is_refused(tmp_path: Path) -> None:
    """VIEW-2: in a sentence."""
    async with opened(tmp_path) as memory:
        with pytest.raises(StrataError, match="no request"):
            await memory.inspecting.inspect("elsewhere")


async def test_many_requests_are_listed_quickly(tmp_path: Path) -> None:
    """VIEW-2, ALL-7: ten thousand of them, each of the usual size; a generous bound."""
    async with opened(tmp_path) as memory:
        prompt = await memory.prompt()
        await memory.prepare(prompt)
        journal = memory._journal
        (row,) = await journal.database.all("SELECT branch, data FROM event WHERE kind = 'request'")
        start = journal.state.n + 1
        rows = [
            (row[0], n, "2026-01-01T00:00:00Z", "request", 1, None, row[1])
            for n in range(start, start + 10_000)
        ]

        async def write(transaction: object) -> None:
            await transaction.many("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)", rows)  # type: ignore[attr-defined]

        await journal.database.write(write)
        begun = time.process_time()
        found = await memory.inspecting.requests()
        took = time.process_time() - begun

    assert len(found) == 10_001
    assert took < 3


async def test_edited_messages_show_what_they_replaced(tmp_path: Path) -> None:
    """VIEW-2, COMPACT-1, I1: a receipt names its stage and the text that it stands for."""
    async with opened(tmp_path, chat=chat_model(8_192), system_prompt="Be brief.") as memory:
        whole: dict[int, str] = {}
        for turn in range(30):
            function = {"name": "read", "arguments": f'{{"page": {turn}}}'}
            call = {"id": f"a{turn}", "type": "function", "function": function}
            await memory.add("user", words(turn))
            await memory.add("assistant", "", tool_calls=[call])
            stored = await memory.add(
                "tool", words(turn, 6_000 if turn % 3 else 900), tool_call_id=f"a{turn}"
            )
            whole[stored.number] = stored.content
            await memory.add("assistant", words(turn, 60))
            await memory.settled()
        view = await memory.inspecting.inspect()
        edits = memory.state.folding.edits

    assert edits
    assert covered(view) >= set(range(1, view.message + 1))
    changed = [piece for piece in view.pieces if piece.stage in ("budget", "micro")]
    assert changed
    for piece in changed:
        assert piece.sources is not None
        if piece.sources[0] in whole:
            assert piece.replaced == whole[piece.sources[0]]
    for piece in view.pieces:
        if piece.receipt and piece.sources:
            assert piece.sources in {(gone.first, gone.last) for gone in view.left_out}
