"""Memory files from the disk into a conversation: found, read, watched (PROMPT-2)."""

import asyncio
import os
import socket
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from app.chat.commands import say
from app.chat.file_finding import FRESH_S, NAMES, Finder, Folder, Seen, finders, together
from app.chat.file_watching import SILENT, Watch
from app.chat.happenings import AnswerAdded, Noted, Reported
from app.schema import ToolsSettings
from app.tools.tool import Desk, ToolResult
from memory.config import MemoryConfig
from memory.events import RequestPrepared
from memory.file_events import MemoryFilesRead
from memory.files import FoundFile
from tests.support.own_tools import Word, tool
from tests.support.tool_server import Says, call
from tests.support.tool_talk import Talking, of, turn

AT_ONCE = pytest.mark.asyncio(loop_scope="session")
IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="such files are made otherwise there")


def found_in(folder: Path, *, confined: bool = True, chars: int = 20_000) -> dict[str, FoundFile]:
    """What one look finds in a folder, by name."""
    seen = Finder(lambda: Folder(folder, confined), chars).look()
    return {Path(file.path).name: file for file in together(iter(seen))}


def old(path: Path) -> None:
    """Makes a file one that was written long ago."""
    os.utime(path, (1_700_000_000, 1_700_000_000))


# -- finding


def test_folders_and_names_are_looked_for_in_their_order(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROMPT-2: the working directory, then the user's own folder; three names in each."""
    monkeypatch.chdir(tmp_path)
    own = home / ".agent"
    own.mkdir()
    for folder in (tmp_path, own):
        for name in NAMES:
            (folder / name).write_text(f"{name} says so.")
    seen = [one for finder in finders(ToolsSettings(), 999) for one in finder.look()]
    files = together(iter(seen))
    wanted = [str(folder / name) for folder in (tmp_path.resolve(), own) for name in NAMES]
    assert [file.path for file in files][: len(wanted)] == wanted
    assert [file.inside for file in files][:4] == [*NAMES, ""]


def test_the_configured_workspace_stands_for_the_working_directory(tmp_path: Path) -> None:
    """PROMPT-2, CHAT-10: where tools work is where memory files are looked for."""
    (tmp_path / "AGENT.md").write_text("Use tabs.")
    workspace, _, _ = finders(ToolsSettings(workspace=tmp_path), 999)
    gone, _, _ = finders(ToolsSettings(workspace=tmp_path / "gone"), 999)
    assert [seen.file.text for seen in workspace.look()] == ["Use tabs."]
    assert gone.look() == ()


def test_only_the_beginning_of_a_huge_file_is_read(tmp_path: Path) -> None:
    """PROMPT-2: never whole, and its size is known all the same."""
    with (tmp_path / "MEMORY.md").open("wb") as file:
        file.write(b"Use tabs.\n" * 50_000)
        file.truncate(3_000_000_000)  # sparse: it takes no room
    found = found_in(tmp_path, chars=1_000)["MEMORY.md"]
    assert found.size == 3_000_000_000
    assert found.text is not None
    assert not found.whole
    assert 1_000 <= len(found.text) < 100_000


@pytest.mark.parametrize(
    ("data", "text", "note"),
    [
        ("Größe\r\n".encode(), "Größe\n", ""),
        ("Größe".encode("utf-16"), "Größe", ""),
        ("Größe: 5 €".encode("cp1252"), "Größe: 5 €", "is not UTF-8; it is read as Windows-1252"),
        (b"\x89PNG\r\n\x1a\n\0\0", None, "is no text but a PNG picture, and is not read"),
        (b"a\0b", None, "is no text but binary data, and is not read"),
        (b"", "", ""),
        (
            b"\x1b[31mUse tabs.\x1b[0m\x07\n" + b"Ask before a release. " * 20,
            "Use tabs.\n" + "Ask before a release. " * 20,
            "",
        ),
        ("Use\x9b2J \u202etabs.".encode(), "Use \\u202etabs.", ""),
    ],
)
def test_texts_of_all_kinds(tmp_path: Path, data: bytes, text: str | None, note: str) -> None:
    """PROMPT-2, ALL-8: encodings, binaries, and nothing that a terminal obeys."""
    (tmp_path / "AGENT.md").write_bytes(data)
    found = found_in(tmp_path)["AGENT.md"]
    assert (found.text, found.note) == (text, note)


def test_a_folder_of_the_name_is_noted(tmp_path: Path) -> None:
    """PROMPT-2: said, never a crash."""
    (tmp_path / "AGENT.md").mkdir()
    assert found_in(tmp_path)["AGENT.md"].note == "is a folder, and is not read"


@pytest.mark.skipif(sys.platform != "linux", reason="the socket is named by a path of Linux")
def test_pipes_sockets_and_devices_are_not_opened(tmp_path: Path) -> None:
    """PROMPT-2: a pipe nobody writes to would never be read to its end."""
    os.mkfifo(tmp_path / "AGENT.md")
    with socket.socket(socket.AF_UNIX) as server:
        # A socket's whole path may have 108 characters.
        short = os.open(tmp_path, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{short}/MEMORY.md")
        finally:
            os.close(short)
    (tmp_path / ".agent-context.md").symlink_to("/dev/zero")
    notes = [file.note for file in found_in(tmp_path, confined=False).values()]
    assert notes == ["is a device, a pipe or a socket, and is not read"] * 3


@pytest.mark.skipif(IS_ROOT or sys.platform == "win32", reason="everything can be read here")
def test_what_may_not_be_read_is_noted(tmp_path: Path) -> None:
    """PROMPT-2: a file, and a whole folder."""
    (tmp_path / "AGENT.md").write_text("Use tabs.")
    (tmp_path / "AGENT.md").chmod(0)
    assert "does not allow" in found_in(tmp_path)["AGENT.md"].note
    tmp_path.chmod(0)
    try:
        assert "can't be read" in found_in(tmp_path)[tmp_path.name].note
    finally:
        tmp_path.chmod(0o700)


# -- links


@POSIX
def test_a_link_out_of_the_working_directory_is_refused(tmp_path: Path) -> None:
    """ALL-8: somebody else's folder must not send the user's files to a model."""
    work, secret = tmp_path / "work", tmp_path / "id_rsa"
    work.mkdir()
    secret.write_text("a key")
    (work / "AGENT.md").symlink_to(secret)
    (work / "MEMORY.md").symlink_to("../id_rsa")
    found = found_in(work)
    assert [file.text for file in found.values()] == [None, None]
    assert {file.note for file in found.values()} == {
        "is a link that leads out of its folder, and is not read"
    }


@POSIX
def test_a_link_inside_is_followed_and_one_to_nowhere_noted(tmp_path: Path) -> None:
    """PROMPT-2: where files are kept in a folder of their own."""
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "agent.md").write_text("Use tabs.")
    (tmp_path / "AGENT.md").symlink_to("docs/agent.md")
    (tmp_path / "MEMORY.md").symlink_to("AGENT.md")
    (tmp_path / ".agent-context.md").symlink_to("docs/gone.md")
    found = found_in(tmp_path)
    assert found["AGENT.md"].text == "Use tabs."
    assert found["MEMORY.md"].note == f"is the same file as {tmp_path / 'AGENT.md'}"
    assert found[".agent-context.md"].note == "is a link that leads nowhere"


@POSIX
def test_links_of_the_users_own_folder_are_followed(tmp_path: Path) -> None:
    """PROMPT-2: people keep such files in a repository of their own."""
    own = tmp_path / ".agent"
    own.mkdir()
    (tmp_path / "dotfiles.md").write_text("Ada prefers mornings.")
    (own / "AGENT.md").symlink_to(tmp_path / "dotfiles.md")
    assert found_in(own, confined=False)["AGENT.md"].text == "Ada prefers mornings."


# -- watching


def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    """PROMPT-2: looking costs a few calls of the system, and misses nothing."""
    path = tmp_path / "AGENT.md"
    path.write_text("Use tabs.")
    old(path)
    finder = Finder(lambda: Folder(tmp_path, confined=True), 999)
    finder.look()
    (first,) = finder.look()
    path.write_text("Use spac!")  # the same length
    old(path)
    (second,) = finder.look()
    assert (first.file.text, second.file.text) == ("Use tabs.", "Use spac!")
    path.unlink()
    assert finder.look() == ()


def test_an_old_file_is_not_opened_again(tmp_path: Path) -> None:
    """PROMPT-2: the same answer is handed out until something changes."""
    assert FRESH_S > 0
    path = tmp_path / "AGENT.md"
    path.write_text("Use tabs.")
    finder = Finder(lambda: Folder(tmp_path, confined=True), 999)
    (fresh,), (again,) = finder.look(), finder.look()
    assert again is not fresh  # it could have been written twice in one tick of the clock
    assert again == fresh


async def test_a_folder_that_hangs_stops_nobody() -> None:
    """PROMPT-2: what is known of it stays, and it is not asked again before it has answered."""
    goes_on, asked = threading.Event(), list[int]()

    def hanging() -> tuple[Seen, ...]:
        asked.append(1)
        if len(asked) > 1:
            goes_on.wait(60)
        return found(f"look {len(asked)}")

    def found(text: str) -> tuple[Seen, ...]:
        return (Seen(FoundFile(f"/{text[:4]}/AGENT.md", text)),)

    watch = Watch([("far", hanging), ("near", lambda: found("here"))], limit_s=0.3)
    try:
        looks = [[file.text for file in await watch.look()] for _ in range(3)]
        assert looks == [["look 1", "here"]] * 3
        assert len(asked) == 2
    finally:
        goes_on.set()
    async with asyncio.timeout(120):
        while (await watch.look())[0].text == "look 1":  # noqa: ASYNC110 (it sets no event)
            await asyncio.sleep(0.01)


async def test_a_folder_that_never_answers_is_said_once() -> None:
    """PROMPT-2: a clear note in the place of its files."""
    goes_on = threading.Event()

    def hanging() -> tuple[Seen, ...]:
        goes_on.wait(60)
        return ()

    watch = Watch([("/net/work", hanging)], limit_s=0.05)
    try:
        assert await watch.look() == (FoundFile("/net/work", note=SILENT),)
    finally:
        goes_on.set()


# -- in a conversation


def system_of(body: dict[str, Any]) -> str:
    """The system message of a request."""
    (message,) = [message for message in body["messages"] if message["role"] == "system"]
    return str(message["content"])


@AT_ONCE
async def test_the_model_is_told_what_the_files_say_now(talking: Talking, tmp_path: Path) -> None:
    """PROMPT-2: looked at before each turn; changed between two, the model reads the new text."""
    path = tmp_path / "AGENT.md"
    path.write_text("Use tabs.")
    async with talking([Says("Good."), Says("Well."), Says("Oh.")], (), workspace=tmp_path) as chat:
        await turn(chat, "One.")
        path.write_text("Use spaces.")
        await turn(chat, "Two.")
        path.unlink()
        await turn(chat, "Three.")
        ledgers = [
            entry.event.ledger
            for entry in await chat.memory.log()
            if isinstance(entry.event, RequestPrepared)
        ]
    one, two, three = (system_of(body) for body in talking.server.seen)
    assert f"### From {path}" in one
    assert ["Use tabs." in one, "Use spaces." in two] == [True, True]
    assert "Project Context" not in three
    told = ["", "memory files: changed", "memory files: gone"]
    assert [ledger.broken_by for ledger in ledgers] == told
    assert ledgers[0].sections["files"] > 0
    assert len(ledgers[0].files) == 1


@AT_ONCE
async def test_unchanged_files_leave_the_prefix_as_it_is(talking: Talking, tmp_path: Path) -> None:
    """I9: read again and found the same, they are no event, also after a restart."""
    (tmp_path / "AGENT.md").write_text("Use tabs.")
    script = [Says("Good."), Says("Well."), Says("Oh.")]
    async with talking(script, (), workspace=tmp_path) as chat:
        await turn(chat, "One.")
        session = chat.memory.info.id
        await turn(chat, "Two.")
    async with talking(script, (), workspace=tmp_path, session=session) as chat:
        await turn(chat, "Three.")
        log = await chat.memory.log()
    assert sum(isinstance(entry.event, MemoryFilesRead) for entry in log) == 1
    told = [e.event.ledger.broken_by for e in log if isinstance(e.event, RequestPrepared)]
    assert told == ["", "", ""]


@AT_ONCE
async def test_what_is_wrong_is_told_once(talking: Talking, tmp_path: Path) -> None:
    """PROMPT-2: a note, and the turn goes on; the list says it again."""
    (tmp_path / "AGENT.md").mkdir()
    (tmp_path / "MEMORY.md").write_text("Use tabs.\n" * 300)
    small = MemoryConfig(memory_file_chars=500)
    async with talking([Says("Good.")], (), workspace=tmp_path, memory=small) as chat:
        happened = [*await turn(chat, "One."), *await turn(chat, "Two.")]
        (listed,) = [one.text async for one in say(chat, "@files") if isinstance(one, Reported)]
    notes = [one.text for one in of(Noted, happened)]
    assert notes[0] == f"{tmp_path / 'AGENT.md'} is a folder, and is not read."
    assert notes[1].startswith(f"{tmp_path / 'MEMORY.md'} is cut to the first ")
    assert len(notes) == 2
    assert len(of(AnswerAdded, happened)) == 2
    lines = listed.splitlines()
    assert lines[0].endswith("AGENT.md (is a folder, and is not read)")
    assert lines[-1].endswith(" tokens of every prompt.")


@AT_ONCE
@pytest.mark.parametrize(
    ("wanted", "text"),
    [(True, "No memory file yet: AGENT.md,"), (False, "Memory files are not read")],
)
async def test_an_empty_list_says_why(
    talking: Talking, tmp_path: Path, wanted: bool, text: str
) -> None:
    """PROMPT-2: which names are looked for where; or that they are not wanted."""
    if not wanted:
        (tmp_path / "AGENT.md").write_text("Use tabs.")
    config = MemoryConfig(memory_files=wanted)
    async with talking([Says("Good.")], (), workspace=tmp_path, memory=config) as chat:
        (told,) = [one.text async for one in say(chat, "@files") if isinstance(one, Reported)]
        await turn(chat, "One.")
    assert told.startswith(text)
    assert "Project Context" not in system_of(talking.server.seen[0])


@AT_ONCE
async def test_they_are_not_changed_while_an_answer_is_on_its_way(
    talking: Talking, tmp_path: Path
) -> None:
    """I9: between the rounds of a turn with tools the prefix stays as it is."""
    path = tmp_path / "AGENT.md"
    path.write_text("Use tabs.")

    async def edit(asked: Word, desk: Desk) -> ToolResult:
        path.write_text(asked.word)
        await chat.look_at_files()
        return ToolResult("Done.")

    script = [Says("", [call("edit", {"word": "Use spaces."})]), Says("Good.")]
    async with talking(script, [tool("edit", edit)], workspace=tmp_path) as chat:
        await turn(chat)
        during = [system_of(body) for body in talking.server.seen]
        await chat.look_at_files()
        files = chat.memory.snapshot().files
        text = (await chat.memory.prompt()).messages[0]["content"]
    assert ["Use tabs." in text for text in during] == [True, True]
    assert "Use spaces." in text
    assert [file.path for file in files] == [str(path)]


@AT_ONCE
async def test_a_helper_reads_them_as_well(talking: Talking, tmp_path: Path) -> None:
    """PROMPT-2, CHAT-11: they always apply, whatever it sees of its caller's memory."""
    (tmp_path / "AGENT.md").write_text("Use tabs.")
    script = [Says("I looked."), Says("Good.")]
    async with talking(script, (), workspace=tmp_path) as chat:
        await chat.ready()
        async for _ in say(chat, "@delegate isolated Look around."):
            pass
    assert "Use tabs." in system_of(talking.server.seen[0])
