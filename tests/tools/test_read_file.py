"""CHAT-10: read_file gives the text to the letter, in parts, and says what it can't read."""

import asyncio
import codecs
import os
import re
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.schema import ToolsSettings
from app.tools import reading
from app.tools.tool import ToolResult, schema_of
from app.tools.workspace import Workspace
from tests.tools.file_desk import FileDesk

NEXT = re.compile(r"Read on with first_line=(\d+)(?:, first_char=(\d+))?\.\)\Z")


@pytest.fixture
def desk(tmp_path: Path) -> FileDesk:
    return FileDesk(tmp_path.resolve())


async def read(desk: FileDesk, content: str | bytes, **arguments: Any) -> ToolResult:
    data = content.encode() if isinstance(content, str) else content
    (desk.workspace / "file.txt").write_bytes(data)
    return await desk.run("read_file", path="file.txt", **arguments)


def content(result: ToolResult) -> str:
    """The text without the footer."""
    return result.text[: result.text.rindex("\n(file.txt")]


async def test_a_file_is_read_to_the_letter(desk: FileDesk) -> None:
    """CHAT-10: tabs, control characters, line ends and blanks at the end stay."""
    text = "a\tb  \r\n\x1b[31mred\x1b[0m\x07\n\n  [bold]é – 漢字 🦘\n\n"
    result = await read(desk, text)
    assert result.ok
    assert result.text == f"{text}\n(file.txt: all 5 lines, {len(text.encode())} B.)"
    assert (result.type, result.source) == ("file", "file.txt")


async def test_an_empty_file_is_said_to_be_empty(desk: FileDesk) -> None:
    result = await read(desk, "")
    assert (result.ok, result.text) == (True, "(file.txt is empty.)")


@pytest.mark.parametrize(
    ("arguments", "shown", "footer"),
    [
        ({"first_line": 2}, "b\nc", "lines 2 to 3 of 3, 5 B."),
        (
            {"first_line": 2, "lines": 1},
            "b\n",
            "lines 2 to 2 of 3, 5 B. Read on with first_line=3.",
        ),
        ({"lines": 2}, "a\nb\n", "lines 1 to 2 of 3, 5 B. Read on with first_line=3."),
        ({"lines": 3}, "a\nb\nc", "all 3 lines, 5 B."),
        ({"lines": 99, "first_line": None}, "a\nb\nc", "all 3 lines, 5 B."),
    ],
)
async def test_a_range_of_lines(
    desk: FileDesk, arguments: dict[str, Any], shown: str, footer: str
) -> None:
    """CHAT-10: lines from one on, so many, and where to read on."""
    result = await read(desk, "a\nb\nc", **arguments)
    assert result.text == f"{shown}\n(file.txt: {footer})"


@pytest.mark.parametrize("text", ["a\nb\n", "a\nb"])
async def test_a_line_past_the_end(desk: FileDesk, text: str) -> None:
    """CHAT-10: it is said how many lines there are."""
    result = await read(desk, text, first_line=3)
    assert (result.ok, result.error) == (False, "PastTheEnd")
    assert result.text == "file.txt has 2 lines only."


@given(
    st.text(
        st.characters(codec="utf-8", exclude_characters="\0", max_codepoint=0x2FFF), max_size=400
    ),
    st.integers(1, 50),
    st.integers(1, 4),
)
def test_reading_on_gives_the_whole_file(text: str, chars: int, lines: int) -> None:
    """CHAT-10: parts joined in the order that they name are the file, whatever their size."""
    text = re.sub("[\x00-\x08\x0e-\x1f\x7f]", "", text)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.path.realpath(folder))
        (path / "file.txt").write_bytes(text.encode())
        place = Workspace(path).place("file.txt")
        parts, wanted = [], reading.Wanted(chars=chars, lines=lines)
        while True:
            part = reading.read_part(place, wanted, lambda: False)
            parts.append(part.text)
            assert len(part.text) <= chars
            assert part.of == len(text.split("\n")) - text.endswith("\n") - (not text)
            if part.next_line is None:
                break
            wanted = reading.Wanted(part.next_line, lines, part.next_skipped, chars)
        assert "".join(parts) == text


async def test_a_long_file_is_cut_between_lines(tmp_path: Path) -> None:
    """CHAT-10: at most read_chars, whole lines, and reading on leads through to the end."""
    desk = FileDesk(tmp_path.resolve(), ToolsSettings(read_chars=1_000))
    text = "".join(f"line {number}\n" for number in range(1, 501))
    arguments: dict[str, Any] = {}
    joined = ""
    while True:
        result = await read(desk, text, **arguments)
        assert len(content(result)) <= 1_000
        joined += content(result)
        following = NEXT.search(result.text)
        if following is None:
            break
        assert "of 500, 4.39 kB" in result.text
        arguments = {"first_line": int(following[1])}
        assert following[2] is None
    assert joined == text


async def test_a_long_line_is_read_in_pieces(tmp_path: Path) -> None:
    """CHAT-10: a file of one line can be read to its end as well."""
    desk = FileDesk(tmp_path.resolve(), ToolsSettings(read_chars=1_000))
    text = "".join(map(str, range(1_000)))
    result = await read(desk, text)
    assert result.text.endswith(
        "lines 1 to 1 of 1, 2.89 kB. Read on with first_line=1, first_char=1001.)"
    )
    result = await read(desk, text, first_line=1, first_char=2_001)
    assert content(result) == text[2_000:]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (codecs.BOM_UTF8 + "äh\n".encode(), "äh\n"),
        (codecs.BOM_UTF16_LE + "äh\n".encode("utf-16-le"), "äh\n"),
        (codecs.BOM_UTF16_BE + "äh\n漢".encode("utf-16-be"), "äh\n漢"),
        (codecs.BOM_UTF32_LE + "äh\n".encode("utf-32-le"), "äh\n"),
        ("Grüße aus Köln\n".encode("latin-1"), "Grüße aus Köln\n"),
        ("“Grüße” aus der Stadt Köln".encode("cp1252"), "“Grüße” aus der Stadt Köln"),
        ("é".encode() * 40 + b"\xff", "é" * 40 + "\ufffd"),
    ],
    ids=["utf-8", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "a wrong byte"],
)
async def test_encodings(desk: FileDesk, data: bytes, text: str) -> None:
    """CHAT-10: marks at the beginning are obeyed, old encodings are read where it is a text."""
    result = await read(desk, data)
    assert content(result) == text


async def test_an_encoding_that_was_guessed_is_named(desk: FileDesk) -> None:
    result = await read(desk, "Grüße aus Köln\n".encode("latin-1"))
    assert result.text.endswith("(file.txt: 1 line, 15 B, read as latin-1.)")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\0", "a PDF document"),
        (b"PK\x03\x04\x14\0\0\0", "a ZIP archive"),
        (b"\x7fELF\x02\x01\x01\0", "a program"),
        (b"SQLite format 3\0", "an SQLite database"),
        (b"text, and then\0a zero byte", "binary data"),
        (bytes(range(128, 256)) * 10, "binary data"),
        (b"\x01\x02\x03\x04 control", "binary data"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8\x00\xd8", "binary data"),
    ],
)
async def test_what_is_no_text_is_told_by_kind_and_size(
    desk: FileDesk, data: bytes, kind: str
) -> None:
    """CHAT-10: binary data never reaches the model."""
    result = await read(desk, data)
    assert (result.ok, result.error) == (False, "NotText")
    assert result.text.startswith(f"file.txt is no text: it seems to be {kind}")
    assert result.text.endswith(f"{len(data)} B.") or len(data) > 999


async def test_zero_bytes_far_into_a_text_are_shown_as_such(desk: FileDesk) -> None:
    """CHAT-10: a log with a hole is read; nothing downstream meets a zero byte."""
    result = await read(desk, b"a\n" * 40_000 + b"x\0y\n", first_line=40_001)
    assert content(result) == "x\ufffdy\n"


async def test_a_missing_file_brings_near_names(desk: FileDesk) -> None:
    """CHAT-10: names that stand in the folder where the way ends."""
    (desk.workspace / "docs").mkdir()
    for name in ("README.md", "reader.py", "zzz"):
        (desk.workspace / "docs" / name).write_text("x")
    result = await desk.run("read_file", path="docs/readme.txt")
    assert (result.ok, result.error) == (False, "FileNotFound")
    assert result.text == (
        "There is no docs/readme.txt in the workspace. Near names in docs: README.md, reader.py."
    )
    result = await desk.run("read_file", path="doc/README.md")
    assert result.text == ("There is no doc in the workspace. Near names in the workspace: docs.")
    result = await desk.run("read_file", path="docs/qqqqqqqq")
    assert result.text.endswith("Nothing in docs has a name near qqqqqqqq.")


async def test_a_folder_is_to_be_listed(desk: FileDesk) -> None:
    (desk.workspace / "docs").mkdir()
    for path in ("docs", ".", ""):
        result = await desk.run("read_file", path=path)
        assert (result.ok, result.error) == (False, "IsAFolder")
        assert result.text.endswith("List it with list_files.")


async def test_a_file_is_no_folder(desk: FileDesk) -> None:
    (desk.workspace / "a.txt").write_text("x")
    result = await desk.run("read_file", path="a.txt/b.txt")
    assert (result.ok, result.error) == (False, "NotAFolder")
    result = await desk.run("list_files", path="a.txt")
    assert result.text == "a.txt is a file, not a folder. Read it with read_file."


@pytest.fixture
def nobody() -> Iterator[Path]:
    """A workspace that everybody may enter, and rights that are not root's."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(os.path.realpath(folder))
        path.chmod(0o755)
        yield path


async def test_what_may_not_be_read(nobody: Path) -> None:
    """CHAT-10: a clear sentence where the system refuses."""
    (nobody / "shut.txt").write_text("x")
    (nobody / "shut.txt").chmod(0)
    (nobody / "shut").mkdir(mode=0)
    desk = FileDesk(nobody)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65_534)
    try:
        one = await desk.run("read_file", path="shut.txt")
        two = await desk.run("list_files", path="shut")
        three = await desk.run("list_files", pattern="**/*.txt")
    finally:
        os.seteuid(me)
    assert (one.ok, one.error) == (False, "NotReadable")
    assert one.text == "shut.txt is there, but the system does not allow reading it."
    assert (two.ok, two.error) == (False, "NotReadable")
    assert "Not readable: shut." in three.text


async def test_a_huge_file_is_read_only_as_far_as_needed(desk: FileDesk) -> None:
    """CHAT-10: gigabytes cost no more than what is shown of them."""
    with (desk.workspace / "huge.log").open("wb") as file:
        file.write(b"line\n" * 200_000)
        file.truncate(50_000_000_000)
    began = time.process_time()
    result = await desk.run("read_file", path="huge.log", first_line=1_000, lines=2)
    assert time.process_time() - began < 5
    assert result.text == (
        "line\nline\n\n(huge.log: lines 1,000 to 1,001, 50 GB. Read on with first_line=1002.)"
    )


async def test_reading_far_into_a_huge_file_ends_in_time(tmp_path: Path) -> None:
    """CHAT-10: a line that is too far away is given up, and the screen is not kept waiting."""
    with (tmp_path / "huge.log").open("wb") as file:
        file.write(b"line\n" * 200_000)
        file.truncate(500_000_000_000)
    desk = FileDesk(tmp_path.resolve(), ToolsSettings(search_s=0.3))
    result = await desk.run("read_file", path="huge.log", first_line=1_000_000)
    assert (result.ok, result.error) == (False, "TimedOut")


async def test_the_thread_ends_with_its_call(tmp_path: Path) -> None:
    """CHAT-10: Esc ends a long reading as well."""
    with (tmp_path / "huge.log").open("wb") as file:
        file.write(b"line\n" * 200_000)
        file.truncate(500_000_000_000)
    desk = FileDesk(tmp_path.resolve())
    call = asyncio.create_task(desk.run("read_file", path="huge.log", first_line=1_000_000))
    await asyncio.sleep(0.2)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    async with asyncio.timeout(60):
        await asyncio.get_running_loop().shutdown_default_executor()


def test_descriptions_cost_little() -> None:
    """CHAT-10: they stand in each request: at most 130 tokens each, at four characters a token."""
    for tool in FileDesk.TOOLS.values():
        assert len(str(schema_of(tool))) < 520
