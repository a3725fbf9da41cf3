"""STORE-1: `strata log` shows every event."""

import re

from tests.program.conftest import TALK, TALK_MESSAGES
from tests.program.shapes import MESSAGE_LINE, conform
from tests.support.program import Program, conversation

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def test_one_object_a_line(talk: Program) -> None:
    """STORE-1: numbered from 1 without a gap, with UTC times and stable kinds."""
    lines = talk.works("log", "--json", "--session", TALK).lines
    assert [line["n"] for line in lines] == list(range(1, len(lines) + 1))
    assert all(TIME.fullmatch(line["at"]) for line in lines)
    assert {line["kind"] for line in lines} >= {"session_started", "message", "compaction"}


def test_messages_stand_as_they_were_said(talk: Program) -> None:
    """I6: folding changes nothing in the log."""
    lines = talk.works("log", "--json", "--session", TALK).lines
    messages = [line for line in lines if line["kind"] == "message"]
    for number, (line, said) in enumerate(zip(messages, conversation(TALK_MESSAGES), strict=True)):
        conform(line, MESSAGE_LINE)
        assert (line["number"], line["role"]) == (number + 1, said["role"])
        assert line["content"] == said["content"]
        assert line["tokens"] > 0


def test_only_what_came_after(talk: Program) -> None:
    """STORE-1: `--after N` begins behind event N."""
    lines = talk.works("log", "--json", "--after", "5").lines
    assert lines[0]["n"] == 6
    assert talk.works("log", "--json", "--after", "100000").out == ""


def test_lines_for_people(talk: Program) -> None:
    """STORE-1: one line for each event."""
    lines = talk.works("log").out.splitlines()
    assert len(lines) == len(talk.works("log", "--json").lines)
    assert "Anna1x0" in next(line for line in lines if " message " in line)
