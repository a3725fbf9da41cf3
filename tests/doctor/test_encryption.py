"""ALL-5, RECALL-7: what doctor says of an encrypted data directory."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.backend.mcp_log import ServerLog
from app.doctor.encryption import encryption_checks
from app.encryption import passphrases
from app.encryption.opening import becomes_encrypted
from memory import Key, Memory
from memory.storage import keys
from memory.storage.places import KEY_FILE_NAME
from tests.memory.doubles import every_byte

PASSPHRASE = "seven grey geese"


@pytest.fixture(autouse=True)
def _nothing_given(tmp_path: Path) -> Iterator[None]:
    yield
    keys.give_up_key(tmp_path)
    passphrases._taken.clear()


@pytest.fixture
async def sealed(tmp_path: Path) -> Path:
    async with Memory.open(tmp_path, key=Key.passphrase(PASSPHRASE)) as memory:
        await memory.add("user", "The heron nests at Willowmere.")
    keys.give_up_key(tmp_path)
    return tmp_path


def found(directory: Path) -> tuple[list[tuple[str, str]], bool]:
    checks, opens = encryption_checks(directory)
    assert all(check.next_step for check in checks if check.state == "problem")
    return [(check.name, check.state) for check in checks], opens


def given(text: str) -> None:
    passphrases.take_passphrases({passphrases.VARIABLE: text})


async def test_nobody_can_be_asked(sealed: Path) -> None:
    """ALL-5: worth knowing, and no problem."""
    before = every_byte(sealed)
    assert found(sealed) == ([("encryption", "note")], False)
    assert every_byte(sealed) == before


async def test_the_right_key_and_a_wrong_one(sealed: Path) -> None:
    """RECALL-7: whether the key at hand opens it, and what of before lies beside it."""
    given("seven grey goats")
    assert found(sealed) == ([("encryption", "problem")], False)
    given(PASSPHRASE)
    assert found(sealed) == ([("encryption", "ok")], True)
    keys.give_up_key(sealed)
    (sealed / "copy.db").write_bytes(b"SQLite format 3\0" + b"herons")
    assert found(sealed) == ([("encryption", "ok"), ("beside it", "problem")], True)


async def test_a_damaged_way_to_the_key(sealed: Path) -> None:
    """STORE-4: what can't be opened is told by whoever opens it."""
    (sealed / KEY_FILE_NAME).write_bytes(b"noise")
    assert found(sealed) == ([], True)
    (sealed / KEY_FILE_NAME).unlink()
    assert found(sealed) == ([], True)


async def test_what_programs_print_is_not_written_beside_it(sealed: Path, tmp_path: Path) -> None:
    """RECALL-7: an MCP server may print what it was asked; a new directory counts already."""
    assert becomes_encrypted(sealed, "off")
    assert becomes_encrypted(sealed / "new", "passphrase")
    assert not becomes_encrypted(sealed / "new", "off")
    log = ServerLog(None, "files", ())
    log.write(b"asked for the heron\n")
    log.close()
    assert b"asked for" not in every_byte(tmp_path)
