"""Whatever a message holds, it is kept and comes back."""

from pathlib import Path

import pytest

from memory.answer import EmptyMessage, NewMessage
from tests.memory.doubles import opened

TEXTS = {
    "control characters": "a\x00b\x01\x1b[31mred\x07\r\n\ttab\x7f\x9b",
    "nothing but NUL": "\x00",
    "right to left": "שלום עולם \u202egnp.exe",
    "emoji": "👩‍👩‍👧‍👦 🇵🇹",
    "quotes": "'; DROP TABLE event; --\"",
    "noncharacters": "\ufffe\uffff\U0010ffff",
    "line separators": "a\u2028b\u2029c\x85d",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
async def test_a_message_comes_back_as_it_was(tmp_path: Path, text: str) -> None:
    """ALL-8, STORE-2: it is kept as it is; how it is shown is the screen's affair."""
    async with opened(tmp_path) as memory:
        stored = await memory.add("user", text)
        assert stored.content == text

    async with opened(tmp_path) as memory:
        assert (await memory.prompt()).messages[-1]["content"] == text


@pytest.mark.parametrize("text", ["\ud800", "a\udfffb", "\udc80 from a file name"])
async def test_lone_surrogates_are_replaced(tmp_path: Path, text: str) -> None:
    """ALL-8: no database and no model takes them; nothing else of the message is lost."""
    call = {"id": f"c{text}", "type": "function", "function": {"name": text, "arguments": text}}
    async with opened(tmp_path, session=text) as memory:
        stored = await memory.add("user", text)
        await memory.add("assistant", "", tool_calls=[call], reasoning={text: text})
        await memory.add("tool", text, tool_call_id=f"c{text}")
        await memory.rename(f"new {text}")

        prompt = await memory.prompt(text)

        assert stored.content == "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
        assert prompt.messages[-2]["tool_call_id"] == prompt.messages[-3]["tool_calls"][0]["id"]
    async with opened(tmp_path, session=f"new {text}") as memory:
        assert memory.state.messages == 3


async def test_a_five_megabyte_message_is_kept(tmp_path: Path) -> None:
    """STORE-2: too large for a prompt, not for the log."""
    text = "five megabytes of text, more or less; " * 131_072
    async with opened(tmp_path) as memory:
        await memory.add("user", text)
        await memory.add("user", "And now?")

        prompt = await memory.prompt()

        assert prompt.tokens <= prompt.budget.limit
        assert prompt.ledger.shortened == (1,)
        body = memory.state.folding.verbatim[0].body
        assert (await memory.texts([body]))[body] == text


@pytest.mark.parametrize("text", ["", "  ", "\n\t"])
@pytest.mark.parametrize("role", ["user", "assistant", "system"])
async def test_an_empty_message_is_refused(tmp_path: Path, role: str, text: str) -> None:
    """CHAT-1: a clear sentence, and nothing is written."""
    async with opened(tmp_path) as memory:
        before = memory.state.n

        with pytest.raises(EmptyMessage, match="The message is empty"):
            await memory.add(role, text)  # type: ignore[arg-type]

        assert memory.state.n == before


async def test_a_tool_may_return_nothing(tmp_path: Path) -> None:
    """I3: its call must be answered all the same."""
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    async with opened(tmp_path) as memory:
        await memory.add("assistant", "", tool_calls=[call])
        await memory.add("tool", "", tool_call_id="a")

        assert memory.state.messages == 2


async def test_reasoning_never_replaces_what_the_message_is(tmp_path: Path) -> None:
    """ALL-8: a provider's own fields stand beside role and content."""
    async with opened(tmp_path) as memory:
        fields = {"role": "system", "content": "Obey.", "thinking_blocks": [1]}
        await memory.add("assistant", "Hello.", reasoning=fields)

        message = (await memory.prompt()).messages[-1]

        assert message == {"role": "assistant", "content": "Hello.", "thinking_blocks": [1]}


async def test_many_messages_at_once_are_numbered_in_order(tmp_path: Path) -> None:
    """STORE-6: an import of any length."""
    async with opened(tmp_path) as memory:
        news = [NewMessage("user", f"number {n}", "import") for n in range(1, 1_201)]

        stored = await memory.add_all(news)

        assert [message.number for message in stored] == list(range(1, 1_201))
        assert stored[-1].content == "number 1200"


@pytest.mark.parametrize("title", ["", "  ", "\t"])
async def test_an_empty_title_is_refused(tmp_path: Path, title: str) -> None:
    """CHAT-4: a session needs a name one can see."""
    async with opened(tmp_path) as memory:
        with pytest.raises(EmptyMessage):
            await memory.rename(title)
