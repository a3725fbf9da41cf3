"""ALL-5: `strata doctor` says what is wrong and what to do, and changes nothing."""

import hashlib
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.host.conftest import end_hosts
from tests.program.conftest import TALK
from tests.program.test_isolation import HEAVY, LOOPBACK, UNIX, WATCH
from tests.support.misbehaving_server import run_in_thread
from tests.support.program import ROOT, Program, Ran, conversation, wait_for

QUICK_S = 1.5
BODY = "01KAMFZZZZZZZZZZZZZZZZZZZZ"


@pytest.fixture
def sick(program: Program, talk: Program, models_dir: Path) -> Program:
    """The program with a sound session and models, for a test to spoil."""
    shutil.copytree(talk.data, program.data)
    program.models = models_dir
    program.environment["STRATA_MODEL__NAME"] = "light"
    return program


def report(program: Program, *arguments: str, **environment: str) -> dict[str, Any]:
    """The document; the data directory is the same afterwards and the exit status fits."""
    before = contents(program.data)
    ran = program.run("doctor", "--json", *arguments, **environment)
    assert ran.err == ""
    document = ran.document
    assert ran.status == (0 if document["ok"] else 1)
    assert contents(program.data) == before
    for check in document["checks"]:
        assert list(check) == ["group", "name", "state", "sentence", "next_step"]
        assert check["state"] in ("ok", "note", "problem")
        assert check["sentence"].endswith(".") or check["state"] == "note"
        assert check["next_step"] or check["state"] != "problem"
    assert document["ok"] == ("problem" not in {check["state"] for check in document["checks"]})
    return document  # type: ignore[no-any-return]


def contents(folder: Path) -> dict[str, str]:
    """Every file with its hash, the database's write-ahead log aside."""
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def found(document: dict[str, Any], group: str, state: str = "problem") -> str:
    """The sentences and ways out of one state in a group; there must be some."""
    told = [
        f"{check['sentence']} {check['next_step']}"
        for check in document["checks"]
        if (check["group"], check["state"]) == (group, state)
    ]
    assert told, document["checks"]
    return " ".join(told)


def change(program: Program, *statements: str) -> None:
    """Spoils the database by SQL."""
    connection = sqlite3.connect(program.data / "strata.db")
    connection.execute("PRAGMA foreign_keys = ON")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.mark.usefixtures("real_start")
def test_healthy(sick: Program) -> None:
    """ALL-5: nothing is wrong, the exit status is 0, and it took no long time."""
    began = os.times()
    document = report(sick)
    ended = os.times()
    assert ended.children_user - began.children_user < QUICK_S * 2  # on a busy machine
    assert document["ok"]
    groups = {check["group"] for check in document["checks"]}
    assert {"Database", "Sessions", "Summaries", "Vault", "Models", "Terminal"} <= groups
    assert not list(sick.data.glob("strata.db-*"))
    assert report(sick, "--full")["ok"]


def test_the_report_for_people(sick: Program) -> None:
    """ALL-5: words in columns, at most 80 cells wide, without colours where nobody sees them."""
    ran = sick.works("doctor")
    assert "\x1b" not in ran.out
    assert max(len(line) for line in ran.out.splitlines() if "/" not in line) <= 80
    assert "  ok    pages        Every page of it is sound." in ran.out
    assert ran.out.splitlines()[-1].startswith("Nothing is wrong")


def test_nothing_heavy_is_imported(sick: Program) -> None:
    """ALL-7: versions come from what is installed, not from importing it."""
    command = sick.command("doctor")
    ran = sick.run(command=[command[0], "-X", "importtime", *command[1:]])
    lines = [line for line in ran.err.splitlines() if line.startswith("import time:")]
    imported = {line.rsplit("|", 1)[1].strip().split(".")[0] for line in lines}
    assert "pydantic" in imported
    assert not imported & (HEAVY | {"textual"})


@pytest.mark.parametrize("model", ["anthropic/claude-sonnet-5", "ollama_chat/none", "light"])
def test_only_loopback_is_contacted(sick: Program, model: str) -> None:
    """ALL-3: the model that is configured is not asked."""
    watched = sick.home / "watched"
    report(
        sick,
        PYTHONPATH=f"{WATCH}:{ROOT}",
        WATCHED=str(watched),
        STRATA_MODEL__NAME=model,
        ANTHROPIC_API_KEY="sk-ant-0123456789abcdef",
    )
    lines = watched.read_text().splitlines() if watched.exists() else []
    assert [line for line in lines if not LOOPBACK.search(line) and not UNIX.match(line)] == []


def test_nothing_is_there(program: Program) -> None:
    """ALL-5, CHAT-2: without a data directory the one thing missing is a model."""
    document = report(program)
    assert not program.data.exists()
    assert "strata models install" in found(document, "Models")
    others = [check for check in document["checks"] if check["group"] != "Models"]
    assert "problem" not in {check["state"] for check in others}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[memory]\nimediate_window = 8\n", "memory.immediate_window"),
        ("[memory\n", "line 1"),
        ('[model]\nname = "embedded/nothing"\n', "embedded"),
    ],
)
def test_a_wrong_configuration(program: Program, text: str, words: str) -> None:
    """ALL-1, ALL-5: it is a finding like any other; the rest is looked at all the same."""
    program.data.mkdir()
    (program.data / "config.toml").write_text(text)
    document = report(program)
    assert words in json.dumps(document)
    assert not document["ok"]
    assert found(document, "Database", "ok")


def test_a_configuration_that_is_not_there(sick: Program) -> None:
    """ALL-1: a file that was named must be there."""
    assert "mine.toml" in found(report(sick, "--config", "mine.toml"), "Configuration")


def test_damaged_choices(sick: Program) -> None:
    """ALL-5: the file that the next start would move stays where it is; config.toml still holds."""
    (sick.data / "choices.toml").write_text("[model\nname")
    (sick.data / "config.toml").write_text('[model]\nname = "openai/mine"\n')
    del sick.environment["STRATA_MODEL__NAME"]
    document = report(sick, OPENAI_API_KEY="sk-0123456789abcdefghij")
    assert "choices.toml" in found(document, "Configuration")
    assert "openai/mine" in found(document, "Models", "ok")
    assert "OPENAI_API_KEY is in the environment" in found(document, "Models", "ok")
    assert "sk-0123" not in json.dumps(document)


def test_choices_that_no_longer_hold(sick: Program) -> None:
    """ALL-5: a choice that was left out is named."""
    (sick.data / "choices.toml").write_text('[model]\nname = "embedded/lost"\n')
    assert "embedded/lost" in found(report(sick), "Configuration", "note")


def test_a_damaged_page(sick: Program) -> None:
    """STORE-4: it is found at once, and the way out names what still reads."""
    file = sick.data / "strata.db"
    data = bytearray(file.read_bytes())
    for page in range(4, len(data) // 4096, 3):
        data[page * 4096 : (page + 1) * 4096] = random.Random(page).randbytes(4096)
    file.write_bytes(data)
    told = found(report(sick), "Database")
    for words in (
        "strata.db is damaged",
        "Copy strata.db away",
        "strata export",
        "import",
        "vault",
    ):
        assert words in told


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: random.Random(1).randbytes(len(data)),
        lambda data: b"This is a letter to my aunt.\n" * 300,
        lambda data: data[: len(data) // 2 + 77],
        lambda data: bytes(len(data)),
    ],
    ids=["noise", "text", "cut", "zeros"],
)
def test_no_database(sick: Program, spoil: Callable[[bytes], bytes]) -> None:
    """STORE-4: whatever stands in the file, it is named with the way out."""
    file = sick.data / "strata.db"
    file.write_bytes(spoil(file.read_bytes()))
    told = found(report(sick), "Database")
    assert "strata.db" in told
    assert "damaged" in told
    assert "away first" in told


@pytest.mark.parametrize("seed", range(4))
def test_flipped_pages(sick: Program, seed: int) -> None:
    """STORE-4: no damage makes the look itself fail."""
    chance = random.Random(seed)
    file = sick.data / "strata.db"
    data = bytearray(file.read_bytes())
    for _ in range(6):
        page = chance.randrange(1, len(data) // 4096)
        data[page * 4096 : (page + 1) * 4096] = chance.randbytes(4096)
    file.write_bytes(data)
    document = report(sick)
    assert "damaged" in found(document, "Database")
    assert not [check for check in document["checks"] if check["name"] == "look"]


def test_a_newer_database(sick: Program) -> None:
    """STORE-1: it is not read any further."""
    change(sick, "PRAGMA user_version = 999")
    assert "Update Strata" in found(report(sick), "Database")


def test_somebody_elses_database(program: Program) -> None:
    """STORE-4: a database of another program is told from a new one."""
    program.data.mkdir()
    change(program, "CREATE TABLE birds (name TEXT)")
    assert "not Strata's" in found(report(program), "Database")


@pytest.mark.parametrize("make", [Path.mkdir, Path.touch], ids=["directory", "empty"])
def test_something_else_in_its_place(program: Program, make: Callable[[Path], None]) -> None:
    """STORE-4: a directory is named; an empty file is a new database."""
    program.data.mkdir()
    make(program.data / "strata.db")
    state = "problem" if (program.data / "strata.db").is_dir() else "ok"
    assert "strata.db" in found(report(program), "Database", state)


def test_a_locked_database(sick: Program) -> None:
    """STORE-5: who holds it all is not waited for, and it is not called damaged."""
    connection = sqlite3.connect(sick.data / "strata.db", isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("UPDATE stream SET title = 'mine'")
    try:
        # Without the hashes: reading the file here would end this process's lock on it.
        ran = sick.run("doctor", "--json")
        assert ran.status == 1
        assert "held by another program" in found(ran.document, "Database")
    finally:
        connection.close()


def test_beside_a_writer(sick: Program) -> None:
    """STORE-5: what stands in the write-ahead log is read along."""
    connection = sqlite3.connect(sick.data / "strata.db", isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE stream SET title = 'renamed'")
    try:
        document = report(sick)
        assert document["ok"]
        connection.execute("COMMIT")
        assert report(sick)["ok"]
    finally:
        connection.close()


def test_events_of_another_version(sick: Program) -> None:
    """ALL-5: they are named by kind and session."""
    change(
        sick,
        "INSERT INTO event SELECT branch, n + 1, at, 'dream', 7, NULL, '{}' FROM event "
        "ORDER BY n DESC LIMIT 1",
        "UPDATE branch SET head = head + 1",
    )
    told = found(report(sick), "Sessions")
    assert "dream (version 7)" in told
    assert TALK in told


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DELETE FROM event WHERE n = 20", "not whole"),
        ("UPDATE branch SET head = head + 3", "not whole"),
        ("DELETE FROM body WHERE id = (SELECT max(id) FROM body)", "1 text that the log names"),
        ("UPDATE checkpoint SET data = json_set(data, '$.messages', 3)", "not what the log gives"),
    ],
)
def test_a_log_that_disagrees(sick: Program, statement: str, words: str) -> None:
    """ALL-5, I6: events, texts and states have to fit each other."""
    state = '{"n":5,"messages":1}'
    change(
        sick,
        f"INSERT OR REPLACE INTO checkpoint SELECT id, 5, 2, '{state}' FROM branch"
        if "checkpoint" in statement
        else "SELECT 1",
        statement,
    )
    told = found(report(sick), "Sessions")
    assert words in told
    assert "strata export" in told


def test_what_a_killed_process_leaves(sick: Program) -> None:
    """STORE-2, ALL-5: drafts, leases, texts and files that nobody needs are told, and no more."""
    ended = subprocess.Popen(["true"])
    ended.wait()
    change(
        sick,
        f"INSERT INTO body (id, stream, text) SELECT '{BODY}', id, 'lost' FROM stream",
        "INSERT INTO draft SELECT id, 'r', 'half', '', '2026', '2026' FROM branch",
        f"UPDATE lease SET expires_at = '2020-01-01T00:00:00.000Z', pid = {ended.pid}",
    )
    context = sick.data / "vault" / "context"
    (context / ".talk.json.0a1b2c3d.tmp").write_text("{")
    document = report(sick)
    assert document["ok"]
    told = found(document, "Sessions", "note")
    for words in ("1 text that nothing names", f"cut off in “{TALK}”", "ended early: 1 session"):
        assert words in told
    assert "half written" in found(document, "Vault", "note")


def test_the_vault(sick: Program) -> None:
    """STORE-3, STORE-4: a damaged file is named; one that is behind is told."""
    (file,) = (sick.data / "vault" / "context").glob("*.json")
    sound = file.read_text()
    file.write_text(sound[:100])
    assert str(file) in found(report(sick), "Vault")
    file.write_text(sound.replace('"messages": 30', '"messages": 20'))
    assert "1 session" in found(report(sick), "Vault", "note")
    file.write_text(sound)
    file.with_name("other.json").write_text(sound)
    assert "strata import" in found(report(sick), "Vault", "note")
    assert "off" in found(report(sick, STRATA_MEMORY__VAULT="false"), "Vault", "note")


def test_models(sick: Program, models_dir: Path, tmp_path: Path) -> None:
    """CHAT-2, ALL-5: one that is missing, unknown, or not what was fetched, with the command."""
    document = report(sick, STRATA_MODEL__NAME="embedded/smolm2")
    assert "smollm2-135m" in found(document, "Models")
    mine = tmp_path / "mine.gguf"
    assert "mine.gguf" in found(report(sick, STRATA_MODEL__NAME=str(mine)), "Models")
    mine.write_bytes(b"GGUF" + bytes(100))
    assert "not a usable" in found(report(sick, STRATA_MODEL__NAME=str(mine)), "Models")
    sick.models = tmp_path / "store"
    shutil.copytree(models_dir / "smollm2-135m", sick.models / "smollm2-135m")
    document = report(sick)
    assert document["ok"]
    assert "strata models install embedder" in found(document, "Models", "note")
    (file,) = (sick.models / "smollm2-135m").glob("*.gguf")
    with file.open("r+b") as weights:
        weights.seek(50_000_000)
        weights.write(b"XXXX")
    assert report(sick)["ok"]
    assert "strata models install light" in found(report(sick, "--full"), "Models")
    assert file.exists()
    os.truncate(file, 1000)
    assert "strata models install light" in found(report(sick), "Models")


def test_servers(sick: Program) -> None:
    """ALL-5: a missing key, a server that is not there, an Ollama that does not run."""
    told = found(report(sick, STRATA_MODEL__NAME="anthropic/claude-sonnet-5"), "Models")
    assert "ANTHROPIC_API_KEY" in told
    nobody = {"STRATA_MODEL__NAME": "openai/x", "STRATA_MODEL__API_BASE": "http://127.0.0.1:9/v1"}
    assert "127.0.0.1:9" in found(report(sick, **nobody), "Models")
    gone = {"STRATA_MODEL__NAME": "ollama_chat/x", "OLLAMA_HOST": "127.0.0.1:9"}
    assert "ollama serve" in found(report(sick, **gone), "Models")


def test_a_data_directory_that_others_read(sick: Program) -> None:
    """ALL-5: told, with the command."""
    sick.data.chmod(0o755)
    assert "chmod 700" in found(report(sick), "Data directory", "note")


def test_a_file_in_place_of_the_data_directory(program: Program) -> None:
    """ALL-2: the way out is --data."""
    program.data.write_text("mine")
    assert "--data" in found(report(program), "Data directory")
    assert program.data.read_text() == "mine"


def test_a_read_only_disk(sick: Program) -> None:
    """ALL-2, ALL-5: everything is read there as elsewhere, and told that nothing can be written."""
    mount = f"mount -t tmpfs -o size=9m tmpfs {sick.home / 'disk'}"
    (sick.home / "disk").mkdir()
    unshare = ["unshare", "-rm", "sh", "-c"]
    if shutil.which("unshare") is None or subprocess.run([*unshare, mount], check=False).returncode:
        pytest.skip("this system lets nobody mount a small disk")
    disk = sick.home / "disk"
    command = " ".join([*sick.command()[:4], "--data", str(disk), "doctor", "--json"])
    script = f"cp -r {sick.data}/. {disk} && mount -o remount,ro {disk} && {command}"
    ran: Ran = sick.run(command=[*unshare, f"{mount} && {script}"])
    assert ran.status == 1, ran
    assert "can't be written" in found(ran.document, "Data directory")
    assert "sound" in found(ran.document, "Database", "ok")
    assert "agree with the logs" in found(ran.document, "Sessions", "ok")


def test_without_unicode(sick: Program) -> None:
    """ALL-5: an output that knows only ASCII is told so, in ASCII."""
    ran = sick.run("doctor", PYTHONIOENCODING="ascii")
    assert ran.status == 1
    assert "Traceback" not in ran.err
    assert "not UTF-8" in ran.out
    assert ran.out.isascii()


def test_asking_the_model(sick: Program) -> None:
    """ALL-5: only with --ask-model; one token; the host that then runs is told."""
    sick.environment["STRATA_HOST__IDLE_MINUTES"] = "5"
    try:
        ran = sick.run("doctor", "--json", "--ask-model")
        assert "answered after" in found(ran.document, "Models", "ok")
        told = found(report(sick), "Models", "ok")
        assert "is loaded (process" in told
        (address,) = (sick.data / "host").glob("*.json")
        os.kill(json.loads(address.read_text())["pid"], signal.SIGKILL)
        assert wait_for(lambda: "is loaded (process" not in str(report(sick)))
        assert "killed" in found(report(sick), "Models", "note")
    finally:
        end_hosts(sick.data)


def test_a_model_whose_first_token_is_no_letter(sick: Program) -> None:
    """ALL-5: it has answered; a model that thinks first spends its only token on that."""
    with run_in_thread() as server:
        sick.environment["STRATA_MODEL__API_BASE"] = server.api_base
        told = sick.run("doctor", "--json", "--ask-model", "--model", "openai/empty").document
        assert "openai/empty answered after" in found(told, "Models", "ok")
        told = sick.run("doctor", "--json", "--ask-model", "--model", "openai/html").document
        assert "a web page instead of an answer" in found(told, "Models")


def test_many_messages_are_looked_at_quickly(program: Program, models_dir: Path) -> None:
    """ALL-5: a log of a thousand messages is read from its beginning within the time."""
    program.models = models_dir
    program.imports("long", conversation(1000), STRATA_MEMORY__POLICY="none")
    assert "All 1,0" in found(report(program), "Sessions", "ok")


def test_a_long_log_is_looked_at_from_its_checkpoint(program: Program, models_dir: Path) -> None:
    """ALL-5: a quick look reads its end and says so; --full reads it from its beginning."""
    program.models = models_dir
    program.imports("short", conversation(3))
    program.imports("long", conversation(6_000, words=3), STRATA_MEMORY__POLICY="none")
    document = report(program)
    assert document["ok"]
    assert "1 session" in found(document, "Sessions", "note")
    assert "of 2 sessions can be read" in found(document, "Sessions", "ok")
    assert "All 6,0" in found(report(program, "--full"), "Sessions", "ok")
