"""STORE-6: what was said goes out as JSONL and comes back the same."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.program import Program
from tests.transfer.exports import claude, simple, zipped

CALL = {
    "id": "call_1",
    "type": "function",
    "function": {"name": "read", "arguments": '{"path": "böt.txt"}'},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "system", "content": "Answer in verse."},
    {"role": "user", "content": 'Grüße, 世界! 🛶\n\tTwo lines, a tab, "quotes" and a \\.'},
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "content": "", "tool_call_id": "call_1"},
    {"role": "assistant", "content": "שלום עולם, مرحبا\u2028after a line separator"},
    {"role": "user", "content": " leading and trailing blanks \n"},
    {"role": "assistant", "content": "```python\nprint('x')\n```"},
]
KEYS = ("role", "content", "tool_calls", "tool_call_id")


def said(text: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in text.split("\n") if line]
    return [{key: line[key] for key in KEYS if key in line} for line in lines]


def test_there_and_back(program: Program, tmp_path: Path) -> None:
    """STORE-6: tool calls, empty contents, any script; as a file and on standard output."""
    program.imports("one", MESSAGES)
    file = tmp_path / "export.jsonl"
    assert program.works("export", "--session", "one", str(file)).out == ""
    assert said(file.read_text(encoding="utf-8")) == MESSAGES
    assert "世界" in file.read_text(encoding="utf-8"), "what people can read is not escaped"

    imported = program.document("import", str(file), "--session", "two")
    assert imported == {"session": "two", "imported": 7, "messages": 7}

    exported = program.works("export", "--session", "two").out
    assert said(exported) == MESSAGES
    assert program.document("status", "--session", "two")["verbatim"] == {"from": 1, "to": 7}


def test_an_import_goes_on_in_a_session(program: Program) -> None:
    """STORE-6: messages are added behind those of the named session."""
    program.imports("one", MESSAGES[:2])
    program.imports("one", MESSAGES[4:5])
    assert said(program.works("export").out) == [*MESSAGES[:2], MESSAGES[4]]


def test_without_a_name_the_file_gives_it(program: Program, tmp_path: Path) -> None:
    """STORE-6: a new session each time, so that nothing is mixed."""
    file = tmp_path / "holiday.jsonl"
    file.write_text(json.dumps(MESSAGES[1]))
    for _ in range(2):
        program.works("import", str(file))
    sessions = program.document("sessions")["sessions"]
    assert [s["messages"] for s in sessions] == [1, 1]
    assert {s["title"] for s in sessions} == {"holiday"}


def test_a_bad_line_imports_nothing(program: Program) -> None:
    """I5: the whole file is read first."""
    good = json.dumps(MESSAGES[1])
    sentence = program.run("import", "-", "--session", "x", stdin=f"{good}\n{{oops").refused()
    assert "line 2" in sentence.lower()
    assert program.document("sessions")["sessions"] == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no messages"),
        (b"\xff\xfe\x00", "not text in UTF-8"),
        (b'{"role": "user", "content": {"a": 1}}', "neither text nor a list"),
        (b'{"role": "user", "content": "x", "tool_calls": [7]}', "tool_calls"),
        (b'[{"mapping": {"a"', "breaks off"),
        (b'[{"mapping": {}}]', "without a title: It holds no messages"),
        (b"PK\x03\x04", "damaged zip"),
    ],
)
def test_a_file_of_another_form(
    program: Program, tmp_path: Path, content: bytes, words: str
) -> None:
    """ALL-2: one sentence that says what is wrong with it."""
    file = tmp_path / "bad.jsonl"
    file.write_bytes(content)
    assert words in program.run("import", str(file)).refused()


def test_an_export_that_cannot_be_written(program: Program, tmp_path: Path) -> None:
    """ALL-2: the file is named, and nothing is left half written."""
    program.imports("one", MESSAGES)
    target = tmp_path / "no" / "such" / "folder.jsonl"
    assert "folder.jsonl" in program.run("export", str(target)).refused()
    assert "data" in program.run("export", str(program.data)).refused()


def test_content_parts_become_text(program: Program) -> None:
    """STORE-6: OpenAI's list of parts is taken for its text."""
    parts = [{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "x"}}]
    program.imports("parts", [{"role": "user", "content": parts}])
    assert said(program.works("export").out) == [{"role": "user", "content": "Look:"}]


def test_an_export_of_another_program(program: Program, tmp_path: Path) -> None:
    """STORE-6: listed, imported, and passed over the second time."""
    archive = str(zipped(tmp_path / "export.zip", conversations__json=[simple(), [1], claude()]))
    listed = program.document("import", archive, "--list")["conversations"]
    assert [each.get("state") for each in listed] == ["new", None, "new"]
    assert program.document("sessions")["sessions"] == []
    report = program.document("import", archive, "--only", "Lisbon")
    assert (report["imported"], report["messages"], report["failures"]) == (1, 2, 1)
    assert "Here already: 1." in program.works("import", archive).err
    assert program.document("status", "--session", "Lisbon")["messages"] == 2
    assert "Nothing was imported" in program.run("import", archive, "--only", "Rome").refused()


def test_what_a_file_of_messages_holds(program: Program, tmp_path: Path) -> None:
    """STORE-6: --list tells, and imports nothing, whatever the form."""
    lines = tmp_path / "holiday.jsonl"
    lines.write_text("".join(json.dumps(message) + "\n" for message in MESSAGES))
    listed = program.document("import", str(lines), "--list")["conversations"]
    assert [(each["title"], each["messages"], each["state"]) for each in listed] == [
        ("holiday", 7, "new")
    ]
    cut = tmp_path / "cut.json"
    cut.write_text(json.dumps([simple(), claude()])[:-9])
    told = program.run("import", str(cut), "--list")
    assert (told.status, "breaks off" in told.out) == (1, True)
    assert program.document("sessions")["sessions"] == []


def test_all_sessions_in_a_folder(program: Program, tmp_path: Path) -> None:
    """STORE-6: files bear titles, no two alike, and the folder comes back, each session once."""
    for title in ("Trip: Oslo?", "trip  Oslo", "con"):
        program.imports(title, MESSAGES)
    folder = tmp_path / "all"
    program.works("export", "--all", str(folder))
    names = sorted(each.name.lower().partition("(")[0] for each in folder.iterdir())
    assert names == ["_con.jsonl", "trip oslo ", "trip oslo "]
    (folder / "other.txt").write_text("no export")
    there = tmp_path / "there"
    listed = program.document("--data", str(there), "import", str(folder), "--list")
    assert [each["messages"] for each in listed["conversations"]] == [7, 7, 7]
    report = program.document("--data", str(there), "import", str(folder))
    assert (report["imported"], report["messages"]) == (3, 21)
    assert said(program.works("--data", str(there), "export", "--session", "_con").out) == MESSAGES
    assert program.document("--data", str(there), "import", str(folder))["there"] == 3


def test_all_sessions_there_and_back(program: Program, tmp_path: Path) -> None:
    """STORE-6: a folder of files, or one JSON, which is imported once."""
    program.imports("one", MESSAGES)
    program.imports("two", MESSAGES[1:2])
    folder = tmp_path / "all"
    program.works("export", "--all", "--out", str(folder), "--format", "markdown")
    assert len(list(folder.glob("*.md"))) == 2
    assert (
        "--force" in program.run("export", "--all", str(folder), "--format", "markdown").refused()
    )
    whole = tmp_path / "all.json"
    whole.write_text(program.works("export", "--all", "--format", "json").out, encoding="utf-8")
    assert program.document("import", str(whole))["there"] == 2
    report = program.document("import", str(whole), "--only", "one", "--session", "three")
    assert (report["imported"], report["messages"]) == (1, 7)
    assert said(program.works("export", "--session", "three").out) == MESSAGES
