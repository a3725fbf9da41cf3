"""RECALL-6: the @commands about facts."""

import pytest

from app.chat.conversation import Conversation
from tests.support.commanding import reported

pytestmark = pytest.mark.asyncio(loop_scope="session")

SCRIPT = """
@facts                                  | Nothing is known yet. @remember TEXT keeps a fact
@remember                               | Write it after the command: @remember TEXT.
@remember The user lives in Berlin.     | Remembered as f1, in all sessions of this agent.
@remember the user LIVES in Berlin      | That is known already (f1): The user lives in Berlin.
@remember I have moved to Hamburg.      | Remembered as f2, in all sessions of this agent.
@facts                                  | f2  I have moved to Hamburg. (importance 80%, just now)
@facts berlin                           | f1  The user lives in Berlin. (ended just now, importance
@facts f1                               | f1  The user lives in Berlin. (ended just now, importance
@facts paris                            | No fact has all of these words: paris.
@facts pin f2                           | Fact f2 stays in every prompt. @facts unpin f2 lets go
@facts list                             | f2  I have moved to Hamburg. (pinned, importance 80%,
@facts unpin f2                         | Fact f2 is no longer pinned.
@facts unpin f2                         | Fact f2 is not pinned.
@facts edit f2 The user lives in Kiel.  | Fact f2 now is: The user lives in Kiel.
@facts edit f2                          | Write it after the id: @facts edit f1 TEXT.
@facts edit                             | Write it after the id: @facts edit f1 TEXT.
@facts pin                              | Say which: @facts pin f1. @facts lists them.
@facts end f2                           | Fact f2 no longer holds. @facts edit f2 TEXT lets it
@facts end f2                           | Fact f2 has ended already.
@facts pin f2                           | Fact f2 has ended.
@facts end f9                           | There is no fact 'f9'. @facts lists them.
@facts                                  | No fact holds; 2 facts ended.
""".strip().splitlines()


async def test_each_command_says_what_happened(conversation: Conversation) -> None:
    """RECALL-6: in a line, whether it did something, had nothing to do, or could not."""
    for line in SCRIPT:
        text, _, expected = (part.strip() for part in line.partition("|"))
        answer = await reported(conversation, text)
        assert answer.startswith(expected), (text, answer)


async def test_what_no_longer_holds_is_told(conversation: Conversation) -> None:
    """RECALL-1: and what may not go with it, which holds as well."""
    await reported(conversation, "@remember Ben works at Siemens.")
    told = await reported(conversation, "@remember Ben has started working at Bosch.")
    assert told.splitlines()[1].endswith("  Ben works at Siemens.")
    assert told.splitlines()[1].startswith("No longer holds: f")
    await reported(conversation, "@remember The user's cat is called Mia.")
    told = await reported(conversation, "@remember The user's cat is called Lou.")
    assert told.splitlines()[1].startswith("May not go with: f")
    assert told.splitlines()[1].endswith("  The user's cat is called Mia.")


async def test_what_is_written_is_shown_as_it_is(conversation: Conversation) -> None:
    """ALL-8: no terminal obeys a fact, and no list is broken by one."""
    await reported(conversation, "@remember one\ntwo \x1b[31mred\u202e [bold]")
    shown = (await reported(conversation, "@facts bold")).splitlines()
    assert len(shown) == 2
    assert "\x1b" not in shown[0]
    assert "[bold]" in shown[0]
