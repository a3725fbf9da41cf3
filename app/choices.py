"""What the user chose inside Strata, kept in `DATA/choices.toml`: the model, the theme, the panes.

Choices are remembered defaults: `config.toml`, the environment and the command line come first,
and so does the model that a session had last (see `app.chat.choice`).
"""

import itertools
import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from app.host.catalogue import canonical
from app.host.errors import UnknownModel
from app.layers import Given, Layer
from app.schema import TABLES
from memory.errors import StrataError
from memory.storage.folders import make_own

FILE_NAME = "choices.toml"
BROKEN_SUFFIX = ".broken"
CHOSEN = "chosen in Strata"
"""How the origin of a remembered choice begins."""

_HEADER = "# What was chosen inside Strata. config.toml, environment and command line come first.\n"
_KEPT = {"model": frozenset({"name"}), "ui": frozenset(TABLES["ui"].model_fields)}


class ChoiceNotKept(StrataError):
    """A choice holds now, but not at the next start."""


def read_choices(data_dir: Path) -> tuple[Layer, str | None]:
    """What was chosen, as the lowest layer of the configuration.

    Nothing in the file can stop the program. What no longer holds (a model that the catalogue
    has lost, a key of another version) is left out; a file that is no TOML is moved aside.

    Args:
        data_dir: The data directory; need not be there.

    Returns:
        The layer, and a sentence for the user where something was left out, else None.
    """
    path = data_dir / FILE_NAME
    try:
        tables = tomllib.loads(path.read_bytes().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}, None
    except OSError as error:
        return {}, f"What was chosen before can't be read ({path}: {error.strerror})."
    except (ValueError, RecursionError):
        return {}, _set_aside(path)
    origin = f"{CHOSEN} ({path})"
    layer: Layer = {}
    notes: list[str] = []
    for table, content in tables.items():
        for key, value in content.items() if isinstance(content, dict) else ():
            problem = _problem(table, key, value)
            if problem:
                notes.append(problem)
            else:
                layer.setdefault(table, {})[key] = Given(value, origin)
    return layer, " ".join(notes) or None


def keep_choice(data_dir: Path, key: str, value: Any) -> None:
    """Remembers a choice for the next start; the file is written atomically.

    Args:
        data_dir: The data directory; made where it is missing.
        key: `model.name` or a key of `[ui]`, dotted.
        value: What was chosen; None forgets it.

    Raises:
        KeyError: Choices have no such key.
        ChoiceNotKept: The file can't be written, or the value can't stand in it.
    """
    table, _, name = key.partition(".")
    if name not in _KEPT.get(table, ()):
        raise KeyError(key)
    path = data_dir / FILE_NAME
    if value is not None and _problem(table, name, value):
        raise _not_kept(path, "it is not allowed in the configuration")
    tables = _kept(data_dir)
    tables.setdefault(table, {})[name] = value
    try:
        make_own(data_dir)
        _write(path, _as_toml(tables).encode("utf-8"))
    except OSError as error:
        raise _not_kept(path, error.strerror or "the disk refuses") from error


def _not_kept(path: Path, reason: str) -> ChoiceNotKept:
    return ChoiceNotKept(
        f"The choice holds now, but it can't be remembered: {reason}.", f"Check {path}."
    )


def is_choice(origin: str | None) -> bool:
    """Whether a value's origin is a remembered choice."""
    return origin is not None and origin.startswith(CHOSEN)


def _kept(data_dir: Path) -> dict[str, dict[str, Any]]:
    layer, _ = read_choices(data_dir)
    return {
        table: {key: given.value for key, given in keys.items()} for table, keys in layer.items()
    }


def _problem(table: str, key: str, value: Any) -> str:
    """Why a choice does not hold; empty where it does."""
    name = ascii(f"{table}.{key}")[1:-1][:60]
    if key not in _KEPT.get(table, ()):
        return f"The choice {name} is unknown here and was left out."
    try:
        TABLES[table].model_validate({key: value})
        if table == "model":
            canonical(value)
    except (ValidationError, UnknownModel):
        return f"The choice {name} = {ascii(value)[:60]} no longer holds and was left out."
    return ""


def _set_aside(path: Path) -> str:
    names = itertools.chain([""], (f"-{number}" for number in itertools.count(2)))
    aside = next(
        free
        for name in names
        if not os.path.lexists(free := path.with_name(path.name + BROKEN_SUFFIX + name))
    )
    where = "it was left where it is"
    with suppress(OSError):  # a directory that can't be written: the file does no harm
        os.replace(path, aside)
        where = f"it was kept aside as {aside.name}"
    return f"What was chosen before can't be read ({path}); {where}. Choose model and theme again."


def _as_toml(tables: Mapping[str, Mapping[str, Any]]) -> str:
    lines = [_HEADER]
    for table, keys in tables.items():
        lines += [f"[{table}]\n"]
        lines += [
            f"{key} = {_literal(value)}\n" for key, value in keys.items() if value is not None
        ]
    return "".join(lines)


def _literal(value: Any) -> str:
    """A value as TOML; JSON's way of writing texts, numbers and lists is TOML's as well."""
    if isinstance(value, dict):
        pairs = (f"{_literal(str(key))} = {_literal(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_literal, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _write(path: Path, text: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
