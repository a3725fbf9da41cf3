"""STORE-3: the vault through the program: its files, and a session restored from them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.program import Program, conversation

STRESS = {
    "STRATA_MEMORY__PROFILE": "stress",
    "STRATA_MODEL__NAME": "openai/nobody",
    "STRATA_TOOLS__OFFER": "none",
}
MESSAGES = [{"role": "system", "content": "Answer in verse."}, *conversation(16)]


@pytest.fixture
def stressed(program: Program) -> Program:
    """A program with small windows, in which a session was compacted twice (by rule)."""
    program.environment.update(STRESS)
    for end in (10, 17):
        begin = 0 if end == 10 else 10
        program.imports("boats", MESSAGES[begin:end])
        program.works("--session", "boats", "compact")
    return program


def the_context(program: Program) -> Path:
    (path,) = (program.data / "vault" / "context").iterdir()
    return path


def memory_of(program: Program, session: str) -> dict[str, Any]:
    """What `status` says that a restored session must share."""
    status = program.document("status", "--session", session)
    shared = ("agent", "messages", "context", "verbatim", "short_term", "long_term")
    return {key: status[key] for key in shared}


def test_a_session_comes_back_from_its_file(stressed: Program, tmp_path: Path) -> None:
    """STORE-3: in another data directory it has the same summaries, messages, ranges, figures."""
    context = the_context(stressed)
    before = memory_of(stressed, "boats")
    assert before["long_term"]
    other = Program(tmp_path / "other", environment=STRESS)

    imported = other.document("import", str(context))

    assert imported == {"session": "boats", "imported": 4, "messages": 17}
    assert memory_of(other, "boats") == before
    (restored,) = [e for e in other.works("log", "--json").lines if e["kind"] == "restored"]
    assert restored["covered"] == 13
    assert restored["source"] == json.loads(context.read_text())["session_id"]


def test_from_standard_input_under_another_name(stressed: Program) -> None:
    """STORE-3: beside the original, said in one line."""
    text = the_context(stressed).read_bytes()
    ran = stressed.works("import", "-", "--session", "ships", stdin=text)
    assert ran.err == "Restored session ships: summaries of 13 messages and 4 messages in full.\n"
    assert memory_of(stressed, "ships") == memory_of(stressed, "boats")
    assert len(list((stressed.data / "vault" / "context").iterdir())) == 2


def test_a_name_that_is_taken(stressed: Program) -> None:
    """STORE-3, ALL-2: nothing is mixed; the way out is named."""
    context = the_context(stressed)
    events = stressed.document("status")["events"]
    for named in ((), ("--session", "boats")):
        sentence = stressed.run("import", str(context), *named).refused()
        assert "'boats'" in sentence
        assert "--session NAME" in sentence
    assert stressed.document("status")["events"] == events
    assert len(stressed.document("sessions")["sessions"]) == 1


@pytest.mark.parametrize(
    ("cut", "words"), [(0.6, "damaged"), (None, "which messages its summary stands for")]
)
def test_a_damaged_or_foreign_file(
    stressed: Program, tmp_path: Path, cut: float | None, words: str
) -> None:
    """STORE-4: the file is named, stays as it is, and nothing is imported."""
    text = the_context(stressed).read_text("utf-8")
    if cut is None:
        text = json.dumps({k: v for k, v in json.loads(text).items() if k != "strata"})
    else:
        text = text[: int(len(text) * cut)]
    file = tmp_path / "context.json"
    file.write_text(text, "utf-8")
    sentence = stressed.run("import", str(file), "--session", "new").refused()
    assert "context.json" in sentence
    assert words in sentence
    assert file.read_text("utf-8") == text
    assert len(stressed.document("sessions")["sessions"]) == 1


def test_deleting_takes_the_files_along(stressed: Program) -> None:
    """STORE-3: nothing that was said is left readable."""
    assert list((stressed.data / "vault").rglob("*.md"))
    stressed.works("sessions", "delete", "boats", "--yes")
    assert [path for path in (stressed.data / "vault").rglob("*") if path.is_file()] == []


def test_switched_off_in_the_configuration(program: Program) -> None:
    """STORE-3, ALL-1: `vault = false` in `[memory]`."""
    program.data.mkdir(parents=True)
    (program.data / "config.toml").write_text("[memory]\nvault = false\n")
    program.imports("boats", MESSAGES)
    assert not (program.data / "vault").exists()
