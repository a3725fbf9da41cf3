"""RECALL-3: which passages come first, over small talks of our own."""

import math
from array import array
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from benchmarks.plain_corpus import PlainCorpus
from memory.recall.asking import understand
from memory.recall.corpus import Passage, Scope
from memory.recall.scoring import parts_of
from memory.recall.searching import Found, candidates_of, search, words_to_look_up
from memory.recall.weights import AMONG_PEOPLE, PART_OF, PARTS, WITH_ASSISTANT
from memory.words import index_words

OPEN = Scope("an agent")
NOW = datetime(2024, 6, 12, 12, tzinfo=UTC)

TALK = (
    ("user", "Good morning! I moved to Lisbon with my sister."),
    ("assistant", "How lovely. What do you do there?"),
    ("user", "I repair old bicycles in a small workshop near the harbour."),
    ("assistant", "You could sell some of them at the market on Saturday."),
    ("user", "Which day is the market again?"),
    ("assistant", "It is on Saturday, and it opens at nine."),
    ("user", "My sister plays the cello in an orchestra."),
    ("assistant", "I recommend the cello suites by Bach then."),
    ("user", "Thanks, bye!"),
)


def passage(id: int, text: str, role: str = "user", **more: object) -> Passage:
    plain = Passage(
        id=id,
        kind="message",
        body=str(id),
        text=text,
        length=len(index_words(text)),
        role=role,
        at="2024-03-01T10:00:00.000Z",
        session="a",
        episode=1,
        number=id,
    )
    return replace(plain, **more)  # type: ignore[arg-type]


def talk(lines: Sequence[tuple[str, str]] = TALK) -> list[Passage]:
    return [passage(number, text, role) for number, (role, text) in enumerate(lines, start=1)]


async def found(
    passages: Sequence[Passage], text: str, scope: Scope = OPEN, **query: object
) -> tuple[Found, ...]:
    query.setdefault("now", NOW)
    return await search(PlainCorpus(passages), understand(text, **query), scope, 50)  # type: ignore[arg-type]


async def first(passages: Sequence[Passage], text: str, **query: object) -> str:
    return (await found(passages, text, OPEN, **query))[0].passage.text


def unit(*numbers: float) -> "array[float]":
    norm = math.hypot(*numbers)
    return array("f", [number / norm for number in numbers])


async def test_words_of_the_question() -> None:
    """RECALL-3: by their stems, whatever stands around them."""
    assert "bicycles" in await first(talk(), "Where did I repair a bicycle?")


async def test_the_one_asked_about() -> None:
    """RECALL-3: "I" and "my" are the user, "you" is the assistant."""
    lines = [*TALK, ("user", "A cello is heavy."), ("assistant", "A cello is heavy indeed.")]
    mine = await found(talk(lines), "What did I say about the cello?")
    yours = await found(talk(lines), "Can you remind me what you recommended about the cello?")
    assert mine[0].passage.role == "user"
    assert yours[0].passage.text.startswith("I recommend")


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("What is my sister's name?", "user"),
        ("Can you tell me where I live?", "user"),
        ("Remind me what you suggested for dinner", "assistant"),
        ("What was the name of the shop in our last chat?", "assistant"),
        ("Where is the market?", None),
    ],
)
def test_whose_words_are_meant(text: str, about: str | None) -> None:
    """RECALL-3: requests to the assistant do not make it the one who is asked about."""
    assert understand(text).about == about


async def test_speakers_by_name() -> None:
    """RECALL-3: a talk of named people: the one who is named in the question said it."""
    lines = [
        ("user", "Ada: I have a boat."),
        ("assistant", "Grace: I have a boat as well, a red one."),
        ("user", "Ada: Mine is small."),
        ("assistant", "Grace: Is it fast?"),
        ("user", "Ada: Not at all, it is a boat for slow days."),
        ("assistant", "Grace: Slow days are fine."),
    ]
    for name in ("Ada", "Grace"):
        assert (await first(talk(lines), f"What does {name} say of her boat?")).startswith(name)


async def test_an_answer_beside_its_question() -> None:
    """RECALL-3: what is asked for may stand in the message after the one that names it."""
    lines = [
        *[("user", f"Message {n} tells of nothing in particular.") for n in range(20)],
        ("assistant", "How old is your canary?"),
        ("user", "Six, since last week."),
        *[("user", f"Text {n} goes on about the weather.") for n in range(20)],
    ]
    ranked = [each.passage.text for each in await found(talk(lines), "How old is my canary?")]
    assert ranked[0] == "Six, since last week."


async def test_a_day_that_is_named() -> None:
    """RECALL-3: of the same words those said about that time."""
    passages = [
        passage(n, "I went to the dentist.", at=f"2024-{n:02}-10T10:00:00.000Z", episode=n)
        for n in range(1, 6)
    ]
    assert (await found(passages, "Was I at the dentist in March?"))[0].passage.number == 3
    assert (await found(passages, "dentist, 12 January 2024"))[0].passage.number == 1
    assert (await found(passages, "Was I at the dentist 2 months ago?"))[0].passage.number == 4


async def test_when_prefers_what_tells_a_time() -> None:
    """RECALL-3: a question for a time is answered by a text that tells one."""
    lines = [("user", "I painted the boat green."), ("user", "I painted the boat last Tuesday.")]
    assert (await first(talk(lines), "When did I paint the boat?")).endswith("Tuesday.")


async def test_what_is_newer_of_equals() -> None:
    """RECALL-3: recency decides between what is otherwise alike."""
    passages = [
        passage(1, "I live in Porto.", at="2023-01-01T10:00:00.000Z", episode=1),
        passage(2, "I live in Braga.", at="2024-06-01T10:00:00.000Z", episode=2),
    ]
    assert (await first(passages, "Where do I live now?")) == "I live in Braga."


async def test_what_is_important_or_pinned_of_equals() -> None:
    """RECALL-3: importance and pins count."""
    passages = [passage(1, "Tea is fine."), passage(2, "Tea is fine.", importance=1.0)]
    assert (await found(passages, "tea"))[0].passage.id == 2
    passages = [passage(1, "Tea is fine."), passage(2, "Tea is fine.", pinned=True)]
    assert (await found(passages, "tea"))[0].passage.id == 2


async def test_meaning_without_a_common_word() -> None:
    """RECALL-2: what has none of the words is found by its vector."""
    passages = [
        replace(each, vector=unit(*(float(n == each.number) for n in range(1, 10))).tobytes())
        for each in talk()
    ]
    near = await found(passages, "stringed instruments", vector=unit(*[0.1] * 6, 1, 0.1, 0.1))
    assert "cello" in near[0].passage.text


async def test_some_have_no_vector_yet() -> None:
    """RECALL-2: while the index is behind, what is without a vector competes by its words."""
    passages = [
        each if each.number == 3 else replace(each, vector=unit(1, 0.2).tobytes())
        for each in talk()
    ]
    ranked = await found(passages, "Where do I repair bicycles?", vector=unit(1, 0))
    assert ranked[0].passage.number == 3


async def test_a_vector_of_another_model_counts_as_none() -> None:
    """RECALL-2: vectors of another length can't be compared."""
    passages = [replace(each, vector=b"\0" * 12) for each in talk()]
    assert "bicycles" in await first(passages, "bicycles", vector=unit(1, 0, 0, 0))


async def test_parts_sum_to_the_score() -> None:
    """RECALL-4: the pane shows what a score consists of."""
    for each in await found(talk(), "When did my sister play the cello in March?"):
        assert set(each.parts) == set(PARTS)
        assert math.isclose(sum(each.parts.values()), each.score, abs_tol=1e-9)


def test_every_weight_belongs_to_a_part() -> None:
    """RECALL-4: no feature is weighed that no part shows."""
    assert set(PART_OF) == {*AMONG_PEOPLE, *WITH_ASSISTANT}
    for weights in (AMONG_PEOPLE, WITH_ASSISTANT):
        assert parts_of({"cosine": 1.0}, weights)["meaning"] == weights["cosine"]


async def test_a_talk_among_people_is_weighed_as_one() -> None:
    """RECALL-3: names before messages tell it; those of the roles are no names."""
    for names, among_people in ((("Ann", "Bo"), True), (("user", "assistant"), False)):
        lines = [
            passage(n, f"{names[n % 2]}: I painted door {n} of the shed.") for n in range(1, 9)
        ]
        considered = await candidates_of(PlainCorpus(lines), understand("Which door?"), OPEN)
        assert considered.among_people is among_people
    assert not (await candidates_of(PlainCorpus(talk()), understand("market"), OPEN)).among_people


async def test_a_text_that_only_asks_tells_less() -> None:
    """RECALL-3: what a user told comes before what was asked in the same words."""
    lines = [
        passage(1, "How do I look after a tortoise in winter, a tortoise with a cold?"),
        passage(2, "What does it eat? My tortoise Bertha has caught a cold in winter."),
    ]
    assert (await found(lines, "Has my tortoise had a cold?"))[0].passage.id == 2


@pytest.mark.parametrize(
    ("text", "words", "about", "when", "number"),
    [
        ("Wann habe ich meine Schwester besucht?", {"schwester", "besucht"}, "user", True, False),
        ("Combien ai-je payé ma voiture ?", {"pay", "voitur"}, "user", False, True),
        ("¿Cuántos hijos tiene mi hermano?", {"hijo", "hermano"}, "user", False, True),
        ("Quando nasceu a minha sobrinha?", {"nasceu", "sobrinha"}, "user", True, False),
        (
            "Quante lingue parla la tua amica?",
            {"lingu", "parla", "amica"},
            "assistant",
            False,
            True,
        ),
        ("Who died in the war?", {"die", "war"}, None, False, False),
    ],
)
def test_small_words_of_other_languages_are_known(
    text: str, words: set[str], about: str | None, when: bool, number: bool
) -> None:
    """RECALL-3: they find nothing, and tell what is asked for."""
    query = understand(text)
    assert set(query.words) <= words | {"ai", "je"}
    assert (query.about, query.asks_when, query.asks_number) == (about, when, number)


def test_a_greeting_tells_nothing_of_what_it_is_about() -> None:
    """RECALL-3: so no passage has all that it asks for."""
    assert not understand("Hello, thank you!").telling
    assert understand("Hello, where is my umbrella?").telling


async def test_the_order_does_not_hang_on_numbers_in_the_database() -> None:
    """RECALL-3: the same talk stored in another order is ranked alike."""
    passages = talk()
    turned = [replace(each, id=100 - each.id) for each in passages]
    for text in ("my sister", "market Saturday", "bicycles", "What did you recommend?"):
        one, other = await found(passages, text), await found(turned, text)
        assert [each.passage.text for each in one] == [each.passage.text for each in other]
        assert [each.score for each in one] == [each.score for each in other]


async def test_only_what_is_in_scope() -> None:
    """RECALL-3: neighbours help with ranking; what may not be found is not found."""
    passages = [*talk(), passage(90, "A fact about the cello.", kind="fact", number=0, tags=("m",))]
    for scope, allowed in (
        (replace(OPEN, roles=frozenset({"assistant"})), {2, 4, 6, 8}),
        (replace(OPEN, kinds=frozenset({"fact"})), {90}),
        (replace(OPEN, tags=frozenset({"m", "n"})), {90}),
        (replace(OPEN, until="2024-02-28"), set[int]()),
        (replace(OPEN, sessions=frozenset({"b"})), set[int]()),
    ):
        ranked = await found(passages, "What about the cello, the market and my sister?", scope)
        assert {each.passage.id for each in ranked} <= allowed
        assert bool(ranked) == bool(allowed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "the",
        "?!",
        "🛶",
        "\ud800",
        "何時ですか",
        "a" * 50_000,
        "30 February 2023",
        "0000",
    ],
)
async def test_any_text_can_be_asked(text: str) -> None:
    """RECALL-3: no message fails for what is in it."""
    lines = [*TALK, ("user", text), ("assistant", f"{text}: {text}")]
    ranked = await found(talk(lines), text)
    assert all(math.isfinite(each.score) for each in ranked)
    assert bool(ranked) or not any(map(str.isalnum, text))


async def test_nothing_is_found_in_nothing() -> None:
    """RECALL-3: an empty memory, and none wanted."""
    assert await found([], "Where is the boat?") == ()
    assert await search(PlainCorpus(talk()), understand("boat"), OPEN, 0) == ()


def test_common_words_are_not_looked_up() -> None:
    """RECALL-3: a question costs alike however much was said; two words count where they can."""
    from memory.recall.corpus import Frequencies

    having = {"boat": 60_000, "harbour": 15_000, "canary": 12}
    frequencies = Frequencies(100_000, 12.0, having)
    assert words_to_look_up(["boat", "canary", "harbour", "unknown"], frequencies) == [
        "canary",
        "harbour",
    ]
    assert words_to_look_up(["boat", "harbour"], frequencies) == ["harbour"]
