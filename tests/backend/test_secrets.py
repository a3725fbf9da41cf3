"""CHAT-2: keys come from the environment or the keyring, and reach no log."""

import logging
import sys
from pathlib import Path

import pytest

from app.backend.credentials import find_key
from app.backend.safelog import SafeFormatter

FAKE_KEYRING = """
from keyring.errors import KeyringError
def get_password(service, name):
    if name == "BROKEN":
        raise KeyringError("locked")
    return {("strata", "X_API_KEY"): "from-keyring"}.get((service, name))
"""


@pytest.fixture
def keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "keyring"
    package.mkdir()
    (package / "__init__.py").write_text(FAKE_KEYRING)
    (package / "errors.py").write_text("class KeyringError(Exception): pass\n")
    for name in [name for name in sys.modules if name.split(".")[0] == "keyring"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.syspath_prepend(tmp_path)


@pytest.mark.usefixtures("keyring")
async def test_the_environment_comes_before_the_keyring() -> None:
    """CHAT-2: both places are looked at, in this order."""
    assert await find_key(["X_API_KEY"], {"X_API_KEY": "from-environment"}) == "from-environment"
    assert await find_key(["Y_API_KEY", "X_API_KEY"], {}) == "from-keyring"
    assert await find_key(["Y_API_KEY"], {}) is None
    assert await find_key(["BROKEN"], {}) is None
    assert await find_key([], {}) is None


def format_record(name: str, text: str, error: Exception | None = None) -> str:
    info = (type(error), error, error.__traceback__) if error else None
    record = logging.LogRecord(name, logging.WARNING, "module.py", 7, text, (), info)
    return SafeFormatter().format(record)


def test_what_libraries_say_is_not_logged() -> None:
    """CHAT-2, ALL-3: their records may hold prompts and keys; only the place is kept."""
    try:
        raise ValueError("secret words")
    except ValueError as error:
        line = format_record("LiteLLM", "secret words", error)
    assert "secret" not in line
    assert "LiteLLM module:7" in line
    assert "ValueError at test_what_libraries_say_is_not_logged" in line


def test_our_own_notes_are_logged() -> None:
    """ALL-4: what happened can be read."""
    assert format_record("strata.backend", "attempt 1 failed: cut").endswith("failed: cut")
