"""ALL-6: what `make chat` and `make test` do before Strata itself can run."""

import ast
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap

ROOT = Path(bootstrap.__file__).parent


def test_an_old_python_gets_a_sentence() -> None:
    """ALL-6: the Python that was found is named, and what is needed."""
    problem = bootstrap.python_problem((3, 9, 2), "/usr/bin/python3", has_venv=True)
    assert problem.startswith("Strata needs Python 3.11 or newer, and /usr/bin/python3 is 3.9.")


def test_a_missing_venv_module_gets_a_sentence() -> None:
    """ALL-6: Debian's Python comes without ensurepip; the package that brings it is named."""
    problem = bootstrap.python_problem((3, 12, 3), "/usr/bin/python3", has_venv=False)
    assert "venv or ensurepip is missing" in problem
    assert "sudo apt install python3.12-venv" in problem


def test_a_suitable_python_is_no_problem() -> None:
    """ALL-6: 3.11 and newer."""
    assert bootstrap.python_problem((3, 11, 0), "python3", has_venv=True) == ""
    assert bootstrap.python_problem((3, 14, 0), "python3", has_venv=True) == ""
    assert bootstrap.own_problem() == ""


def test_old_pythons_can_read_the_script() -> None:
    """ALL-6: else they would answer with a syntax error in place of the sentence."""
    ast.parse((ROOT / "bootstrap.py").read_text("utf-8"), feature_version=(3, 7))


def test_the_script_needs_the_standard_library_only() -> None:
    """ALL-6: it runs before anything is installed."""
    tree = ast.parse((ROOT / "bootstrap.py").read_text("utf-8"))
    modules = {
        name.name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for name in node.names
    }
    modules |= {
        str(node.module).split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
    }
    assert modules <= set(sys.stdlib_module_names)


def test_an_unsuitable_python_hands_over_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    """ALL-6: the first suitable one is taken, with the same command."""
    became: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "own_problem", lambda: "too old")
    monkeypatch.setattr(bootstrap, "suits", lambda name: name == "python3.12")
    monkeypatch.setattr("shutil.which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(bootstrap, "become", became.append)
    with pytest.raises(bootstrap.SetupFailed):  # `become` returns here only
        bootstrap.hand_over_to_a_suitable_python(["chat", "light"])
    assert became == [["/bin/python3.12", str(ROOT / "bootstrap.py"), "chat", "light"]]


def test_without_any_suitable_python_the_sentence_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ALL-2: one plain line on standard error, exit status 1."""
    monkeypatch.setattr(bootstrap, "own_problem", lambda: "Strata needs another Python.")
    monkeypatch.setattr(bootstrap, "suits", lambda name: False)
    assert bootstrap.main(["chat"]) == 1
    assert capsys.readouterr().err == "strata: Strata needs another Python.\n"


class Workshop:
    """A checkout in which the slow steps of setting up are only counted."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.done: list[str] = []
        self.venv_is_sound = False
        for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml"):
            (root / name).write_text(f"{name}==1\n", encoding="utf-8")
        monkeypatch.setattr(bootstrap, "ROOT", root)
        monkeypatch.setattr(bootstrap, "VENV", root / ".venv")
        monkeypatch.setattr(bootstrap, "venv_works", lambda: self.venv_is_sound)
        monkeypatch.setattr(bootstrap, "make_venv", self._make_venv)
        monkeypatch.setattr(bootstrap, "check_disk", lambda: None)
        monkeypatch.setattr(bootstrap, "install_packages", self.done.append)
        monkeypatch.setattr(bootstrap, "install_project", lambda: self.done.append("project"))

    def _make_venv(self) -> None:
        self.done.append("venv")
        self.venv_is_sound = True
        (self.root / ".venv").mkdir(exist_ok=True)
        for file in (self.root / ".venv").iterdir():
            file.unlink()

    def set_up(self, lock: str = "requirements.lock") -> list[str]:
        """What one start does."""
        self.done.clear()
        bootstrap.set_up(lock)
        return list(self.done)


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workshop:
    return Workshop(tmp_path, monkeypatch)


def test_the_second_start_does_none_of_it_again(workshop: Workshop) -> None:
    """ALL-6: a stamp says what is there."""
    assert workshop.set_up() == ["venv", "requirements.lock", "project"]
    assert workshop.set_up() == []


def test_the_development_packages_contain_the_others(workshop: Workshop) -> None:
    """ALL-6: `make chat` after `make test` installs nothing."""
    workshop.set_up("requirements-dev.lock")
    assert workshop.set_up("requirements.lock") == []


def test_the_other_packages_do_not_contain_the_development_ones(workshop: Workshop) -> None:
    """ALL-6: `make test` after `make chat` installs what is missing."""
    workshop.set_up("requirements.lock")
    assert "requirements-dev.lock" in workshop.set_up("requirements-dev.lock")


def test_a_changed_lock_is_installed(workshop: Workshop) -> None:
    """ALL-6: after an update of the checkout."""
    workshop.set_up()
    (workshop.root / "requirements.lock").write_text("other==2\n", encoding="utf-8")
    assert "requirements.lock" in workshop.set_up()
    assert workshop.set_up() == []


def test_a_changed_project_is_installed_alone(workshop: Workshop) -> None:
    """ALL-6: a new command in pyproject.toml, the same packages."""
    workshop.set_up()
    (workshop.root / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert workshop.set_up() == ["project"]


@pytest.mark.parametrize("step", ["install_packages", "install_project"])
def test_an_interrupted_installation_starts_from_an_empty_environment(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """ALL-6: pip would take a half unpacked package for a whole one."""

    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(bootstrap, step, interrupted)
        with pytest.raises(KeyboardInterrupt):
            workshop.set_up()
    assert workshop.set_up() == ["venv", "requirements.lock", "project"]
    assert workshop.set_up() == []


def test_an_environment_whose_python_has_gone_is_made_anew(workshop: Workshop) -> None:
    """ALL-6: after an update of the system's Python."""
    workshop.set_up()
    workshop.venv_is_sound = False
    assert workshop.set_up() == ["venv", "requirements.lock", "project"]


def test_a_moved_checkout_is_installed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-6: an editable installation names the folder it was made in."""
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        for name in ("requirements.lock", "pyproject.toml"):
            (tmp_path / folder / name).write_text("same", encoding="utf-8")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path / "a")
    first = bootstrap.wanted_stamp("requirements.lock")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path / "b")
    second = bootstrap.wanted_stamp("requirements.lock")
    assert first["project"] != second["project"]
    assert first["requirements.lock"] == second["requirements.lock"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"3"])
def test_a_damaged_stamp_is_no_stamp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    """ALL-2: then everything is installed again."""
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    (tmp_path / "strata-setup.json").write_bytes(content)
    assert bootstrap.read_stamp() == {}
    bootstrap.write_stamp({"a": "b"})
    assert bootstrap.read_stamp() == {"a": "b"}
    assert json.loads((tmp_path / "strata-setup.json").read_text("utf-8")) == {"a": "b"}


def test_an_environment_that_is_not_there_does_not_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ALL-6: a folder without a Python is made anew."""
    monkeypatch.setattr(bootstrap, "VENV", tmp_path)
    assert not bootstrap.venv_works()


@pytest.mark.parametrize(
    ("output", "said"),
    [
        ("x\nOSError: [Errno 28] No space left on device\n", "The disk is full."),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE …", "was not installed"),
        ("WARNING: NewConnectionError(...)\nERROR: No matching", "could not be reached"),
        ("ERROR: Could not find a version (from versions: none)", "could not be reached"),
        ("ERROR: Something else.\nmore", "failed: Something else. Details are in"),
        ("just this\n\n", "failed: just this"),
        ("", "no reason was given"),
    ],
)
def test_pips_failures_are_told_in_plain_words(output: str, said: str) -> None:
    """ALL-2: no network, full disk, a package that is not the one it should be."""
    assert said in bootstrap.pip_failure(output, Path("setup.log"))


def test_progress_is_quiet_off_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """ALL-6: nothing but whole lines in a log of CI."""
    log = io.StringIO()
    with subprocess.Popen(
        [sys.executable, "-c", "print('Collecting a==1'); print('Installing collected packages')"],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        bootstrap.show_progress(process, log, 1)
    assert log.getvalue().splitlines() == ["Collecting a==1", "Installing collected packages"]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("model", "fetched"),
    [
        ("", ["default"]),
        ("light", ["light"]),
        ("embedded/smollm2-135m", ["smollm2-135m"]),
        ("openai/gpt-x", []),
        ("/models/mine.gguf", []),
    ],
)
def test_the_models_of_the_catalogue_are_fetched(model: str, fetched: list[str]) -> None:
    """CHAT-3: the chat model and the embedder; other models need nothing fetched."""
    known = bootstrap.catalogue_names()
    assert bootstrap.EMBEDDER in known
    assert bootstrap.models_to_fetch(model, known) == [*fetched, bootstrap.EMBEDDER]


def test_chat_becomes_strata_with_the_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """ALL-6: `make chat MODEL=light`; without MODEL the configuration's model holds."""
    became: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "set_up", lambda lock: None)
    monkeypatch.setattr(bootstrap, "fetch_models", lambda names, environment: None)
    monkeypatch.setattr(bootstrap, "become", became.append)
    bootstrap.chat(["light"])
    bootstrap.chat([])
    strata = bootstrap.venv_program("strata")
    assert became == [[strata, "--model", "light"], [strata]]


def test_tests_get_the_models_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """ALL-6: `make test` fetches the light model and says where it is."""
    became: list[tuple[list[str], dict[str, str]]] = []
    fetched: list[tuple[list[str], str]] = []
    monkeypatch.setattr(bootstrap, "set_up", lambda lock: None)
    monkeypatch.setattr(
        bootstrap,
        "fetch_models",
        lambda names, environment: fetched.append((names, environment["STRATA_MODELS"])),
    )
    monkeypatch.setattr(bootstrap, "become", lambda *arguments: became.append(arguments))
    monkeypatch.setenv("STRATA_TEST_MODELS", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    bootstrap.test(["-k", "x"])
    assert fetched == [(["light", bootstrap.EMBEDDER], str(tmp_path))]
    command, environment = became[0]
    assert command[1:] == ["-m", "pytest", "-k", "x"]
    assert environment["STRATA_TEST_MODELS"] == str(tmp_path)
    assert "STRATA_MODELS" not in environment


def test_an_unknown_command_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Contracts: exit status 2."""
    assert bootstrap.main([]) == 2
    assert "chat [MODEL]" in capsys.readouterr().err


def test_an_interruption_says_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """ALL-6: setting up can be interrupted and resumed."""

    def interrupted(lock: str) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "set_up", interrupted)
    assert bootstrap.main(["chat"]) == 130
    assert "goes on from here" in capsys.readouterr().err
