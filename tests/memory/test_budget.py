"""The levels of a context window."""

from pathlib import Path

import pytest

from memory.budget import Budget, budget_for
from memory.compaction.triggers import due
from memory.config import MemoryConfig
from memory.state import State
from memory.tokens import Tally
from tests.memory.doubles import chat_model, opened, rules


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


@pytest.mark.parametrize("spare", [1.0, 1.1, 1.37])
def test_levels_in_our_count_are_where_something_happens(spare: float) -> None:
    """COMPACT-6, VIEW-1: one token below the trigger nothing is folded, at it something is."""
    budget = Budget.of(32_768, rules(), spare)
    state = State(thresholds=rules(), system="prompt")

    def prompt_of(tokens: int) -> Tally:
        return Tally({"prompt": tokens}, message_overhead=0, request_overhead=0)

    assert due(state, prompt_of(budget.trigger_at), budget) == "tokens"
    assert due(state, prompt_of(budget.trigger_at - 1), budget) is None
    assert (budget.trigger_at - 1) * spare < budget.trigger <= budget.trigger_at * spare
    assert budget.fits(budget.room)
    assert not budget.fits(budget.room + 1)


async def test_a_snapshot_of_estimates_tells_where_its_levels_lie(tmp_path: Path) -> None:
    """COMPACT-6, VIEW-1: the model's levels as they are, and the counts at which they are met."""
    async with opened(tmp_path, chat=chat_model(32_768, counted_by="estimate")) as memory:
        context = memory.snapshot().context

        assert (context.limit, context.trigger, context.warning) == (27_853, 24_576, 18_432)
        assert (context.limit_at, context.trigger_at, context.warning_at) == (
            memory.budget.room,
            memory.budget.trigger_at,
            16_757,
        )
        assert context.trigger_at == 22_342
