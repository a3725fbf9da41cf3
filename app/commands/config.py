"""`strata config`: every effective setting and where it comes from."""

import argparse
import json

from app.settings import Setting, Settings
from app.shown import LONGEST, one_line, without_secrets

NOT_SET = "not set"
# A path is of use only as a whole.
LONGEST_PATH = 4096


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Prints the report; returns the exit status."""
    print(run(settings, as_json=options.json))
    return 0


def run(settings: Settings, *, as_json: bool) -> str:
    """The report, without a line break at its end; secrets are hidden.

    Args:
        settings: What was loaded.
        as_json: One JSON document in place of the table.
    """
    if as_json:
        return _document(settings)
    return _table(settings)


def _document(settings: Settings) -> str:
    rows = [
        {"key": one.key, "value": without_secrets(one.value, one.key), "origin": one.origin}
        for one in settings
    ]
    path = settings.paths.config.path
    document = {"settings": rows, "file": str(path), "file_exists": path.exists()}
    return json.dumps(document, indent=2)


def _table(settings: Settings) -> str:
    rows = [(one.key, _cell(one), one.origin) for one in settings]
    key_width, value_width = (max(len(row[column]) for row in rows) for column in (0, 1))
    return "\n".join(
        f"{key:{key_width}}  {value:{value_width}}  {origin}" for key, value, origin in rows
    )


def _cell(setting: Setting) -> str:
    if setting.value is None:
        return NOT_SET
    is_path = "." not in setting.key
    value = without_secrets(setting.value, setting.key)
    return one_line(value, LONGEST_PATH if is_path else LONGEST)
