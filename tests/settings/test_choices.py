"""ALL-1, STORE-4: what was chosen inside Strata is remembered, and never stops a start."""

from pathlib import Path

import pytest

from app.chat.choice import chosen_model
from app.choices import FILE_NAME, ChoiceNotKept, keep_choice, read_choices
from app.commands import config
from app.settings import load_settings


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_choice_holds_at_the_next_start(tmp_path: Path) -> None:
    """CHAT-3: what was chosen once is not asked again."""
    keep_choice(tmp_path / "data", "model.name", "light")
    keep_choice(tmp_path / "data", "ui.theme", "strata-light")
    settings = load_settings(data=str(tmp_path / "data"), environment={})
    assert settings.model.name == "light"
    assert settings.ui.theme == "strata-light"
    assert settings.notes == ()
    origin = f"chosen in Strata ({tmp_path / 'data' / 'choices.toml'})"
    assert settings.origins["model.name"] == origin
    assert origin in config.run(settings, as_json=False)


def test_whatever_is_configured_comes_first(tmp_path: Path) -> None:
    """ALL-1: choices are remembered defaults."""
    keep_choice(tmp_path, "model.name", "light")
    keep_choice(tmp_path, "ui.theme", "chosen")
    (tmp_path / "config.toml").write_text('[ui]\ntheme = "configured"\n')
    settings = load_settings(
        data=str(tmp_path), environment={"STRATA_MODEL__NAME": "openai/gpt-4o"}
    )
    assert (settings.ui.theme, settings.model.name) == ("configured", "openai/gpt-4o")
    assert chosen_model(settings, "embedded/smollm2-135m") == "openai/gpt-4o"


def test_a_session_s_own_model_comes_before_what_was_chosen_elsewhere(tmp_path: Path) -> None:
    """CHAT-2: a choice is for sessions that have no model yet."""
    keep_choice(tmp_path, "model.name", "ollama_chat/llama3.2:3b")
    settings = load_settings(data=str(tmp_path), environment={})
    assert chosen_model(settings, "openai/gpt-4o") == "openai/gpt-4o"
    assert chosen_model(settings, None) == "ollama_chat/llama3.2:3b"


def test_what_is_chosen_replaces_only_what_was_chosen_of_its_kind(tmp_path: Path) -> None:
    keep_choice(tmp_path, "model.name", "light")
    keep_choice(tmp_path, "ui.theme", "strata-light")
    keep_choice(tmp_path, "model.name", "default")
    keep_choice(tmp_path, "ui.theme", None)
    layer, note = read_choices(tmp_path)
    assert {key: given.value for key, given in layer["model"].items()} == {"name": "default"}
    assert "ui" not in layer
    assert note is None
    assert names(tmp_path) == [FILE_NAME]


@pytest.mark.parametrize("value", ['a"b\\c', "a\nb\t\x7f\x00", "名前 🪨", "[x] = 'y'"])
def test_any_name_comes_back_as_it_was(tmp_path: Path, value: str) -> None:
    keep_choice(tmp_path, "ui.theme", value)
    assert read_choices(tmp_path)[0]["ui"]["theme"].value == value


def test_tables_and_flags_come_back_as_they_were(tmp_path: Path) -> None:
    keep_choice(tmp_path, "ui.reduced_motion", True)
    keep_choice(tmp_path, "ui.keys", {"chat.stop": "f20", "app.quit": "ctrl+x"})
    layer, _ = read_choices(tmp_path)
    assert layer["ui"]["reduced_motion"].value is True
    assert layer["ui"]["keys"].value == {"chat.stop": "f20", "app.quit": "ctrl+x"}


@pytest.mark.parametrize(
    "content", [b"[model\nname", b"\xff\xfe", b"\x00" * 100, b"a = " + b"[" * 5000]
)
def test_a_broken_file_is_kept_aside(tmp_path: Path, content: bytes) -> None:
    """STORE-4: the start goes on, says so once, and overwrites nothing."""
    for aside in ("choices.toml.broken", "choices.toml.broken-2"):
        (tmp_path / FILE_NAME).write_bytes(content)
        settings = load_settings(data=str(tmp_path), environment={})
        assert settings.model.name == "default"
        assert len(settings.notes) == 1
        assert aside in settings.notes[0]
        assert (tmp_path / aside).read_bytes() == content
        assert load_settings(data=str(tmp_path), environment={}).notes == ()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[model]\nname = "embedded/gone"\n', "model.name = 'embedded/gone' no longer holds"),
        ("[model]\nname = 3\n", "model.name = 3 no longer holds"),
        ('[ui]\ntheme = ""\n', "ui.theme = '' no longer holds"),
        ('[memory]\npolicy = "none"\n', "memory.policy is unknown here"),
        ('[model]\napi_base = "http://evil"\n', "model.api_base is unknown here"),
        ('[ui]\n"new\\u001b[31m" = 1\n', r"ui.new\x1b[31m is unknown here"),
    ],
)
def test_what_no_longer_holds_is_left_out(tmp_path: Path, text: str, told: str) -> None:
    """ALL-1: a note, no error; what still holds is taken."""
    sound = "[ui]\nreduced_motion = true\n" if "[ui]" not in text else "reduced_motion = true\n"
    (tmp_path / FILE_NAME).write_text(text + sound)
    settings = load_settings(data=str(tmp_path), environment={})
    assert (settings.model.name, settings.ui.reduced_motion) == ("default", True)
    assert told in settings.notes[0]
    assert (tmp_path / FILE_NAME).exists()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """ALL-2: something else of that name does no harm."""
    (tmp_path / FILE_NAME).mkdir()
    settings = load_settings(data=str(tmp_path), environment={})
    assert "can't be read" in settings.notes[0]
    with pytest.raises(ChoiceNotKept, match="holds now, but it can't be remembered"):
        keep_choice(tmp_path, "ui.theme", "x")
    assert names(tmp_path) == [FILE_NAME]


def test_only_what_is_a_choice_can_be_kept(tmp_path: Path) -> None:
    """ALL-1: an address or a policy is configured, not chosen."""
    for key in ("model.api_base", "ui.nothing", "memory.policy"):
        with pytest.raises(KeyError):
            keep_choice(tmp_path, key, "x")
    for value in (3, "", "\udcff"):
        with pytest.raises(ChoiceNotKept, match="not allowed"):
            keep_choice(tmp_path, "ui.theme", value)
    assert names(tmp_path) == []


def test_reading_makes_nothing(tmp_path: Path) -> None:
    assert read_choices(tmp_path / "new" / "data") == ({}, None)
    (tmp_path / "file").touch()
    assert read_choices(tmp_path / "file") == ({}, None)
    assert names(tmp_path) == ["file"]
