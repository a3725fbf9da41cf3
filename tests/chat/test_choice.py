"""CHAT-2, CHAT-3: which model answers where nobody named one."""

from pathlib import Path

import pytest

from app.chat.choice import chosen_model, needs_choice, with_choice
from app.choices import keep_choice
from app.host.catalogue import find
from app.host.store import ModelStore, stamp_path
from app.settings import Settings, load_settings


def settings(tmp_path: Path, **options: str) -> Settings:
    named = {key.replace("_", "."): value for key, value in options.items()}
    return load_settings(named, data=str(tmp_path), environment={})


def pretend_installed(tmp_path: Path, name: str) -> None:
    entry = find(name)
    store = ModelStore(tmp_path / "models")
    for file in entry.files:
        path = store.path(entry, file.filename)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as sparse:
            sparse.truncate(file.size)
        stamp_path(path).write_text(file.sha256, encoding="ascii")


def test_what_the_user_named_holds(tmp_path: Path) -> None:
    assert chosen_model(settings(tmp_path, model_name="light"), "openai/gpt-4o") == (
        "embedded/smollm2-135m"
    )


def test_a_session_goes_on_with_the_model_it_had(tmp_path: Path) -> None:
    assert chosen_model(settings(tmp_path), "openai/gpt-4o") == "openai/gpt-4o"


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        ((), "embedded/qwen2.5-coder-1.5b"),
        (("light",), "embedded/smollm2-135m"),
        (("light", "default"), "embedded/qwen2.5-coder-1.5b"),
    ],
)
def test_a_new_session_takes_what_is_installed(
    tmp_path: Path, installed: tuple[str, ...], chosen: str
) -> None:
    for name in installed:
        pretend_installed(tmp_path, name)
    assert chosen_model(settings(tmp_path), None) == chosen


def test_what_was_chosen_before_comes_before_what_is_installed(tmp_path: Path) -> None:
    """CHAT-3: as long as it is there."""
    pretend_installed(tmp_path, "default")
    keep_choice(tmp_path, "model.name", "light")
    assert chosen_model(settings(tmp_path), None) == "embedded/qwen2.5-coder-1.5b"
    pretend_installed(tmp_path, "light")
    assert chosen_model(settings(tmp_path), None) == "embedded/smollm2-135m"


@pytest.mark.parametrize(
    ("kept", "session", "asks"),
    [
        (None, None, True),
        (None, "openai/gpt-4o", False),
        (None, "embedded/smollm2-135m", True),
        ("ollama_chat/llama3.2", None, False),
        ("light", None, True),
        ("/no/such/file.gguf", None, True),
    ],
)
def test_who_has_no_model_that_could_answer_is_asked(
    tmp_path: Path, kept: str | None, session: str | None, asks: bool
) -> None:
    """CHAT-3: asked where nobody configured one and none is there; else never."""
    if kept:
        keep_choice(tmp_path, "model.name", kept)
    assert needs_choice(settings(tmp_path), session) == asks
    assert not needs_choice(settings(tmp_path, model_name="light"), session)
    pretend_installed(tmp_path, "light")
    assert not needs_choice(settings(tmp_path), session)


def test_a_choice_holds_for_the_sessions_of_the_same_run(tmp_path: Path) -> None:
    """CHAT-3: a new session does not ask again; what is configured stays."""
    chosen = with_choice(settings(tmp_path), "ollama_chat/llama3.2")
    assert not needs_choice(chosen, None)
    assert chosen_model(chosen, None) == "ollama_chat/llama3.2"
    assert chosen_model(chosen, "openai/gpt-4o") == "openai/gpt-4o"
    named = settings(tmp_path, model_name="light")
    assert with_choice(named, "ollama_chat/llama3.2") == named


def test_an_agents_model_goes_before_the_configured_one(tmp_path: Path) -> None:
    """CHAT-12: a default model; what was named for this start or used last goes before it."""
    (tmp_path / "config.toml").write_text('[model]\nname = "light"\n', encoding="utf-8")
    configured = settings(tmp_path)
    assert chosen_model(configured, None, "openai/gpt-4o") == "openai/gpt-4o"
    assert chosen_model(configured, "openai/o1", "openai/gpt-4o") == "openai/o1"
    named = settings(tmp_path, model_name="default")
    assert chosen_model(named, None, "openai/gpt-4o") == "embedded/qwen2.5-coder-1.5b"
    given = load_settings({}, data=str(tmp_path), environment={"STRATA_MODEL__NAME": "light"})
    assert chosen_model(given, None, "openai/gpt-4o") == "embedded/smollm2-135m"
    assert not needs_choice(settings(tmp_path / "other"), None, "openai/gpt-4o")
