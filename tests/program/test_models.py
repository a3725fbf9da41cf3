"""`strata models`: the catalogue, and what else could answer here (CHAT-3, contracts)."""

from tests.support.fake_ollama import fake_ollama, tag
from tests.support.misbehaving_server import closed_port
from tests.support.program import Program


def test_the_catalogue_alone(program: Program) -> None:
    """CHAT-3: no Ollama and no key; the document has its keys all the same."""
    program.environment["OLLAMA_HOST"] = f"127.0.0.1:{closed_port()}"
    document = program.document("models", "--json")
    assert document["models"][0]["name"] == "qwen2.5-coder-1.5b"
    assert document["ollama"] == {"address": None, "models": [], "left_out": 0}
    assert document["hosted"] == []
    shown = program.works("models").out
    assert "models install NAME" in shown
    assert "Ollama" not in shown
    assert not program.data.exists()


def test_ollama_and_keys(program: Program) -> None:
    """CHAT-2, CHAT-3: a section each; a key is never shown, a name never obeyed."""
    with fake_ollama() as server:
        server.tags = {"models": [tag("llama3.2:3b"), tag("evil\x1b[2J")]}
        program.environment |= {"OLLAMA_HOST": server.address, "XAI_API_KEY": "xai-0123456789"}
        document = program.document("models", "--json")
        shown = program.works("models").out
    assert document["ollama"]["address"] == f"http://{server.address}"
    assert document["ollama"]["models"] == [
        {
            "name": "ollama_chat/llama3.2:3b",
            "runs": "Ollama on this machine",
            "size": 2_019_393_189,
        }
    ]
    assert [model["name"] for model in document["hosted"]] == ["xai/grok-4.6"]
    assert "ollama_chat/llama3.2:3b  2,019 MB  3.2B parameters  Ollama on this machine" in shown
    assert "xai/grok-4.6  xAI" in shown
    assert "xai-0" not in shown
    assert "\x1b" not in shown
