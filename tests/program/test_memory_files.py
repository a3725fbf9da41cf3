"""Memory files through the whole program: asked with, counted, shown (PROMPT-2)."""

from pathlib import Path

from tests.support.program import Program
from tests.support.tool_server import Says, ToolServer


def test_they_are_sent_counted_and_shown(
    asking: Program, scripted: ToolServer, workspace: Path
) -> None:
    """PROMPT-2, CHAT-8: in the working directory and at home; the answer alone is printed."""
    scripted.script = [Says("Aye.")]
    own = asking.elsewhere / "home" / ".agent"
    own.mkdir(parents=True)
    (workspace / "AGENT.md").write_text("Say aye.\n")
    (own / "MEMORY.md").write_text("Ada is the harbour master.\n" * 200)
    ran = asking.works("ask", "Ready?", STRATA_MEMORY__MEMORY_FILE_CHARS="600")
    assert ran.out == "Aye.\n"
    assert ran.err.startswith("~/.agent/MEMORY.md is cut to the first ")

    (system,) = [m for m in scripted.seen[-1]["messages"] if m["role"] == "system"]
    first = system["content"].index(f"### From {workspace / 'AGENT.md'}\n<memory_file>\nSay aye.\n")
    assert first < system["content"].index(f"### From {own / 'MEMORY.md'}\n<memory_file>\nAda is")

    status = asking.document("status")
    assert status["context"]["sections"]["files"] > 150
    files = status["memory_files"]
    assert [Path(file["path"]).name for file in files] == ["AGENT.md", "MEMORY.md"]
    assert [file["cut"] for file in files] == [False, True]
    assert sum(file["tokens"] for file in files) == status["context"]["sections"]["files"]

    (event,) = [
        line for line in asking.works("log", "--json").lines if line["kind"] == "memory_files"
    ]
    assert event["files"][0]["content"] == "Say aye.\n"
