"""STORE-6: large JSON is read one conversation at a time, and files that are none are refused."""

import contextlib
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.transfer import elements, files
from app.transfer.elements import Broken, NotJson, Value, values
from app.transfer.files import Part, UnreadableFile, parts_of
from tests.transfer.exports import zipped

OBJECTS = st.lists(
    st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none() | st.text(max_size=10) | st.floats(allow_nan=False),
            lambda inner: st.lists(inner, max_size=3),
        ),
        max_size=3,
    ),
    max_size=6,
)


def pieces(text: str, length: int) -> Iterator[str]:
    return (text[at : at + length] for at in range(0, len(text), length))


@given(OBJECTS, st.integers(1, 9), st.booleans(), st.booleans())
def test_cut_anywhere(objects: list[object], length: int, ascii: bool, lines: bool) -> None:
    """STORE-6: an array or lines, in pieces of any size, give the same values."""
    each = [json.dumps(value, ensure_ascii=ascii) for value in objects]
    text = "\n".join(each) if lines else f" [{' , '.join(each)}]\n"
    assert [found.value for found in values(pieces(text, length), "x")] == objects  # type: ignore[union-attr]


@given(st.text(alphabet='[]{}",:\\ a1', max_size=40))
def test_never_another_error(text: str) -> None:
    """STORE-6: whatever the text is, there are values, broken ones, or a sentence."""
    with contextlib.suppress(NotJson):
        assert all(isinstance(each, Value | Broken) for each in values([text], "x"))


@pytest.mark.parametrize(
    "text", ["hello", "[1]", '["a"]', "[{}", '{"a": "b', "[{}] x", "]", "[{}x{}]"]
)
def test_what_is_no_json_of_conversations(text: str) -> None:
    """STORE-6: it says so."""
    with pytest.raises(NotJson):
        list(values([text], "x"))


def test_one_broken_value_among_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-6: what is no JSON, too deep or too large is passed over."""
    monkeypatch.setattr(elements, "LONGEST", 1_000)
    deep = "[" * 300 + "]" * 300
    text = f'[{{"a": 1}}, {{oops}}, {deep}, {{"a": "{"x" * 2_000}"}}, {{"a": 2}}]'
    found = list(values(pieces(text, 100), "x"))
    assert [each.value if isinstance(each, Value) else each.why for each in found] == [
        {"a": 1}, "it is not JSON", "it is nested too deeply", "it is larger than 0 MB", {"a": 2},
    ]  # fmt: skip


def test_the_files_of_a_zip(tmp_path: Path) -> None:
    """STORE-6: one conversations.json, or several numbered ones; nothing is written."""
    wanted = ("x/conversations-001", "conversations-000", "../../evil/conversations")
    zipped(tmp_path / "a.zip", user__json={}, **{f"{name}__json": [] for name in wanted})
    names = [part.name.split(" ")[0] for part in parts_of(str(tmp_path / "a.zip"))]
    assert names == ["conversations.json", "conversations-000.json", "conversations-001.json"]
    assert [each.name for each in tmp_path.iterdir()] == ["a.zip"]


def test_a_bomb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """STORE-6: a zip that would fill the memory is refused before it is read."""
    monkeypatch.setattr(files, "RATIO_FROM", 100_000)
    zipped(tmp_path / "a.zip", conversations__json=["x" * 1_000_000])
    with pytest.raises(UnreadableFile, match="would unpack"):
        parts_of(str(tmp_path / "a.zip"))


def test_what_is_no_zip_of_chats(tmp_path: Path) -> None:
    """STORE-6: a sentence for each."""
    (tmp_path / "cut.zip").write_bytes(b"PK\x03\x04 and no more")
    zipped(tmp_path / "other.zip", a__txt={})
    for name, words in (("cut.zip", "damaged"), ("other.zip", "no conversations"), ("no", "read")):
        with pytest.raises(UnreadableFile, match=words):
            parts_of(str(tmp_path / name))
    with pytest.raises(UnreadableFile, match="folder"):
        parts_of(str(tmp_path))


def test_a_zip_that_is_damaged_inside(tmp_path: Path) -> None:
    """STORE-6: what comes out is held against its checksum."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("conversations.json", '[{"a": "bcd"}]')
    path.write_bytes(path.read_bytes().replace(b"bcd", b"xyz", 1))
    (part,) = parts_of(str(path))
    with pytest.raises(UnreadableFile, match="unpacked"):
        list(part.chunks())


@pytest.mark.parametrize("data", [b"\xff\xfe[\x00]\x00", b"[\xe9]", b"[\xe2\x82"])
def test_other_encodings(data: bytes) -> None:
    """STORE-6: it is told that the text is not UTF-8."""
    part = Part("x", len(data), lambda: io.BytesIO(data))
    with pytest.raises(UnreadableFile, match="UTF-8"):
        list(part.chunks())
