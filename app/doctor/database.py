"""The database: whether it opens, its pages, its version and its size (STORE-1, STORE-4)."""

from pathlib import Path

from app.doctor.check import Check, failed, in_bytes, note, ok, problem
from app.doctor.search import search_checks
from memory.storage.before import kept_copies
from memory.storage.failures import DatabaseBusy, DatabaseDamaged, StorageError
from memory.storage.inspection import (
    Inspection,
    Pages,
    SessionRow,
    has_wal,
    inspect,
    known_version,
    look_at_pages,
    newest_of_each,
    wal_of,
)
from widgets.figures import count

PAGES_SECONDS = 3.0
LARGE_WAL = 100_000_000
"""Bytes; it is written back at 4 MB where nothing holds it up."""
COPY_FIRST = "Copy {files} away first."
SAVE = (
    "`strata export --session NAME FILE` saves the messages of a session that still reads, "
    "`strata import` takes them into another folder (--data DIR)"
)


def database_checks(path: Path, *, full: bool) -> tuple[list[Check], list[SessionRow] | None]:
    """What there is to say of the file, and its sessions where it can be read.

    Args:
        path: The database.
        full: Check the indexes too, however long it takes.
    """
    frozen = not has_wal(path)
    checks, sessions = _look(path, full)
    if frozen and has_wal(path) and any(check.state == "problem" for check in checks):
        # Somebody began to write meanwhile, and was caught in the middle.
        return _look(path, full)
    return checks, sessions


def _look(path: Path, full: bool) -> tuple[list[Check], list[SessionRow] | None]:
    if path.exists() and not path.stat().st_size:
        return [ok("file", f"{path} is empty: a new one.")], []
    try:
        with inspect(path) as database:
            return _opened(database, full)
    except StorageError as error:
        return [_not_opened(path, error)], None


def _opened(database: Inspection, full: bool) -> tuple[list[Check], list[SessionRow] | None]:
    version = database.version()
    if version > known_version():
        newer = f"{database.path} was written by a newer Strata."
        way_out = "Update Strata, or choose another folder with --data DIR."
        return [problem("version", newer, way_out)], None
    pages = look_at_pages(database.path, None if full else PAGES_SECONDS, thoroughly=full)
    if not version:
        return [pages_check(database.path, pages), _no_version(database)], None
    try:
        sessions = database.sessions()
    except StorageError as error:
        damaged = pages if pages.damage else Pages(True, (error.sentence,))
        return [pages_check(database.path, damaged)], None
    checks = [pages_check(database.path, pages), _contents(database, version, sessions)]
    if pages.finished and not pages.damage:
        checks.append(_references(database.path, pages.dangling))
        checks += search_checks(database) if version == known_version() else []
    return [*checks, *_wal(database), *_kept(database.path.parent)], sessions


def pages_check(path: Path, pages: Pages) -> Check:
    """What SQLite found in the pages."""
    if pages.damage:
        more = f" (and {count(len(pages.damage) - 1, 'more finding')})" * (len(pages.damage) > 1)
        found = pages.damage[0].replace("*** in database main ***", "").strip()
        return problem(
            "pages", f"{path} is damaged: {found.rstrip('.')}{more}.", way_out_of_damage(path)
        )
    if not pages.finished:
        return note(
            "pages",
            "The database is so large that its pages were not all checked in "
            f"{PAGES_SECONDS:.0f} seconds.",
            "`strata doctor --full` takes its time.",
        )
    return ok("pages", "Every page of it is sound.")


def way_out_of_damage(path: Path) -> str:
    """What to do with a damaged database, by what lies beside it."""
    files = path.name + (f" and {wal_of(path).name}" if has_wal(path) else "")
    kept = path.parent / "vault" / "context"
    vault = f"; so does what it finds in {kept}" if kept.is_dir() else ""
    return f"{COPY_FIRST.format(files=files)} {SAVE}{vault}."


def _not_opened(path: Path, error: StorageError) -> Check:
    if isinstance(error, DatabaseDamaged):
        return problem("pages", error.sentence, way_out_of_damage(path))
    if isinstance(error, DatabaseBusy):
        way_out = "Close the other Strata or whatever holds it, then try again."
        return problem("file", error.sentence, way_out)
    return failed("file", error, "Check the folder's permissions.")


def _no_version(database: Inspection) -> Check:
    tables = database.rows("SELECT count(*) FROM sqlite_schema WHERE type = 'table'")[0][0]
    if not tables:
        return ok("content", "It is empty: a new one.")
    return problem(
        "content",
        f"{database.path} is a database, but not Strata's.",
        "Move it aside, or choose another folder with --data DIR.",
    )


def _contents(database: Inspection, version: int, sessions: list[SessionRow]) -> Check:
    sessions = newest_of_each(sessions)
    messages = sum(session.messages for session in sessions)
    told = (
        f"{count(len(sessions), 'session')} with {count(messages, 'message')} in "
        f"{in_bytes(database.path.stat().st_size)}"
    )
    if version < known_version():
        return note("content", f"{told}, of an older Strata; the next start brings it up to date.")
    return ok("content", f"{told}, of version {version}.")


def _references(path: Path, dangling: int) -> Check:
    if dangling:
        rows = count(dangling, "row")
        sentence = f"{rows} of {path.name} belong to something that is not there."
        return problem("references", sentence, way_out_of_damage(path))
    return ok("references", "Every row belongs to one that is there.")


def _kept(directory: Path) -> list[Check]:
    names = ", ".join(copy.name for copy in kept_copies(directory))
    if not names:
        return []
    told = f"What was written last may be missing: a write-ahead log was damaged. Kept: {names}."
    return [note("kept aside", told, "Delete it in case you miss nothing.")]


def _wal(database: Inspection) -> list[Check]:
    wal = wal_of(database.path)
    size = wal.stat().st_size if wal.exists() else 0
    if size and database.frozen:
        return [
            note(
                "newest",
                f"What stands in {wal.name} could not be read along on a disk without room "
                "to write.",
                "Make the folder writable, then look again.",
            )
        ]
    if size > LARGE_WAL:
        return [
            note(
                "newest",
                f"{wal.name} has grown to {in_bytes(size)}.",
                "Close all Strata; the last one writes it back.",
            )
        ]
    return []
