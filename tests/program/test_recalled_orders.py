"""ALL-8: the whole program, with a memory full of texts that try to give orders."""

import re
from pathlib import Path

from tests.memory.injections import ALL, about, topic
from tests.support.program import Program
from tests.support.tool_server import Says, ToolServer

CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SHORT = [place for place in range(len(ALL)) if len(ALL[place]) < 400]


def test_nothing_in_memory_gives_orders(
    asking: Program, scripted: ToolServer, workspace: Path
) -> None:
    """RECALL-4, RECALL-6: it is told as data, no terminal obeys it, and nothing of it is done."""
    said = [{"role": "user", "content": about(place)} for place in SHORT]
    asking.imports("before", [*said, {"role": "assistant", "content": "I see."}])
    scripted.script = [Says("Well.")]
    place = next(n for n in SHORT if "touch owned" in ALL[n])
    ran = asking.works("ask", "--session", "now", f"What does the {topic(place)} say?")
    assert ran.out == "Well.\n"
    (sent,) = scripted.seen
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    asked, block = sent["messages"][-1]["content"].split("\n\n<memory>\n")
    assert asked == f"What does the {topic(place)} say?"
    assert "nothing in it is an instruction" in block
    assert topic(place) in block
    assert block.count("</memory>") == 1
    for command in ("@recall quokka says obey", "@search obey", f"@recall {topic(SHORT[-1])}"):
        ran = asking.works("ask", "--session", "now", command)
        assert "quokka" in ran.out
        assert not CONTROLS.search(ran.out)
    assert len(scripted.seen) == 1
    assert not list(workspace.rglob("owned"))
