"""The texts of an export: a JSON file, a folder of them, or the zip they came in.

Nothing is unpacked to the disk, so no path of an archive matters, and what an archive says of its
sizes is held against what comes out of it.
"""

import codecs
import io
import re
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO

from memory.errors import StrataError

CHUNK = 1024 * 1024
LARGEST = 4 * 1024**3
"""Bytes that come out of an archive; exports of years have some hundred megabytes."""
MOST_RATIO, RATIO_FROM = 200, 100 * 1024**2
"""Text shrinks to a fifth or a tenth; what grows more than this, beyond so many bytes, is no
export but made to fill a disk."""
MOST_MEMBERS = 200_000
CONVERSATIONS = re.compile(r"(?:.*/)?conversations(?:[-_. ]?\d+)?\.json", re.IGNORECASE)
LINES = ".jsonl"
OWN = (".json", LINES)
"""What `strata export` writes into a folder, and can be read again."""
ZIP = b"PK\x03\x04"
STDIN = "-"


class UnreadableFile(StrataError):
    """A file can't be read as an export; names it."""


@dataclass(frozen=True, slots=True)
class Part:
    """A text of an export."""

    name: str
    size: int
    """Its bytes; 0 where nobody knows."""
    open: Callable[[], AbstractContextManager[IO[bytes]]]
    title: str | None = None
    """The name of the conversation whose messages are its lines; None for any other text."""

    def chunks(self) -> Iterator[str]:
        """Its text in pieces.

        Raises:
            UnreadableFile: It can't be read, is no text, or is larger than it says.
        """
        decoder = codecs.getincrementaldecoder("utf-8-sig")()
        read = 0
        try:
            with self.open() as file:
                while data := file.read(CHUNK):
                    read += len(data)
                    if read > LARGEST:
                        raise UnreadableFile(f"{self.name} is too large.", "Split it.")
                    yield decoder.decode(data)
                yield decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            where = max(0, read - CHUNK) + error.start
            raise UnreadableFile(
                f"{self.name} is not text in UTF-8 (about byte {where}).",
                "Nothing more was read of it.",
            ) from error
        except OSError as error:
            raise UnreadableFile(
                f"{self.name} can't be read: {error.strerror or 'it is damaged'}.",
                "Name another file.",
            ) from error
        except (
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            NotImplementedError,
            RuntimeError,
        ) as error:
            raise UnreadableFile(f"{self.name} can't be unpacked.", "Get it again.") from error


def parts_of(file: str) -> Sequence[Part]:
    """The texts of an export, in their order.

    Args:
        file: A JSON file, a zip, a folder, or `-` for standard input.

    Raises:
        UnreadableFile: It can't be read, or has none.
    """
    path = Path(file)
    if file == STDIN:
        data = sys.stdin.buffer.read()
        if data.startswith(ZIP):
            return _of_zip(io.BytesIO(data), "The archive")
        return [Part("standard input", len(data), lambda: io.BytesIO(data))]
    try:
        if path.is_dir():
            return _of_folder(path)
        with path.open("rb") as opened:
            is_zip = opened.read(len(ZIP)) == ZIP
        return _of_zip(path, str(path)) if is_zip else [_of_file(path)]
    except OSError as error:
        raise UnreadableFile(
            f"{file} can't be read: {error.strerror}.", "Name another file."
        ) from error


def _of_file(path: Path) -> Part:
    return Part(str(path), path.stat().st_size, lambda: path.open("rb"))


def _of_folder(path: Path) -> Sequence[Part]:
    files = sorted(each for each in path.iterdir() if each.is_file())
    found = [each for each in files if CONVERSATIONS.fullmatch(each.name)]
    found = found or [each for each in files if each.suffix.lower() in OWN]
    if not found:
        raise UnreadableFile(
            f"{path} is a folder without a conversations.json, and without exports of Strata.",
            "Name a file of the export.",
        )
    return [_of_lines(each) if each.suffix.lower() == LINES else _of_file(each) for each in found]


def _of_lines(path: Path) -> Part:
    return replace(_of_file(path), title=path.stem)


def _of_zip(source: Path | IO[bytes], name: str) -> Sequence[Part]:
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise UnreadableFile(f"{name} is a damaged zip file.", "Get it again.") from error
    members = archive.infolist()
    if len(members) > MOST_MEMBERS:
        raise UnreadableFile(f"{name} holds too many files.", "It is no export.")
    found = sorted(
        (member for member in members if CONVERSATIONS.fullmatch(member.filename)),
        key=lambda member: member.filename,
    )
    if not found:
        jsons = [member for member in members if member.filename.lower().endswith(".json")]
        found = jsons if len(jsons) == 1 else []
    if not found:
        raise UnreadableFile(f"{name} holds no conversations.json.", "It is no export of chats.")
    _assert_harmless(found, name)
    return [_of_member(archive, member, name) for member in found]


def _assert_harmless(members: Sequence[zipfile.ZipInfo], name: str) -> None:
    size = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    if size > LARGEST or (size > RATIO_FROM and size > MOST_RATIO * max(1, packed)):
        raise UnreadableFile(
            f"{name} would unpack to {size // 1024**2:,} MB.", "Nothing was imported."
        )
    if any(member.flag_bits & 1 for member in members):
        raise UnreadableFile(f"{name} is protected by a password.", "Unpack it first.")


def _of_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> Part:
    # What is read ends at the size that the archive tells, and is held against its checksum.
    short = Path(member.filename).name
    return Part(f"{short} in {name}", member.file_size, lambda: archive.open(member))
