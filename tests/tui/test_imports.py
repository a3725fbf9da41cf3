"""What the screen's process loads, and when (ALL-7, design: the sixth sentence)."""

import subprocess
import sys

HEAVY = {
    "litellm", "chromadb", "onnxruntime", "xllamacpp", "openai", "numpy", "tiktoken",
    "mcp", "anyio", "httpx", "httpx2", "bs4", "markdownify",
}  # fmt: skip
LATER = {
    "aiosqlite", "memory.memory", "app.chat.conversation", "app.backend", "app.tools", "psutil",
    "pydantic",
}  # fmt: skip
ROOT = __file__.rsplit("/tests/", 1)[0]


def loaded_by(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return set(run.stdout.split())


def test_nothing_of_memory_is_loaded_before_the_first_paint() -> None:
    """ALL-7: the screen is there before the conversation."""
    loaded = loaded_by("import app.tui")
    assert not loaded.intersection(HEAVY | LATER)


def test_the_screen_never_loads_what_is_heavy() -> None:
    """ALL-7: models, vectors and their libraries live in other processes."""
    loaded = loaded_by("import app.tui, app.screens.sitting, app.screens.held")
    assert "memory.memory" in loaded
    assert not loaded.intersection(HEAVY)


def test_offering_tools_loads_nothing_heavy() -> None:
    """ALL-7, CHAT-10: what reads pages, speaks MCP and looks at processes is loaded elsewhere."""
    loaded = loaded_by("from app.tools.registry import own_tools\nassert len(own_tools()) > 15")
    assert not loaded.intersection(HEAVY | {"textual", "psutil"})
