"""RECALL-7: the whole program is given secrets of every kind; no file below its data has one."""

import json
import re
from pathlib import Path

from memory.privacy import KINDS
from tests.memory.planted import CARDS, PLANTED
from tests.support.program import Program, wait_for
from tests.support.tool_server import Says, ToolServer, call

EVERY_KIND = {f"STRATA_PRIVACY__{kind.upper()}": "true" for kind in KINDS}
TEXTS = [text for kind in KINDS for text in PLANTED[kind]]


def plain(text: str) -> str:
    return text.replace("«", "").replace("»", "")


def secrets() -> set[str]:
    found = {secret for text in TEXTS for secret in re.findall("«([^»]*)»", text)}
    # Four digits stand in times as well, and a word in what is said of it.
    return {secret for secret in found if len(secret) > 5}


def leaks(data: Path, wanted: set[str]) -> list[tuple[str, str]]:
    """What is found in a file, byte by byte, as it is or as JSON writes it."""
    forms = {
        form.encode()
        for secret in wanted
        for form in (
            secret,
            json.dumps(secret)[1:-1],
            json.dumps(secret, ensure_ascii=False)[1:-1],
            json.dumps(json.dumps(secret))[3:-3],
        )
    }
    files = [file for file in data.rglob("*") if file.is_file()]
    assert any(file.name.endswith("-wal") or file.suffix == ".db" for file in files)
    return [
        (file.name, form.decode())
        for file in files
        for form in forms
        if form in (read := file.read_bytes()) and read
    ]


def test_no_secret_reaches_any_file(
    asking: Program, scripted: ToolServer, workspace: Path, tmp_path: Path
) -> None:
    """RECALL-7, STORE-2: asked, pasted, called with, read, answered, imported, killed."""
    asking.environment |= EVERY_KIND | {"STRATA_UI__AUTO_TITLE": "true"}
    everything = "\n\n".join(map(plain, TEXTS))
    (workspace / "harbour.txt").write_text(everything, encoding="utf-8")
    arguments = {"path": "harbour.txt", "password": "S3cr3tPa55", "note": plain(CARDS[0])}
    scripted.script = [
        Says("I'll read it.", [call("read_file", arguments, "c1")], reasoning=everything),
        Says(everything),
    ]
    asking.works("ask", "--session", plain(CARDS[1]), stdin=everything)
    assert "4111" not in json.dumps(scripted.seen[0]["messages"])
    assert "4111" not in json.dumps(scripted.seen[1]["messages"])

    recorded = tmp_path / "talk.jsonl"
    lines = [{"role": "user", "content": plain(text)} for text in TEXTS]
    recorded.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    asking.works("import", str(recorded))

    scripted.script = [Says(everything, hold=True)]
    process = asking.start("ask", "--session", "killed", plain(TEXTS[10]))
    database = asking.data
    assert wait_for(lambda: len(scripted.seen) > 2)
    assert wait_for(lambda: _drafted(database))
    process.kill()
    process.communicate(timeout=30)
    found = leaks(asking.data, secrets())
    scripted.let_go.set()

    assert found == []
    counted = asking.document("status", "--session", "talk")["redacted"]
    assert set(counted) == set(KINDS)


def _drafted(data: Path) -> bool:
    """Whether the answer that streams has come to disk, almost to its end."""
    written = b"".join(file.read_bytes() for file in data.glob("strata.db*"))
    return written.count(b"[redacted: IP address] there") >= 3
