"""Small models are told, behind a tool's result that comes last, that they may answer (CHAT-10)."""

from dataclasses import replace
from pathlib import Path

from memory import Memory
from memory.pieces import REMINDER
from tests.memory.doubles import chat_model

CALL = {"id": "a", "type": "function", "function": {"name": "look", "arguments": "{}"}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}


async def test_it_stands_behind_the_last_result_alone(tmp_path: Path) -> None:
    """CHAT-10, VIEW-2: it is part of the prompt that is shown, counted and recorded."""
    small = replace(chat_model(8_192), reminded=True)
    async with Memory.open(tmp_path, "s", chat_model=small) as memory:
        await memory.offer_tools([TOOL])
        await memory.add("user", "Look twice.")
        assert REMINDER not in str(await memory.prompt())
        await memory.add("assistant", "", tool_calls=[CALL, {**CALL, "id": "b"}])
        await memory.add("tool", "seen", tool_call_id="a")
        await memory.add("tool", "seen again", tool_call_id="b")
        prompt = await memory.prompt()
        request = await memory.prepare(prompt)
        view = await memory.inspecting.inspect(request)
        again = await memory.request_messages(request)
        await memory.add("assistant", "I have seen it.")
        later = await memory.prompt()
    texts = [message["content"] for message in prompt.messages]
    assert texts[-2:] == ["seen", f"seen again{REMINDER}"]
    assert prompt.tokens == sum(prompt.sections.values())
    assert view.exact
    assert view.pieces[-1].text.endswith(REMINDER)
    assert view.pieces[-1].replaced is None
    assert again == prompt.messages
    assert REMINDER not in str(later)


async def test_large_models_are_not_reminded(tmp_path: Path) -> None:
    """CHAT-10: they know."""
    async with Memory.open(tmp_path, "s", chat_model=chat_model(8_192)) as memory:
        await memory.offer_tools([TOOL])
        await memory.add("user", "Look.")
        await memory.add("assistant", "", tool_calls=[CALL])
        await memory.add("tool", "seen", tool_call_id="a")
        assert REMINDER not in str(await memory.prompt())
