"""`strata sessions`: the list, a search, a new title, a deletion."""

import argparse
import sys
from dataclasses import asdict
from datetime import UTC, datetime

from app.chat.names import content_of, listed, name_of
from app.commands.output import print_json
from app.commands.usage import WrongUsage
from app.settings import Settings
from memory.errors import StrataError
from memory.memory import Memory
from memory.privacy import Door
from memory.storage.catching_up import behind, catch_up, renew_passages
from memory.storage.database import Database
from memory.storage.sessions import SessionInfo, Sessions
from memory.wish import Wish
from widgets.plain import printable

USAGE = (
    "It is `strata sessions`, `sessions search TEXT`, `sessions rename NAME TITLE`, "
    "`sessions delete NAME` or `sessions reindex`."
)
FOUND_MOST = 20


async def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Lists, renames or deletes; returns the exit status."""
    match options.action:
        case []:
            return await _list(settings, options)
        case ["search", *text] if "".join(text).strip():
            return await _search(settings, options, " ".join(text))
        case ["reindex"]:
            return await _reindex(settings)
        case ["rename", name, *title] if title:
            return await _rename(settings, options, name, " ".join(title))
        case ["delete", name]:
            return await _delete(settings, options, name)
    raise WrongUsage(f"`sessions {' '.join(options.action)}` is not a command.", USAGE)


async def _list(settings: Settings, options: argparse.Namespace) -> int:
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        sessions = await Sessions(database).list(options.agent)
        in_all = await Sessions(database).usage_in_all()
    finally:
        await database.close()
    if options.json:
        documents = [session_document(session) for session in sessions]
        print_json({"sessions": documents, "usage": asdict(in_all)})
    elif not sessions:
        print("No session yet.")
    else:
        print(printable("\n".join(listed(sessions, datetime.now(UTC)))))
        cost = "" if in_all.cost is None else f", ${in_all.cost:.4f}"
        print(f"In all {in_all.input:,} tokens in, {in_all.output:,} out{cost}.")
    return 0


async def _search(settings: Settings, options: argparse.Namespace, text: str) -> int:
    """Tells where something was said."""
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        found = await Sessions(database).search(text, options.agent, FOUND_MOST)
        # Sessions of an older version are gone through while the chat is open.
        left = (await behind(database)).events
    finally:
        await database.close()
    if options.json:
        print_json({"found": [asdict(each) for each in found], "unread_events": left})
        return 0
    for each in found:
        where = f"message {each.number}" if each.number else each.kind
        print(printable(f"{each.name}, {where}, {each.at[:10]}: {each.excerpt}"))
    if not found:
        print("Nobody said that.")
    if left:
        print(f"{left:,} older events are still to be gone through: `strata` does so when open.")
    return 0


async def _reindex(settings: Settings) -> int:
    """Makes the search tables anew from the conversations."""
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        await renew_passages(database)
        while (left := await behind(database)).any:
            await catch_up(database, left)
        found = await database.one("SELECT count(*) FROM passage")
    finally:
        await database.close()
    print(f"{found[0] if found else 0:,} passages can be found by their words.")
    return 0


def session_document(session: SessionInfo) -> dict[str, object]:
    """A session as `sessions --json` prints it."""
    return {
        "session": session.name,
        "session_id": session.id,
        "id": session.id,
        "title": session.title,
        "agent": session.agent,
        "model": session.model,
        "messages": session.messages,
        "branches": session.branches,
        "bytes": session.bytes,
        "open_in": session.holder,
        "started": session.started_at,
        "started_at": session.started_at,
        "last_used": session.last_used,
        "usage": asdict(session.usage),
    }


async def _rename(settings: Settings, options: argparse.Namespace, name: str, title: str) -> int:
    wish = Wish(
        session=name,
        agent=options.agent or "default",
        create=False,
        passive=True,
        label="`strata sessions`",
    )
    async with Memory.open(settings.paths.data.path, config=settings.memory, wish=wish) as memory:
        await memory.rename(title)
    return 0


async def _delete(settings: Settings, options: argparse.Namespace, name: str) -> int:
    database = await Database.open(settings.paths.data.path, Door.of(settings.privacy))
    try:
        session = await Sessions(database).find(name)
        if not options.yes and not _confirmed(session):
            print("Nothing was deleted.")
            return 1
        await Sessions(database).delete(session.id)
    finally:
        await database.close()
    return 0


def _confirmed(session: SessionInfo) -> bool:
    what = f"{name_of(session, datetime.now(UTC))} with its {content_of(session)}"
    if not sys.stdin.isatty():
        raise StrataError(
            f"This would delete {what}.",
            "Say --yes to do it without a question.",
        )
    return input(printable(f"Delete {what}? [y/N] ")).strip().lower() in ("y", "yes")
