"""What every test gets: a home of its own, no keys, and the models that `make test` fetched."""

import itertools
import logging
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.support.spare_processes import BACKEND, HOOK, PROGRAM, spare_processes

# Busy machines are slow, and that says nothing about the code. The examples are the same in each
# run, since what passed once has to pass again; new ones are searched for with STRATA_NIGHTLY.
settings.register_profile(
    "strata",
    deadline=None,
    derandomize=not os.environ.get("STRATA_NIGHTLY"),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("strata")

_LONGEST_FIRST = ("kill", "program", "tui", "host", "backend", "chat", "properties", "terminal")
"""Folders whose files take a processor long: begun first, so that all processors end together."""

_numbers = itertools.count(1)
_KEY_ENDINGS = ("_API_KEY", "_API_BASE", "_BASE_URL", "_AUTH_TOKEN", "_ACCESS_KEY")
_FOLDERS = {
    "XDG_DATA_HOME": ".local/share",
    "XDG_CONFIG_HOME": ".config",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": ".run",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
}


# Read once, since the environment of every test is emptied of it.
_TEST_MODELS = os.environ.get("STRATA_TEST_MODELS", "")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the longest files first."""

    def place(item: pytest.Item) -> int:
        folder = item.path.parent.name
        return _LONGEST_FIRST.index(folder) if folder in _LONGEST_FIRST else len(_LONGEST_FIRST)

    items.sort(key=place)


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """The root of a model store that holds the light model and the embedder."""
    if not _TEST_MODELS or not Path(_TEST_MODELS).is_dir():
        pytest.fail(
            "This test needs a model: run the tests with `make test`, or name a directory "
            "with the light model and the embedder in STRATA_TEST_MODELS.",
            pytrace=False,
        )
    return Path(_TEST_MODELS).absolute()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the home directories are, beside nothing that has to be looked through."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(homes: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home directory; nothing of the user's is read, written or sent."""
    home = homes / str(next(_numbers))
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    for variable, folder in _FOLDERS.items():
        monkeypatch.setenv(variable, str(home / folder))
    for variable in _unwanted(os.environ):
        monkeypatch.delenv(variable)
    # Screens look the same whatever terminal the tests run in.
    monkeypatch.setenv("COLORTERM", "truecolor")
    for variable in ("NO_COLOR", "COLORFGBG"):
        monkeypatch.delenv(variable, raising=False)
    return home


@pytest.fixture(scope="session", autouse=True)
def quick_starts() -> Iterator[None]:
    """Backends and the program are forked from processes that have loaded what they load."""
    with spare_processes() as variables, pytest.MonkeyPatch.context() as patch:
        for name, value in variables.items():
            patch.setenv(name, value)
        patch.setenv("PYTHONPATH", str(HOOK), prepend=os.pathsep)
        yield


@pytest.fixture
def real_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program and its backend load everything themselves, as a user's do."""
    for name in (BACKEND, PROGRAM):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def log() -> Iterator[None]:
    """The log of one test goes to no file of another."""
    yield
    logger = logging.getLogger("strata")
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
        handler.close()
    logger.propagate = True


def _unwanted(names: Iterable[str]) -> list[str]:
    """The variables that would change what Strata does: its own, keys, and proxies."""
    starts = ("STRATA_", "OTEL_", "LITELLM_")
    proxies = {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}
    return [
        name
        for name in names
        if name.upper().startswith(starts)
        or name.upper().endswith(_KEY_ENDINGS)
        or name.upper() in proxies
    ]
