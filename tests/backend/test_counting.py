"""PROMPT-4: tokens are counted with the model's tokenizer where it is known, else estimated."""

from pathlib import Path

import pytest

from app.backend.client import _portions
from app.backend.counting import Counter, estimate, text_of, tokenizer_of
from app.backend.embedded import EmbeddedModels
from app.backend.protocol import BackendSettings


@pytest.fixture
def counter(tmp_path: Path) -> Counter:
    return Counter(EmbeddedModels(BackendSettings(tmp_path, tmp_path)))


@pytest.mark.parametrize(
    ("model", "counted_by", "tokenizer"),
    [
        ("gpt-4", "tiktoken", "cl100k_base"),
        ("openai/gpt-4o-mini", "tiktoken", "o200k_base"),
        ("openai/gpt-9-future", "tiktoken", "o200k_base"),
        ("azure/gpt-4o", "tiktoken", "o200k_base"),
        ("openrouter/openai/gpt-4o", "tiktoken", "o200k_base"),
        ("openai/my-llama", "estimate", "characters/4"),
        ("anthropic/claude-sonnet-4-5", "estimate", "characters/4"),
        ("ollama/gpt-oss", "estimate", "characters/4"),
        ("light", "model", "embedded/smollm2-135m"),
    ],
)
def test_who_counts(model: str, counted_by: str, tokenizer: str) -> None:
    """PROMPT-4: the tokenizer follows the model."""
    assert tokenizer_of(model) == (counted_by, tokenizer)


async def test_openai_s_tokens_are_counted_without_a_network(counter: Counter) -> None:
    """PROMPT-4, ALL-3: the encodings that litellm carries are used."""
    counts = await counter.count("gpt-4o", ["hello world", "", "<|endoftext|>"])
    assert counts.tokens == (2, 0, 7)
    assert counts.counted_by == "tiktoken"


async def test_a_huge_word_is_counted_in_good_time(counter: Counter) -> None:
    """PROMPT-4: half a megabyte without a space."""
    counts = await counter.count("gpt-4o", ["ab" * 250_000])
    assert 10_000 < counts.tokens[0] < 500_000


async def test_unknown_tokenizers_are_estimated_and_say_so(counter: Counter) -> None:
    """PROMPT-4: characters / 4, marked as an estimate."""
    counts = await counter.count("mistral/x", ["a" * 8, "a" * 9, ""])
    assert (counts.tokens, counts.counted_by) == ((2, 3, 0), "estimate")


async def test_a_whole_request_is_summed_where_there_is_no_template(counter: Counter) -> None:
    """PROMPT-4: with the overheads, and not called exact."""
    messages = [{"role": "user", "content": "hello world"}, {"role": "user", "content": "hello"}]
    count = await counter.count_request("gpt-4o", messages, None)
    assert count.tokens == 2 + 1 + 2 * 3 + 3
    assert not count.exact
    tools = [{"type": "function", "function": {"name": "read_file"}}]
    with_tools = await counter.count_request("gpt-4o", messages, tools)
    assert with_tools.tokens is not None
    assert with_tools.tokens > count.tokens + 5


def test_all_text_of_a_message_counts() -> None:
    """PROMPT-3: parts and tool calls are part of the prompt."""
    assert text_of({"content": [{"type": "text", "text": "a"}, {"type": "image_url"}]}) == "a"
    assert "read_file" in text_of({"content": None, "tool_calls": [{"name": "read_file"}]})
    assert estimate("") == 0


def test_texts_are_counted_in_portions_whatever_comes_first() -> None:
    """PROMPT-4: an empty text at the beginning is counted like any other."""
    assert _portions(["", "a"]) == [["", "a"]]
    assert _portions([]) == []
