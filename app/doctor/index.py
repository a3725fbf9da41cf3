"""The vector index: where it is, what it holds, and whether that can be used."""

import asyncio
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

from app.backend import ollama
from app.backend.index_folder import (
    DATABASE,
    FOLDER,
    LOCK,
    REFILLING,
    kept_aside,
    read_label,
    space_folders,
)
from app.doctor.check import Check, in_bytes, note, ok, problem
from app.host.locks import FileLock
from memory.storage.header import is_encrypted
from widgets.figures import count
from widgets.plain import one_line

CONNECT_SECONDS = 0.5
WAIT_SECONDS = 1.0
"""How long a look at the tables waits for the process that writes them."""
MADE_AGAIN = "It is made again by itself when Strata next looks something up."


def index_checks(data: Path, chroma_url: str | None) -> list[Check]:
    """What there is to say of the vectors by which passages are found.

    Args:
        data: The data directory.
        chroma_url: The configured server, or None.
    """
    folder = data / FOLDER
    if is_encrypted(data):
        return [_of_encrypted(folder)]
    if chroma_url is not None:
        return [asyncio.run(_server(chroma_url)), *_aside(data)]
    if not folder.exists():
        return [
            ok("vectors", "There are none yet; Strata makes them beside a chat."),
            *_aside(data),
        ]
    if not folder.is_dir():
        return [problem("vectors", f"{folder} is no folder.", MADE_AGAIN), *_aside(data)]
    holder = FileLock(data / LOCK)
    held = holder.held_by_other()
    return [*_spaces(data, held=held), _holder(holder, held=held), *_aside(data)]


def _of_encrypted(folder: Path) -> Check:
    if folder.exists():
        sentence = f"The database is encrypted, but {folder} holds vectors of before."
        return problem("vectors", sentence, "Opening a session removes them.")
    return ok("vectors", "They are kept in memory only, since the database is encrypted.")


async def _server(url: str) -> Check:
    parts = urlsplit(url)
    host = f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)
    if not ollama.is_local(url):
        return ok("vectors", f"They are on {one_line(host)}, another machine: it was not asked.")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, writer = await asyncio.open_connection(parts.hostname, port)
    except OSError:
        sentence = f"Nothing listens at {one_line(host)} (recall.chroma_url)."
        return problem("vectors", sentence, "Start that server, or correct `recall.chroma_url`.")
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return ok("vectors", f"Something listens at {one_line(host)} (recall.chroma_url).")


def _spaces(data: Path, *, held: bool) -> list[Check]:
    vectors, size, damaged = 0, 0, []
    folders = space_folders(data)
    for folder in folders:
        found = vectors_in(folder)
        refilled = held or (folder / REFILLING).exists()
        if read_label(folder) is None or (found is None and not refilled):
            damaged.append(folder)
        vectors += found or 0
        size += sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    checks = [problem("damage", f"{path} is damaged.", MADE_AGAIN) for path in damaged]
    told = f"{count(vectors, 'vector')} in {count(len(folders), 'space')}, {in_bytes(size)}."
    return [ok("vectors", told), *checks]


def vectors_in(folder: Path) -> int | None:
    """How many vectors Chroma's tables name in a folder; None where they can't be read.

    They are only read, and by another process than Chroma's.
    """
    path = folder / DATABASE
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", WAIT_SECONDS, uri=True)) as tables:
            return int(tables.execute("SELECT count(*) FROM embeddings").fetchone()[0])
    except sqlite3.Error:
        return None


def _holder(lock: FileLock, *, held: bool) -> Check:
    if not held:
        return ok("in use", "No Strata uses it now.")
    return ok("in use", f"The Strata with process {one_line(lock.text())} uses it now.")


def _aside(data: Path) -> list[Check]:
    aside = kept_aside(data)
    if not aside:
        return []
    told = (
        f"Kept aside: {count(len(aside), 'damaged index', 'damaged indexes')}, such as {aside[0]}."
    )
    return [note("kept aside", told, "Remove them when they are of no use.")]
