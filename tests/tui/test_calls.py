"""Calls of tools in the conversation: one line each, unfolded by a key, live while they run."""

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from memory.wish import Wish
from tests.tui.calls import Turn, called
from tests.tui.conftest import OpenChat, fill, memory_in
from tests.tui.reading import reading
from widgets.calls import call_rows, call_text, telling_argument
from widgets.copying import plain_text
from widgets.entries import CallEntry, MessageEntry

pytestmark = pytest.mark.asyncio(loop_scope="session")

NASTY = "\x1b[2J\x1b]0;t\x07 [bold]x[/] [/] \u202eabc 日本 👩‍👩‍👧 \x9b3m e\u0301\u200b\ttab"
READ = CallEntry(
    "read_file", '{"path": "notes/flats.md"}', "done", 8, "Saldanha\n" * 400, seconds=0.02
)


def drawn(entry: CallEntry, width: int = 80, *, unfolded: bool = False) -> list[str]:
    return [row.text for row in call_rows(entry, width, unfolded=unfolded)]


async def test_a_call_is_one_line() -> None:
    """CHAT-10: mark, tool, what it is about, size and duration."""
    assert drawn(READ) == ["▸ read_file notes/flats.md   3.6 kB · 0.02 s"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"path": "a.txt", "first": 3}', "a.txt"),
        ('{"path": "src", "query": "def main"}', "def main"),
        ('{"shell": true, "command": "make\\n  all"}', "make all"),
        ('{"server": "x", "n": 2}', "x"),
        ('{"n": 2}', '{"n": 2}'),
        ("{}", ""),
        ("not json", "not json"),
        ("[1, 2]", "[1, 2]"),
        ("[" * 5_000, "[" * 4_000),
    ],
)
async def test_the_telling_argument_is_shown(arguments: str, told: str) -> None:
    """CHAT-10: a path, a command, a query; the whole where nothing stands out."""
    assert telling_argument(arguments)[0] == told


async def test_a_long_path_keeps_its_end_and_a_command_its_beginning() -> None:
    """CHAT-10: what is cut says least."""
    path = CallEntry("read_file", json.dumps({"path": "a/" * 60 + "end.py"}), "done", 1, "x")
    assert drawn(path, 60)[0].endswith("a/end.py   1 B")
    assert " …" in drawn(path, 60)[0]
    command = CallEntry("run_command", json.dumps({"command": "make " * 40}), "done", 1, "x")
    assert drawn(command, 60)[0].startswith("▸ run_command make make")
    assert drawn(command, 60)[0].endswith("…   1 B")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("failed", "✗ failed: file not found"),
        ("stopped", "stopped"),
        ("unanswered", "no result"),
        ("running", "● running 12 s"),
        ("asking", "? waits for your answer"),
    ],
)
async def test_every_state_has_words(state: str, words: str) -> None:
    """CHAT-10, VIEW-8: hue is never the only sign."""
    entry = CallEntry("f", "{}", state, error="FileNotFound", seconds=12.0)  # type: ignore[arg-type]
    assert words in drawn(entry)[0]


async def test_unfolded_it_shows_arguments_and_result() -> None:
    """CHAT-10: JSON and the beginning of the result, with the way to the rest."""
    long = CallEntry("f", '{"a": {"b": 1}}', "done", 8, "word " * 4_000, handle="c3")
    rows = drawn(long, unfolded=True)
    assert rows[0].startswith("▾ f")
    assert rows[1:3] == ["  arguments", '  {"a": {"b": 1}}']
    narrow = drawn(long, 16, unfolded=True)
    assert narrow[2:6] == ["  arguments", "  {", '    "a": {', '      "b": 1']
    assert "  result · @retrieve c3" in rows
    assert rows[-1] == "  … 12,000 more characters: @retrieve c3"
    assert len(rows) < 130
    assert "@retrieve m8" in "\n".join(drawn(READ, unfolded=True))


async def test_copied_it_is_what_it_was() -> None:
    """CHAT-5: arguments and all of the result; marked by mouse, without what is only drawn."""
    copied = call_text(READ)
    assert copied.startswith('read_file {\n  "path": "notes/flats.md"\n}\n\nSaldanha')
    assert copied.count("Saldanha") == 400
    marked = plain_text(call_rows(READ, 80, unfolded=True))
    assert 'arguments\n{"path": "notes/flats.md"}\nresult' in marked
    assert "▾" not in marked


@pytest.mark.parametrize("width", [2, 3, 9, 16, 24, 40, 80])
@pytest.mark.parametrize("unfolded", [False, True])
async def test_nothing_is_obeyed_and_everything_fits(width: int, *, unfolded: bool) -> None:
    """ALL-8: escapes, brackets, wide and turned text in each field, at every width."""
    for state in ("running", "done", "failed", "asking"):
        entry = CallEntry(
            NASTY, json.dumps({"command": NASTY * 3}), state, 3, NASTY * 5, NASTY, 3.0, NASTY, NASTY
        )
        for row in call_rows(entry, width, unfolded=unfolded):
            assert cell_len(row.text) <= width
            assert not set("\x1b\x07\x9b\u202e\n\t").intersection(row.text)


async def test_five_megabytes_are_quick() -> None:
    """ALL-7: no more is drawn than anybody reads."""
    entry = CallEntry("f", json.dumps({"text": "x" * 5_000_000}), "done", 3, "y" * 5_000_000)
    assert len(call_rows(entry, 80, unfolded=True)) < 200


# -- unfolding


def talk(calls: int) -> list[MessageEntry | CallEntry]:
    """Messages with calls below each answer that has none of its own words."""
    entries: list[MessageEntry | CallEntry] = []
    for first in range(1, calls * 3, 3):
        entries.append(MessageEntry(first, "you", f"question {first}", ("14:02",)))
        entries.append(MessageEntry(first + 1, "strata", "", ("14:02",), calls=True))
        arguments = json.dumps({"path": f"file-{first}.md"})
        entries.append(CallEntry("read_file", arguments, "done", first + 2, "line\n" * 30))
    return entries


async def test_calls_stand_below_each_other() -> None:
    """CHAT-10: without empty rows, and without a heading where the model said nothing between."""
    async with reading() as reader:
        reader.transcript.show(
            [
                MessageEntry(1, "you", "Read them.", ("14:02",)),
                MessageEntry(2, "strata", "", ("14:02", "1.9 s"), calls=True),
                CallEntry("read_file", '{"path": "a"}', "done", 3, "x"),
                CallEntry("read_file", '{"path": "b"}', "done", 4, "x"),
                MessageEntry(5, "strata", "", ("14:02", "0.9 s"), calls=True),
                CallEntry("read_file", '{"path": "c"}', "done", 6, "x"),
                MessageEntry(7, "strata", "And one more:", ("14:03",), calls=True),
                CallEntry("read_file", '{"path": "d"}', "done", 8, "x"),
                MessageEntry(9, "strata", "Done.", ("14:03",)),
            ]
        )
        assert reader.app.seen[:18] == [
            "you  14:02",
            "Read them.",
            "",
            "strata  14:02  1.9 s",
            "▸ read_file a   1 B",
            "▸ read_file b   1 B",
            "▸ read_file c   1 B",
            "",
            "strata  14:03",
            "And one more:",
            "",
            "▸ read_file d   1 B",
            "",
            "strata  14:03",
            "Done.",
            "",
            "",
            "",
        ]


async def test_a_reader_goes_from_call_to_call() -> None:
    """CHAT-7: by keys; what is not drawn is not chosen."""
    async with reading() as reader:
        reader.transcript.show(
            [
                CallEntry("f", '{"path": "a"}', "done", 3, "x"),
                MessageEntry(5, "strata", "", calls=True),
                CallEntry("f", '{"path": "c"}', "done", 6, "x"),
            ]
        )
        reader.transcript.focus()
        await reader.pilot.pause()
        assert reader.transcript.chosen == CallEntry("f", '{"path": "c"}', "done", 6, "x")
        await reader.pilot.press("up")
        assert reader.transcript.chosen == CallEntry("f", '{"path": "a"}', "done", 3, "x")
        await reader.pilot.press("c")
        assert reader.app.copied == [('f {\n  "path": "a"\n}\n\nx', "call")]


@pytest.mark.parametrize("pages", [0, 1, 5])
async def test_unfolding_moves_no_reader(pages: int) -> None:
    """CHAT-10: what stands above a call stays in its row, at the end as well."""
    async with reading() as reader:
        reader.transcript.show(talk(30))
        for _ in range(pages):
            await reader.page(-1)
        reader.transcript.focus()
        await reader.pilot.pause()
        calls = [y for y, row in enumerate(reader.app.seen) if row.startswith("▸")]
        y = calls[len(calls) // 2]
        before = reader.app.seen
        await reader.pilot.click("#transcript", offset=(3, y))
        await reader.until(lambda: reader.app.seen[y].startswith("▾"))
        assert reader.app.seen[:y] == before[:y]
        assert reader.app.seen[y + 1] == "  arguments"
        # What is unfolded can be clicked without folding it.
        await reader.pilot.click("#transcript", offset=(3, y + 1))
        await reader.pilot.pause()
        assert reader.app.seen[y].startswith("▾")
        await reader.pilot.press("enter")
        await reader.until(lambda: reader.app.seen == before)


async def test_folding_from_within_goes_to_its_line() -> None:
    """CHAT-10: a reader in the middle of a result finds the call again."""
    async with reading() as reader:
        reader.transcript.show(talk(30))
        reader.transcript.focus()
        await reader.pilot.pause()
        await reader.pilot.press("enter")
        await reader.page(1)
        assert not any(row.startswith(("▸", "▾")) for row in reader.app.seen)
        await reader.pilot.press("enter")
        assert any(row.startswith("▸ read_file file-88.md") for row in reader.app.seen)


async def test_many_calls_stay_flat() -> None:
    """ALL-7: of five thousand messages only those near the reader are here."""
    async with reading() as reader:
        reader.app.messages = 5_000
        reader.app.answering = False
        reader.transcript.show(talk(200))
        reader.transcript.go_to_start()
        await reader.pilot.pause()
        made = sum(block.rows is not None for block in reader.transcript.sheet.blocks)
        assert made < 150


# -- live


async def test_a_call_runs_in_sight_and_ends(open_chat: OpenChat) -> None:
    """CHAT-10: its line says that it runs, with the last rows of its output; then what came."""
    async with open_chat() as chat:
        await chat.ready()
        turn = Turn.begin(chat)
        turn.asks()
        turn.says("", called("t1", command="make test"))
        assert "▸ run_command make test   waits" in chat.seen
        turn.calls("t1", "run_command", command="make test")
        turn.shows("t1", "one\ntwo\nthree\nfour\n\x1b[31mfive\x1b[0m\nsix\x1b[3")
        await chat.until(lambda: "  │ six" in chat.seen)
        at = next(y for y, row in enumerate(chat.seen) if "run_command" in row)
        assert chat.seen[at].startswith("▸ run_command make test   ● running")
        assert chat.seen[at + 1 : at + 5] == ["  │ three", "  │ four", "  │ five", "  │ six"]
        assert chat.state.startswith("running run_command")
        await chat.until(lambda: chat.state == "running run_command, 1 s")
        assert "running 1 s" in chat.seen[at]
        turn.ends("t1", "run_command", "all is well", ok=False, error="ExitCode", seconds=1.2)
        await chat.pilot.pause()
        assert (
            chat.seen[at]
            == "▸ run_command make test   ✗ failed: ended with an error · 11 B · 1.2 s"
        )
        turn.asks()
        assert chat.state == "waiting for the model"
        turn.says("It failed.")
        turn.view.close()
        await chat.ready()
        assert [entry.text for entry in chat.messages] == ["", "It failed."]


async def test_calls_beside_each_other_keep_their_order(open_chat: OpenChat) -> None:
    """CHAT-10: each ends in its own line, whichever is first; the status counts them."""
    async with open_chat() as chat:
        await chat.ready()
        turn = Turn.begin(chat)
        turn.asks()
        made = [called(name, "read_file", path=f"{name}.md") for name in "abcd"]
        turn.says("I look at them.", *made)
        for name in ("a", "b", "c"):
            turn.calls(name, "read_file", path=f"{name}.md")
        assert chat.state == "running 3 tools"
        turn.ends("b", "read_file", "x")
        turn.ends("a", "read_file", "x")
        await chat.pilot.pause()
        calls = [row for row in chat.seen if row.startswith("▸")]
        assert [row.split()[2] for row in calls] == ["a.md", "b.md", "c.md", "d.md"]
        assert calls[3].endswith("   waits")
        turn.view.close()
        await chat.pilot.pause()
        assert calls[2].endswith("● running")
        assert "▸ read_file c.md   stopped" in chat.seen
        assert "▸ read_file d.md   stopped" in chat.seen


async def test_the_log_shows_what_was_seen_live(open_chat: OpenChat, data: Path) -> None:
    """CHAT-10: a call and its result are one line after a restart as well."""
    call = {"id": "x", "type": "function"}
    asked = [
        {**call, "function": {"name": "read_file", "arguments": '{"path": "a.md"}'}},
        {**call, "id": "y", "function": {"name": "read_file", "arguments": '{"path": "b.md"}'}},
    ]
    async with memory_in(data) as memory:
        await memory.add("user", "Read them.")
        await memory.add("assistant", "", tool_calls=asked)
        await memory.add("tool", "text of a", tool_call_id="x")
        await memory.add("tool", "text of b", tool_call_id="y")
        ran = {"tool": "read_file", "arguments": "{}", "result": "text"}
        await memory.execution.ran(**ran, ok=True, duration_s=0.4, number=3)
        await memory.execution.ran(**ran, ok=False, error="TooLarge", duration_s=0.03, number=4)
        await memory.add("assistant", "Read.")
        await memory.add("assistant", "", tool_calls=asked)
    async with open_chat() as chat:
        await chat.ready()
        assert [row for row in chat.seen if row.startswith("▸")] == [
            "▸ read_file a.md   9 B · 0.4 s · kept as c1",
            "▸ read_file b.md   ✗ failed: too large · 9 B · 0.03 s · kept as c2",
            "▸ read_file a.md   no result",
            "▸ read_file b.md   no result",
        ]
        assert [entry.number for entry in chat.messages] == [1, 2, 5, 6]


async def test_a_result_on_another_page_finds_its_call(open_chat: OpenChat, data: Path) -> None:
    """ALL-7: the log is read in stretches, which may part a call from its result."""
    async with memory_in(data) as memory:
        await fill(memory, 100, "words")
        for number in range(80):
            function = {"name": "read_file", "arguments": json.dumps({"path": f"{number}.md"})}
            call = [{"id": "same", "type": "function", "function": function}]
            await memory.add("assistant", "", tool_calls=call)
            await memory.add("tool", f"text {number}", tool_call_id="same")
    async with open_chat(memory__policy="none") as chat:
        await chat.ready()
        seen = set[str]()
        while chat.transcript.scroll_offset.y > 0:
            seen |= {row.split()[2] for row in chat.seen if row.startswith("▸")}
            await chat.press("pageup")
            await chat.until(lambda: chat.transcript._asked is None)
        assert seen == {f"{number}.md" for number in range(80)}
        assert not any(entry.speaker == "tool" for entry in chat.messages)


async def test_calls_of_another_process_are_joined_as_they_come(
    open_chat: OpenChat, data: Path
) -> None:
    """STORE-5, CHAT-10: who only reads sees each call once, with how it went."""
    function = {"name": "read_file", "arguments": '{"path": "a.md"}'}
    call = [{"id": "x", "type": "function", "function": function}]
    async with memory_in(data) as memory:
        await memory.add("user", "Read it.")
        async with open_chat(wish=Wish(label="the chat", read_only=True)) as chat:
            await chat.until(lambda: chat.state == "read-only" and chat.messages)
            await memory.add("assistant", "", tool_calls=call)
            done = await memory.add("tool", "text of a", tool_call_id="x")
            await chat.until(lambda: "▸ read_file a.md   9 B · kept as c1" in chat.seen)
            await memory.execution.ran(
                tool="read_file",
                arguments="{}",
                result="text",
                ok=False,
                error="TooLarge",
                duration_s=2.0,
                number=done.number,
            )
            row = "▸ read_file a.md   ✗ failed: too large · 9 B · 2.0 s · kept as c1"
            await chat.until(lambda: row in chat.seen)
            assert sum("read_file" in line for line in chat.seen) == 1
