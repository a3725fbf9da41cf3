"""The `strata` command: what can be asked of it, and who answers. Imports nothing heavy."""

import argparse
import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn

from app.commands.usage import WrongUsage
from app.encryption.passphrases import take_passphrases
from memory.errors import StrataError
from widgets.plain import one_line

if TYPE_CHECKING:
    from app.settings import Settings

FAILED = 1
USAGE = 2
INTERRUPTED = 130
CHAT = "app.commands.chat"
"""The one command that is on the screen before its configuration is loaded."""
DOCTOR = "app.commands.doctor"
"""The one command to which a configuration that can't be used is a finding."""
OPENS_NOTHING = tuple(
    f"app.commands.{name}"
    for name in ("compare", "config", "demo", "key", "models", "replay", "serve")
)
"""The commands that need no key of the data directory, or see to it themselves."""
TRACES_NOTHING = tuple(f"app.commands.{name}" for name in ("config", "demo", "models", "serve"))
"""The commands that do nothing to a memory, or begin traces once their screen is there."""
WRITES_NOTHING = tuple(f"app.commands.{name}" for name in ("compare", "replay"))
"""The commands that leave the data directory as it is."""
SLOWEST, FASTEST = 0.1, 1_000.0
"""Bounds of `--speed`."""
HIGHEST_PORT = 65_535
GLOBAL_OPTIONS = ("data", "config", "models", "session", "agent", "model")

Handler = Callable[["Settings", argparse.Namespace], "int | Awaitable[int]"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status: 0, 1 (failed) or 2 (usage)."""
    options = build_parser().parse_args(arguments)
    take_passphrases()
    _keep_errors_to_one_line()
    try:
        status = _run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        # Whoever reads has seen enough, as `head` does: nothing has failed.
        _give_up_output()
        status = 0
    except OSError as error:
        _give_up_output()
        status = _refuse(_system_error(error))
    except StrataError as error:
        status = _refuse(error)
    except Exception as error:  # noqa: BLE001 - the rim: a sentence for the user, the rest is logged
        status = _refuse(_fault(error, options))
    finally:
        _end_traces()
    return status


class _Parser(argparse.ArgumentParser):
    """Tells what is wrong with a command line in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(
            USAGE, f"strata: {one_line(message)}. `{self.prog} --help` tells what there is.\n"
        )


class _ShowVersion(argparse.Action):
    """Prints the version, which costs a search through what is installed only when asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and end")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        print(f"strata {_version()}")
        parser.exit()


def build_parser() -> argparse.ArgumentParser:
    """The parser of the command line; global options stand before or after the subcommand."""
    shared = _global_options()
    parser = _Parser(
        prog="strata",
        description="A chat client for the terminal whose memory you can watch and correct. "
        "Without a command it opens the chat.",
        parents=[shared],
    )
    parser.add_argument("--version", action=_ShowVersion)
    parser.set_defaults(handler=CHAT, memory={})
    commands = parser.add_subparsers(metavar="COMMAND", title="commands")

    def command(name: str, module: str, help: str, **details: str) -> argparse.ArgumentParser:
        added = commands.add_parser(
            name, help=help, description=details.get("description", help), parents=[shared]
        )
        added.set_defaults(handler=f"app.commands.{module}")
        return added

    chat = command("chat", "chat", "open the chat (as without a command)")
    chat.add_argument("--new", action="store_true", help="begin a new session")
    ask = command("ask", "ask", "ask once and print the answer alone; @commands work too")
    ask.add_argument("text", nargs="*", help="the question; read from standard input without it")
    sessions = command("sessions", "sessions", "list, search, rename or delete sessions")
    sessions.add_argument(
        "action", nargs="*", metavar="search TEXT | rename NAME TITLE | delete NAME | reindex"
    )
    sessions.add_argument("--yes", action="store_true", help="delete without asking")
    _json(sessions)
    _json(command("status", "status", "the full report on a session's memory"))
    _json(command("compact", "compact", "fold what left the window now"))
    log = command("log", "log", "the events of a session")
    log.add_argument("--after", type=int, default=0, metavar="N", help="only those after event N")
    _json(log)
    _add_lab(command)
    _transfer(command)
    models = command("models", "models", "list the models, or install some: models install NAME")
    models.add_argument("action", nargs="*", metavar="install NAME")
    _json(models)
    _json(command("config", "config", "every effective setting and where it comes from"))
    doctor = command("doctor", "doctor", "look for what is wrong and say what to do about it")
    doctor.add_argument("--full", action="store_true", help="read everything; may take minutes")
    doctor.add_argument("--ask-model", action="store_true", help="ask the model for one token")
    _json(doctor)
    key = command("key", "key", "encrypt the data directory, or change its key")
    verbs = "status | encrypt | change | decrypt"
    key.add_argument("verb", nargs="?", metavar=verbs, help="`status` without one")
    key.add_argument("--keyring", action="store_true", help="the key lies in the system's keyring")
    key.add_argument("--passphrase", action="store_true", help="a passphrase leads to the key")
    key.add_argument("--new-key", action="store_true", help="write the database anew under another")
    key.add_argument("--yes", action="store_true", help="encrypt or decrypt without asking")
    _json(key)
    serve = command("serve", "serve", "the chat in a web browser, on this machine alone")
    serve.add_argument("--host", default="127.0.0.1", help="another address; there is no password")
    serve.add_argument("--port", type=_port, default=8000, metavar="N", help="8000; 0 for any free")
    return parser


def _transfer(command: Callable[[str, str, str], argparse.ArgumentParser]) -> None:
    """The commands by which conversations go out and come in."""
    export = command("export", "export", "write a session as JSON, JSONL or Markdown")
    export.add_argument("file", nargs="?", default="-", help="- or nothing: standard output")
    export.add_argument("--out", metavar="FILE", help="the same")
    export.add_argument("--format", choices=("json", "jsonl", "markdown"), help="else by its name")
    export.add_argument("--all", action="store_true", help="all sessions, into a folder")
    export.add_argument("--force", action="store_true", help="write over a file")
    importing = command("import", "importing", "read chats: ChatGPT, Claude, Strata, JSONL, vault")
    importing.add_argument("file", help="a file, zip or folder; - for standard input")
    formats = ("chatgpt", "claude", "strata", "jsonl")
    importing.add_argument("--format", choices=formats, help="what it is, if that isn't clear")
    importing.add_argument(
        "--only", action="append", metavar="TITLE", help="this conversation (title or id) alone"
    )
    importing.add_argument("--list", action="store_true", help="tell what there is to import")
    _json(importing)


def _run(options: argparse.Namespace) -> int:
    for name in GLOBAL_OPTIONS:
        options.__dict__.setdefault(name, None)

    def load() -> "Settings":
        from app.settings import load_settings

        given = {"model.name": options.model, **_memory_options(options)}
        places = {name: getattr(options, name) for name in ("data", "config", "models")}
        return load_settings(given, **places)

    command = import_module(options.handler)
    if options.handler == CHAT:
        return int(command.run_chat_command(load, options))
    if options.handler == DOCTOR:
        return int(command.run_doctor_command(options))
    handler: Handler = command.run_command
    settings = load()
    if options.handler not in TRACES_NOTHING:
        _begin_traces(settings, writes=options.handler not in WRITES_NOTHING)
    if options.handler not in OPENS_NOTHING:
        from app.encryption.opening import unlock

        unlock(settings.paths.data.path, settings.privacy.encryption)
    outcome = handler(settings, options)
    return outcome if isinstance(outcome, int) else asyncio.run(_awaited(outcome))


def _begin_traces(settings: "Settings", *, writes: bool) -> None:
    """Has what memory does be traced, where OpenTelemetry's variables ask for it (ALL-4)."""
    if not any(name.startswith("OTEL_") for name in os.environ):
        return
    from app.logs import start_logging
    from app.telemetry.beginning import begin

    if not writes:
        begin(silent=True)
        return
    start_logging(settings.paths.log, settings.privacy)
    begin(settings.paths.log)


def _end_traces() -> None:
    """Sends the last traces, which takes two seconds at most; Ctrl+C leaves them."""
    beginning = sys.modules.get("app.telemetry.beginning")
    if beginning is not None:
        with suppress(KeyboardInterrupt):
            beginning.end()


async def _awaited(outcome: Awaitable[int]) -> int:
    return await outcome


def _memory_options(options: argparse.Namespace) -> dict[str, object]:
    """What `replay` and `compare` set of the configuration, by dotted key."""
    names = {
        "policy": "memory.policy",
        "window": "memory.immediate_window",
        "recent": "memory.recent_window",
        "context_window": "memory.context_window",
        "summary_model": "model.summary_model",
    }
    return {key: getattr(options, name, None) for name, key in names.items()}


def _global_options() -> _Parser:
    shared = _Parser(add_help=False, argument_default=argparse.SUPPRESS)
    group = shared.add_argument_group("options of every command")
    group.add_argument("--data", metavar="DIR", help="the data directory; nothing else is touched")
    group.add_argument("--config", metavar="FILE", help="the configuration file")
    group.add_argument("--models", metavar="DIR", help="where the embedded models are")
    group.add_argument("--session", metavar="NAME", help="a session's title or id")
    group.add_argument("--agent", metavar="NAME", help="the agent whose sessions are meant")
    group.add_argument("--model", metavar="NAME", help="default, light, a GGUF file, or litellm's")
    return shared


def _add_lab(command: Callable[..., argparse.ArgumentParser]) -> None:
    """The commands that try memory out on what was recorded."""
    replay = command("replay", "replay", "feed a recorded conversation through memory")
    replay.add_argument("--policy", help="how messages are folded")
    replay.add_argument("--watch", action="store_true", help="watch it on the screen")
    _speed(replay, None)
    _add_replay(replay)
    compare = command("compare", "compare", "one recorded conversation under several policies")
    compare.add_argument("--policies", metavar="P,Q,…", help="which ones; all without it")
    _add_replay(compare)
    bench = command("bench", "bench", "measure recall on questions with evidence")
    bench.add_argument("what", choices=("recall",), help="what is measured")
    bench.add_argument("file", help="questions with evidence, in LoCoMo's format")
    bench.add_argument("--rankings", metavar="OUT", help="write the ranked turns of each question")
    _json(bench)
    demo = command("demo", "demo", "watch memory at work on a shipped conversation")
    _speed(demo, 1.0)


def _add_replay(replay: argparse.ArgumentParser) -> None:
    """The options that `replay` and `compare` share."""
    replay.add_argument("file", help="a JSONL of role and content, or a LoCoMo file")
    replay.add_argument("--conversation", metavar="ID", help="which one of a LoCoMo file")
    replay.add_argument("--window", type=int, metavar="N", help="immediate window in messages")
    replay.add_argument("--recent", type=int, metavar="N", help="messages between two cascades")
    replay.add_argument("--context-window", type=int, metavar="TOKENS", help="the model's window")
    replay.add_argument("--summarizer", choices=("rule", "model"), default="rule")
    replay.add_argument("--summary-model", metavar="NAME", help="who writes the summaries")
    _json(replay)


def _speed(command: argparse.ArgumentParser, default: float | None) -> None:
    command.add_argument(
        "--speed",
        type=_times,
        default=default,
        metavar="N",
        help="times the usual pace, 0.1 to 1000",
    )


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to {HIGHEST_PORT}")
    return int(text)


def _times(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not SLOWEST <= speed <= FASTEST:
        raise argparse.ArgumentTypeError("a pace is a number from 0.1 to 1000")
    return speed


def _json(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="print one JSON document")


def _refuse(error: StrataError) -> int:
    print(f"strata: {one_line(str(error))}", file=sys.stderr)
    return USAGE if isinstance(error, WrongUsage) else FAILED


def _keep_errors_to_one_line() -> None:
    """What is logged where no log was begun must not reach standard error."""
    import logging

    logging.lastResort = None


def _give_up_output() -> None:
    """Leaves standard output, which nobody takes: Python must not complain when it closes it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _system_error(error: OSError) -> StrataError:
    return StrataError(
        f"The system refused: {error.strerror or type(error).__name__}.", "Try again."
    )


def _fault(error: Exception, options: argparse.Namespace) -> StrataError:
    """A fault of our own, which goes to the log file, as a sentence that names the file."""
    import logging

    from app.logs import FILE_NAME, start_logging
    from app.paths import find_paths
    from memory.config import PrivacyConfig

    folder = find_paths(getattr(options, "data", None)).log
    logger = logging.getLogger("strata")
    if not logger.handlers:
        start_logging(folder, PrivacyConfig())
    logger.error("unexpected failure", exc_info=error)
    return StrataError(
        f"Something went wrong inside Strata ({type(error).__name__}).",
        f"{folder / FILE_NAME} says more; what was said is kept.",
    )


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("strata-chat")
    except PackageNotFoundError:
        return "from a checkout"


if __name__ == "__main__":
    sys.exit(main())
