"""RECALL-1: days that are told by the day on which somebody speaks."""

from datetime import date

import pytest

from memory.facts.dating import dated

THURSDAY = date(2026, 11, 5)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("She turned six yesterday.", "She turned six on 2026-11-04."),
        ("We met last night.", "We met on 2026-11-04."),
        ("I start today.", "I start on 2026-11-05."),
        ("The exam is tomorrow morning.", "The exam is on 2026-11-06."),
        ("He came the day before yesterday.", "He came on 2026-11-03."),
        ("She left two weeks ago.", "She left around 2026-10-22."),
        ("I moved 3 months ago.", "I moved in 2026-08."),
        ("I moved a year ago.", "I moved in 2025."),
        ("It ends in 10 days.", "It ends on 2026-11-15."),
        ("It ends in a month.", "It ends in 2026-12."),
        ("I fly next week.", "I fly in the week of 2026-11-09."),
        ("I flew last month.", "I flew in 2026-10."),
        ("We marry next year.", "We marry in 2027."),
        ("We met last Saturday.", "We met on 2026-10-31."),
        ("We met last Thursday.", "We met on 2026-10-29."),
        ("We meet this Saturday.", "We meet on 2026-11-07."),
    ],
)
def test_it_becomes_a_date(said: str, told: str) -> None:
    """RECALL-1: a fact is read months later."""
    assert dated(said, THURSDAY) == told


@pytest.mark.parametrize(
    "said",
    [
        "I run every day.",
        "We meet next Friday.",
        "He is in one of the two weeks of leave.",
        "Call it yesterdays-news.",
        "It was in 2019.",
        "The monthly rent is due.",
    ],
)
def test_what_names_no_day_stays(said: str) -> None:
    """RECALL-1: "next Friday" is this week's to some and the other week's to others."""
    assert dated(said, THURSDAY) == said


def test_months_go_over_the_end_of_a_year() -> None:
    """RECALL-1: a month before January is December."""
    assert dated("It was last month.", date(2027, 1, 31)) == "It was in 2026-12."
    assert dated("It is next month.", date(2026, 12, 31)) == "It is in 2027-01."
