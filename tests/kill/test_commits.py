"""SIGKILL right after each kind of commit: nothing acknowledged is lost, the next start goes on."""

import signal
from dataclasses import dataclass

import pytest

from tests.kill.checks import Reopened, reopen
from tests.kill.conftest import PREPARED, SESSION, Killed, Killer
from tests.support.program import conversation

QUESTION = "What is the boat's name, Ünïcode 🛶?"
NEW = "another"


@dataclass(frozen=True)
class Point:
    """Where the program is killed, and what must be there afterwards."""

    at: str
    times: int = 1
    accepted: bool | None = True
    """Whether the question had been accepted by then; None where it may be either."""
    answer: str = "none"
    """none, part (an interrupted message) or whole."""
    compacted: bool | None = False
    model: str = "openai/words-60-8"

    def __str__(self) -> str:
        return f"{self.at}-{self.times}"


POINTS = [
    Point("lease:acquire", accepted=False),
    Point("inside:message/user", accepted=False),
    Point("event:message/user"),
    Point("event:model", accepted=False),
    Point("event:request", compacted=None),
    Point("chunk", 9, answer="part", compacted=None),
    Point("shown", 8, answer="part", compacted=None),
    Point("draft", 3, answer="part", compacted=None),
    Point("lease:renew", 3, accepted=None, compacted=None, answer="any"),
    # The cascade was due before the question, and may be faster than it.
    Point("cache", accepted=None, compacted=False, answer="any"),
    Point("inside:compaction", accepted=None, compacted=False, answer="any"),
    Point("event:compaction", accepted=None, compacted=True, answer="any"),
    Point("inside:message/assistant", answer="part", compacted=None),
    Point("event:message/assistant", answer="whole", compacted=None),
    Point("event:attempt", answer="whole", compacted=None),
    Point("counts", accepted=False, compacted=None, model="openai/gpt-4"),
    Point("counts", 2, accepted=None, compacted=None, answer="any", model="openai/gpt-4"),
    Point("lease:release", answer="whole", compacted=True),
]


@pytest.mark.parametrize("point", POINTS, ids=str)
async def test_a_turn_killed_after_each_commit(point: Point, killer: Killer) -> None:
    """STORE-2, I1, I5: the turn falls before or after each event, never between."""
    killed = killer.kill(
        point.at, point.times, "--session", SESSION, "--model", point.model, "ask", QUESTION
    )
    killed.assert_killed()

    reopened = await reopen(killer.program.data, SESSION)

    said = reopened.said[PREPARED:]
    if point.accepted is not None:
        assert (("user", QUESTION, False) in said) == point.accepted
    _check_answer(point, killed, reopened)
    if point.compacted is not None:
        assert ("compaction" in reopened.kinds) == point.compacted
    status = killer.program.document("status", "--session", SESSION)
    assert status["messages"] == reopened.state.messages
    assert status["events"] == reopened.state.n


def _check_answer(point: Point, killed: Killed, reopened: Reopened) -> None:
    answers = [entry for entry in reopened.said[PREPARED:] if entry[0] == "assistant"]
    if point.answer == "none":
        assert answers == []
    if point.answer == "part":
        # On a busy machine all of it may have come at once, an instant before the kill.
        assert len(answers) == 1 or (point.at != "draft" and not killed.text_older_than(0.25))
        assert all(cut for _, _, cut in answers), "an answer that was cut off is marked interrupted"
    if point.answer == "whole":
        assert [interrupted for _, _, interrupted in answers] == [False]
    kept = answers[0][1] if answers else ""
    shown = killed.text.rstrip("\n")
    assert kept.startswith(shown) or shown.startswith(kept.rstrip())
    assert kept.startswith(killed.text_older_than(0.25).rstrip())


async def test_after_a_kill_the_conversation_goes_on(killer: Killer) -> None:
    """STORE-2: the next question is answered, with what had arrived in its prompt."""
    killer.kill("draft", 2, "--session", SESSION, "ask", QUESTION).assert_killed()
    # Reading mends nothing, and need not wait for anybody.
    assert killer.program.document("status")["messages"] == PREPARED + 1

    ran = killer.program.works("--session", SESSION, "ask", "And now?", **killer.environment)

    assert ran.out.strip()
    reopened = await reopen(killer.program.data, SESSION)
    roles = [(role, interrupted) for role, _, interrupted in reopened.said[PREPARED:]]
    assert roles == [("user", False), ("assistant", True), ("user", False), ("assistant", False)]


@pytest.mark.parametrize(
    ("point", "arguments"),
    [
        ("session", ("--session", NEW, "ask", QUESTION)),
        ("event:session_started", ("--session", NEW, "ask", QUESTION)),
        ("event:thresholds", ("--session", NEW, "ask", QUESTION)),
        ("inside:session_started", ("--session", NEW, "ask", QUESTION)),
    ],
)
async def test_a_new_session_killed_while_it_begins(
    point: str, arguments: tuple[str, ...], killer: Killer
) -> None:
    """STORE-2: a session that was begun can be opened, or is begun anew."""
    killer.kill(point, 1, *arguments).assert_killed()

    reopened = await reopen(killer.program.data, NEW)

    assert reopened.said == []
    assert reopened.kinds[0] == "session_started"
    assert (await reopen(killer.program.data, SESSION)).state.messages == PREPARED


async def test_an_import_killed_between_its_transactions(killer: Killer) -> None:
    """STORE-1, STORE-2: whole transactions are there, and a checkpoint that agrees with the log."""
    file = killer.program.home / "long.jsonl"
    file.write_text("".join(f'{{"role": "user", "content": "Note {n}"}}\n' for n in range(1200)))
    for point, times, kept in (("event:message", 1, 500), ("checkpoint", 2, 1000)):
        killer.kill(point, times, "--session", point, "import", str(file)).assert_killed()
        reopened = await reopen(killer.program.data, point)
        assert [text for _, text, _ in reopened.said] == [f"Note {n}" for n in range(kept)]


async def test_commands_killed_after_their_event(killer: Killer) -> None:
    """COMPACT-11, STORE-2: a title, an undo and a redo stand once their event is on disk."""
    program = killer.program
    compacted = ("--session", SESSION, "compact")
    killer.kill("event:compaction", 1, *compacted, "--model", "openai/summary").assert_killed()
    before = (await reopen(program.data, SESSION)).state.folding
    assert before.short_term is not None

    killer.kill("event:undo", 1, "--session", SESSION, "ask", "@undo").assert_killed()
    undone = await reopen(program.data, SESSION)
    assert undone.state.folding.short_term is None
    assert undone.state.automatic_waits

    killer.kill("event:redo", 1, "--session", SESSION, "ask", "@redo").assert_killed()
    assert (await reopen(program.data, SESSION)).state.folding == before

    rename = ("--session", SESSION, "sessions", "rename", SESSION, "boat talk")
    killer.kill("event:session_renamed", 1, *rename).assert_killed()
    assert (await reopen(program.data, "boat talk")).state.title == "boat talk"


async def test_an_export_killed_around_its_rename(killer: Killer) -> None:
    """STORE-6: the file is the old one or the whole new one."""
    program = killer.program
    target = program.home / "talk.jsonl"
    target.write_text("what was there before\n")
    killed = killer.kill("rename", 1, "--session", SESSION, "export", "--force", str(target))
    assert killed.status == -signal.SIGKILL
    copy = killer.program.home / "copy"
    program.works("--session", SESSION, "export", str(copy))
    assert target.read_bytes() == copy.read_bytes()
    assert target.read_text().count("\n") == PREPARED == len(conversation(PREPARED))


@pytest.mark.parametrize(("point", "branches"), [("inside-fork", 1), ("fork", 2)])
async def test_a_branch_is_there_with_its_beginning_or_not_at_all(
    point: str, branches: int, killer: Killer
) -> None:
    """CHAT-4, I5: killed before the commit nothing is changed, after it the branch is whole."""
    killed = killer.kill(point, 1, "--session", SESSION, "ask", "@edit 3 otherwise")
    killed.assert_killed()

    program = killer.program
    (listed,) = program.document("sessions")["sessions"]
    assert (listed["branches"], listed["messages"]) == (branches, PREPARED if branches == 1 else 2)
    # The one it comes from is whole, and free to be opened.
    program.works("ask", "@branch 1")
    parent = await reopen(program.data, SESSION)
    assert parent.state.messages == PREPARED
    assert "forked" not in parent.kinds
    if branches > 1:
        program.works("ask", "@branch 2")
        branch = await reopen(program.data, SESSION)
        assert (branch.state.messages, branch.kinds.count("forked")) == (2, 1)
