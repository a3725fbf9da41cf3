"""STORE-3: readable files beside the database, whole at every moment, that can be read back."""

import errno
import json
import logging
import os
import re
import stat
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory.errors import StrataError
from memory.events import Compacted, Message, SessionRestored
from memory.memory import Memory
from memory.storage.failures import Conflict
from memory.storage.sessions import Sessions, UnknownSession
from memory.storage.vault import Vault, VaultFailed
from memory.upkeep import Notice
from memory.vault_names import context_path, session_folder, summaries_folder
from memory.vault_reading import UnreadableContext, read_context
from memory.wish import Wish
from tests.memory.doubles import (
    SESSION,
    DenseCounter,
    ScriptedModel,
    chat_model,
    crash,
    database_at,
    opened,
    say,
    until,
)

SMALL: dict[str, Any] = {"immediate_window": 4, "recent_window": 4}
DATED = re.compile(r"recent-\d{8}-\d{6}(-\d+)?\.md")
S1_KEYS = [
    "session_id",
    "system_state",
    "facts",
    "recent_history",
    "long_term_summary",
    "active_tasks",
    "tool_stats",
    "last_known_environment",
    "token_usage",
]


def context_of(memory: Memory, directory: Path) -> Any:
    return json.loads(context_file(memory, directory).read_text(encoding="utf-8"))


def context_file(memory: Memory, directory: Path) -> Path:
    return directory / "vault" / context_path(memory.info.id)


def summaries_of(memory: Memory, directory: Path) -> dict[str, str]:
    folder = directory / "vault" / summaries_folder("default", memory.info.id)
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*")}


def every_file(directory: Path) -> dict[str, bytes]:
    root = directory / "vault"
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


def numbered_model() -> ScriptedModel:
    """Writes another summary each time."""
    model = ScriptedModel()
    model.script = lambda _: f"Ada moved Falcon to Lisbon, step {len(model.requests)}."
    return model


# -- what the files say


async def test_the_context_has_the_shape_of_s1(tmp_path: Path) -> None:
    """STORE-3: all keys of S1's file, the live window as its history, both summaries as one."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 13)
        document = context_of(memory, tmp_path)
        view = memory.snapshot()

    assert list(document) == [*S1_KEYS, "strata"]
    assert document["session_id"] == memory.info.id
    history = document["recent_history"]
    assert [entry["number"] for entry in history] == list(range(10, 14))
    assert [entry["role"] for entry in history] == ["assistant", "user", "assistant", "user"]
    assert all(isinstance(entry["timestamp"], int) for entry in history)
    assert [entry["token_count"] for entry in history] == [30] * 4
    assert view.long_term
    assert view.short_term
    assert document["long_term_summary"] == f"{view.long_term.text}\n\n{view.short_term.text}"
    assert set(document["last_known_environment"]) == {
        "workspace",
        "last_update",
        "system_snapshot",
    }
    assert set(document["tool_stats"]) == {"total_calls", "by_tool", "failures"}
    assert set(document["token_usage"]) == {"total_input", "total_output", "by_session"}


async def test_what_s1_has_no_place_for_stands_beside_it(tmp_path: Path) -> None:
    """STORE-3: ranges, versions and makers of the summaries; calls, results, marks of messages."""
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await memory.add("system", "Answer in verse.")
        await say(memory, 12)
        await memory.add("assistant", "", tool_calls=[call], reasoning={"reasoning_content": "hm"})
        await memory.add("tool", "ok", tool_call_id="c1", origin="tool")
    document = context_of(memory, tmp_path)

    own = document["strata"]
    assert own["version"] == 1
    assert (own["agent"], own["title"], own["messages"]) == ("default", SESSION, 15)
    assert (own["long_term"]["from"], own["short_term"]["to"]) == (1, 9)
    assert own["short_term"]["by"] == "model"
    assert own["short_term"]["model"] == "scripted"
    assert [entry["content"] for entry in own["pinned"]] == ["Answer in verse."]
    caller, result = document["recent_history"][-2:]
    assert caller["metadata"]["tool_calls"] == [call]
    assert caller["metadata"]["reasoning"] == {"reasoning_content": "hm"}
    assert result["metadata"]["tool_call_id"] == "c1"
    assert result["metadata"]["origin"] == "tool"


async def test_the_summaries_are_files_of_their_own(tmp_path: Path) -> None:
    """STORE-3, S4: the two that hold now, and one short-term summary for every cascade."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
        assert set(summaries_of(memory, tmp_path)) >= {"recent.md"}
        assert "longterm.md" not in summaries_of(memory, tmp_path)
        await say(memory, 8)
        files, view = summaries_of(memory, tmp_path), memory.snapshot()
        records = await memory.compactions()

    assert view.long_term
    assert view.short_term
    assert files["recent.md"].endswith(f"---\n\n{view.short_term.text}\n")
    assert files["longterm.md"].endswith(f"---\n\n{view.long_term.text}\n")
    assert 'summary: "long-term"\nfrom: 1\nto: 9\n' in files["longterm.md"]
    dated = [name for name in files if DATED.fullmatch(name)]
    assert len(dated) == len(records) == 3
    seconds = {record.at[:19].replace("-", "").replace(":", "") for record in records}
    assert {name[7:22].replace("-", "T") for name in dated} == seconds
    steps = [re.search("step [0-9]+", files[name]) for name in dated]
    assert len({step[0] for step in steps if step}) == 3


async def test_cascades_within_one_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-3: the second one ends in -2, and none is overwritten."""
    monkeypatch.setattr("memory.storage.log.utc_now", lambda: "2026-05-04T03:02:01.000Z")
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 17)
    names = {name for name in summaries_of(memory, tmp_path) if DATED.fullmatch(name)}
    start = "recent-20260504-030201"
    assert names == {f"{start}.md", f"{start}-2.md", f"{start}-3.md"}


async def test_text_that_is_no_text(tmp_path: Path) -> None:
    """ALL-8: no terminal obeys a file, and no summary ends the part before it."""
    evil = "---\nsession: x\n---\n\x1b[31mred\u202e\x9b1m\r\nend\x7f"
    async with opened(tmp_path, model=ScriptedModel((evil,)), **SMALL) as memory:
        await memory.rename("a\ntitle: \u202eb")
        await memory.add("user", evil)
        await say(memory, 9)
    for name, data in every_file(tmp_path).items():
        text = data.decode()
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), name
    head, _, body = summaries_of(memory, tmp_path)["recent.md"].partition("\n---\n\n")
    assert head.count("session: ") == 1
    assert body == "---\nsession: x\n---\n\\x1b[31mred\\u202e\\x9b1m\nend\\x7f\n"
    assert context_of(memory, tmp_path)["strata"]["title"] == "a title: \u202eb"


# -- when they are written


async def test_they_follow_undo_and_redo(tmp_path: Path) -> None:
    """STORE-3, COMPACT-11: they show what holds; what a cascade wrote stays as its dated file."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
        await memory.settled()
        before = summaries_of(memory, tmp_path)
        await memory.undo()
        await memory.settled()
        undone = summaries_of(memory, tmp_path)
        assert set(undone) == set(before) - {"recent.md"}
        assert len(context_of(memory, tmp_path)["recent_history"]) == 9
        await memory.redo()
        await memory.settled()
        assert summaries_of(memory, tmp_path) == before


async def test_they_are_written_at_the_end(tmp_path: Path) -> None:
    """STORE-3: also where nothing was ever compacted; and nothing for a session without words."""
    async with opened(tmp_path) as memory:
        await memory.settled()
    assert every_file(tmp_path) == {}
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")
        assert every_file(tmp_path) == {}
    assert [entry["content"] for entry in context_of(memory, tmp_path)["recent_history"]] == [
        "Hello"
    ]
    assert summaries_of(memory, tmp_path) == {}


async def test_what_has_not_changed_is_not_written(tmp_path: Path) -> None:
    """STORE-3: a session that was only looked at leaves its files alone."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "vault").rglob("*")}
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await memory.settled()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "vault").rglob("*")} == times


async def test_a_file_that_is_missing_comes_back(tmp_path: Path) -> None:
    """STORE-3: the database is the truth, and the files follow it."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
    before = every_file(tmp_path)
    for path in list((tmp_path / "vault").rglob("*.md")):
        path.unlink()
    async with opened(tmp_path, **SMALL):
        pass
    assert every_file(tmp_path) == before


async def test_it_can_be_switched_off(tmp_path: Path) -> None:
    """STORE-3: then there is no folder at all."""
    async with opened(tmp_path, model=numbered_model(), vault=False, **SMALL) as memory:
        await say(memory, 9)
    assert not (tmp_path / "vault").exists()


async def test_a_turn_waits_for_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-3: a disk that stalls holds up neither the compaction nor the next prompt."""
    release = threading.Event()
    write = Vault.write

    def stalled(vault: Vault, files: Any) -> list[str]:
        assert release.wait(60)
        return write(vault, files)

    monkeypatch.setattr(Vault, "write", stalled)
    async with opened(tmp_path, model=numbered_model(), compaction="wait", **SMALL) as memory:
        for number in range(9):
            await memory.add("user", f"Note {number}: Ada moved the launch of Falcon to Lisbon.")
        prompt = await memory.prompt()
        assert memory.state.compactions == 1
        assert "step 1" in str(prompt.messages)
        assert every_file(tmp_path) == {}
        release.set()
        await memory.settled()
        assert context_of(memory, tmp_path)["strata"]["short_term"]["to"] == 5


async def test_one_write_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-3: what comes during a write is written after it, once."""
    release = threading.Event()
    running, most, writes = 0, 0, 0
    write = Vault.write

    def counted(vault: Vault, files: Any) -> list[str]:
        nonlocal running, most, writes
        running, writes = running + 1, writes + 1
        most = max(most, running)
        assert release.wait(60)
        running -= 1
        return write(vault, files)

    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
        monkeypatch.setattr(Vault, "write", counted)
        for _ in range(4):
            await memory.undo()
            await memory.redo()
            await until(lambda: writes == 1)
        release.set()
        await memory.settled()
        assert (writes, most) == (2, 1)
    assert context_of(memory, tmp_path)["strata"]["short_term"]["to"] == 5


async def test_a_reader_writes_nothing(tmp_path: Path) -> None:
    """STORE-5: only the process that holds the session writes its files."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")
        memory._journal.lost = Conflict("Another took it.")
    assert every_file(tmp_path) == {}


# -- when it goes wrong


async def test_a_disk_that_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """STORE-3, ALL-2: one warning that names the file; the conversation goes on."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    notices: list[Notice] = []
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        memory.watch_compaction(notices.append)
        monkeypatch.setattr(os, "replace", full)
        with caplog.at_level(logging.WARNING):
            await say(memory, 17)
        assert memory.state.compactions == 3
    warnings = [notice for notice in notices if isinstance(notice, StrataError)]
    assert len(warnings) == 1
    assert "No space left on device" in str(warnings[0])
    assert "safe in the database" in str(warnings[0])
    assert caplog.text.count("vault:") >= 3
    assert every_file(tmp_path) == {}, "what was begun is taken away again"

    monkeypatch.undo()
    async with opened(tmp_path, **SMALL) as memory:
        await memory.settled()
    assert len(summaries_of(memory, tmp_path)) == 5, "once there is room, nothing is missing"


async def test_a_place_that_is_taken(tmp_path: Path) -> None:
    """STORE-3: a file where the folder should be stops nothing."""
    (tmp_path / "vault").write_text("mine")
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
        assert memory.state.compactions == 1
    assert (tmp_path / "vault").read_text() == "mine"


async def test_a_damaged_file_is_kept_aside(tmp_path: Path) -> None:
    """STORE-4: it is never overwritten, and the message says where it is."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 3)
    path = context_file(memory, tmp_path)
    notices: list[Notice] = []
    for damage in ("{half", ""):
        path.write_text(damage)
        async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
            memory.watch_compaction(notices.append)
            await say(memory, 8)
    assert context_of(memory, tmp_path)["strata"]["messages"] == 19
    assert path.with_name(f"{path.name}.damaged").read_text() == "{half"
    assert path.with_name(f"{path.name}.damaged-2").read_text() == ""
    warnings = [str(notice) for notice in notices if isinstance(notice, StrataError)]
    assert len(warnings) == 2
    assert path.name in warnings[0]
    assert "kept as" in warnings[0]


async def test_what_a_kill_leaves_is_cleared(tmp_path: Path) -> None:
    """STORE-3: at the next start of the session, and of no other one."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
    files = every_file(tmp_path)
    context = context_file(memory, tmp_path)
    summaries = tmp_path / "vault" / summaries_folder("default", memory.info.id)
    left = (
        context.with_name(f".{context.name}.0123abcd.tmp"),
        summaries / ".recent.md.0123abcd.tmp",
    )
    other = context.with_name(".another.json.0123abcd.tmp")
    for path in (*left, other):
        path.write_text("half")
    async with opened(tmp_path, **SMALL) as memory:
        await memory.settled()
        assert not any(path.exists() for path in left)
    other.unlink()
    assert every_file(tmp_path) == files


async def test_a_killed_session_writes_what_it_missed(tmp_path: Path) -> None:
    """STORE-2, STORE-3: after a kill between commit and file the next end mends them."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 8)
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await memory.add("user", "The ninth message makes a cascade due, of some length as well.")
        await memory._upkeep.settled()
        crash(memory)
        memory._journal.lease = None
    assert memory.state.compactions == 1
    assert "recent.md" not in summaries_of(memory, tmp_path)
    async with opened(tmp_path, wish=Wish(take_over=True), **SMALL):
        pass
    assert context_of(memory, tmp_path)["strata"]["short_term"]["to"] == 5
    assert len(summaries_of(memory, tmp_path)) == 2


# -- when the session goes


async def test_a_deleted_session_takes_its_files_along(tmp_path: Path) -> None:
    """STORE-3, ALL-8: with what was kept aside and what was begun; another session's stay."""
    async with opened(tmp_path, model=numbered_model(), session="one", **SMALL) as one:
        await say(one, 9)
    async with opened(tmp_path, session="two", **SMALL) as two:
        await say(two, 3)
    context = context_file(one, tmp_path)
    context.with_name(f"{context.name}.damaged").write_text("x")
    context.with_name(f".{context.name}.00.tmp").write_text("x")

    async with database_at(tmp_path) as database:
        await Sessions(database).delete("one")
    assert set(every_file(tmp_path)) == {str(context_path(two.info.id))}
    assert not (tmp_path / "vault" / session_folder("default", one.info.id)).exists()


async def test_files_that_cannot_be_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-3: then the session stays as well, and the message names the file."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")

    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    async with database_at(tmp_path) as database:
        sessions = Sessions(database)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "unlink", refuse)
            with pytest.raises(VaultFailed, match="can't be removed: Permission denied"):
                await sessions.delete(SESSION)
        assert (await sessions.find(SESSION)).messages == 1
        await sessions.delete(SESSION)
        with pytest.raises(UnknownSession):
            await sessions.find(SESSION)


async def test_a_new_title_moves_nothing(tmp_path: Path) -> None:
    """STORE-3: the folder is named after the id; the title stands inside."""
    async with opened(tmp_path) as memory:
        await memory.add("user", "Hello")
    before = set(every_file(tmp_path))
    async with opened(tmp_path) as memory:
        await memory.rename("another")
    assert set(every_file(tmp_path)) == before
    assert context_of(memory, tmp_path)["strata"]["title"] == "another"


# -- and back


async def restored(document: Any, directory: Path, **settings: Any) -> tuple[Memory, Any, Any]:
    """The session of a document in another directory, its snapshot and its prompt."""
    async with opened(
        directory, session="again", counter=DenseCounter(), chat=chat_model(), **settings
    ) as memory:
        await memory.restore(read_context(document, "a.json"))
        prompt = await memory.prompt("And now?")
        return memory, memory.snapshot(), prompt


@pytest.mark.skipif(os.name == "nt", reason="folders are synced on POSIX")
def test_a_file_system_that_syncs_no_folders_takes_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """STORE-3: as some of networks do; SQLite does without as well."""
    sync = os.fsync

    def files_only(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "Invalid argument")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", files_only)
    assert Vault(tmp_path / "vault").write({"context/one.json": "{}"}) == []
    assert (tmp_path / "vault" / "context" / "one.json").read_text() == "{}"


@pytest.mark.parametrize("count", [3, 9, 13, 40])
async def test_a_restored_session_has_the_same_prompt(tmp_path: Path, count: int) -> None:
    """STORE-3, I1: the same summaries, messages and figures; messages keep their numbers."""
    call = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    async with opened(
        tmp_path / "a", model=numbered_model(), counter=DenseCounter(), chat=chat_model(), **SMALL
    ) as memory:
        await memory.add("system", "Answer in verse.")
        await say(memory, count)
        await memory.add("assistant", "", tool_calls=[call], reasoning={"reasoning_content": "hm"})
        await memory.add("tool", "", tool_call_id="c1")
        await memory.add("system", "And briefly.")
        await memory.settled()
        prompt, view = await memory.prompt("And now?"), memory.snapshot()
    document = context_of(memory, tmp_path / "a")

    again, seen, same = await restored(document, tmp_path / "b", **SMALL)

    assert same.messages == prompt.messages
    assert same.sections == prompt.sections
    assert [replace(piece, ref=None) for piece in same.pieces] == [
        replace(piece, ref=None) for piece in prompt.pieces
    ]
    assert (seen.messages, seen.verbatim) == (view.messages, view.verbatim)
    assert (seen.long_term, seen.short_term) == (view.long_term, view.short_term)
    assert seen.context == view.context
    assert seen.next_compaction == view.next_compaction
    twice = context_of(again, tmp_path / "b")
    assert without_times(twice) == without_times(document)


def without_times(part: Any) -> Any:
    """The document without ids, times, title and origin, which are the new session's own."""
    if isinstance(part, list):
        return [without_times(entry) for entry in part]
    if not isinstance(part, dict):
        return part
    own = {"session_id", "timestamp", "at", "last_update", "title", "origin"}
    return {key: without_times(entry) for key, entry in part.items() if key not in own}


async def test_a_restored_session_goes_on(tmp_path: Path) -> None:
    """STORE-3, I1, I6: it is said into, compacted and undone like any other."""
    async with opened(tmp_path / "a", model=numbered_model(), **SMALL) as memory:
        await say(memory, 13)
    document = context_of(memory, tmp_path / "a")
    async with opened(tmp_path / "b", model=numbered_model(), **SMALL) as memory:
        await memory.restore(read_context(document, "a.json"))
        folding = memory.state.folding
        assert memory.state.before_log == 9
        await say(memory, 4)
        log = await memory.log()
        assert [e.event.ref.number for e in log if isinstance(e.event, Message)] == list(
            range(10, 18)
        )
        (compacted,) = [e.event for e in log if isinstance(e.event, Compacted)]
        assert compacted.long_term
        assert compacted.short_term
        assert (compacted.long_term.first, compacted.long_term.last) == (1, 9)
        assert (compacted.short_term.first, compacted.short_term.last) == (10, 13)
        assert compacted.short_term.version == 3
        await memory.undo()
        assert memory.state.folding.short_term == folding.short_term
        assert [ref.number for ref in memory.state.folding.verbatim] == list(range(10, 18))
        assert (await memory.sessions.find(SESSION)).messages == 17
    async with opened(tmp_path / "b", **SMALL) as memory:
        assert memory.state.messages == 17


async def test_it_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    """STORE-3: into a session in which something was said, nothing is restored."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
        kept = read_context(context_of(memory, tmp_path), "a.json")
        n = memory.state.n
        with pytest.raises(StrataError, match="already"):
            await memory.restore(kept)
        assert memory.state.n == n
    async with opened(tmp_path, session="fresh", **SMALL) as memory:
        await memory.restore(kept)
        events = [e.event for e in await memory.log() if isinstance(e.event, SessionRestored)]
        assert [event.source for event in events] == [kept.session]


async def test_secrets_do_not_come_in_through_a_file(tmp_path: Path) -> None:
    """PRIV: what is restored passes the same door as what is said."""
    async with opened(tmp_path / "a", model=numbered_model(), **SMALL) as memory:
        await say(memory, 9)
    document = context_of(memory, tmp_path / "a")
    key = "sk-" + "a" * 30
    document["recent_history"][0]["content"] = f"my key is {key}"
    document["strata"]["short_term"]["text"] = f"The key is {key}."
    _, _, prompt = await restored(document, tmp_path / "b", **SMALL)
    assert key not in str(prompt.messages)
    assert str(prompt.messages).count("[redacted: API key]") == 2


def set_in(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        *way, last = path
        for step in way:
            document = document[step]
        document[last] = value

    return change


DAMAGE: list[tuple[Callable[[Any], None], str]] = [
    (lambda d: d.pop("strata"), "which messages"),
    (set_in("strata", "version", value=2), "newer"),
    (set_in("strata", "messages", value=14), "all of its 14 messages"),
    (lambda d: d["recent_history"].pop(0), "all of its 13 messages"),
    (set_in("recent_history", 0, "number", value=1), "all of its 13 messages"),
    (set_in("recent_history", 0, "number", value="10"), "recent_history.0.number"),
    (set_in("recent_history", 0, "role", value="root"), "recent_history.0.role"),
    (set_in("recent_history", 0, "content", value=None), "recent_history.0.content"),
    (set_in("recent_history", value=7), "recent_history"),
    (set_in("strata", "long_term", value=None), "all of its 13 messages"),
    (set_in("strata", "long_term", "from", value=0), "strata.long_term.from"),
    (set_in("strata", "long_term", "time", value="soon"), "a time such as"),
    (set_in("strata", "last_cascade", value=99), "no cascade after"),
    (set_in("session_id", value=""), "session_id"),
]


@pytest.mark.parametrize(("damage", "words"), DAMAGE, ids=range(len(DAMAGE)))
async def test_a_damaged_document(
    tmp_path: Path, damage: Callable[[Any], None], words: str
) -> None:
    """STORE-4: one sentence that names the file and what is wrong in it."""
    async with opened(tmp_path, model=numbered_model(), **SMALL) as memory:
        await say(memory, 13)
    document = context_of(memory, tmp_path)
    damage(document)
    with pytest.raises(UnreadableContext) as error:
        read_context(document, "a.json")
    assert str(error.value).startswith("a.json can't be restored")
    assert words in str(error.value)
    assert "Nothing was imported" in str(error.value)
    assert "\n" not in str(error.value)
