"""Memory of a conversation: an append-only log, summaries that cascade, prompts that always fit.

async with Memory.open(directory, session="move") as memory:
    await memory.add("user", "We decided on Lisbon.")
    prompt = await memory.prompt()
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memory.config import MemoryConfig
    from memory.memory import Memory
    from memory.storage.keys import Key

__all__ = ["Key", "Memory", "MemoryConfig"]

_HOMES = {
    "Key": "memory.storage.keys",
    "Memory": "memory.memory",
    "MemoryConfig": "memory.config",
}


def __getattr__(name: str) -> Any:
    """Loads the public names when they are first used, so that importing a part stays cheap."""
    if name not in _HOMES:
        raise AttributeError(f"module 'memory' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
