"""`strata key`: whether the data directory is encrypted, and the ways to change that (RECALL-7)."""

import argparse
import asyncio
from pathlib import Path

from app.commands.output import note_line, print_json
from app.commands.usage import WrongUsage
from app.encryption import changing
from app.encryption.opening import KEYRING, PASSPHRASE
from app.encryption.standing import Standing, standing_of
from app.paths import make_data_directory
from app.settings import Settings
from widgets.plain import one_line, printable

USAGE = "It is `strata key status`, `key encrypt`, `key change` or `key decrypt`."


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Shows or changes it; returns the exit status."""
    directory = settings.paths.data.path
    verb = options.verb or "status"
    if verb == "status":
        _status(standing_of(directory, settings.privacy.encryption), as_json=options.json)
        return 0
    changes = {"encrypt": _encrypt, "change": _change, "decrypt": _decrypt}
    if verb not in changes:
        raise WrongUsage(f"`key {verb}` is not a command.", USAGE)
    make_data_directory(directory)
    told = changes[verb](directory, options)
    note_line(told or "Nothing was changed.")
    return 0 if told else 1


def _status(standing: Standing, *, as_json: bool) -> None:
    if as_json:
        print_json(standing.document())
    else:
        print(printable("\n".join(standing.lines())))


def _encrypt(directory: Path, options: argparse.Namespace) -> str:
    changing.refuse_encrypted(directory)
    lost = changing.what_goes(directory)
    question = f"Encrypt {directory}?" + (f" This removes {lost}." if lost else "")
    if not options.keyring:
        question += " Without the passphrase nobody can read it again."
    if not changing.confirmed(question, yes=options.yes):
        return ""
    asyncio.run(changing.bring_up_to_date(directory))
    changing.encrypt(directory, _way(options, PASSPHRASE))
    copies = changing.plain_copies(directory)
    told = f"{directory} is encrypted."
    if copies:
        told += f" A copy that anybody can read lies beside it: {one_line(str(copies[0]))}."
    return told


def _change(directory: Path, options: argparse.Namespace) -> str:
    before = changing.opened_lock(directory)
    way_now = _way(options, before.way)
    if changing.change(directory, before, way_now, new_key=options.new_key):
        return "The database was written anew under a new key; the old one opens nothing any more."
    what = "way to the key" if KEYRING in (before.way, way_now) else "passphrase"
    return f"The {what} is changed. The key is the same, so the database was not written anew."


def _decrypt(directory: Path, options: argparse.Namespace) -> str:
    before = changing.opened_lock(directory)
    question = f"Decrypt {directory}? Anybody who can read its files can then read what was said."
    if not changing.confirmed(question, yes=options.yes):
        return ""
    changing.decrypt(directory, before)
    return f"{directory} is no longer encrypted."


def _way(options: argparse.Namespace, otherwise: str) -> str:
    if options.keyring and options.passphrase:
        raise WrongUsage("--keyring and --passphrase can't both be.", USAGE)
    if options.keyring:
        return KEYRING
    return PASSPHRASE if options.passphrase else otherwise
