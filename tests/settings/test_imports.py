"""ALL-1: what reads the settings stays light, since it runs before the first paint."""

import subprocess
import sys

HEAVY = {"litellm", "chromadb", "onnxruntime", "xllamacpp", "openai", "numpy", "tiktoken"}
HEAVY |= {"textual", "aiosqlite", "sqlite3", "asyncio", "httpx", "keyring"}


def test_reading_the_settings_imports_nothing_heavy() -> None:
    """ALL-7: pydantic is the only library it needs."""
    code = "import app.commands.config, sys; print(*{m.split('.')[0] for m in sys.modules})"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert set(done.stdout.split()) & HEAVY == set()
