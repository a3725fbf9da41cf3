"""The vault: whether its files are those of the sessions, and nothing was left half written."""

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from app.doctor.check import Check, note, ok, problem
from memory.storage.inspection import SessionRow, newest_of_each
from memory.storage.vault import DAMAGED, FOLDER
from memory.storage.whole_files import TEMPORARY
from memory.vault_names import CONTEXT, context_path
from widgets.figures import count

MOST = 300
"""Sessions whose files are read: the newest."""
WRITTEN_AT_START = "Opening the session writes it anew."


def vault_checks(
    data: Path,
    sessions: Sequence[SessionRow] | None,
    *,
    wanted: bool,
    allowed: Callable[[Path, int], bool] = os.access,
) -> list[Check]:
    """What there is to say of the files beside the database.

    Args:
        data: The data directory.
        sessions: Those of the database; None where it can't be read.
        wanted: Whether the configuration keeps a vault.
        allowed: Tells whether something may be done with a path.
    """
    root = data / FOLDER
    if not wanted:
        return [_off(root)]
    if not root.is_dir():
        return [
            ok("files", "There is none yet; the first compaction or the end of a chat makes it.")
        ]
    if not allowed(root, os.W_OK | os.X_OK):
        way_out = "Check the folder's permissions; the database itself holds everything."
        return [problem("files", f"{root} can't be written.", way_out)]
    known = _sessions(root, newest_of_each(sessions)) if sessions is not None else []
    return [*known, *_left_over(root)]


def _off(root: Path) -> Check:
    if root.is_dir() and any(root.rglob("*.json")):
        sentence = f"It is off (memory.vault), but {root} holds files of before."
        return note("files", sentence, "Remove the folder if they are not to be there.")
    return ok("files", "It is off (memory.vault).")


def _sessions(root: Path, sessions: Sequence[SessionRow]) -> list[Check]:
    damaged: list[Path] = []
    stale = 0
    for session in sessions[:MOST]:
        path = root / context_path(session.id)
        document = _document(path)
        if document == {}:
            damaged.append(path)
        elif session.messages and not session.held and _behind(document, session):
            stale += 1
    expected = {(root / context_path(session.id)).name for session in sessions}
    lonely = [path for path in (root / CONTEXT).glob("*.json") if path.name not in expected]
    checks = [_damaged(damaged)] if damaged else []
    if stale:
        sentence = f"Of {count(stale, 'session')} the vault does not hold the newest."
        checks.append(note("up to date", sentence, WRITTEN_AT_START))
    if lonely:
        sentence = (
            f"Of no session of the database: {count(len(lonely), 'file')} in {root / CONTEXT}."
        )
        checks.append(note("strangers", sentence, "`strata import FILE` makes a session of one."))
    looked = min(len(sessions), MOST)
    return checks or [ok("files", f"Up to date for {count(looked, 'session')}.")]


def _damaged(paths: list[Path]) -> Check:
    more = f" (and {count(len(paths) - 1, 'more')})" if len(paths) > 1 else ""
    return problem(
        "files",
        f"{paths[0]} is damaged{more}.",
        f"{WRITTEN_AT_START} The damaged file is kept aside.",
    )


def _document(path: Path) -> dict[str, Any] | None:
    """The session in a file; empty where it is damaged, None where there is no file."""
    try:
        document = json.loads(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _behind(document: dict[str, Any] | None, session: SessionRow) -> bool:
    own = document.get("strata") if document else None
    return not isinstance(own, dict) or own.get("messages") != session.messages


def _left_over(root: Path) -> list[Check]:
    files = [path for path in root.rglob("*") if path.is_file()]
    begun = [path for path in files if path.name.endswith(TEMPORARY)]
    aside = [path for path in files if DAMAGED in path.suffix]
    checks: list[Check] = []
    if begun:
        sentence = f"Left half written by a Strata that was killed: {count(len(begun), 'file')}."
        checks.append(note("left over", sentence, "Opening the session removes them."))
    if aside:
        sentence = f"Kept aside: {count(len(aside), 'damaged file')}, such as {aside[0]}."
        checks.append(note("kept aside", sentence, "Remove them when they are of no use."))
    return checks
