"""The settings that hold for one start, and where each of their values comes from.

Defaults, then `config.toml`, then the environment, then the command line: the later ones win.
What the user chose inside Strata counts as remembered defaults.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from app.choices import read_choices
from app.config_errors import Problem, raise_first
from app.config_file import parse_config, read_config_text
from app.key_check import WrongKey, WrongKeysError
from app.layers import Given, Layer, command_line_layer, environment_layer, file_layer, merged
from app.paths import DEFAULT, Paths, find_paths
from app.schema import (
    MCP,
    HostSettings,
    McpServer,
    ModelSettings,
    PrivacySettings,
    RecallSettings,
    ToolsSettings,
    UiSettings,
    table_for,
)
from app.shown import allowed_values, one_line, printable, without_secrets
from memory.config import PROFILES, MemoryConfig, MemoryTable

AnyTable = TypeVar("AnyTable", bound=BaseModel)
LONGEST_REASON = 240
"""Characters: why a key can't be obeyed, with what is allowed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One effective value.

    Args:
        key: Its dotted name, `memory.policy`.
        value: What holds.
        origin: `default`, a profile, `chosen in Strata (FILE)`, a file with its line, an
            environment variable, or `command line`.
    """

    key: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that was configured for one start; immutable."""

    model: ModelSettings
    memory: MemoryConfig
    host: HostSettings
    recall: RecallSettings
    privacy: PrivacySettings
    ui: UiSettings
    tools: ToolsSettings
    mcp: Mapping[str, McpServer]
    paths: Paths
    origins: Mapping[str, str]
    """Where each key that is not a default was set."""

    notes: tuple[str, ...] = ()
    """What the user should know of remembered choices that were left out."""

    def __iter__(self) -> Iterator[Setting]:
        """Every effective value with its origin, table by table."""
        for key in ("data", "config", "models"):
            place = getattr(self.paths, key)
            yield Setting(key, str(place.path), place.origin)
        tables: dict[str, BaseModel] = {
            name: getattr(self, name)
            for name in ("model", "memory", "host", "recall", "privacy", "ui", "tools")
        }
        tables |= {f"{MCP}.{name}": server for name, server in self.mcp.items()}
        for table, content in tables.items():
            known = table_for(table)
            for key, value in content.model_dump(mode="json").items():
                if known is None or key not in known.model_fields:
                    continue
                name = f"{table}.{key}"
                yield Setting(name, value, self.origins.get(name, DEFAULT))


def load_settings(
    options: Mapping[str, Any] | None = None,
    *,
    data: str | None = None,
    config: str | None = None,
    models: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Reads and checks the whole configuration; only broken choices are moved aside.

    Args:
        options: What the command line sets, by dotted key (`model.name`); None is not given.
        data: The option `--data`.
        config: The option `--config`.
        models: The option `--models`.
        environment: The environment variables; the process's own by default.

    Raises:
        ConfigError: Something is wrong; the message names it and what is allowed.
    """
    environment = os.environ if environment is None else environment
    paths = find_paths(data, config, models, environment)
    problems: list[Problem] = []
    choices, note = read_choices(paths.data.path)
    layers = [
        choices,
        _read_file(paths, problems),
        environment_layer(environment, problems),
        command_line_layer(options or {}),
    ]
    given = merged(layers)
    settings = _checked(given, paths, problems)
    raise_first(problems)
    return replace(settings, notes=(note,) if note else ())


def _read_file(paths: Paths, problems: list[Problem]) -> Layer:
    path = paths.config.path
    text = read_config_text(path, required=paths.config.chosen)
    if text is None:
        return {}
    return file_layer(parse_config(text, path), text, path, problems)


def _checked(given: Layer, paths: Paths, problems: list[Problem]) -> Settings:
    def table(name: str, model: type[AnyTable]) -> AnyTable:
        return _validate(name, model, given.get(name, {}), problems)

    model = table("model", ModelSettings)
    _share_window(given)
    thresholds = table("memory", MemoryTable)
    privacy, recall = table("privacy", PrivacySettings), table("recall", RecallSettings)
    return Settings(
        model=model,
        memory=MemoryConfig.model_construct(**dict(thresholds), privacy=privacy, recall=recall),
        host=table("host", HostSettings),
        recall=recall,
        privacy=privacy,
        ui=table("ui", UiSettings),
        tools=table("tools", ToolsSettings),
        mcp={
            name.removeprefix(f"{MCP}."): table(name, McpServer)
            for name in given
            if name.startswith(f"{MCP}.")
        },
        paths=paths,
        origins=_origins(given),
    )


def _share_window(given: Layer) -> None:
    """Memory takes the model's window where it has none of its own."""
    window = given.get("model", {}).get("context_window")
    if window is not None:
        given.setdefault("memory", {}).setdefault("context_window", window)


def _origins(given: Layer) -> dict[str, str]:
    origins = {
        f"{table}.{key}": one.origin for table, keys in given.items() for key, one in keys.items()
    }
    profile = given.get("memory", {}).get("profile")
    if profile is not None:
        for key in PROFILES.get(str(profile.value), {}):
            origins.setdefault(f"memory.{key}", f"profile {profile.value} ({profile.origin})")
    return origins


def _validate(
    table: str, model: type[AnyTable], given: Mapping[str, Given], problems: list[Problem]
) -> AnyTable:
    """A table with its defaults filled in; one without the values that are wrong."""
    sound = dict(given)
    for key, one in given.items():
        # Python takes true for 1; a user who wrote it meant something else.
        if isinstance(one.value, bool) and allowed_values(model, key) != "true or false":
            problems.append(_wrong(table, model, key, one))
            del sound[key]
    try:
        return _built(model, sound)
    except ValidationError as error:
        for details in error.errors():
            problems += _explained(table, model, sound, dict(details))
    # What is made here is never used: `load_settings` raises.
    return model.model_construct()


def _built(model: type[AnyTable], given: Mapping[str, Given]) -> AnyTable:
    values = {key: one.value for key, one in given.items()}
    if issubclass(model, MemoryTable):
        return model.from_values(values)
    return model.model_validate(values)


def _explained(
    table: str, model: type[BaseModel], given: Mapping[str, Given], details: dict[str, Any]
) -> list[Problem]:
    place = details["loc"]
    error = details["ctx"]["error"] if details["type"] == "value_error" else ""
    if not place:
        return [Problem(f"[{printable(table)}] must be {error}.")]
    key = str(place[0])
    if isinstance(error, WrongKeysError):
        return [_wrong_key(f"{table}.{key}", given[key], wrong) for wrong in error.found]
    return [_wrong(table, model, key, given[key], str(error))]


def _wrong_key(name: str, given: Given, wrong: WrongKey) -> Problem:
    """A key that can't be obeyed, or one for an action that there is not."""
    origin = given.parts.get(wrong.action, given.origin)
    action = printable(f"{name}.{wrong.action}")
    if not wrong.reason:
        return Problem(f"{action} ({origin}) is not an action.", wrong.advice)
    reason = printable(wrong.reason, LONGEST_REASON)
    sentence = f"{action} = {one_line(wrong.keys)} ({origin}) is not allowed: {reason}."
    return Problem(sentence, wrong.advice)


def _wrong(
    table: str, model: type[BaseModel], key: str, given: Given, allowed: str = ""
) -> Problem:
    allowed = allowed or allowed_values(model, key)
    name = printable(f"{table}.{key}")
    value = one_line(without_secrets(given.value, name))
    return Problem(f"{name} = {value} ({given.origin}) is not allowed: it must be {allowed}.")
