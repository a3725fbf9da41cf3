"""ALL-6 and contracts: where things lie, and that `--data DIR` keeps everything inside DIR."""

import os
from pathlib import Path

import pytest

from app.config_errors import DataDirectoryError
from app.paths import find_paths, make_data_directory
from app.settings import load_settings


def test_the_platforms_folders_are_used(home: Path) -> None:
    """STORE-1: under the platform's data directory."""
    paths = find_paths(environment={})
    for place in (paths.data, paths.config, paths.models):
        assert place.path.is_relative_to(home)
        assert place.origin == "default"
        assert not place.chosen
    assert paths.config.path.name == "config.toml"
    assert paths.models.path.parent == paths.data.path
    assert paths.log == paths.data.path / "log"


@pytest.mark.parametrize("by", ["option", "environment"])
def test_a_data_directory_holds_everything(tmp_path: Path, by: str) -> None:
    """Contracts: nothing outside DIR is touched."""
    if by == "option":
        paths = find_paths(data=str(tmp_path), environment={})
    else:
        paths = find_paths(environment={"STRATA_DATA": str(tmp_path)})
    assert paths.data.path == tmp_path
    assert paths.config.path == tmp_path / "config.toml"
    assert paths.models.path == tmp_path / "models"
    assert paths.log == tmp_path / "log"
    assert not paths.config.chosen


def test_each_place_can_be_named_on_its_own(tmp_path: Path) -> None:
    """Contracts: `--config FILE` and `--models DIR` win over the data directory."""
    paths = find_paths(
        data=str(tmp_path),
        config=str(tmp_path / "mine.toml"),
        environment={"STRATA_MODELS": str(tmp_path / "big"), "STRATA_CONFIG": "/other.toml"},
    )
    assert paths.config.path == tmp_path / "mine.toml"
    assert paths.config.origin == "command line"
    assert paths.models.path == tmp_path / "big"
    assert paths.models.origin == "environment STRATA_MODELS"


def test_relative_paths_and_the_home_sign_are_resolved(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-6: a later change of the working directory changes nothing."""
    monkeypatch.chdir(tmp_path)
    assert find_paths(data="here", environment={}).data.path == tmp_path / "here"
    assert find_paths(data="~/there", environment={}).data.path == home / "there"
    assert find_paths(data="~nobody-of-this-name", environment={}).data.path.parent == tmp_path


def test_loading_touches_nothing(tmp_path: Path, home: Path) -> None:
    """ALL-1: reading the configuration makes no file and no folder."""
    load_settings(data=str(tmp_path / "new"), environment={})
    load_settings(environment={})
    assert list(tmp_path.iterdir()) == []
    assert list(home.iterdir()) == []


def test_a_data_directory_is_made_for_its_owner_only(tmp_path: Path) -> None:
    """RECALL-7: conversations are not for the other users of the machine."""
    directory = tmp_path / "a" / "b"
    make_data_directory(directory)
    make_data_directory(directory)
    assert list(directory.iterdir()) == []
    if os.name == "posix":
        assert directory.stat().st_mode & 0o077 == 0


def test_a_file_in_the_directorys_place(tmp_path: Path) -> None:
    """ALL-1: a data directory that can't be written."""
    file = tmp_path / "file"
    file.write_text("mine", encoding="utf-8")
    for directory in (file, file / "below"):
        with pytest.raises(DataDirectoryError, match="is a file"):
            make_data_directory(directory)
    assert file.read_text(encoding="utf-8") == "mine"


def test_a_directory_that_can_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-1: a data directory that can't be written, also on a disk mounted read-only."""

    def refuse(path: Path, data: bytes) -> int:
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "write_bytes", refuse)
    with pytest.raises(DataDirectoryError, match="can't be written: Read-only file system"):
        make_data_directory(tmp_path)
