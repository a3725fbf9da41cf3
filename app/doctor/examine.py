"""All checks in their order; one that fails itself never hides the others."""

import argparse
import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from app.doctor.check import Check, Group, ok, problem, unseen

if TYPE_CHECKING:
    from app.doctor.reading import Read
    from app.settings import Settings
    from memory.storage.inspection import SessionRow

REPORT = "Report it with what the log file says; the other checks hold."
UNREAD = "Not looked at: no session was read."
UNSOUND = "Not looked at: the database can't be read."


@dataclass
class _Examination:
    """What one check found that another one needs."""

    options: argparse.Namespace
    settings: "Settings | None" = None
    sessions: "list[SessionRow] | None" = None
    reads: "list[Read]" = field(default_factory=list)


def examine(options: argparse.Namespace) -> list[Group]:
    """Looks at everything.

    Args:
        options: The command line: `--data`, `--config`, `--models`, `--model`, and of its own
            `full` and `ask_model`.
    """
    found = _Examination(options)
    parts: list[tuple[str, Callable[[_Examination], list[Check]]]] = [
        ("Program", _program),
        ("Configuration", _configuration),
        ("Data directory", _directory),
        ("Database", _database),
        ("Sessions", _sessions),
        ("Summaries", _summaries),
        ("Vault", _vault),
        ("Vector index", _index),
        ("Models", _models),
        ("Tools", _tools),
        ("MCP servers", _mcp),
        ("Traces", _traces),
        ("Terminal", _terminal),
    ]
    return [Group(title, tuple(_guarded(part, found))) for title, part in parts]


def _guarded(part: Callable[[_Examination], list[Check]], found: _Examination) -> list[Check]:
    try:
        return part(found)
    except ImportError as error:
        sentence = f"A package is missing or broken: {error.name or error}."
        return [problem("look", sentence, "Install Strata again.")]
    except OSError as error:
        reason = error.strerror or type(error).__name__
        where = f" ({error.filename})" if error.filename else ""
        sentence = f"The system refused: {reason}{where}."
        return [problem("look", sentence, "Check the disk and the permissions.")]
    except Exception as error:  # noqa: BLE001 - the rim: what is told is that this look failed
        return [problem("look", f"The look itself failed ({type(error).__name__}).", REPORT)]


def _program(found: _Examination) -> list[Check]:
    from app.doctor.program import program_checks

    return program_checks()


def _configuration(found: _Examination) -> list[Check]:
    from app.doctor.configuration import configuration_checks

    checks, found.settings = configuration_checks(found.options)
    return checks


def _directory(found: _Examination) -> list[Check]:
    from app.doctor.directory import directory_checks

    return directory_checks(_of(found).paths.data.path)


def _database(found: _Examination) -> list[Check]:
    from app.doctor.database import database_checks
    from app.doctor.encryption import encryption_checks
    from memory.storage.places import FILE_NAME

    path = _of(found).paths.data.path / FILE_NAME
    if not path.exists():
        found.sessions = []
        return [ok("file", "There is none yet; the first chat makes it.")]
    encryption, opens = encryption_checks(path.parent)
    if not opens:
        return encryption
    checks, found.sessions = database_checks(path, full=found.options.full)
    return [*encryption, *checks]


def _sessions(found: _Examination) -> list[Check]:
    from app.doctor.sessions import read_sessions
    from memory.errors import StrataError
    from memory.storage.places import FILE_NAME

    if found.sessions is None:
        return [unseen("events", UNSOUND)]
    if not found.sessions:
        return [ok("events", "There is no session yet.")]
    path = _of(found).paths.data.path / FILE_NAME
    try:
        found.reads, checks = read_sessions(path, found.sessions, full=found.options.full)
    except StrataError as error:
        return [problem("events", error.sentence, error.next_step or REPORT)]
    return checks


def _summaries(found: _Examination) -> list[Check]:
    from app.doctor.summaries import summary_checks

    if found.sessions is None:
        return [unseen("coverage", UNSOUND)]
    if found.sessions and not found.reads:
        return [unseen("coverage", UNREAD)]
    return summary_checks(found.reads, datetime.now(UTC))


def _vault(found: _Examination) -> list[Check]:
    from app.doctor.vault import vault_checks
    from memory.storage.header import is_encrypted
    from memory.vault_keeper import keeps_vault

    settings = _of(found)
    if is_encrypted(settings.paths.data.path):
        return [ok("files", "It is off, since the database is encrypted.")]
    wanted = keeps_vault(settings.memory, encrypted=False)
    return vault_checks(settings.paths.data.path, found.sessions, wanted=wanted)


def _index(found: _Examination) -> list[Check]:
    from app.doctor.index import index_checks

    settings = _of(found)
    return index_checks(settings.paths.data.path, settings.recall.chroma_url)


def _models(found: _Examination) -> list[Check]:
    return asyncio.run(_all_of_models(found))


async def _all_of_models(found: _Examination) -> list[Check]:
    from app.doctor.host import host_checks
    from app.doctor.models import model_checks, model_in_use
    from app.doctor.servers import key_checks, ollama_check, server_checks
    from memory.errors import StrataError

    settings = _of(found)
    host, loaded = await host_checks(settings.paths.data.path)
    checks = model_checks(settings, full=found.options.full, loaded=loaded)
    try:
        model = model_in_use(settings)
    except StrataError:
        return [*checks, *host]  # that there is no such model is told already
    ollama, server, keys = await asyncio.gather(
        ollama_check(model), server_checks(settings, model), key_checks(settings, model)
    )
    checks = [*checks, *host, ollama, *server, *keys]
    if found.options.ask_model:
        from app.doctor.asking import ask_model

        checks.append(await ask_model(settings, model))
    return checks


def _tools(found: _Examination) -> list[Check]:
    from app.doctor.tools import tool_checks

    return tool_checks(_of(found).tools)


def _mcp(found: _Examination) -> list[Check]:
    from app.doctor.mcp import mcp_checks

    return asyncio.run(mcp_checks(_of(found)))


def _traces(found: _Examination) -> list[Check]:
    from app.doctor.traces import trace_checks

    return trace_checks(os.environ)


def _terminal(found: _Examination) -> list[Check]:
    from app.doctor.terminal import surroundings, terminal_checks

    return terminal_checks(surroundings())


def _of(found: _Examination) -> "Settings":
    """The settings; without those of the configuration the rest can't be looked at.

    Raises:
        LookupError: Not even the defaults could be had.
    """
    if found.settings is None:
        raise LookupError("no settings")
    return found.settings
