"""Reading `config.toml`: its values, and the line on which each of them stands."""

import re
import tomllib
from pathlib import Path
from typing import Any

from app.config_errors import ConfigFileError

_UNTOUCHED = "The file was left as it is."
_TABLE = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")


def read_config_text(path: Path, *, required: bool) -> str | None:
    """The text of a configuration file, or None where there is none.

    Args:
        path: The file.
        required: Whether somebody named it, so that its absence is an error.

    Raises:
        ConfigFileError: It can't be read, is a directory, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        if not required:
            return None
        raise ConfigFileError(
            f"The configuration file {path} does not exist.",
            "Name another with --config FILE, or leave the option out.",
        ) from error
    except IsADirectoryError as error:
        raise ConfigFileError(
            f"The configuration file {path} is a directory.",
            "Name a file inside it with --config FILE, or move it away.",
        ) from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigFileError(
            f"{path}, line {line}: the file is not UTF-8 text.",
            f"Save it as UTF-8. {_UNTOUCHED}",
        ) from error
    except OSError as error:
        raise ConfigFileError(
            f"The configuration file {path} can't be read: {error.strerror}.",
            "Make it readable, or name another with --config FILE.",
        ) from error


def parse_config(text: str, path: Path) -> dict[str, Any]:
    """The values of a configuration file, as nested tables.

    Raises:
        ConfigFileError: The text is not TOML; the message names file and line.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, line = _reason_and_line(str(error), text)
        raise ConfigFileError(
            f"{path}, line {line}: this is not valid TOML: {reason}.",
            f"Correct the line and start again. {_UNTOUCHED}",
        ) from error
    except RecursionError as error:
        raise ConfigFileError(
            f"{path}: its values are nested too deeply.",
            f"Correct it and start again. {_UNTOUCHED}",
        ) from error


def _reason_and_line(message: str, text: str) -> tuple[str, int]:
    """Splits tomllib's message into what is wrong and where."""
    reason, _, place = message.partition(" (at ")
    found = re.match(r"line (\d+)", place)
    line = int(found[1]) if found else max(1, len(text.splitlines()))
    return reason[:1].lower() + reason[1:].rstrip("."), line


def line_of(text: str, key: str) -> int | None:
    """The line of a TOML text on which a dotted key is set; None where it is not plain to see."""
    table = ""
    inside_text = False
    for number, line in enumerate(text.splitlines(), 1):
        was_inside, inside_text = inside_text, inside_text ^ _opens_or_closes_text(line)
        if was_inside:
            continue
        if header := _TABLE.match(line):
            table = _plain(header[1])
            if table == key:
                return number
        elif setting := _KEY.match(line):
            name = _plain(setting[1])
            if key in (f"{table}.{name}" if table else name, name if not table else None):
                return number
    return None


def _opens_or_closes_text(line: str) -> bool:
    """Whether a text of several lines begins or ends here."""
    return (line.count('"""') + line.count("'''")) % 2 == 1


def _plain(dotted: str) -> str:
    """A dotted TOML key without blanks and quotation marks."""
    return ".".join(part.strip().strip("\"'") for part in dotted.split("."))
