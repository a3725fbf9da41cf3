"""Where Strata keeps things: the platform's folders, or everything below one directory."""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.config_errors import DataDirectoryError
from memory.storage.folders import make_own

DEFAULT = "default"
BELOW_DATA = "in the data directory"
COMMAND_LINE = "command line"


@dataclass(frozen=True, slots=True)
class Place:
    """A path and who chose it."""

    path: Path
    origin: str

    @property
    def chosen(self) -> bool:
        """Whether somebody named it, so that it has to be there."""
        return self.origin not in {DEFAULT, BELOW_DATA}


@dataclass(frozen=True, slots=True)
class Paths:
    """The folders and the file of one start.

    Args:
        data: The data directory: database, index, vault, the model host's lock.
        config: The configuration file; need not be there where nobody named it.
        models: The root of the model store.
    """

    data: Place
    config: Place
    models: Place

    @property
    def log(self) -> Path:
        """The folder of the log files."""
        return self.data.path / "log"


def find_paths(
    data: str | None = None,
    config: str | None = None,
    models: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> Paths:
    """The paths that hold for one start: command line, then environment, then the platform's.

    With a data directory named in either way, nothing outside it is used unless it is named too.
    """
    environment = os.environ if environment is None else environment
    data_place = _named(data, "STRATA_DATA", environment)
    config_place = _named(config, "STRATA_CONFIG", environment)
    models_place = _named(models, "STRATA_MODELS", environment)
    if data_place is not None:
        root = data_place.path
        config_file = root / "config.toml"
        implied = BELOW_DATA
    else:
        from platformdirs import PlatformDirs  # not needed where a directory is named

        platform = PlatformDirs("strata", appauthor=False)
        root = Path(platform.user_data_dir)
        config_file = Path(platform.user_config_dir) / "config.toml"
        implied = DEFAULT
    return Paths(
        data=data_place or Place(root, DEFAULT),
        config=config_place or Place(config_file, implied),
        models=models_place or Place(root / "models", implied),
    )


def _named(option: str | None, variable: str, environment: Mapping[str, str]) -> Place | None:
    """The place somebody named; an empty name names nothing."""
    if option:
        return Place(_absolute(option), COMMAND_LINE)
    if environment.get(variable):
        return Place(_absolute(environment[variable]), f"environment {variable}")
    return None


def _absolute(text: str) -> Path:
    path = Path(text)
    with suppress(RuntimeError):  # nobody has that name: then it is a folder called `~name`
        path = path.expanduser()
    # Without following links: the user finds the path again as it was written.
    return path.absolute()


def make_data_directory(path: Path) -> None:
    """Makes the data directory, readable by its owner only, and sees that it can be written.

    Raises:
        DataDirectoryError: It can't be made or written, or is no directory.
    """
    another = "Choose another with --data DIR, or make this one writable."
    try:
        make_own(path)
    except (FileExistsError, NotADirectoryError) as error:
        blocking = error.filename or path
        raise DataDirectoryError(
            f"The data directory {path} can't be used: {blocking} is a file.",
            "Choose another with --data DIR.",
        ) from error
    except OSError as error:
        raise DataDirectoryError(
            f"The data directory {path} can't be made: {error.strerror}.", another
        ) from error
    # The permission bits say little about read-only file systems; trying says all.
    probe = path / f".strata-write-test-{os.getpid()}"
    try:
        probe.write_bytes(b"x")
        probe.unlink()
    except OSError as error:
        raise DataDirectoryError(
            f"The data directory {path} can't be written: {error.strerror}.", another
        ) from error
