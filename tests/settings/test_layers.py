"""ALL-1: defaults < config.toml < environment < command line, each value with its origin."""

from pathlib import Path

import pytest

from app.settings import Settings, load_settings


def load(
    folder: Path,
    text: str | None = None,
    environment: dict[str, str] | None = None,
    options: dict[str, object] | None = None,
) -> Settings:
    """The settings of a data directory whose configuration file has this text."""
    if text is not None:
        (folder / "config.toml").write_text(text, encoding="utf-8")
    return load_settings(options, data=str(folder), environment=environment or {})


def origin(settings: Settings, key: str) -> str:
    return next(one.origin for one in settings if one.key == key)


def value(settings: Settings, key: str) -> object:
    return next(one.value for one in settings if one.key == key)


def test_without_anything_the_defaults_hold(tmp_path: Path) -> None:
    """ALL-1, and section 4's numbers: window 64, recent 64, 10 kept, trigger 0.80."""
    settings = load(tmp_path)
    assert settings.model.name == "default"
    assert settings.memory.immediate_window == 64
    assert settings.memory.recent_window == 64
    assert settings.memory.keep_recent_messages == 10
    assert settings.memory.autocompact_trigger == 0.80
    assert settings.host.context_tokens == 8192
    assert settings.host.idle_minutes == 15
    assert settings.ui.reduced_motion is False
    set_by_somebody = {one.key for one in settings if one.origin != "default"}
    assert set_by_somebody == {"data", "config", "models"}


def test_the_file_wins_over_the_default(tmp_path: Path) -> None:
    """ALL-1: a value of the file carries the file's name and the line."""
    settings = load(tmp_path, '# mine\n[memory]\npolicy = "none"\n\nimmediate_window = 8\n')
    assert settings.memory.policy == "none"
    assert settings.memory.immediate_window == 8
    file = tmp_path / "config.toml"
    assert origin(settings, "memory.policy") == f"{file} line 3"
    assert origin(settings, "memory.immediate_window") == f"{file} line 5"


def test_the_environment_wins_over_the_file(tmp_path: Path) -> None:
    """ALL-1: STRATA_TABLE__KEY."""
    settings = load(
        tmp_path,
        "[memory]\nimmediate_window = 8\n",
        {"STRATA_MEMORY__IMMEDIATE_WINDOW": "9", "STRATA_MODEL__API_BASE": "http://localhost:1/v1"},
    )
    assert settings.memory.immediate_window == 9
    assert settings.model.api_base == "http://localhost:1/v1"
    assert (
        origin(settings, "memory.immediate_window") == "environment STRATA_MEMORY__IMMEDIATE_WINDOW"
    )


def test_the_command_line_wins_over_everything(tmp_path: Path) -> None:
    """ALL-1: an option that was not given sets nothing."""
    settings = load(
        tmp_path,
        '[model]\nname = "a"\ntemperature = 0.5\n',
        {"STRATA_MODEL__NAME": "b"},
        {"model.name": "c", "model.temperature": None},
    )
    assert settings.model.name == "c"
    assert settings.model.temperature == 0.5
    assert origin(settings, "model.name") == "command line"


def test_an_empty_variable_sets_nothing(tmp_path: Path) -> None:
    """ALL-1: `STRATA_MODEL__NAME=` is how a shell takes a variable back."""
    settings = load(tmp_path, environment={"STRATA_MODEL__NAME": ""})
    assert settings.model.name == "default"


@pytest.mark.parametrize("text", ["true", "on", "1", "yes"])
def test_the_environment_may_say_true_in_many_ways(tmp_path: Path, text: str) -> None:
    """ALL-1: values of the environment are texts and are read as what the key is."""
    settings = load(tmp_path, environment={"STRATA_UI__REDUCED_MOTION": text})
    assert settings.ui.reduced_motion is True


def test_the_stress_profile_shrinks_the_windows(tmp_path: Path) -> None:
    """ALL-1: the profile is the origin of what it sets."""
    settings = load(tmp_path, environment={"STRATA_MEMORY__PROFILE": "stress"})
    assert settings.memory.immediate_window == 4
    assert settings.memory.recent_window == 4
    assert origin(settings, "memory.recent_window").startswith("profile stress (environment")


def test_explicit_keys_win_over_the_profile(tmp_path: Path) -> None:
    """ALL-1: also where the profile comes from a higher layer."""
    settings = load(tmp_path, "[memory]\nrecent_window = 7\n", options={"memory.profile": "stress"})
    assert settings.memory.immediate_window == 4
    assert settings.memory.recent_window == 7
    assert origin(settings, "memory.recent_window").endswith("line 2")


def test_memory_takes_the_window_of_the_model(tmp_path: Path) -> None:
    """PROMPT-3: a window given for the model bounds the prompt; memory's own wins."""
    assert load(tmp_path, "[model]\ncontext_window = 4096\n").memory.context_window == 4096
    both = "[model]\ncontext_window = 4096\n[memory]\ncontext_window = 2048\n"
    assert load(tmp_path, both).memory.context_window == 2048


def test_servers_of_tools_are_accepted(tmp_path: Path) -> None:
    """ALL-1: `[mcp.NAME]`, from the file and the environment together."""
    settings = load(
        tmp_path,
        '[mcp.files]\ncommand = "mcp-files"\nargs = ["--root", "."]\n[mcp.files.env]\nA = "b"\n',
        {"STRATA_MCP__WEB__URL": "http://localhost:9/mcp", "STRATA_MCP__FILES__ARGS": '["x"]'},
    )
    assert settings.mcp["files"].command == "mcp-files"
    assert settings.mcp["files"].args == ("x",)
    assert settings.mcp["files"].env == {"A": "b"}
    assert settings.mcp["web"].url == "http://localhost:9/mcp"


def test_other_programs_variables_are_left_alone(tmp_path: Path) -> None:
    """ALL-1: only names of the form STRATA_TABLE__KEY are settings."""
    load(tmp_path, environment={"STRATA_HOME": "x", "STRATA_DATA": "y", "OTHER__KEY": "z"})


def test_settings_can_not_be_changed(tmp_path: Path) -> None:
    """ALL-1: configuration is immutable once it is loaded."""
    settings = load(tmp_path)
    with pytest.raises(AttributeError):
        settings.model = settings.model  # type: ignore[misc]
    with pytest.raises(ValueError, match="frozen"):
        settings.model.name = "other"
    with pytest.raises(ValueError, match="frozen"):
        settings.memory.policy = "none"


@pytest.mark.parametrize(
    ("text", "key", "line"),
    [
        ('model.name = "x"\n', "model.name", 1),
        ('\n[model] # mine\n"name" = "x"\n', "model.name", 3),
        ('model = { name = "x" }\n', "model.name", 1),
        ("ui.theme = '''\n[model]\nname='''\n[model]\nname = \"x\"\n", "model.name", 5),
        ('["mod\\u0065l"]\nname = "x"\n', "model.name", None),
        ('[ model ]\n name="x"\n', "model.name", 2),
    ],
)
def test_lines_are_found_in_every_spelling(
    tmp_path: Path, text: str, key: str, line: int | None
) -> None:
    """ALL-1: where the line is not plain to see, the origin is the file."""
    settings = load(tmp_path, text)
    assert value(settings, key) == "x"
    file = str(tmp_path / "config.toml")
    assert origin(settings, key) == (f"{file} line {line}" if line else file)
