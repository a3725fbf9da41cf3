"""Writing a summary: the model, then the model in fewer words, then the rule."""

import pytest

from memory.compaction.acceptance import tidy, why_refused
from memory.compaction.rule import bullets_of
from memory.compaction.summariser import MOST_CHUNKS, NoGain, Style, Summariser
from memory.compaction.transcript import chunked
from memory.protocols import Completion
from tests.memory.doubles import ScriptedModel, Unwilling, dense_tokens

LINES = [f"user: Ada moved the launch of Falcon-{n} to Lisbon on 12 May." for n in range(12)]
SOURCE = 240
GOOD = "Ada moved all launches to Lisbon."


class Kept(dict[str, str]):
    """A cache that forgets nothing."""

    async def find(self, digest: str) -> str | None:
        return self.get(digest)

    async def keep(self, digest: str, text: str) -> None:
        self[digest] = text


async def count(text: str) -> int:
    return dense_tokens(text)


def summariser(model: ScriptedModel | None, cache: Kept | None = None, **style: str) -> Summariser:
    wording = Style(3, 160, 0.1, style.get("instructions", ""))
    return Summariser(model, wording, count, Kept() if cache is None else cache)


async def test_the_model_writes_the_summary() -> None:
    """COMPACT-12: at low temperature, and marked as the model's."""
    model = ScriptedModel([GOOD])

    written = await summariser(model).summarise(LINES, SOURCE, 120)

    assert (written.text, written.by, written.model) == (GOOD, "model", "scripted")
    assert (model.temperature, model.limits) == (0.1, [120])
    assert written.failures == ()


BAD: dict[str, str | Completion | Exception] = {
    "an error text": "Error: 503 service unavailable",
    "an html page": "<!DOCTYPE html><html>overloaded</html>",
    "json of an error": '{"error": {"message": "too many requests"}}',
    "a refusal": "I'm sorry, but I can't summarize this.",
    "a tool call": '{"name": "read_file", "arguments": {"path": "a"}}',
    "nothing": "  \n",
    "punctuation": "...",
    "longer than its source": "Ada moved it. " * 400,
    "an exception": Unwilling("the model is not there"),
    "a real tool call": Completion("fine words", calls_tool=True),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=list(BAD))
async def test_what_is_no_summary_is_asked_for_again_in_fewer_words(
    bad: str | Completion | Exception,
) -> None:
    """COMPACT-12: normal, then terse."""
    model = ScriptedModel([bad, GOOD])

    written = await summariser(model).summarise(LINES, SOURCE, 120)

    assert (written.text, written.by) == (GOOD, "model")
    assert len(written.failures) == 1
    assert "as few words as you can" in model.requests[1][1]["content"]


@pytest.mark.parametrize("bad", BAD.values(), ids=list(BAD))
async def test_after_two_failures_the_rule_writes(bad: str | Completion | Exception) -> None:
    """COMPACT-12: so that it always ends, and is marked as what it is."""
    model = ScriptedModel([bad])

    written = await summariser(model).summarise(LINES, SOURCE, 120)

    assert written.by == "rule"
    assert written.model is None
    assert len(written.failures) == 2
    assert written.text.startswith("- user: Ada moved")
    assert written.tokens < SOURCE


async def test_without_a_model_the_rule_writes() -> None:
    """COMPACT-12: the library works without any model."""
    written = await summariser(None).summarise(LINES, SOURCE, 120)

    assert (written.by, written.failures) == ("rule", ())


async def test_a_summary_not_smaller_than_its_source_is_never_accepted() -> None:
    """COMPACT-12, I7: not the model's, not the rule's."""
    with pytest.raises(NoGain):
        await summariser(ScriptedModel([GOOD])).summarise(["user: ok"], 2, 12)


async def test_a_merged_summary_must_be_smaller_than_both_its_sources() -> None:
    """COMPACT-12: the long-term summary against the two it is made from."""
    sources = ["Ada moved to Lisbon in May 2024.", "Ben stayed in Porto with 12 others."]
    tokens = sum(map(dense_tokens, sources))
    model = ScriptedModel(
        ["Ada moved to Lisbon in May 2024; Ben stayed in Porto with 12 others, too."]
    )

    written = await summariser(model).merge(sources, tokens, tokens - 1)

    assert written.by == "rule"
    assert written.tokens < tokens


async def test_an_answer_that_was_cut_off_loses_its_broken_part() -> None:
    """COMPACT-12: half a sentence may say the opposite of the whole."""
    model = ScriptedModel([Completion("Ada moved to Lisbon. Ben did not want", cut_off=True)])

    written = await summariser(model).summarise(LINES, SOURCE, 120)

    assert written.text == "Ada moved to Lisbon."


@pytest.mark.parametrize("window", [512, 1_024, 4_096])
@pytest.mark.parametrize(
    "line",
    ["user: plain words " * 40, "user: " + "漢字かな" * 150, "user: " + "😀" * 300, "x" * 20_000],
    ids=["english", "japanese", "emoji", "one long word"],
)
async def test_every_request_fits_the_summarisers_window(line: str, window: int) -> None:
    """COMPACT-12, PROMPT-3: whatever the script, the request and its answer fit."""
    model = ScriptedModel([GOOD], context_window=window)

    await summariser(model).summarise([line] * 20, 40_000, 120)

    assert model.requests
    for request, most in zip(model.requests, model.limits, strict=True):
        asked = sum(dense_tokens(message["content"]) + 4 for message in request) + 3
        assert asked + most <= window


async def test_long_instructions_are_counted_too() -> None:
    """COMPACT-12: the prompt can be configured, whatever its length."""
    model = ScriptedModel([GOOD], context_window=1_024)

    await summariser(model, instructions="Keep all names. " * 60).summarise(LINES * 20, 9_000, 120)

    for request in model.requests:
        assert sum(dense_tokens(message["content"]) + 4 for message in request) + 123 <= 1_024


async def test_a_window_too_small_for_anything_leads_to_the_rule() -> None:
    """COMPACT-12: it always ends."""
    model = ScriptedModel([GOOD], context_window=200)

    written = await summariser(model).summarise(LINES, SOURCE, 120)

    assert written.by == "rule"
    assert model.requests == []


async def test_chunks_are_merged_until_one_summary_is_left() -> None:
    """COMPACT-12: no message of a long part goes unread."""
    model = ScriptedModel([GOOD], context_window=700)

    written = await summariser(model).summarise(LINES * 10, 2_400, 120)

    read = "".join(request[1]["content"] for request in model.requests)
    assert all(line in read for line in LINES)
    assert "Merge these summaries" in model.requests[-1][1]["content"]
    assert written.text == GOOD


async def test_a_part_that_is_too_long_ends_the_attempt() -> None:
    """COMPACT-12: a model that lies about lengths is not asked about its own lies."""
    model = ScriptedModel(["Ada moved again. " * 5_000], context_window=512)

    written = await summariser(model).summarise(LINES * 40, 9_600, 120)

    assert written.failures == ("the summary was too long",) * 2
    assert len(model.requests) == 2


async def test_equal_inputs_come_from_the_cache() -> None:
    """COMPACT-12: within 24 hours the model is asked once."""
    model, cache = ScriptedModel([GOOD]), Kept()

    first = await summariser(model, cache).summarise(LINES, SOURCE, 120)
    second = await summariser(model, cache).summarise(LINES, SOURCE, 120)

    assert len(model.requests) == 1
    assert (first.cache_hits, first.cache_misses) == (0, 1)
    assert (second.cache_hits, second.cache_misses) == (1, 0)
    assert second.text == first.text


async def test_what_is_no_summary_is_not_cached() -> None:
    """COMPACT-12: a refusal must not answer for a day."""
    cache = Kept()

    await summariser(ScriptedModel([BAD["a refusal"]]), cache).summarise(LINES, SOURCE, 120)

    assert cache == {}


def test_a_label_before_the_summary_goes() -> None:
    """COMPACT-12: small models repeat the last word of the prompt."""
    assert tidy("**SUMMARY:** Ada moved.", sentences=3, cut_off=False) == "Ada moved."


@pytest.mark.parametrize(
    "text",
    ["Ada reported an error: the disk was full.", "The user asked about HTTP error 404.", GOOD],
)
def test_a_summary_about_errors_is_not_an_error(text: str) -> None:
    """COMPACT-12: only what begins like one is."""
    assert why_refused(text) is None


def test_bullets_are_clipped_after_a_word() -> None:
    """COMPACT-12: bullets are clipped, and can be read."""
    bullets = bullets_of(LINES, 60).splitlines()

    assert 1 <= len(bullets) <= 3
    for bullet in bullets:
        assert bullet.startswith("- user: Ada moved the launch")
        assert bullet.rstrip("…").split()[-1] in " ".join(LINES).split()


def test_the_weightiest_lines_are_kept_in_their_order() -> None:
    """COMPACT-12: names and numbers rather than pleasantries."""
    lines = ["user: ok", "user: Ada flies to Lisbon on 12 May", "assistant: sure", "user: bye then"]

    assert bullets_of(lines, 26) == "- user: Ada flies to Lisbon on 12 May"


def test_no_bullet_rather_than_an_unreadable_one() -> None:
    """COMPACT-12: a letter and an ellipsis are no summary."""
    assert bullets_of(LINES, 4) == ""


def test_bullets_of_bullets_do_not_pile_up_marks() -> None:
    """COMPACT-12: a rule-based summary of rule-based summaries stays a plain list."""
    once = bullets_of(LINES, 100)

    assert "- -" not in bullets_of(once.splitlines(), 80)


@pytest.mark.parametrize("most", [8, 9, 50, 10_000])
def test_chunks_lose_nothing_and_keep_their_size(most: int) -> None:
    """COMPACT-12: cut by bytes, never inside a character."""
    lines = ["user: 漢字😀abc " * 5, "", "z" * 100]

    chunks = chunked(lines, most)

    assert all(len(chunk.encode()) <= most for chunk in chunks)
    assert "".join(chunks).replace("\n", "") == "".join(lines)


async def test_a_very_long_transcript_is_condensed_before_it_is_read() -> None:
    """COMPACT-12: an import of thousands of messages costs a few requests, not hundreds."""
    model = ScriptedModel([GOOD])
    lines = [f"user: On day {day} we paid {day} euros for Falcon-{day}." for day in range(9_000)]

    written = await summariser(model).summarise(lines, 150_000, 160)

    assert written.by == "model"
    assert len(model.requests) <= MOST_CHUNKS + 4


def test_a_bullet_begins_where_something_is_told() -> None:
    """COMPACT-12: not with the greeting that a long message opens with; who spoke stays."""
    line = (
        "user: Ana: Hey Ben! Great to hear from you. Sounds like a busy week for all of you. "
        "On 14 March I moved to Lisbon with Carla and opened the gallery."
    )
    assert bullets_of([line], 25).startswith("- user: Ana: On 14 March I moved to Lisbon")
