"""ALL-2, STORE-2: whatever a server does, a turn ends in one plain sentence and the next works."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from app.backend.client import Backend
from app.backend.protocol import ModelInfo
from app.chat.conversation import Conversation
from app.chat.happenings import AnswerAdded, AnswerGrew, Failed, Happening, UserAdded, Waiting
from app.settings import Settings
from memory.events import Message, RequestEnded
from memory.wish import Wish
from tests.support.misbehaving_server import GOOD_ANSWER, SECRET_ECHO, closed_port

pytestmark = pytest.mark.asyncio(loop_scope="session")

# What the server does, the kind of failure, whether text had arrived.
FAILURES = [
    ("401", "auth", False),
    ("403", "forbidden", False),
    ("404", "not_found", False),
    ("429-quota", "quota", False),
    ("429-long", "rate_limit", False),
    ("413", "too_large", False),
    ("overflow", "too_large", False),
    ("overflow-llama", "too_large", False),
    ("overflow-silent", "too_large", False),
    ("stall", "stalled", True),
    ("cut", "cut", True),
    ("no-finish", "cut", True),
    ("html", "malformed", False),
    ("empty", "empty", False),
    ("empty-choices", "empty", False),
]


@pytest.fixture
def impatient(settings: Settings) -> Settings:
    """What is waited for in vain is not waited for long."""
    short = settings.model.model_copy(update={"timeout_s": 2, "stall_s": 2})
    return replace(settings, model=short)


@dataclass
class Turn:
    """What a turn reported."""

    happenings: list[Happening] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return "".join(h.text for h in self.happenings if isinstance(h, AnswerGrew))

    @property
    def failure(self) -> Failed:
        last = self.happenings[-1]
        assert isinstance(last, Failed), last
        return last


@asynccontextmanager
async def talking(settings: Settings, backend: Backend) -> AsyncIterator[Conversation]:
    async with Conversation.open(settings, Wish(fresh=True), backend) as conversation:
        yield conversation


async def turn(conversation: Conversation, model: str, text: str = "Hello?") -> Turn:
    await conversation.use_model(f"openai/{model}")
    return Turn([happening async for happening in conversation.turn(text)])


@pytest.mark.parametrize(("model", "kind", "some_text"), FAILURES)
async def test_a_failing_server_costs_one_sentence_and_nothing_else(
    settings: Settings,
    impatient: Settings,
    backend: Backend,
    model: str,
    kind: str,
    some_text: bool,
) -> None:
    async with talking(impatient if model == "stall" else settings, backend) as conversation:
        failed = await turn(conversation, model)
        assert isinstance(failed.happenings[0], UserAdded)
        assert failed.failure.kind == kind
        check_sentence(failed.failure)
        assert bool(failed.shown) is some_text
        if some_text:
            kept = failed.failure.kept
            assert kept is not None
            assert kept.content == failed.shown
            assert kept.interrupted
        good = await turn(conversation, "good", "And now?")
        assert isinstance(good.happenings[-1], AnswerAdded)
        assert good.shown == GOOD_ANSWER
        roles = [ref.role for ref in conversation.memory.state.folding.verbatim]
        answered = ["user", "assistant"] if some_text else ["user"]
        assert roles == [*answered, "user", "assistant"]


@pytest.mark.parametrize("model", ["503x1", "500x1", "429x1"])
async def test_what_may_pass_is_tried_again_and_every_attempt_is_an_event(
    settings: Settings, backend: Backend, model: str
) -> None:
    async with talking(settings, backend) as conversation:
        tried = await turn(conversation, model)
        assert isinstance(tried.happenings[-1], AnswerAdded)
        assert any(isinstance(happening, Waiting) for happening in tried.happenings)
        attempts = [
            recorded.event
            for recorded in await conversation.memory.log()
            if isinstance(recorded.event, RequestEnded)
        ]
        assert [attempt.attempt for attempt in attempts] == [1, 2]
        assert [attempt.outcome for attempt in attempts] == ["failed", "ok"]


@pytest.mark.parametrize("model", ["500", "503"])
async def test_a_server_that_stays_down_is_told_in_the_end(
    settings: Settings, backend: Backend, model: str
) -> None:
    async with talking(settings, backend) as conversation:
        failed = await turn(conversation, model)
        assert failed.failure.kind in ("server", "overloaded")
        check_sentence(failed.failure)


async def test_a_server_that_is_not_there_or_hangs_is_told(
    settings: Settings, impatient: Settings, backend: Backend
) -> None:
    away = settings.model.model_copy(update={"api_base": f"http://127.0.0.1:{closed_port()}/v1"})
    async with talking(impatient, backend) as conversation:
        hanging = await turn(conversation, "hang")
        assert hanging.failure.kind == "timeout"
        check_sentence(hanging.failure)
    async with Conversation.open(replace(settings, model=away), Wish(fresh=True)) as conversation:
        refused = await turn(conversation, "good")
        assert refused.failure.kind == "refused"
        check_sentence(refused.failure)


async def test_a_key_that_a_provider_repeats_is_neither_shown_nor_kept(
    settings: Settings, backend: Backend
) -> None:
    async with talking(settings, backend) as conversation:
        failed = await turn(conversation, "401")
        assert SECRET_ECHO not in failed.failure.text
        for file in settings.paths.data.path.rglob("*"):
            assert not file.is_file() or SECRET_ECHO.encode() not in file.read_bytes()


async def test_stopping_frees_at_once_and_keeps_what_had_arrived(
    settings: Settings, backend: Backend
) -> None:
    async with talking(settings, backend) as conversation:
        await conversation.use_model("openai/slow")
        shown = ""
        async for happening in conversation.turn("Count."):
            if isinstance(happening, AnswerGrew):
                shown += happening.text
                conversation.stop()
        last = (await conversation.memory.log())[-2].event
        assert isinstance(last, Message)
        assert last.ref.interrupted
        texts = await conversation.memory.texts([last.ref.body])
        assert texts[last.ref.body].startswith(shown.strip()[:4])


async def test_what_is_too_large_is_measured_against_the_models_own_window(
    settings: Settings, backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PROMPT-3: also where the first message comes before the model is known."""
    describe = backend.describe

    async def described(model: str) -> ModelInfo:
        return replace(await describe(model), context_window=200_000)

    monkeypatch.setattr(backend, "describe", described)
    async with talking(settings, backend) as conversation:
        taken = Turn([happening async for happening in conversation.turn("word " * 40_000)])
        assert isinstance(taken.happenings[-1], AnswerAdded)
        refused = Turn([happening async for happening in conversation.turn("word " * 160_000)])
        assert "is the most that fits here" in refused.failure.text
        assert conversation.memory.state.messages == 2


def check_sentence(failure: Failed) -> None:
    """One plain sentence with a next step: no traceback, no JSON, no key."""
    assert failure.sentence.endswith(".")
    assert failure.next_step
    for unwanted in ("Traceback", "litellm", "{", "Error code", "\n", SECRET_ECHO):
        assert unwanted not in failure.text
