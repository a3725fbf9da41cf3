"""Sets Strata up in its checkout and starts it; needs nothing but Python's standard library.

`make` calls it: `bootstrap.py chat [MODEL]`, `bootstrap.py test [PYTEST ARGUMENTS]`,
`bootstrap.py lint`. What is done is not done again: a stamp in `.venv` names what was installed.
The file must compile on old Pythons too, so that they can say what is missing: annotations that
they do not understand stand in quotes.
"""

import hashlib
import importlib.util
import json
import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"

OLDEST = (3, 11)
# The newest that all dependencies are known to work with comes first.
OTHER_PYTHONS = ("python3.13", "python3.12", "python3.11", "python3", "python")

RUNTIME_LOCK = "requirements.lock"
DEV_LOCK = "requirements-dev.lock"
# The packages take 0.85 GB unpacked (measured), and their downloads as much again for a moment.
NEEDED_DISK_BYTES = 1_500_000_000

# Most tests wait for a process or a clock: three at a time keep two cores busy.
# A file stays together, since its tests share what is dear to start; tests/conftest.py sorts them.
WHOLE_SUITE = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
OURS = ("app", "memory", "widgets", "themes")
EMBEDDER = "all-minilm-l6-v2"
LINTERS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy",),
    ("lint-imports", "--no-logo"),
)


class SetupFailed(Exception):
    """Setting up cannot go on; the text says why and what to do."""


# Which Python


def python_problem(version: "tuple[int, ...]", executable: str, *, has_venv: bool) -> str:
    """Why a Python cannot run Strata, in words for the user; empty where it can."""
    found = f"{version[0]}.{version[1]}"
    if version[:2] < OLDEST:
        return (
            f"Strata needs Python {OLDEST[0]}.{OLDEST[1]} or newer, and {executable} is {found}. "
            "Install a newer Python and run the same command again."
        )
    if not has_venv:
        return (
            f"{executable} cannot make virtual environments: its venv or ensurepip is missing. "
            f"On Debian and Ubuntu run `sudo apt install python{found}-venv`, "
            "then the same command again."
        )
    return ""


def own_problem() -> str:
    """Why the running Python cannot run Strata; empty where it can."""
    has_venv = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
    return python_problem(tuple(sys.version_info[:3]), sys.executable, has_venv=has_venv)


def suits(command: str) -> bool:
    """Whether another Python of this name is there and can run Strata."""
    path = shutil.which(command)
    if path is None:
        return False
    check = [path, str(ROOT / "bootstrap.py"), "check"]
    try:
        return subprocess.call(check, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) == 0
    except OSError:
        return False


def hand_over_to_a_suitable_python(arguments: "list[str]") -> None:
    """Starts this script again with another Python where the running one is not suitable.

    Raises:
        SetupFailed: No suitable Python was found.
    """
    problem = own_problem()
    if not problem:
        return
    for command in OTHER_PYTHONS:
        if suits(command):
            become([str(shutil.which(command)), str(ROOT / "bootstrap.py"), *arguments])
    raise SetupFailed(problem)


def become(command: "list[str]", environment: "dict[str, str] | None" = None) -> None:
    """Gives the terminal to another program; does not return."""
    environment = dict(os.environ) if environment is None else environment
    sys.stdout.flush()
    if os.name == "posix":
        os.execve(command[0], command, environment)
    # Windows starts a new process and goes on: the shell would not wait for it.
    raise SystemExit(subprocess.call(command, env=environment))


# The virtual environment and what was installed into it


def venv_program(name: str) -> str:
    """The path of a program inside the virtual environment."""
    if os.name == "nt":
        return str(VENV / "Scripts" / f"{name}.exe")
    return str(VENV / "bin" / name)


def digest(*parts: bytes) -> str:
    """A hash that changes when any part does."""
    hasher = hashlib.sha256()
    for part in parts:
        hasher.update(len(part).to_bytes(8, "big") + part)
    return hasher.hexdigest()


def wanted_stamp(lock: str) -> "dict[str, str]":
    """What the stamp says once the packages of `lock` and the project are installed."""
    python = platform.python_version() + platform.platform(terse=True)
    return {
        lock: digest((ROOT / lock).read_bytes(), python.encode()),
        "project": digest((ROOT / "pyproject.toml").read_bytes(), str(ROOT).encode()),
    }


def read_stamp() -> "dict[str, str]":
    """What was installed, as far as it is known; empty where nothing is."""
    try:
        stamp = json.loads((VENV / "strata-setup.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return stamp if isinstance(stamp, dict) else {}


def write_stamp(stamp: "dict[str, str]") -> None:
    """Notes what was installed; whole or not at all."""
    draft = VENV / "strata-setup.json.new"
    draft.write_text(json.dumps(stamp, indent=1), "utf-8")
    draft.replace(VENV / "strata-setup.json")


def packages_are_there(stamp: "dict[str, str]", lock: str) -> bool:
    """Whether a stamp covers a lock; the development lock contains the runtime lock."""
    return any(stamp.get(name) == wanted_stamp(name)[name] for name in (lock, DEV_LOCK))


def venv_works() -> bool:
    """Whether the environment's Python starts and is of the running version.

    It fails to start when the Python it was made with has gone.
    """
    question = [venv_program("python"), "-c", "import sys; print(*sys.version_info[:2])"]
    try:
        answer = subprocess.run(question, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.stdout.split() == [str(part) for part in sys.version_info[:2]]


def make_venv() -> None:
    """Makes a fresh virtual environment, in the place of one that is broken.

    Raises:
        SetupFailed: Python could not make it.
    """
    command = [sys.executable, "-m", "venv", "--clear", str(VENV)]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode != 0:
        reason = last_line(made.stdout + made.stderr)
        raise SetupFailed(f"The virtual environment {VENV} could not be made: {reason}.")


# Installing


def set_up(lock: str) -> None:
    """Brings the virtual environment to what the lock and the project ask for.

    Raises:
        SetupFailed: Something could not be installed.
    """
    unfinished = VENV / "strata-installing"
    # pip takes a half unpacked package for a whole one, so an interrupted installation starts
    # with an empty environment. Its downloads are in pip's cache.
    if unfinished.exists() or not venv_works():
        make_venv()
    stamp = read_stamp()
    wanted = wanted_stamp(lock)
    if not packages_are_there(stamp, lock):
        check_disk()
        unfinished.touch()
        install_packages(lock)
        stamp = {lock: wanted[lock]}
    if stamp.get("project") != wanted["project"]:
        unfinished.touch()
        install_project()
        stamp["project"] = wanted["project"]
        write_stamp(stamp)
    unfinished.unlink(missing_ok=True)


def check_disk() -> None:
    """Refuses to begin what cannot end.

    Raises:
        SetupFailed: The disk has too little room.
    """
    free = shutil.disk_usage(ROOT).free
    if free < NEEDED_DISK_BYTES:
        raise SetupFailed(
            f"Strata's packages need {NEEDED_DISK_BYTES / 1e9:.1f} GB in {ROOT}, and "
            f"{free / 1e9:.1f} GB are free. Make room and run the same command again."
        )


def install_packages(lock: str) -> None:
    """Installs exactly what the lock names, each file checked against its hash."""
    say("Installing Strata's packages (0.9 GB on disk, only this once).")
    names = re.findall(r"^[\w.-]+==", (ROOT / lock).read_text("utf-8"), re.MULTILINE)
    pip_install(["--require-hashes", "-r", lock], expected=len(set(names)))


def install_project() -> None:
    """Makes the checkout importable and puts the command `strata` beside Python."""
    pip_install(["--no-index", "--no-deps", "--no-build-isolation", "-e", "."], expected=0)
    # Where Python keeps no compiled modules by itself, each start would compile them all.
    command = [venv_program("python"), "-P", "-m", "compileall", "-q", *OURS]
    subprocess.run(command, cwd=ROOT, check=False)


def pip_install(arguments: "list[str]", expected: int) -> None:
    """Runs pip, which writes a log, and shows how far it is.

    Raises:
        SetupFailed: pip failed; the text gives its reason.
    """
    # What the user set for other environments must not redirect this one.
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_HASHES": "0"}
    for name in ("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PYTHONHOME", "PYTHONPATH"):
        environment.pop(name, None)
    pip = [venv_program("python"), "-P", "-m", "pip", "install", "--no-input", "--progress-bar=off"]
    log_path = VENV / "strata-setup.log"
    with log_path.open("w", buffering=1, encoding="utf-8") as log:
        process = subprocess.Popen(
            [*pip, *arguments],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
        )
        with process:
            show_progress(process, log, expected)
    if process.returncode != 0:
        raise SetupFailed(pip_failure(log_path.read_text("utf-8"), log_path))


def show_progress(process: "subprocess.Popen[str]", log: "object", expected: int) -> None:
    """Follows pip's output: counts the packages on a terminal, keeps all of it in the log."""
    count = 0
    for line in process.stdout or ():
        print(line, end="", file=log)  # type: ignore[call-overload]
        if line.startswith("Collecting ") and expected:
            count += 1
            show(f"  {min(count, expected)} of {expected}: {line.split()[1].split('==')[0]}")
        elif line.startswith("Installing collected"):
            show("  unpacking them")
    show("")


def pip_failure(output: str, log_path: Path) -> str:
    """What pip's output says about its failure, in words for the user."""
    again = "then run the same command again; what was downloaded is kept."
    offline = r"NewConnectionError|NameResolutionError|ConnectTimeout|from versions: none"
    if "No space left on device" in output:
        return f"The disk is full. Make room, {again}"
    if "DO NOT MATCH THE HASHES" in output:
        return (
            "A downloaded package is not the one Strata was tested with, so it was not installed. "
            f"Check the package index you use, {again} Details are in {log_path}."
        )
    if re.search(offline, output):
        return (
            "The package index could not be reached, or lacks a package. "
            f"Check the network and pip's settings, {again} Details are in {log_path}."
        )
    errors = [line for line in output.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1][len("ERROR:") :].strip() if errors else last_line(output)
    return f"Installing the packages failed: {reason.rstrip('.')}. Details are in {log_path}."


def last_line(output: str) -> str:
    """The last line that says something."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no reason was given"


def say(text: str) -> None:
    """Tells the user something that stays on the screen."""
    print(text, flush=True)


def show(text: str) -> None:
    """Tells the user something on a line that the next one replaces; nothing off a terminal."""
    if sys.stdout.isatty():
        print(f"\r\033[K{text[:70]}", end="", flush=True)


# The commands


def catalogue_names() -> "set[str]":
    """The names of the models that Strata can fetch."""
    import tomllib  # Pythons too old for Strata have none

    with (ROOT / "app" / "host" / "catalogue.toml").open("rb") as file:
        models = tomllib.load(file)["models"]
    return {name for model in models for name in (model["name"], *model.get("aliases", ()))}


def models_to_fetch(model: str, known: "set[str]") -> "list[str]":
    """What to fetch for a chat with a model: itself if it is in the catalogue, and the embedder."""
    name = (model or "default").removeprefix("embedded/")
    return [name, EMBEDDER] if name in known else [EMBEDDER]


def fetch_models(names: "list[str]", environment: "dict[str, str]") -> None:
    """Fetches the models that are missing; says nothing about those that are there.

    Raises:
        SetupFailed: A model could not be fetched; the reason has been shown.
    """
    command = [venv_program("strata"), "models", "install", *names]
    status = subprocess.call(command, env=environment)
    if status != 0:
        raise SetupFailed("The models are not complete. The same command goes on where it stopped.")


def chat(arguments: "list[str]") -> None:
    """Sets up, fetches the model and becomes the chat."""
    model = arguments[0] if arguments else ""
    set_up(RUNTIME_LOCK)
    fetch_models(models_to_fetch(model, catalogue_names()), dict(os.environ))
    become([venv_program("strata"), *(["--model", model] if model else [])])


def test(arguments: "list[str]") -> None:
    """Sets up for development, fetches the light model and becomes the tests."""
    set_up(DEV_LOCK)
    models = os.environ.get("STRATA_TEST_MODELS") or str(ROOT / ".models")
    environment = {**os.environ, "STRATA_TEST_MODELS": models, "STRATA_MODELS": models}
    fetch_models(["light", EMBEDDER], environment)
    del environment["STRATA_MODELS"]
    os.chdir(ROOT)
    become([venv_program("python"), "-m", "pytest", *(arguments or WHOLE_SUITE)], environment)


def lint() -> None:
    """Runs every linter, and fails when one of them does.

    Raises:
        SetupFailed: Naming the linters that found something.
    """
    set_up(DEV_LOCK)
    failed = []
    for name, *options in LINTERS:
        say(" ".join((name, *options)))
        if subprocess.call([venv_program(name), *options], cwd=ROOT) != 0:
            failed.append(name)
    if failed:
        raise SetupFailed("These found something: " + ", ".join(failed) + ".")


def main(arguments: "list[str]") -> int:
    """Runs one command; returns the exit status."""
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    try:
        if command == "check":
            return 1 if own_problem() else 0
        hand_over_to_a_suitable_python(arguments)
        if command == "chat":
            chat(rest)
        elif command == "test":
            test(rest)
        elif command == "lint":
            lint()
        else:
            print("Use it as: bootstrap.py chat [MODEL] | test [ARGUMENTS] | lint", file=sys.stderr)
            return 2
    except SetupFailed as failure:
        print(f"strata: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on from here.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
