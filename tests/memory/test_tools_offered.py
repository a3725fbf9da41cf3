"""The tools that requests offer: part of the prompt, of its budget and of its ledger."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory import Memory, MemoryConfig
from memory.events import ToolsOffered
from memory.sharing import as_sent, describe_break, shared_tokens
from tests.memory.doubles import DenseCounter, chat_model, dense_tokens, opened

READ = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Reads a file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}},
    },
}
LIST = {"type": "function", "function": {"name": "list_files", "parameters": {"type": "object"}}}


async def test_tools_stand_in_every_prompt_and_count(tmp_path: Path) -> None:
    """PROMPT-3: tool schemas count as part of the prompt."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.add("user", "Read the notes.")
        plain = await memory.prompt()
        await memory.offer_tools([READ])
        offering = await memory.prompt()
    assert plain.tools == ()
    assert offering.tools == (READ,)
    assert offering.messages == plain.messages
    assert offering.sections["tools"] > 20
    assert offering.tokens == plain.tokens + offering.sections["tools"]
    assert sum(offering.sections.values()) == offering.tokens


async def test_the_same_tools_are_recorded_once(tmp_path: Path) -> None:
    """PROMPT-1: tool schemas enter as events; only a changed list is one."""
    async with Memory.open(tmp_path, "s") as memory:
        for offered in ([READ], [READ], [READ, LIST], [], []):
            await memory.offer_tools(offered)
        kinds = [entry.event for entry in await memory.log()]
    told = [event.names for event in kinds if isinstance(event, ToolsOffered)]
    assert told == [("read_file",), ("read_file", "list_files"), ()]


async def test_they_are_offered_after_a_restart(tmp_path: Path) -> None:
    """STORE-2: what was offered is part of the state."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.add("user", "Read the notes.")
        await memory.offer_tools([READ])
        before = await memory.prompt()
    async with Memory.open(tmp_path, "s") as memory:
        assert (await memory.prompt()).tools == (READ,)
        assert (await memory.prompt()).ledger.digest == before.ledger.digest


async def test_a_past_request_is_written_again_with_its_tools(tmp_path: Path) -> None:
    """PROMPT-5: the ledger names the tools, and other tools later do not change what was sent."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.add("user", "Read the notes.")
        await memory.offer_tools([READ])
        request = await memory.prepare(await memory.prompt())
        await memory.offer_tools([LIST])
        view = await memory.inspecting.inspect(request)
        messages = await memory.request_messages(request)
    assert view.exact
    assert next(piece.text for piece in view.pieces if piece.section == "tools").count("read_file")
    assert messages[-1]["content"] == "Read the notes."


async def test_another_list_of_tools_breaks_the_prefix_and_is_named(tmp_path: Path) -> None:
    """I9: a changed tool list lies between, and the ledger says so."""
    async with Memory.open(tmp_path, "s") as memory:
        await memory.add("user", "Read the notes.")
        await memory.offer_tools([READ])
        one = await memory.prompt()
        await memory.offer_tools([READ, LIST])
        other = await memory.prompt()
    assert describe_break(one, other) == "tools: changed"
    assert shared_tokens(one, other) < other.tokens
    assert [message["role"] for message in as_sent(other)[:2]] == ["system", "system"]


@pytest.mark.parametrize("many", [40])
async def test_tools_too_large_for_the_window_are_an_error_that_says_so(
    tmp_path: Path, many: int
) -> None:
    """PROMPT-3: what can't fit is a clear error."""
    from memory.prompt import PromptTooLarge

    config = MemoryConfig(context_window=1_024)
    async with Memory.open(tmp_path, "s", config=config) as memory:
        await memory.add("user", "Read the notes.")
        await memory.offer_tools([READ] * many)
        with pytest.raises(PromptTooLarge, match="tools"):
            await memory.prompt()


@dataclass
class TemplateCounter(DenseCounter):
    """A counter that may know what a template makes of tools."""

    for_tools: int | None = None

    async def count_tools(self, schemas: Sequence[Mapping[str, Any]]) -> int | None:
        """Tokens of all of them."""
        assert len(schemas) == 1
        return self.for_tools


@pytest.mark.parametrize("known", [77, None])
async def test_they_are_counted_once(tmp_path: Path, known: int | None) -> None:
    """PROMPT-4: as the template writes them, or as plain text where nobody can tell."""
    counter = TemplateCounter(for_tools=known)
    async with opened(tmp_path, counter=counter, chat=chat_model()) as memory:
        await memory.prompt()
        before = counter.counted
        await memory.offer_tools([READ])
        prompt = await memory.prompt()
    plain = dense_tokens(next(piece.text for piece in prompt.pieces if piece.section == "tools"))
    assert prompt.sections["tools"] == (known or plain)
    assert counter.counted - before == (0 if known else 1)
