"""RECALL-2: the words that a text is found by."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.words import index_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("painting paintings painted", "paint paint paint"),
        ("Café NAÏVE", "cafe naive"),
        ("Maria's cat", "Maria cat"),
        ("don’t", "don't"),
        ("src/app_main.py", "src app main py"),
        ("version 3.11", "version 3 11"),
        ("ﬁle", "file"),
        ("Straße", "strasse"),
    ],
)
def test_spellings_of_one_word_are_one(one: str, other: str) -> None:
    assert index_words(one) == index_words(other)


def test_scripts_without_spaces_are_found_by_parts() -> None:
    assert set(index_words("東京")) <= set(index_words("昨日東京タワーに行きました"))
    assert set(index_words("北京")) <= set(index_words("我在北京住了3年"))
    assert index_words("Model型") == ("model", "型")


@settings(max_examples=300)
@given(st.text())
def test_the_database_keeps_each_word_as_it_is(text: str) -> None:
    """FTS5 splits nothing further, so that both sides count the same words."""
    words = index_words(text)
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE VIRTUAL TABLE t USING fts5(w, tokenize='ascii')")
        database.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, 'row')")
        database.execute("INSERT INTO t VALUES (?)", (" ".join(words),))
        found = dict(database.execute("SELECT term, cnt FROM v").fetchall())
    assert found == {word: words.count(word) for word in set(words)}
