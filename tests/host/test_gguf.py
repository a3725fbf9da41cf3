"""Reading the header of a model file."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.host import gguf

from .conftest import CHAT_MODEL, gguf_bytes


def test_the_header_tells_what_the_model_is(tmp_path: Path) -> None:
    """CHAT-3: context, chat template, memory for context and steering tokens of a user's file."""
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf_bytes(CHAT_MODEL))
    info = gguf.read(path)
    assert (info.architecture, info.name, info.context) == ("llama", "Tiny", 4096)
    assert info.chat_template
    assert info.kv_bytes_per_token == 2 * 2 * (16 + 16) * 2
    assert info.control_tokens == ("<s>", "<|end|>")


def test_the_header_of_a_real_model(light: Path) -> None:
    """The figures llama.cpp prints for the light model when it loads it."""
    info = gguf.read(light)
    assert (info.architecture, info.context, info.chat_template) == ("llama", 8192, True)
    assert info.kv_bytes_per_token == 23_040
    assert {"<|im_start|>", "<|im_end|>"} < set(info.control_tokens)


def test_a_header_cut_off_anywhere_is_refused(tmp_path: Path) -> None:
    """ALL-2: half a file gives one kind of error, never a wrong answer."""
    whole = gguf_bytes(CHAT_MODEL)
    path = tmp_path / "cut.gguf"
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(gguf.NotGguf):
            gguf.read(path)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.integers(min_value=0))
def test_no_content_breaks_the_reader(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int
) -> None:
    """ALL-8: a model file is untrusted input."""
    whole = gguf_bytes(CHAT_MODEL)
    at %= len(whole)
    path = tmp_path_factory.getbasetemp() / "noise.gguf"
    path.write_bytes(whole[:at] + noise + whole[at + len(noise) :])
    try:
        gguf.read(path)
    except gguf.NotGguf:
        return
