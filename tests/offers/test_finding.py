"""CHAT-3, ALL-3: what could answer on this machine is found, and nobody else is asked."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from app.backend import credentials
from app.host import machine
from app.host.catalogue import find
from app.host.partial import Journal, PartialFile
from app.host.store import ModelStore
from app.offers.finding import MOST_OF_OLLAMA, OLLAMA_SECONDS, find_offers, providers
from app.offers.offer import Offer, Offers
from app.settings import load_settings
from tests.chat.test_choice import pretend_installed
from tests.support.fake_ollama import FakeOllama, fake_ollama, tag
from tests.support.misbehaving_server import closed_port


@pytest.fixture
def there() -> Iterator[FakeOllama]:
    with fake_ollama() as server:
        yield server


async def offers_in(folder: Path, keyring_seconds: float = 0, **environment: str) -> Offers:
    """What is offered with a data directory and an environment of its own."""
    environment.setdefault("OLLAMA_HOST", f"127.0.0.1:{closed_port()}")
    settings = load_settings(data=str(folder), environment=environment)
    return await find_offers(settings, environment, keyring_seconds=keyring_seconds)


def names(offers: tuple[Offer, ...]) -> list[str]:
    return [offer.model for offer in offers]


async def test_a_fresh_machine_is_offered_downloads(tmp_path: Path) -> None:
    """CHAT-3: size, licence and purpose of each; nothing is made or fetched for it."""
    offers = await offers_in(tmp_path / "new")
    assert names(offers.all) == ["embedded/qwen2.5-coder-1.5b", "embedded/smollm2-135m"]
    first = offers.at("download")[0]
    # With the model that finds passages by meaning.
    assert first.size == find("default").size + find("embedder").size
    assert (first.licence, first.runs) == ("Apache-2.0", "on this machine")
    assert first.good_for
    assert not (tmp_path / "new").exists()


async def test_what_is_installed_comes_first_and_what_was_begun_is_told(tmp_path: Path) -> None:
    """CHAT-3."""
    pretend_installed(tmp_path, "light")
    default = find("default")
    path = ModelStore(tmp_path / "models").path(default)
    path.parent.mkdir(parents=True)
    PartialFile(path).append([b"x" * 1000], Journal(source="a"))
    offers = await offers_in(tmp_path)
    assert names(offers.at("here")) == ["embedded/smollm2-135m"]
    assert offers.all[0].place == "here"
    (begun,) = offers.at("download")
    assert begun.fetched == 1000


async def test_a_model_that_is_too_large_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CHAT-3: known before a gigabyte is fetched in vain."""
    monkeypatch.setattr(machine, "available_memory", lambda: 900_000_000)
    large, small = (await offers_in(tmp_path)).all
    assert large.problem == "needs 1.3 GB of memory, and 0.9 GB are available"
    assert not small.problem


# -- Ollama


async def test_the_models_of_a_running_ollama(tmp_path: Path, there: FakeOllama) -> None:
    """CHAT-3: with their sizes, by the name that litellm knows; asked once, and nothing else."""
    offers = await offers_in(tmp_path, OLLAMA_HOST=there.address)
    found = offers.at("ollama")
    assert names(found) == ["ollama_chat/llama3.2:3b", "ollama_chat/small"]
    assert found[0].size == 2_019_393_189
    assert (found[0].runs, found[0].good_for) == ("Ollama on this machine", "3.2B parameters")
    assert offers.ollama == f"http://{there.address}"
    assert there.seen == [("/api/tags", None)]
    # They are ready, and come before what has to be fetched.
    assert offers.all[0].place == "ollama"


async def test_what_ollama_only_passes_on_is_said_to_leave_the_machine(
    tmp_path: Path, there: FakeOllama
) -> None:
    """ALL-3: a model of its cloud is none of this machine."""
    there.tags = {"models": [tag("gpt-oss:120b-cloud", remote_host="https://ollama.com:443")]}
    offers = await offers_in(tmp_path, OLLAMA_HOST=there.address)
    assert offers.at("ollama") == ()
    assert offers.at("hosted")[0].runs == "ollama.com through Ollama"


async def test_what_cannot_chat_and_what_is_no_name_is_left_out(
    tmp_path: Path, there: FakeOllama
) -> None:
    """ALL-8: names of a server are never control characters on the screen."""
    there.tags = {
        "models": [
            tag("nomic-embed-text:latest"),
            tag("x", details={"family": "bert"}),
            tag("evil\x1b[31m"),
            tag("two words"),
            tag("n" * 5000),
            tag(""),
            "no table",
            {"size": 3},
            {"name": 7},
            tag("good", size="big", details=None),
        ]
    }
    offers = await offers_in(tmp_path, OLLAMA_HOST=there.address)
    assert names(offers.at("ollama")) == ["ollama_chat/good"]
    assert offers.at("ollama")[0].size == 0


async def test_ten_thousand_models(tmp_path: Path, there: FakeOllama) -> None:
    """CHAT-3: the newest, and how many more there are."""
    there.tags = {"models": [tag(f"model-{number}") for number in range(10_000)]}
    offers = await offers_in(tmp_path, OLLAMA_HOST=there.address)
    assert names(offers.at("ollama"))[0] == "ollama_chat/model-0"
    assert len(offers.at("ollama")) == MOST_OF_OLLAMA
    assert offers.ollama_left_out == 10_000 - MOST_OF_OLLAMA


@pytest.mark.parametrize(
    "answer",
    [
        b"<!DOCTYPE html><html><body>Welcome</body></html>",
        b"",
        b"[" * 100_000,
        b"\xff\xfe",
        [],
        {"models": "none"},
        {"models": None},
        {"error": "no"},
        b"x" * 9_000_000,
    ],
    ids=["page", "nothing", "deep", "no-text", "list", "text", "null", "error", "endless"],
)
async def test_something_else_in_its_place(
    tmp_path: Path, there: FakeOllama, answer: object
) -> None:
    """ALL-2: is no Ollama, and no failure."""
    there.tags = answer
    offers = await offers_in(tmp_path, OLLAMA_HOST=there.address)
    assert offers.at("ollama") == ()
    assert offers.ollama == ""


@pytest.mark.parametrize("told", [b"", b"HTTP/1.1 200 OK\r\n", b"SSH-2.0-OpenSSH\r\n\r\n"])
async def test_a_server_that_never_answers_is_not_waited_for(tmp_path: Path, told: bytes) -> None:
    """CHAT-3: half a second, while everything else goes on."""

    async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(told)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    began = time.monotonic()
    offers = await offers_in(tmp_path, OLLAMA_HOST=f"127.0.0.1:{port}")
    assert time.monotonic() - began < OLLAMA_SECONDS + 30
    assert offers.at("ollama") == ()
    if not told.startswith(b"SSH"):
        assert ticks > 10
    ticking.cancel()
    server.close()


# -- keys


async def test_a_key_in_the_environment_offers_its_provider(tmp_path: Path) -> None:
    """CHAT-2: who gets the text is said; the key itself is nowhere."""
    offers = await offers_in(tmp_path, GOOGLE_API_KEY="sk-secret", XAI_API_KEY="xai-secret")
    assert [(o.model.partition("/")[0], o.runs) for o in offers.at("hosted")] == [
        ("gemini", "Google"),
        ("xai", "xAI"),
    ]
    assert "secret" not in repr(offers)


async def test_a_configured_address_is_not_openai(tmp_path: Path) -> None:
    """ALL-3: the key is for the user's own server, whose models nobody knows."""
    for name in ("STRATA_MODEL__API_BASE", "OPENAI_BASE_URL"):
        environment = {"OPENAI_API_KEY": "k", name: "http://127.0.0.1:1/v1"}
        offers = await offers_in(tmp_path, 0, **environment)
        assert offers.at("hosted") == ()


async def test_a_key_in_the_keyring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """CHAT-2: found as the backend finds it; a keyring that hangs holds nothing up."""
    (tmp_path / "lib" / "keyring").mkdir(parents=True)
    (tmp_path / "lib" / "keyring" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path / "lib")
    monkeypatch.setattr(
        credentials, "_from_keyring", lambda names: names == ["MISTRAL_API_KEY"] or None
    )
    offers = await offers_in(tmp_path, keyring_seconds=5)
    assert names(offers.at("hosted")) == ["mistral/mistral-medium-latest"]
    locked = threading.Event()
    monkeypatch.setattr(credentials, "_from_keyring", lambda names: locked.wait(10) and None)
    began = time.monotonic()
    assert (await offers_in(tmp_path, keyring_seconds=0.1)).at("hosted") == ()
    assert time.monotonic() - began < 8
    locked.set()
    for thread in threading.enumerate():
        if thread.name == "strata keyring":
            thread.join(10)


def test_every_offered_model_is_one_that_litellm_knows() -> None:
    """CHAT-2: the table goes with the pinned litellm; what it has dropped is not offered."""
    spec = find_spec("litellm")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    folder = Path(spec.submodule_search_locations[0])
    known = json.loads((folder / "model_prices_and_context_window_backup.json").read_text())
    for provider in providers():
        entry = known.get(provider.model) or known.get(provider.model.partition("/")[2])
        assert entry is not None, provider
        assert entry["mode"] == "chat"
        assert entry["max_input_tokens"] >= 32_768
