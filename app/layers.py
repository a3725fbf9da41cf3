"""What the configuration file, the environment and the command line set, before it is checked.

A layer is a mapping `table -> key -> Given`; what no table has is reported with the nearest name.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from app.config_errors import Problem
from app.config_file import line_of
from app.paths import COMMAND_LINE
from app.schema import LONGEST_SERVER, MCP, TABLES, table_for
from app.shown import SECRET_NAME, printable

PREFIX = "STRATA_"
BETWEEN = "__"


@dataclass(frozen=True, slots=True)
class Given:
    """A value that somebody set, and where."""

    value: Any
    origin: str
    parts: Mapping[str, str] = field(default_factory=dict)
    """Of a table in a file: the origin of each of its entries, as far as it is plain to see."""


Layer = dict[str, dict[str, Given]]


def file_layer(values: Mapping[str, Any], text: str, path: Path, problems: list[Problem]) -> Layer:
    """What a configuration file sets.

    Args:
        values: The parsed file.
        text: The file, in which the lines are found.
        path: The file's name, for the origins.
        problems: Gets what is wrong with the names.
    """
    layer: Layer = {}
    for table, content in _tables(values):
        if not isinstance(content, dict):
            problems.append(_not_a_table(table, path, line_of(text, table)))
            continue
        for key, value in content.items():
            line = line_of(text, f"{table}.{key}") or line_of(text, table)
            origin = f"{path} line {line}" if line else str(path)
            parts = _parts(text, f"{table}.{key}", value, path)
            _add(layer, table, key, Given(value, origin, parts), problems)
        if table_for(table) is not None:
            layer.setdefault(table, {})  # an empty table is checked too
        elif not content:
            _check_table(table, str(path), problems)
    return layer


def _parts(text: str, name: str, value: Any, path: Path) -> dict[str, str]:
    """The origins of the entries of a table that is a value, those of tables in it too."""
    if not isinstance(value, dict):
        return {}
    entries: list[str] = []
    for key, inner in value.items():
        entries += [f"{key}.{part}" for part in inner] if isinstance(inner, dict) else [key]
    lines = {entry: line_of(text, f"{name}.{entry}") for entry in entries}
    return {entry: f"{path} line {line}" for entry, line in lines.items() if line}


def _tables(values: Mapping[str, Any]) -> Iterable[tuple[str, Any]]:
    """The tables of a file, those of `[mcp.NAME]` one by one."""
    for name, content in values.items():
        if name == MCP and isinstance(content, dict):
            yield from ((f"{MCP}.{server}", item) for server, item in content.items())
        else:
            yield name, content


def environment_layer(environment: Mapping[str, str], problems: list[Problem]) -> Layer:
    """What variables named `STRATA_TABLE__KEY` set; empty ones set nothing."""
    layer: Layer = {}
    for variable in sorted(environment):
        name = variable.removeprefix(PREFIX)
        if name == variable or not environment[variable]:
            continue
        table, separator, key = name.lower().rpartition(BETWEEN)
        if not separator:
            _check_single_underscore(variable, problems)
            continue
        table = table.replace(BETWEEN, ".")
        value = _from_text(table, key, environment[variable])
        _add(layer, table, key, Given(value, f"environment {variable}"), problems)
    return layer


def _check_single_underscore(variable: str, problems: list[Problem]) -> None:
    """Reports `STRATA_MEMORY_POLICY`, which misses an underscore; other names are not ours."""
    name = variable.removeprefix(PREFIX).lower()
    for table, model in TABLES.items():
        key = name.removeprefix(f"{table}_")
        if key in model.model_fields:
            right = f"{PREFIX}{table}{BETWEEN}{key}".upper()
            problems.append(
                Problem(
                    f"The environment variable {variable} sets nothing.",
                    f"Two underscores stand between table and key: {right}.",
                )
            )


def _from_text(table: str, key: str, text: str) -> Any:
    """The value of a variable; lists and tables are written as in TOML."""
    if text[:1] in "[{" and table_for(table) is not None:
        try:
            return tomllib.loads(f"value = {text}")["value"]
        except tomllib.TOMLDecodeError:
            return text
    return text


def command_line_layer(options: Mapping[str, Any]) -> Layer:
    """What options set, by dotted key; an option that was not given is None."""
    layer: Layer = {}
    for name, value in options.items():
        if value is not None:
            table, _, key = name.rpartition(".")
            layer.setdefault(table, {})[key] = Given(value, COMMAND_LINE)
    return layer


def merged(layers: Iterable[Layer]) -> Layer:
    """All layers in one; the later ones win."""
    result: Layer = {}
    for layer in layers:
        for table, keys in layer.items():
            result.setdefault(table, {}).update(keys)
    return result


def _add(layer: Layer, table: str, key: str, given: Given, problems: list[Problem]) -> None:
    model = table_for(table)
    if model is None:
        _check_table(table, given.origin, problems)
    elif key not in model.model_fields:
        problems.append(_unknown_key(table, key, list(model.model_fields), given.origin))
    else:
        layer.setdefault(table, {})[key] = given


def _check_table(table: str, origin: str, problems: list[Problem]) -> None:
    if table_for(table) is not None:
        return
    sentence = f"There is no table [{printable(table)}] in the configuration ({origin})."
    near = get_close_matches(table, TABLES, n=1)
    known = ", ".join([*TABLES, f"{MCP}.NAME"])
    hint = f"Did you mean [{near[0]}]?" if near else f"The tables are {known}."
    if table.startswith(f"{MCP}."):
        hint = f"The name of a server has 1 to {LONGEST_SERVER} characters that can be seen."
    problem = Problem(sentence, hint)
    if problem not in problems:
        problems.append(problem)


def _unknown_key(table: str, key: str, known: list[str], origin: str) -> Problem:
    sentence = f"{printable(f'{table}.{key}')} ({origin}) is not a setting."
    if SECRET_NAME.search(key):
        return Problem(
            sentence, "Keys stay in the environment, as OPENAI_API_KEY does, or in the keyring."
        )
    near = get_close_matches(key, known, n=1)
    if near:
        return Problem(sentence, f"Did you mean {table}.{near[0]}?")
    elsewhere = [name for name, model in TABLES.items() if key in model.model_fields]
    if elsewhere:
        return Problem(sentence, f"Did you mean {elsewhere[0]}.{key}?")
    return Problem(sentence, f"[{table}] knows {', '.join(known)}.")


def _not_a_table(name: str, path: Path, line: int | None) -> Problem:
    where = f"{path} line {line}" if line else str(path)
    known = table_for(name)
    if known is None:
        near = [table for table, model in TABLES.items() if name in model.model_fields]
        hint = f"Did you mean {near[0]}.{name}, under [{near[0]}]?" if near else ""
        return Problem(f"{printable(name)} ({where}) is not a setting.", hint)
    return Problem(
        f"{printable(name)} ({where}) is a table.", f"Write [{name}], and keys below it."
    )
