"""The configuration: read as every command reads it, but nothing is moved aside."""

import argparse
import os
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from app.choices import FILE_NAME
from app.doctor.check import Check, failed, note, ok, problem
from app.layers import PREFIX
from app.paths import Paths, find_paths
from app.schema import (
    HostSettings,
    ModelSettings,
    PrivacySettings,
    RecallSettings,
    ToolsSettings,
    UiSettings,
)
from app.settings import Settings, load_settings
from memory.config import MemoryConfig
from memory.errors import StrataError
from widgets.figures import count

WITH_DEFAULTS = "What follows was checked with the defaults."
NO_CHOICES = ".no choices"
"""A folder below the data directory that nobody makes."""


def configuration_checks(
    options: argparse.Namespace, environment: Mapping[str, str] = os.environ
) -> tuple[list[Check], Settings]:
    """What is configured; the defaults hold where it can't be used."""
    paths = find_paths(options.data, options.config, options.models, environment)
    choices = choices_check(paths.data.path / FILE_NAME)
    try:
        settings = _settings(options, paths, environment, choices is None)
    except StrataError as error:
        told = failed("file", error, f"Correct {paths.config.path}.")
        wrong = replace(told, sentence=f"{told.sentence} {WITH_DEFAULTS}")
        return [wrong, *_list(choices)], _defaults(paths, options.model)
    if choices is None and settings.notes:
        choices = note("choices", " ".join(settings.notes), "Choose again inside the chat.")
    return [_file(settings), *_list(choices)], settings


def choices_check(path: Path) -> Check | None:
    """What keeps the remembered choices from being read; None where nothing does."""
    try:
        tomllib.loads(path.read_bytes().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        reason = error.strerror or "the system refuses"
        return problem(
            "choices", f"{path} can't be read: {reason}.", "Make it readable, or remove it."
        )
    except (ValueError, RecursionError):
        return problem(
            "choices",
            f"{path} is damaged: what was chosen in Strata is not known.",
            "The next start keeps it aside; choose model and theme again then.",
        )
    return None


def _settings(
    options: argparse.Namespace,
    paths: Paths,
    environment: Mapping[str, str],
    with_choices: bool,
) -> Settings:
    given = {"model.name": options.model}
    if with_choices:
        places = {name: getattr(options, name) for name in ("data", "config", "models")}
        return load_settings(given, **places, environment=environment)
    # Loading them would move the damaged file: they are looked for where there are none.
    config = paths.config
    named = config.chosen or config.path.exists()
    settings = load_settings(
        given,
        data=str(paths.data.path / NO_CHOICES),
        config=str(config.path) if named else None,
        models=str(paths.models.path),
        environment={name: text for name, text in environment.items() if name != "STRATA_CONFIG"},
    )
    return replace(settings, paths=paths)


def _defaults(paths: Paths, model: str | None) -> Settings:
    return Settings(
        model=ModelSettings(name=model) if model else ModelSettings(),
        memory=MemoryConfig(),
        host=HostSettings(),
        recall=RecallSettings(),
        privacy=PrivacySettings(),
        ui=UiSettings(),
        tools=ToolsSettings(),
        mcp={},
        paths=paths,
        origins={"model.name": "command line"} if model else {},
    )


def _file(settings: Settings) -> Check:
    path = settings.paths.config.path
    origins = settings.origins.values()
    set_there = sum(origin.startswith(str(path)) for origin in origins)
    variables = sum(origin.startswith(f"environment {PREFIX}") for origin in origins)
    more = f" The environment sets {count(variables, 'value')}." if variables else ""
    if not path.exists():
        return ok("file", f"There is no {path}, and none is needed.{more}")
    return ok("file", f"{path} sets {count(set_there, 'value')}.{more}")


def _list(choices: Check | None) -> list[Check]:
    return [choices or ok("choices", "What was chosen in Strata can be read.")]
