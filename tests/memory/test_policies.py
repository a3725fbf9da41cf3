"""How old messages are folded: the designs' strategies, and one of a reader's own."""

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from importlib import invalidate_caches
from pathlib import Path

import pytest

from memory import policy_names
from memory.compaction.policies import BrokenPolicy
from memory.config import MemoryConfig
from memory.memory import Memory
from tests.memory.doubles import words

EVERY = """
from memory.compaction.policies import Policy

def keeps(situation, trigger):
    return 4

def next_folding(situation):
    return situation.last_folded + 20

EVERY_TWENTY = Policy("twenty", keeps, next_folding, writes="rule", says="folds every 20 messages")
NO_POLICY = "twenty"
"""
ENTRY_POINTS = """[strata.policies]
twenty = a_policy_of_ones_own:EVERY_TWENTY
nothing = a_policy_of_ones_own:NO_POLICY
gone = a_module_that_is_not_there:POLICY
"""


@asynccontextmanager
async def talked(
    tmp_path: Path, policy: str, count: int, chars: int = 120, **values: object
) -> AsyncIterator[Memory]:
    """A session in which so many messages of so many characters were said."""
    given = {"policy": policy, "compaction": "wait", "context_window": 200_000, **values}
    config = MemoryConfig.from_values(given)
    async with Memory.open(tmp_path, "policies", config=config) as memory:
        for n in range(1, count + 1):
            await memory.add("user" if n % 2 else "assistant", words(n, chars))
            await memory.settled()
        yield memory


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package that brings policies by entry points."""
    site = tmp_path / "site"
    info = site / "a_policy_of_ones_own-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "a_policy_of_ones_own.py").write_text(EVERY)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: a-policy-of-ones-own\nVersion: 1\n"
    )
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(str(site))
    invalidate_caches()
    policy_names.names.cache_clear()
    yield site
    policy_names.names.cache_clear()
    sys.modules.pop("a_policy_of_ones_own", None)


async def test_rolling_folds_beyond_fifty_and_keeps_thirty(tmp_path: Path) -> None:
    """COMPACT-8: S1 folds over 50 messages all but the newest 30, by rule, into one summary."""
    async with talked(tmp_path, "rolling", 50) as memory:
        assert await memory.compactions() == ()
        await memory.add("user", words(51, 120))
        await memory.settled()
        (record,) = await memory.compactions()
        view = memory.snapshot()
        assert (record.event.trigger, record.event.policy, record.event.by) == (
            "count",
            "rolling",
            "rule",
        )
        assert view.short_term is None
        assert view.long_term is not None
        assert (view.long_term.first, view.long_term.last) == (1, 21)
        assert view.verbatim == (22, 51)


async def test_rolling_appends(tmp_path: Path) -> None:
    """COMPACT-8: S1 adds to its running summary, and does not write it anew."""
    async with talked(tmp_path, "rolling", 51) as memory:
        first = memory.snapshot().long_term
        for n in range(52, 73):
            await memory.add("user", words(n, 120))
            await memory.settled()
        second = memory.snapshot().long_term
        assert first is not None
        assert second is not None
        assert (second.first, second.last) == (1, 42)
        assert second.text.startswith(first.text)
        assert len(second.text) > len(first.text)


async def test_rolling_on_tokens_folds_the_oldest_half(tmp_path: Path) -> None:
    """COMPACT-8: S1 folds the oldest half over 100,000 tokens."""
    async with talked(tmp_path, "rolling", 40, chars=10_400) as memory:
        (record,) = await memory.compactions()
        assert record.event.trigger == "tokens"
        kept = record.event.message - record.event.verbatim_from + 1
        assert kept == -(-record.event.message // 2)


async def test_buffer_folds_past_four_thousand_tokens(tmp_path: Path) -> None:
    """COMPACT-8: S2 keeps the newest 10, summarises past 4,000 tokens, and warns at 3,000."""
    async with talked(tmp_path, "buffer", 19, chars=800) as memory:
        context = memory.snapshot().context
        messages = context.sections["messages"]
        assert await memory.compactions() == ()
        assert context.trigger == context.used - messages + 4_001
        assert context.warning == context.used - messages + 3_000
        for n in range(20, 24):
            await memory.add("user", words(n, 800))
            await memory.settled()
        (record,) = await memory.compactions()
        view = memory.snapshot()
        assert record.event.trigger == "tokens"
        assert view.short_term is None
        assert view.long_term is not None
        assert record.event.message - record.event.verbatim_from + 1 == 10


async def test_window_folds_all_but_ten_at_the_trigger(tmp_path: Path) -> None:
    """COMPACT-8: S0 waits for the token trigger and summarises all but the newest 10."""
    async with talked(tmp_path, "window", 200, context_window=8_192) as memory:
        records = await memory.compactions()
        assert records
        for record in records:
            assert record.event.trigger == "tokens"
            assert record.event.tokens_before >= memory.budget.trigger
            assert record.event.message - record.event.verbatim_from + 1 == 10
        assert memory.snapshot().short_term is None


@pytest.mark.parametrize("policy", ["cascade", "rolling", "buffer", "window"])
async def test_every_policy_obeys_the_token_trigger(tmp_path: Path, policy: str) -> None:
    """COMPACT-8, PROMPT-3: whatever the policy, the prompt stays under the trigger."""
    async with talked(tmp_path, policy, 60, chars=600, context_window=4_096) as memory:
        view = memory.snapshot()
        assert view.context.used < memory.budget.trigger
        assert await memory.compactions()


async def test_a_session_changes_its_policy(tmp_path: Path) -> None:
    """COMPACT-8: from two summaries to one and back, every message stays covered."""
    async with talked(tmp_path, "cascade", 30, immediate_window=4, recent_window=4) as memory:
        assert memory.snapshot().short_term is not None
        await memory.use_policy("window")
        await memory.compact()
        for n in range(31, 60):
            await memory.add("user", words(n, 120))
        await memory.compact()
        view = memory.snapshot()
        assert (view.policy, view.short_term) == ("window", None)
        assert view.long_term is not None
        assert view.verbatim is not None
        assert (view.long_term.first, view.long_term.last) == (1, view.verbatim[0] - 1)
    async with Memory.open(tmp_path, "policies") as memory:
        assert memory.snapshot().policy == "window"
        await memory.use_policy("cascade")
        await memory.compact()
        view = memory.snapshot()
        assert view.long_term is not None


@pytest.mark.usefixtures("package")
async def test_a_policy_of_ones_own(tmp_path: Path) -> None:
    """COMPACT-8: an entry point and a few lines add a policy."""
    assert policy_names.names()[-3:] == ("gone", "nothing", "twenty")
    async with talked(tmp_path, "twenty", 45) as memory:
        records = await memory.compactions()
        assert [(r.event.policy, r.event.message) for r in records] == [
            ("twenty", 20),
            ("twenty", 40),
        ]


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize("name", ["gone", "nothing", "unheard of"])
async def test_a_policy_that_can_not_be_used_is_named(tmp_path: Path, name: str) -> None:
    """COMPACT-8, ALL-1: a package that brings no policy gets a sentence, and nothing changes."""
    async with talked(tmp_path, "cascade", 3) as memory:
        with pytest.raises(BrokenPolicy, match=name):
            await memory.use_policy(name)
        assert memory.snapshot().policy == "cascade"
