"""The levels of a context window."""

import pytest

from memory.budget import Budget, budget_for
from memory.config import MemoryConfig
from tests.memory.doubles import chat_model, rules


@pytest.mark.parametrize(
    ("window", "trigger"),
    [(8_192, 6_144), (32_768, 24_576), (128_000, 96_000), (200_000, 160_000)],
)
def test_trigger_for_each_window(window: int, trigger: int) -> None:
    """COMPACT-6: reserve and buffer are capped, so that small windows keep room to talk."""
    assert Budget.of(window, rules()).trigger == trigger


def test_limit_and_warning_of_the_default_window() -> None:
    """COMPACT-6: the limit leaves the reserve; the warning comes at three quarters."""
    budget = Budget.of(32_768, rules())

    assert (budget.limit, budget.warning) == (27_853, 18_432)


@pytest.mark.parametrize("window", [512, 8_192, 32_768, 1_000_000])
def test_warning_trigger_limit_and_window_come_in_this_order(window: int) -> None:
    """COMPACT-6, PROMPT-3: whatever the window, there is a level before the next."""
    budget = Budget.of(window, rules())

    assert 0 < budget.warning < budget.trigger < budget.limit < budget.window


def test_embedded_window_cannot_be_exceeded_by_configuration() -> None:
    """PROMPT-3: the embedded model takes what its runtime was started with."""
    budget = budget_for(chat_model(window=4_096), rules(), 32_768, 1.0)

    assert budget.window == 4_096


def test_configured_window_wins_over_a_guessed_one() -> None:
    """ALL-1: what is known of a remote model may be wrong."""
    remote = chat_model(window=4_096, counted_by="tiktoken")

    assert budget_for(remote, rules(), 32_768, 1.0).window == 32_768


def test_estimated_prompts_keep_ten_percent_to_spare() -> None:
    """PROMPT-3, PROMPT-4: what is only estimated must fit with room."""
    budget = budget_for(chat_model(counted_by="estimate"), rules(), None, 1.0)

    assert not budget.fits(budget.limit)
    assert budget.fits(budget.room)
    assert budget.room == int(budget.limit / 1.1)


def test_a_learned_ratio_makes_the_prompt_smaller() -> None:
    """PROMPT-4: where the provider counts more than we do, ours must stay further below."""
    remote = chat_model(counted_by="tiktoken")

    assert budget_for(remote, rules(), None, 1.5).room < budget_for(remote, rules(), None, 1.0).room


def test_a_profile_fills_only_what_is_left_open() -> None:
    """ALL-1: a value given explicitly wins over the profile's."""
    config = MemoryConfig.from_values({"profile": "stress", "recent_window": 9})

    assert (config.immediate_window, config.recent_window) == (4, 9)
