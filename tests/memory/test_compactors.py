"""What stands for a text where it does not stand itself."""

import json
import logging
import re
import sys
import time
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.doctor.program import compactor_checks
from memory.content.compactors import About, brought, compact, digest_of
from memory.content.digests import digest_of_result, item_type, source_in
from memory.content.receipts import handles_in, shown_receipt
from memory.content.transforms import How, transform
from memory.parts import ItemType

TYPES: tuple[ItemType, ...] = get_args(ItemType)
HOWS: tuple[How, ...] = get_args(How)
README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
TEXTS = st.one_of(
    st.text(max_size=600),
    st.text('#<>{}[]":,|\t\n ad1/.=-`', max_size=600),
    st.lists(st.sampled_from(["# Head", "a.py:3:x", "a,b,c", "def f(x):", "", '{"a": 1,', "====="]))
    .map("\n".join),
    st.recursive(st.none() | st.integers() | st.text(max_size=9), lambda inner: st.lists(inner)
                 | st.dictionaries(st.text(max_size=9), inner)).map(json.dumps),
)  # fmt: skip
BROKEN = """
def raises(text, about):
    raise RuntimeError("no")

def talks(text, about):
    return "word " * 1_000

def counts(text, about):
    return len(text)

NOTHING = 7
"""
ENTRY_POINTS = """[strata.compactors]
list_shipments = compactors_of_ones_own:shipments
raising = compactors_of_ones_own:raises
talking = compactors_of_ones_own:talks
counting = compactors_of_ones_own:counts
nothing = compactors_of_ones_own:NOTHING
gone = a_module_that_is_not_there:compact
json = compactors_of_ones_own:raises
"""


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(TYPES), st.integers(0, 700), st.sampled_from(["", "a.md", "b/c.py"]))
def test_a_digest_is_bounded_and_always_the_same(
    text: str, type: ItemType, chars: int, source: str
) -> None:
    """CONT-5: of any text, in one line, whatever it is said to be."""
    about = About(type, "tool", source, "{}", chars)
    told = compact(text, about)
    assert len(told) <= chars
    assert len(told.splitlines()) <= 1
    assert told == compact(text, about)


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.sampled_from(TYPES))
def test_a_receipt_with_any_digest_resolves(text: str, type: ItemType) -> None:
    """I10, ALL-8: what is quoted can neither end the receipt nor begin another one."""
    receipt = shown_receipt("c7", "result of tool", len(text), digest_of(text, type, "tool"))
    assert handles_in(receipt) == ["c7"]
    assert handles_in(f"before\n{receipt}\nafter") == ["c7"]


@settings(max_examples=300, deadline=None)
@given(
    TEXTS,
    st.sampled_from(HOWS),
    st.integers(-3, 50),
    st.lists(st.sampled_from(["a", "#", "/[a-z]+/", "/^$/", "zz", ""]), max_size=3),
    st.tuples(st.integers(0, 60), st.integers(0, 60)),
)
def test_a_part_is_never_more_than_the_whole(
    text: str, how: How, n: int, words: list[str], lines: tuple[int, int]
) -> None:
    """CONT-2: each shows lines of the text, in their order, and no others."""
    part = transform(text, how, n=n, words=words, lines=lines)
    if how == "summary":
        assert len(part) <= 600
        return
    assert len(part) <= len(text) + 1
    if how not in ("full", "excerpt"):
        rest = iter(text.splitlines())
        assert all(line in rest for line in part.splitlines())


@pytest.mark.parametrize(
    ("type", "text", "told"),
    [
        ("web_content", "<title>Ships &amp; sea</title><p>" + "Ships leave Porto at noon. " * 9,
         ["page, 1 line: Ships & sea", "begins “Ships leave Porto at noon."]),
        ("web_content", "Ships\n=====\n\nThey leave at noon, [daily](x), weather permitting.\n",
         ["page, 4 lines, 1 link: Ships", "begins “They leave at noon, daily, weather"]),
        ("database_result", "id,city\n" + "".join(f"{n},Porto {n}\n" for n in range(90)),
         ["table, 91 lines, columns: id, city", "90 rows: “0 | Porto 0”", "“89 | Porto 89”"]),
        ("database_result", "| id | city |\n|---|---|\n| 1 | Faro |\n| 2 | Porto |",
         ["columns: id, city", "2 rows: “1 | Faro”, “2 | Porto”"]),
        ("search_results", "a.py:3:import os\na.py:9:os.path\nb.py:1:import os",
         ["in 2 files: a.py (3 9), b.py (1)", "first “import os”"]),
        ("search_results", "a.py-2-#\na.py:3:import os\na.py-4-#\n--\nb.py:1: import os",
         ["in 2 files: a.py (3), b.py (1)"]),
        ("search_results", "s/a.py  1.2 kB\ns/b.py  9 B\ns/c.txt  3 MB\ns/old/\n(4 entries)",
         ["listing, 4 entries: in s, 2 .py, 1 .txt; such as a.py, b.py, c.txt, old"]),
        ("file", "\n\ndef one(a):\n    return a\n\n\nclass Two:\n    x = 1\n    y = 2\n",
         ["src/a.py, code, 9 lines", "def one (3), class Two (7)"]),
        ("json", '{"rows": [{"id": 1}, {"id": 2}], "note": "' + "x" * 90 + '", "ok": true}',
         ["JSON object with 3 keys: rows list of 2 {id}, note text of 90, ok true"]),
        ("custom", "Building\n" * 30 + "error: port 8443 is taken\n2 failed in 3 s",
         ["text, 32 lines: “Building”", "“error: port 8443 is taken”", "“2 failed in 3 s”"]),
        ("action_result", "word\n" * 90, ["parts by lines A-B or filtered WORD"]),
    ],
)  # fmt: skip
def test_a_digest_keeps_what_one_would_look_for(type: ItemType, text: str, told: list[str]) -> None:
    """CONT-5: by what the text is stored as."""
    source = "src/a.py" if type == "file" else ""
    digest = digest_of(text, type, source=source)
    for part in told:
        assert part in digest


def test_a_document_is_told_by_its_headings() -> None:
    """CONT-5: with the lines at which they stand, which is what a part is asked for by."""
    told = digest_of(README, "file", source="README.md")
    assert told.startswith("README.md, page, ")
    line = next(n for n, row in enumerate(README.splitlines(), 1) if row == "## Two commands")
    assert f"Two commands ({line})" in told


@pytest.mark.parametrize(
    "text",
    [
        (README * 4)[:100_000], "<" * 100_000, "[a](" * 25_000, "<script " * 12_500, "#" * 100_000,
        "a:1:" * 25_000, "a:1:x\n" * 16_000, "\n" * 100_000 + "x", "def a\n" * 16_000,
        json.dumps([{"id": n, "name": "x" * 40} for n in range(1_600)]), "," * 100_000,
        "[" * 100_000,
    ],
    ids=range(12),
)  # fmt: skip
def test_a_digest_takes_no_time(text: str) -> None:
    """CONT-5: a few milliseconds for 100 kB, also of what was made to take long."""
    begun = time.process_time()
    for type in TYPES:
        digest_of(text, type)
    assert (time.process_time() - begun) / len(TYPES) < 0.05


def test_a_tools_results_are_told_by_what_it_was_called_with() -> None:
    """CONT-5: the path of a file tells whether it is a document."""
    told = digest_of_result("Ships\n\nThey leave.", "read_file", '{"path": "a/notes.md"}')
    assert told.startswith("a/notes.md, page, 3 lines")
    assert source_in('{"n": 3, "url": "https://a.example"}') == "https://a.example"
    assert source_in("[1") == source_in("[]") == source_in('{"path": 3}') == ""
    kinds = {
        "read_file": "file", "search_files": "search_results", "fetch_page": "web_content",
        "run_command": "action_result", "db_query": "database_result", "grep": "search_results",
    }  # fmt: skip
    assert {tool: item_type(tool) for tool in kinds} == kinds


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An installed package that brings compactors by entry points, the README's among them."""
    example = re.search(r"```python\n(def shipments.*?)```", README, re.DOTALL)
    assert example is not None
    assert example[1].count("\n") < 20
    site = tmp_path / "site"
    info = site / "compactors_of_ones_own-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "compactors_of_ones_own.py").write_text(example[1] + BROKEN)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: compactors-of-ones-own\nVersion: 1\n"
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(site))
    invalidate_caches()
    brought.forget()
    yield
    brought.forget()
    sys.modules.pop("compactors_of_ones_own", None)


def test_a_package_brings_a_compactor(package: None) -> None:
    """CONT-5: by an entry point named after a tool, as the README shows it."""
    rows = "id,city,state\n1,Porto,late\n2,Faro,on time\n7,Lagos,late"
    assert digest_of(rows, "custom", "list_shipments") == "3 shipments, late: 1, 7"
    assert digest_of(rows, "custom").startswith("table")
    assert "list_shipments" in brought.names()


@pytest.mark.parametrize("tool", ["raising", "counting", "nothing", "gone"])
def test_a_broken_compactor_is_named_and_stood_in_for(
    package: None, tool: str, caplog: pytest.LogCaptureFixture
) -> None:
    """CONT-5: in plain words in the log; the digest is Strata's own."""
    with caplog.at_level(logging.WARNING, "strata.memory"):
        assert digest_of("a,b\n1,2\n3,4", "custom", tool) == digest_of("a,b\n1,2\n3,4", "custom")
    assert f"The compactor for '{tool}' can't be used" in caplog.text


def test_the_doctor_names_the_broken_ones(package: None) -> None:
    """CONT-5, ALL-5: those that can't be loaded, with what to do; nothing where there are none."""
    (check,) = compactor_checks()
    assert check.state == "problem"
    assert "'gone' can't be used" in check.sentence
    assert "'nothing' can't be used" in check.sentence
    assert "list_shipments" not in check.sentence
    assert check.next_step


def test_a_compactor_that_talks_is_cut(package: None) -> None:
    """CONT-5: no digest has more than its characters; a type has its compactor as a tool has."""
    assert len(digest_of("x", "custom", "talking", chars=50)) <= 50
    assert digest_of('{"a": 1}', "json") == "JSON object with 1 key: a 1; keys a"


def test_a_line_behind_json_does_not_hide_its_shape() -> None:
    """CONT-5: `read_file` tells below a file where it comes from."""
    text = '{"rent": 700, "city": "Porto"}\n(rents.json: lines 1 to 1 of 1, 31 B.)'
    told = digest_of(text, "file", "read_file", "rents.json")
    assert "JSON object" in told
    assert "not complete" not in told
