"""`strata serve`: the same program in a web browser (VIEW-9)."""

import argparse
import os
import shlex
import socket
import subprocess
import sys

from app.commands.output import note_line
from app.encryption.passphrases import VARIABLE, given_passphrase
from app.settings import Settings
from app.web.origin import is_loopback
from memory.errors import StrataError

GIVEN = ("data", "config", "models", "session", "agent", "model")
"""Options of every command that hold in the browser too."""
OPEN_TO_ALL = (
    "Anybody who can reach {host} can read everything said here and run what you can run: "
    "there is no password, and nothing is encrypted on the way."
)


class CannotServe(StrataError):
    """The address can't be listened on."""


def run_command(settings: Settings, options: argparse.Namespace) -> int:
    """Serves until Ctrl+C; returns the exit status.

    Raises:
        CannotServe: The port is taken, or the address is not one of this machine.
    """
    listener = listen(options.host, options.port)
    from app.web.door import serve

    host, port = listener.getsockname()[:2]
    if not is_loopback(host):
        note_line(f"Warning: {OPEN_TO_ALL.format(host=options.host)}")
    shown = f"[{host}]" if ":" in host else host
    print(f"Strata is served at http://{shown}:{port}/ (Ctrl+C ends it).", flush=True)
    if passphrase := given_passphrase():
        # Taken out at the start: what runs for a page opens the same directory.
        os.environ[VARIABLE] = passphrase
    serve(command_line(options), listener)
    return 0


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on.

    Args:
        host: A name or an address of this machine.
        port: The port; 0 for any that is free.

    Raises:
        CannotServe: The port is taken, or the address is not one of this machine.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise CannotServe(
            f"{host} is no address of this machine.", "Leave --host out for this machine alone."
        ) from error
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise CannotServe(
            f"Port {port} of {host} can't be used: {error.strerror or error}.",
            "Name another with --port, or 0 for any that is free.",
        ) from error
    return listener


def command_line(options: argparse.Namespace) -> str:
    """What runs for each page: the chat with the options that were given, as a shell reads it."""
    command = [sys.executable, "-P", "-m", "app.cli"]
    for name in GIVEN:
        value = getattr(options, name, None)
        command += [f"--{name}={value}"] if value is not None else []
    if os.name == "nt":
        return subprocess.list2cmdline(command)
    # In the shell's place, so that what is ended is the program itself.
    return f"exec {shlex.join(command)}"
