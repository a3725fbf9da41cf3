"""S3's worked example, as the benchmark runs it."""

import pytest

from benchmarks.worked_example import MOST, run


@pytest.mark.parametrize(("policy", "iterations"), [("cascade", 20), ("none", 5)])
async def test_results_of_three_megabytes_leave_a_small_prompt(
    policy: str, iterations: int
) -> None:
    """CONT-6, I10: under 50 KB after every iteration, and every fact still to be had."""
    done = await run(iterations, policy, seed=1)
    assert done.carried[0] > 158_000
    assert max(done.sizes) < MOST
    assert done.facts == done.cited == done.retrieved == 4 + 3 * (iterations - 1)
