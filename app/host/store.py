"""Where the files of models lie, and whether they are what they should be."""

import hashlib
import os
from pathlib import Path

from app.host import gguf
from app.host.catalogue import PREFIX, CatalogueEntry, CatalogueFile, canonical, find, is_file
from app.host.errors import ModelDamaged, ModelFileUnreadable, ModelMissing

STAMP_SUFFIX = ".sha256"
PARTIAL_SUFFIX = ".partial"
DAMAGED_SUFFIX = ".damaged"


class ModelStore:
    """A directory of installed models, one folder each.

    Beside each verified file lies a stamp with its hash, so that being installed can be told
    without reading a gigabyte.

    Args:
        root: The directory; it need not exist yet.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def directory(self, entry: CatalogueEntry) -> Path:
        """The folder of one model."""
        return self.root / entry.name

    def path(self, entry: CatalogueEntry, filename: str | None = None) -> Path:
        """Where a file of the model lies, or belongs; without a name the model itself."""
        return self.directory(entry) / (filename or entry.files[0].filename)

    def installed(self, entry: CatalogueEntry) -> bool:
        """Whether all files are there, with the right size and once verified; cheap."""
        return all(self.file_installed(entry, file) for file in entry.files)

    def file_installed(self, entry: CatalogueEntry, file: CatalogueFile) -> bool:
        """The same for one file."""
        path = self.path(entry, file.filename)
        try:
            stamp = stamp_path(path).read_text(encoding="ascii", errors="replace").strip()
            return path.stat().st_size == file.size and stamp == file.sha256
        except OSError:
            return False

    def verify(self, entry: CatalogueEntry) -> None:
        """Reads every file and compares its hash; about a second for each gigabyte.

        Raises:
            ModelMissing: A file is not there.
            ModelDamaged: A file is not what it should be; it was moved aside.
        """
        for file in entry.files:
            path = self.path(entry, file.filename)
            if not path.is_file():
                raise _missing(entry)
            self._verify_file(entry, file, path)

    def _verify_file(self, entry: CatalogueEntry, file: CatalogueFile, path: Path) -> None:
        if path.stat().st_size == file.size and file_hash(path) == file.sha256:
            write_stamp(path, file.sha256)
            return
        stamp_path(path).unlink(missing_ok=True)
        aside = path.with_name(path.name + DAMAGED_SUFFIX)
        os.replace(path, aside)
        raise ModelDamaged(
            f"The file {path.name} of {entry.title} is damaged; it was kept aside as {aside.name}.",
            f"Run `strata models install {entry.short_name}` to fetch it again.",
        )

    def resolve(self, name: str, *, base_model: bool = False) -> Path:
        """The file of a model, ready to be run.

        Args:
            name: A catalogue name or alias, with or without `embedded/`, or a path to a GGUF file.
            base_model: It is to continue plain text, so a user's file needs no chat template.

        Raises:
            UnknownModel: No model has this name.
            ModelMissing: It is not installed.
            ModelDamaged: Its file changed since it was verified.
            ModelFileUnreadable: The user's own file can't be used.
        """
        if is_file(name):
            return _users_file(Path(canonical(name).removeprefix(PREFIX)), base_model=base_model)
        entry = find(name)
        path = self.path(entry)
        if self.installed(entry):
            return path
        if path.is_file() and stamp_path(path).exists():
            raise ModelDamaged(
                f"The installation of {entry.title} is damaged.",
                f"Run `strata models install {entry.short_name}` to repair it.",
            )
        raise _missing(entry)


def stamp_path(path: Path) -> Path:
    """Where the hash of a verified file is noted."""
    return path.with_name(path.name + STAMP_SUFFIX)


def write_stamp(path: Path, sha256: str) -> None:
    """Notes that the file was verified."""
    stamp_path(path).write_text(sha256 + "\n", encoding="ascii")


def file_hash(path: Path) -> str:
    """The file's SHA-256, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _missing(entry: CatalogueEntry) -> ModelMissing:
    return ModelMissing(
        f"{entry.title} is not installed.", f"Run `strata models install {entry.short_name}`."
    )


def _users_file(path: Path, *, base_model: bool) -> Path:
    try:
        info = gguf.read(path)
    except gguf.NotGguf as error:
        raise ModelFileUnreadable(
            f"{path} is not a usable GGUF model: {error}.", "Name another file."
        ) from error
    except OSError as error:
        reason = error.strerror or "it can't be read"
        raise ModelFileUnreadable(
            f"The model file {path} can't be opened: {reason}.", "Check the path."
        ) from error
    if not (info.chat_template or base_model):
        raise ModelFileUnreadable(
            f"The model in {path} has no chat template, so it can't hold a conversation.",
            'Use an instruct or chat version of it, or set mode = "completion" under [model].',
        )
    return path
