"""RECALL-7: `strata key`, and every other command on an encrypted data directory."""

import os
import sys
import time
from asyncio import to_thread
from pathlib import Path

import pytest

from memory import Key, Memory
from memory.storage import keys
from memory.wish import Wish
from tests.support.program import ROOT, Program, conversation

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX")

SIZE = (200, 50)
FIRST, SECOND = "seven grey geese", "nine white swans"
PLANTED = "Anna2x3"
"""Stands in `conversation`."""
KEYRING = """
import json, os
from pathlib import Path

FILE = Path(os.environ["FAKE_KEYRING"])

def _all():
    return json.loads(FILE.read_text()) if FILE.exists() else {}

def get_password(service, name):
    if os.environ.get("KEYRING_FAILS"):
        raise RuntimeError("locked")
    return _all().get(f"{service} {name}")

def set_password(service, name, value):
    FILE.write_text(json.dumps({**_all(), f"{service} {name}": value}))

def delete_password(service, name):
    FILE.write_text(json.dumps({k: v for k, v in _all().items() if k != f"{service} {name}"}))
"""


@pytest.fixture
def talked(program: Program) -> Program:
    """The program with a session."""
    program.imports("talk", conversation(4))
    return program


@pytest.fixture
def with_keyring(program: Program) -> Program:
    """The program with a keyring of its own."""
    package = program.home / "site" / "keyring"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(KEYRING)
    program.environment |= {
        "PYTHONPATH": os.pathsep.join([str(package.parent), str(ROOT)]),
        "FAKE_KEYRING": str(program.home / "keyring.json"),
    }
    return program


def plain(program: Program, *words: str) -> list[str]:
    """The files of the data directory in which one of the words can be read."""
    return [
        path.name
        for path in program.data.rglob("*")
        if path.is_file() and any(word.encode() in path.read_bytes() for word in words)
    ]


def test_from_plain_to_encrypted_and_back(talked: Program) -> None:
    """RECALL-7: nothing readable the moment the command has returned; scripts need no terminal."""
    assert "strata.db" in plain(talked, PLANTED)
    assert "Say --yes" in talked.run("key", "encrypt").refused()
    assert (
        "8 characters" in talked.run("key", "encrypt", "--yes", STRATA_PASSPHRASE="short").refused()
    )
    talked.works("key", "encrypt", "--yes", STRATA_PASSPHRASE=FIRST)
    assert plain(talked, PLANTED, FIRST, "CREATE TABLE") == []

    status = talked.document("key", "status")
    assert (status["encrypted"], status["opens"], status["problem"]) == (True, "passphrase", "")
    for command in (("sessions",), ("ask", "@pins")):
        before = (talked.data / "strata.db").read_bytes()
        assert "is encrypted" in talked.run(*command).refused()
        wrong = talked.run(*command, STRATA_PASSPHRASE=SECOND).refused()
        assert "does not open" in wrong
        assert SECOND not in wrong
        assert (talked.data / "strata.db").read_bytes() == before

    talked.environment["STRATA_PASSPHRASE"] = FIRST
    assert talked.document("status", "--session", "talk")["messages"] == 4
    assert PLANTED in talked.works("export", "--session", "talk").out
    talked.imports("talk", conversation(2))
    assert plain(talked, PLANTED, FIRST) == []
    assert not (talked.data / "vault").exists()
    assert "is encrypted already" in talked.run("key", "encrypt", "--yes").refused()

    talked.works("key", "decrypt", "--yes")
    del talked.environment["STRATA_PASSPHRASE"]
    assert talked.document("status", "--session", "talk")["messages"] == 6
    assert "is not encrypted" in talked.run("key", "decrypt", "--yes").refused()


def test_the_passphrase_is_asked_for_and_not_seen(talked: Program) -> None:
    """RECALL-7: typed twice where it is new, once where it opens; Ctrl+C leaves all as it was."""
    from tests.terminal.terminal import ENTER, terminal

    with terminal(talked, "key", "encrypt", size=SIZE) as shown:
        shown.until("[y/N]")
        assert "vault" in shown.screen.text
        shown.press("y", ENTER)
        shown.until("New passphrase:")
        shown.press(FIRST, ENTER)
        shown.until("The same again:")
        shown.press("something else", ENTER)
        assert shown.ended() == 1
        assert b"different" in shown.raw
        assert b"grey geese" not in shown.raw
    assert "strata.db" in plain(talked, PLANTED)
    with terminal(talked, "key", "encrypt", size=SIZE) as shown:
        shown.until("[y/N]")
        shown.press("y", ENTER)
        shown.until("New passphrase:")
        shown.press(FIRST, ENTER)
        shown.until("The same again:")
        shown.press(FIRST, ENTER)
        assert shown.ended() == 0
        assert b"grey geese" not in shown.raw
    assert plain(talked, PLANTED, FIRST) == []
    with terminal(talked, "--session", "talk", "log", size=SIZE) as shown:
        shown.until("Passphrase:")
        shown.press(FIRST, ENTER)
        assert shown.ended() == 0
        assert PLANTED.encode() in shown.raw
        assert b"grey geese" not in shown.raw
    with terminal(talked, "log", size=SIZE) as shown:
        shown.until("Passphrase:")
        shown.press("\x03")
        assert shown.ended() == 130


def test_another_passphrase_and_another_key(talked: Program) -> None:
    """RECALL-7: the first way does not write the database, the second one does."""
    talked.works("key", "encrypt", "--yes", STRATA_PASSPHRASE=FIRST)
    salt = (talked.data / "strata.db").read_bytes()[:16]
    both = {"STRATA_PASSPHRASE": FIRST, "STRATA_NEW_PASSPHRASE": SECOND}
    assert "STRATA_NEW_PASSPHRASE" in talked.run("key", "change", STRATA_PASSPHRASE=FIRST).refused()
    changed = talked.works("key", "change", **both)
    assert changed.err.startswith("The passphrase is changed. ")
    assert (talked.data / "strata.db").read_bytes()[:16] == salt
    assert "does not open" in talked.run("sessions", STRATA_PASSPHRASE=FIRST).refused()
    looked = talked.run("doctor")
    assert "could not be looked at" in " ".join(looked.out.split())
    assert "Nothing is wrong" not in looked.out
    talked.works(
        "key", "change", "--new-key", STRATA_PASSPHRASE=SECOND, STRATA_NEW_PASSPHRASE=FIRST
    )
    assert (talked.data / "strata.db").read_bytes()[:16] != salt
    assert "talk" in talked.works("sessions", STRATA_PASSPHRASE=FIRST).out
    assert plain(talked, PLANTED, FIRST, SECOND) == []


def test_a_key_in_the_keyring(with_keyring: Program) -> None:
    """RECALL-7: nobody is asked; without its entry a clear refusal."""
    program = with_keyring
    program.environment["STRATA_PRIVACY__ENCRYPTION"] = "keyring"
    program.imports("talk", conversation(4))
    assert plain(program, PLANTED, "CREATE TABLE") == []
    assert program.document("status", "--session", "talk")["messages"] == 4
    entry = program.document("key", "status")["keyring_entry"]
    kept = Path(program.environment["FAKE_KEYRING"])
    assert entry in kept.read_text()
    secret = kept.read_text().split('"')[3]
    assert plain(program, secret) == []

    program.works("key", "change")
    assert entry not in kept.read_text()
    assert "talk" in program.works("sessions").out
    entries = kept.read_text()
    kept.write_text("{}")
    assert "no key" in program.run("sessions").refused()
    kept.write_text(entries)
    assert "can't be used" in program.run("sessions", KEYRING_FAILS="yes").refused()

    program.works("key", "change", "--passphrase", STRATA_NEW_PASSPHRASE=FIRST)
    assert kept.read_text() == "{}"
    assert "talk" in program.works("sessions", STRATA_PASSPHRASE=FIRST).out


async def test_while_another_strata_is_open(talked: Program) -> None:
    """RECALL-7, STORE-5: refused, with its name; nothing is changed."""
    talked.works("key", "encrypt", "--yes", STRATA_PASSPHRASE=FIRST)
    talked.environment["STRATA_PASSPHRASE"] = FIRST
    wish = Wish(session="talk", label=f"the chat of process {os.getpid()}")
    async with Memory.open(talked.data, wish=wish, key=Key.passphrase(FIRST)) as memory:
        refused = await to_thread(talked.run, "key", "decrypt", "--yes")
        assert wish.label in refused.refused()
        await memory.add("user", "The tide turns at noon.")
        status = await to_thread(talked.document, "status", "--session", "talk")
        assert status["messages"] == 5
        await to_thread(talked.imports, "other", conversation(2))
        # The way to the key may be changed: the key stays.
        await to_thread(talked.works, "key", "change", STRATA_NEW_PASSPHRASE=SECOND)
        await memory.add("user", "And again at six.")
        assert plain(talked, "tide turns", PLANTED) == []
    keys.give_up_key(talked.data)
    talked.environment["STRATA_PASSPHRASE"] = SECOND
    assert talked.document("status", "--session", "talk")["messages"] == 6


def test_children_inherit_no_passphrase(served: Program) -> None:
    """RECALL-7: the backend and what it starts have nothing to open."""
    served.environment |= {
        "STRATA_PRIVACY__ENCRYPTION": "passphrase",
        "STRATA_PASSPHRASE": FIRST,
        "STRATA_MODEL__NAME": "openai/words-60-50",
        "KILL_MARK": "encrypted-children",
    }
    process = served.start("--session", "talk", "ask", f"What of {PLANTED}?")
    assert process.stdout is not None
    found: list[bytes] = []
    end = time.monotonic() + 60
    while not found and process.poll() is None and time.monotonic() < end:
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                environment = (folder / "environ").read_bytes()
            except OSError:
                continue
            if b"encrypted-children" in environment and int(folder.name) != process.pid:
                found.append(environment)
        time.sleep(0.05)
    process.communicate(timeout=90)
    assert found or not Path("/proc").is_dir()
    assert not any(b"grey geese" in environment for environment in found)
    assert plain(served, PLANTED, FIRST) == []
    assert served.document("status", "--session", "talk")["messages"] == 2
