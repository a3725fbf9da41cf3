"""RECALL-6, STORE-2: killed while it forgets, the next start finishes it."""

import pytest

from memory.config import MemoryConfig
from tests.kill.checks import check_database, reopen
from tests.kill.conftest import SESSION, Killer
from tests.memory.doubles import every_byte

GONE = b"anna3x"
"""Begins each word of the third message."""


@pytest.mark.parametrize("point", ["forgetting:begun", "forgetting:gone"])
async def test_what_was_begun_to_be_forgotten_is_gone_at_the_next_start(
    killer: Killer, point: str
) -> None:
    """RECALL-6: once it was written down, and once the texts had gone and the file had not."""
    data = killer.program.data
    assert GONE in every_byte(data).lower()
    killer.kill(point, 1, "--session", SESSION, "ask", "@forget --yes 3").assert_killed()
    reopened = await reopen(data, SESSION, MemoryConfig())
    assert reopened.said[2][1] == "[forgotten]"
    assert reopened.kinds.count("forgotten") == 1
    assert GONE not in every_byte(data).lower()
    check_database(data)
