"""CHAT-2, CHAT-3: which model answers where nobody named one."""

from pathlib import Path

import pytest

from app.chat.choice import chosen_model
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
