"""RECALL-2 and COMPACT-13: the real embedding model, in the backend's process."""

import asyncio
import shutil
import time
from collections.abc import Callable, Sequence
from operator import mul
from pathlib import Path

import pytest

from app.backend.client import Backend
from app.backend.protocol import DIMENSIONS, BackendSettings, ModelFailure
from app.chat.models import embedder
from app.host.catalogue import find
from app.host.store import ModelStore
from tests.backend.conftest import outcome_of, request_for

pytestmark = pytest.mark.asyncio(loop_scope="session")


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    return float(sum(map(mul, one, other)))


async def test_a_paraphrase_is_nearer_than_another_subject(local: Backend) -> None:
    """COMPACT-13: the vectors tell meaning, not words."""
    said, again, other = await local.embed(
        [
            "We moved the release to the 14th of March.",
            "The launch date was shifted to mid-March.",
            "My cat likes to sleep on the warm keyboard.",
        ]
    )
    assert cosine(said, again) > 0.5
    assert cosine(said, other) < 0.2


async def test_every_vector_has_length_one_and_stands_in_its_place(local: Backend) -> None:
    """RECALL-2: whatever the texts' lengths, also beyond one portion."""
    words = ["tea", "", "a longer sentence about the weather in the north", "x " * 5_000, "\ud800"]
    texts = [f"{words[n % 5]} {n}" if n % 5 != 1 else "" for n in range(90)]
    vectors = await local.embed(texts)
    assert [len(vector) for vector in vectors] == [DIMENSIONS] * 90
    assert all(cosine(vector, vector) == pytest.approx(1, abs=1e-5) for vector in vectors)
    (alone,) = await local.embed([texts[72]])
    assert cosine(alone, vectors[72]) > 0.99
    assert max(range(90), key=lambda n: cosine(alone, vectors[n])) == 72


async def test_what_stands_after_256_tokens_does_not_count(local: Backend) -> None:
    """RECALL-2: a long text costs no more than its beginning."""
    start = "The harbour of Bergen has seven islands. " * 40
    one, other = await local.embed([start + "Tea.", start + "Steel and concrete." * 300])
    assert cosine(one, other) > 0.999


async def test_no_texts_make_no_vectors(local: Backend) -> None:
    """RECALL-2: nothing is asked where there is nothing to say."""
    assert await local.embed([]) == []


async def test_a_missing_model_says_what_to_do(backend: Backend, settings: BackendSettings) -> None:
    """ALL-2: in plain words, and memory is given no embedder at all."""
    with pytest.raises(ModelFailure) as raised:
        await backend.embed(["hello"])
    assert "not installed" in raised.value.sentence
    assert "strata models install embedder" in raised.value.next_step
    assert embedder(backend, ModelStore(settings.models_dir)) is None


async def test_memory_is_given_the_installed_model(
    local: Backend, local_settings: BackendSettings
) -> None:
    """COMPACT-13: by the name under which its vectors are known."""
    found = embedder(local, ModelStore(local_settings.models_dir))
    assert found is not None
    assert found.name == "embedded/all-minilm-l6-v2"
    (vector,) = await found.embed(["hello"])
    assert len(vector) == found.dimensions


async def test_a_damaged_model_is_told_and_harms_nobody(
    settings_for: Callable[..., BackendSettings], models_dir: Path
) -> None:
    """ALL-2: the backend goes on."""
    settings = settings_for()
    store, entry = ModelStore(settings.models_dir), find("embedder")
    shutil.copytree(ModelStore(models_dir).directory(entry), store.directory(entry))
    with store.path(entry).open("r+b") as file:
        file.write(bytes(4096))
    broken = await Backend.start(settings)
    try:
        with pytest.raises(ModelFailure, match="can't be loaded"):
            await broken.embed(["hello"])
        assert (await broken.ping())["pid"]
    finally:
        await broken.close()


async def test_a_chat_goes_first(local: Backend) -> None:
    """COMPACT-9: texts embedded in the background wait until the local model has answered."""
    await local.embed(["load"])
    await outcome_of(local, request_for("light", max_tokens=1, timeout_s=60, stall_s=60))
    question = request_for("light", "Tell me a story.", max_tokens=60, timeout_s=60, stall_s=60)
    ended: dict[str, float] = {}
    begun = asyncio.Event()

    async def talk() -> None:
        async for _ in local.complete(question):
            begun.set()

    async def note(name: str, work: object) -> None:
        await work  # type: ignore[misc]
        ended[name] = time.monotonic()

    chat = asyncio.create_task(note("chat", talk()))
    await begun.wait()
    texts = [f"The number of this long sentence about the sea is {n}." * 8 for n in range(64)]
    behind = asyncio.create_task(note("background", local.embed(texts)))
    await note("question", local.embed(["short"], priority="chat"))
    await asyncio.gather(chat, behind)
    assert ended["chat"] < ended["background"]
    assert ended["question"] < ended["background"]


async def test_facts_are_as_near_as_their_labelled_pairs_say(local: Backend) -> None:
    """RECALL-1: the cosines that the rules for facts are tested with are this model's."""
    file = Path(__file__).parents[1] / "memory" / "fact_pairs_held_out.txt"
    rows = [line.split("|") for line in file.read_text("utf-8").splitlines()][::4]
    texts = [text for row in rows for text in row[2:]]
    vectors = dict(zip(texts, await local.embed(texts), strict=True))
    for _, told, old, new in rows:
        assert cosine(vectors[old], vectors[new]) == pytest.approx(float(told), abs=0.02)
