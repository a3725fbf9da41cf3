"""The catalogue of embedded models, and how models are named."""

import re

import pytest

from app.host import catalogue
from app.host.errors import UnknownModel


def test_the_default_comes_first_and_every_entry_says_what_a_user_needs_to_know() -> None:
    """CHAT-3: size, licence, context and what the model is good for."""
    entries = catalogue.entries()
    assert [entry.short_name for entry in entries] == ["default", "light", "embedder"]
    for entry in entries:
        assert entry.licence
        assert entry.title
        assert entry.good_for.endswith(".")
        assert entry.context > 0
        assert entry.parameters > 0
        assert entry.size == sum(file.size for file in entry.files) > 0


def test_every_file_has_a_hash_and_exact_sources() -> None:
    """ALL-6: what is fetched is pinned and hashed."""
    for file in (file for entry in catalogue.entries() for file in entry.files):
        assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
        assert file.sources[0].wheels, "wheels are tried first"
        for source in file.sources:
            assert bool(source.wheels) != bool(source.url)
            assert source.url is None or source.url.startswith("https://")
            assert all(re.fullmatch(r"[\w.-]+==[\w.]+", part.package) for part in source.wheels)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("default", "embedded/qwen2.5-coder-1.5b"),
        ("light", "embedded/smollm2-135m"),
        ("LIGHT", "embedded/smollm2-135m"),
        ("embedded/light", "embedded/smollm2-135m"),
        ("qwen2.5-coder-1.5b", "embedded/qwen2.5-coder-1.5b"),
        ("/models/mine.gguf", "embedded//models/mine.gguf"),
        ("embedded//models/mine.GGUF", "embedded//models/mine.GGUF"),
        ("gpt-4o", "gpt-4o"),
        ("ollama/qwen2.5", "ollama/qwen2.5"),
    ],
)
def test_each_model_has_one_canonical_name(written: str, canonical: str) -> None:
    """CHAT-2: embedded models by name, alias or path; every other name is litellm's."""
    assert catalogue.canonical(written) == canonical
    assert catalogue.canonical(canonical) == canonical
    assert catalogue.is_embedded(written) == canonical.startswith("embedded/")


def test_an_unknown_embedded_model_is_told_with_near_matches() -> None:
    """ALL-2: a plain sentence with the way out."""
    with pytest.raises(UnknownModel, match=r"`qwen2.5-coder-1.5b`"):
        catalogue.find("embedded/qwen2.5-coder-1b")
    with pytest.raises(UnknownModel, match=r"`default` or `light`"):
        catalogue.canonical("embedded/zzz")
    assert catalogue.is_embedded("embedded/zzz")
