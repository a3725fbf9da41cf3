"""Gets pieces of model files: wheels through pip, files from their home through HTTPS.

Wheels are taken as data: downloaded, opened as a zip, never installed or imported. pip is asked
so that the user's own index settings hold.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path

from app.host.errors import InstallFailed, NoSpace, NotReachable

STALL_SECONDS = 200.0  # without a new byte; more than pip's longest usual wait for an answer
_POLL_SECONDS = 0.2
_CHUNK = 1_000_000
_SOCKET_SECONDS = 30.0
_NETWORK_WORDS = (
    "name resolution",
    "getaddrinfo",
    "connection",
    "unreachable",
    "timed out",
    "proxy",
    "max retries",
    "ssl",
)


def fetch_wheel(package: str, folder: Path, on_bytes: Callable[[int], None]) -> Path:
    """Downloads one wheel into an empty folder.

    Args:
        package: `name==version`.
        folder: Emptied first; pip's temporary files lie there too, on the disk that was checked.
        on_bytes: Told a few times a second how many bytes of the wheel have come; what it raises
            ends the download.

    Raises:
        InstallFailed: And its kinds, by what went wrong.
    """
    if importlib.util.find_spec("pip") is None:
        raise InstallFailed("pip is missing, which fetches models.", "Run `python -m ensurepip`.")
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    said = folder / "pip.log"
    with said.open("wb") as output:
        process = subprocess.Popen(
            _pip_command(package, folder),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            env={**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))},
        )
        try:
            status = _wait(process, folder, on_bytes)
        finally:
            process.kill()
            process.wait()
    wheels = list(folder.glob("*.whl"))
    if status != 0 or not wheels:
        raise _pip_failure(package, said.read_text(encoding="utf-8", errors="replace"))
    return wheels[0]


def _pip_command(package: str, folder: Path) -> list[str]:
    # No cache: it would keep a second copy of every gigabyte.
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--no-input", "--retries=2"]
    quiet = ["--disable-pip-version-check", "--progress-bar=off", "--no-color"]
    command = [sys.executable, "-P", "-m", "pip", "download", *options, *quiet]
    return [*command, "--dest", str(folder), package]


def _wait(process: subprocess.Popen[bytes], folder: Path, on_bytes: Callable[[int], None]) -> int:
    """Waits for pip as long as bytes come, and reports them."""
    most, moved_at = 0, time.monotonic()
    while True:
        try:
            return process.wait(_POLL_SECONDS)
        except subprocess.TimeoutExpired:
            size = _largest_file(folder)
        if size > most:
            most, moved_at = size, time.monotonic()
        on_bytes(most)  # even where nothing came: whoever is told may want to stop
        if time.monotonic() - moved_at > STALL_SECONDS:
            raise NotReachable(
                "The package index stopped answering.", "Check the network and run it again."
            )


def _largest_file(folder: Path) -> int:
    """Of pip's temporary file and its later copy the larger one."""
    most = 0
    # pip moves files and removes folders meanwhile: what has gone is passed over.
    for parent, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                most = max(most, Path(parent, name).stat().st_size)
    return most


def _pip_failure(package: str, said: str) -> InstallFailed:
    lower = said.lower()
    if "no space left" in lower or "disk quota" in lower:
        return no_space()
    if any(word in lower for word in _NETWORK_WORDS):
        return NotReachable(
            "The package index can't be reached.", "Check the network and run it again."
        )
    errors = [line for line in said.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1].removeprefix("ERROR:").strip() if errors else "pip gave no reason"
    return InstallFailed(f"pip could not fetch {package}: {reason}.", "Run it again later.")


def no_space() -> NoSpace:
    """The disk got full on the way."""
    return NoSpace("The disk is full.", "Make room and run it again; what was fetched is kept.")


def read_member(wheel: Path, member: str) -> Iterator[bytes]:
    """The bytes of a file inside a wheel, or (`outer.zip!inner`) inside a zip inside it.

    Raises:
        InstallFailed: It is not there, or damaged.
    """
    outer, _, inner = member.partition("!")
    try:
        with zipfile.ZipFile(wheel) as archive, archive.open(outer) as file:
            if not inner:
                yield from iter(lambda: file.read(_CHUNK), b"")
                return
            with zipfile.ZipFile(file) as nested, nested.open(inner) as nested_file:
                yield from iter(lambda: nested_file.read(_CHUNK), b"")
    except (KeyError, zipfile.BadZipFile, EOFError) as error:
        raise InstallFailed(
            f"The package {wheel.name} is not what was expected ({error}).", "Run it again later."
        ) from error


def fetch_url(url: str, offset: int) -> Iterator[bytes]:
    """The bytes of a file on the web from an offset on.

    Raises:
        NotReachable: The server can't be reached, or breaks off.
        InstallFailed: The server refuses.
    """
    # The addresses are the catalogue's own, and every file is checked against its hash.
    headers = {"Range": f"bytes={offset}-"} if offset else {}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=_SOCKET_SECONDS) as answer:  # noqa: S310
            if offset and answer.status != HTTPStatus.PARTIAL_CONTENT:
                _skip(answer.read, offset)
            yield from iter(lambda: answer.read(_CHUNK), b"")
            if answer.length:  # read() takes a connection that broke off for the end
                raise ConnectionError
    except urllib.error.HTTPError as error:
        raise InstallFailed(
            f"The model's home page refused the download (status {error.code}).",
            "Run it again later.",
        ) from error
    except (OSError, HTTPException) as error:
        raise NotReachable(
            "The model's home page can't be reached.", "Check the network and run it again."
        ) from error


def _skip(read: Callable[[int], bytes], count: int) -> None:
    """Passes over what is on disk already, where the server only sends whole files."""
    while count > 0 and (chunk := read(min(count, _CHUNK))):
        count -= len(chunk)
