"""RECALL-3: words looked for in a text are found as they are indexed."""

from collections import Counter

import pytest

from memory.sought import Sought
from memory.words import index_words

TEXTS = (
    "Dying of thirst, we were lying in the shade and tying knots; the skies were clear.",
    "At five o'clock she'd played rock'n'roll, hadn't she? The Smiths' dog barked: O'Brien's too.",
    "Organisations organise; relational databases relate. Happily, happier, happiness!",
    "Die Straße nach Köln: ÄRGERLICH, naïve cafés, Москва и Москвы.",
    "日本語のテキスト and 한국어 words, mixed日本with letters.",
    "call_with_jitter() in transport/retrying.py raised E1047 at 0x7fff, v2.10.3",
    "x" * 200 + " y's a a's",
    "",
)


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_counted_is_what_is_indexed(text: str) -> None:
    """RECALL-3: each index word of any of these texts, alone and together with the others."""
    every = [word for each in TEXTS for word in index_words(each) if len(word) > 1]
    counts = {word: n for word, n in Counter(index_words(text)).items() if len(word) > 1}
    assert Sought(every).counts(text) == counts
    for word in every:
        assert Sought([word]).counts(text).get(word, 0) == counts.get(word, 0)
        assert Sought([word]).any_in(text) == (word in counts)


def test_nothing_is_found_of_no_words() -> None:
    """RECALL-3: a question without words is in no text."""
    assert Sought(()).counts("anything") == {}
    assert not Sought(()).any_in("anything")
