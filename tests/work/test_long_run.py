"""S2's long run over three goals: archived with right statistics, under every cap (GOAL-4)."""

from pathlib import Path

from tests.memory.doubles import opened
from tests.work.three_goals import GOALS, long_run, statistics_of


async def test_three_goals_one_after_the_other(tmp_path: Path) -> None:
    """GOAL-1, GOAL-3, GOAL-4, GOAL-5: the first two archived, the third active, all within caps."""
    async with opened(tmp_path) as memory:
        ended = await long_run(memory)
        work = memory.snapshot().work
        before = memory.state
    assert work.goal is not None
    assert (work.goal.text, work.goal.executions) == (GOALS[2][0], 30)
    assert len(work.executions) == 20
    assert (work.completed, work.failed) == (2, 0)
    assert [archive.text for archive in work.archives] == [GOALS[1][0], GOALS[0][0]]
    for archive, (_, subject, count) in zip(work.archives, (GOALS[1], GOALS[0]), strict=True):
        wanted = statistics_of(subject, count)
        assert {name: getattr(archive, name) for name in wanted} == wanted
        assert archive.replaced
        assert archive.status == "completed"
        assert archive.first_at is not None
        assert archive.first_at <= (archive.last_at or "")
        assert (archive.tasks, archive.done, archive.failed) == (5, 5, 0)
        assert subject.rstrip("s") in archive.themes[0].words
        assert archive.themes[0].tasks == 4
        assert 0 < len(archive.context) <= 500
    assert all(one.saved >= 0.9 for one in ended)
    assert (work.tools.total, sum(work.tools.by_tool.values())) == (155, 155)

    async with opened(tmp_path) as memory:
        assert memory.state.work == before.work
