"""Texts of megabytes pass the door in a thread, window by window, as whole as small ones."""

import sys
from pathlib import Path

from memory.privacy import KINDS, Door
from memory.privacy.preparing import prepare
from memory.privacy.windows import BESIDE, BIG, WINDOW
from tests.memory.doubles import every_byte, opened

LINE = "Nothing of note happened in this minute, and nothing was written down.\n"
KEY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n" * 20
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{KEY}-----END RSA PRIVATE KEY-----\n"


def test_secrets_at_the_edges_of_windows_are_found() -> None:
    """RECALL-7: wherever in a big text they stand, over several lines as well."""
    pieces = [LINE * 9, "password: hunter2!\n", LINE * 7, PEM, "4111 1111 1111 1111\n"]
    times = 3 * WINDOW // sum(map(len, pieces))
    text = "".join(pieces) * times

    cleaned = Door().clean(text)

    assert cleaned.kinds == {"passwords": times, "private_keys": times, "cards": times}
    assert cleaned.text == Door().clean("".join(pieces)).text * times


def test_a_heading_far_above_names_what_stands_in_its_column() -> None:
    """RECALL-7: a list of any length has one heading."""
    rows = 2 * (WINDOW + BESIDE) // 20
    text = "user,password\n" + "".join(f"ada{n},secret{n}word!\n" for n in range(rows))

    cleaned = Door().clean(text)

    assert cleaned.kinds == {"passwords": rows}


async def test_what_was_looked_at_ahead_is_the_same() -> None:
    """RECALL-7: a text, and texts inside of what JSON can say."""
    text = LINE * (2 * BIG // len(LINE)) + "password: hunter2!"
    ahead, plain = Door(), Door()

    await ahead.ahead(text, [{"arguments": f"{text}."}])

    assert ahead.clean(text) == plain.clean(text)
    assert ahead.clean_json([f"{text}."]) == plain.clean_json([f"{text}."])
    assert ahead.clean(text) == plain.clean(text)


async def test_no_secret_of_a_big_text_reaches_a_file(tmp_path: Path) -> None:
    """RECALL-7: as a message, as content, attached."""
    text = LINE * (2 * BIG // len(LINE)) + "password: hunter2!\n" + LINE
    async with opened(tmp_path) as memory:
        await memory.add("user", text)
        await memory.content.store(text)
        await memory.attach("notes", text)
        assert dict(memory.snapshot().redacted) == {"passwords": 3}

    assert b"hunter2" not in every_byte(tmp_path)


def test_all_that_checks_numbers_is_loaded_before_it_is_needed() -> None:
    """RECALL-7: nothing is read from the disk when the first number is met."""
    prepare(KINDS, "DE")
    before = set(sys.modules)

    Door(KINDS, "DE").clean("DE89 3704 0044 0532 0130 00, cpf 390.533.447-05, 030 901820, ssn 1")

    assert not {name for name in set(sys.modules) - before if "stdnum" in name}
