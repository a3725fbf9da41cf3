"""What a model needs of the machine: how much context it gets, and how much memory it takes."""

from functools import lru_cache
from pathlib import Path

from app.host import catalogue, gguf, machine
from app.host.catalogue import CatalogueEntry
from app.host.errors import ModelFileUnreadable, ModelTooLarge

_LEAST_CACHE = 64 * 2**20  # bytes
_CONTEXT_STEP = 256  # llama.cpp rounds the context up to multiples of it


def catalogue_entry(model: Path) -> CatalogueEntry | None:
    """The entry of the catalogue the file belongs to, told by its name."""
    for entry in catalogue.entries():
        if model.name == entry.files[0].filename:
            return entry
    return None


def usable_context(model: Path, wanted: int) -> int:
    """Tokens a slot gets: what is wanted, but never more than the model can see.

    Raises:
        ModelFileUnreadable: The file can't be read.
    """
    entry = catalogue_entry(model)
    own = (entry.context if entry else header(model).context) or wanted
    return max(_CONTEXT_STEP, min(wanted, own) // _CONTEXT_STEP * _CONTEXT_STEP)


def memory_needed(model: Path, context_tokens: int, slots: int) -> int:
    """Bytes the host will take: the file and a fifth for work space, the slots, and the cache."""
    context = header(model).kv_bytes_per_token * context_tokens * slots
    return int(model.stat().st_size * 1.2) + context + cache_bytes(model, context_tokens, slots)


def cache_bytes(model: Path, context_tokens: int, slots: int) -> int:
    """Room for the prompts that left the slots: as much as the slots themselves have.

    Without it two background requests in a row push the chat's prompt out of both slots, and the
    next turn reads it anew (2.7 s instead of 0.13 for 780 tokens of the light model).
    """
    return max(_LEAST_CACHE, header(model).kv_bytes_per_token * context_tokens * slots)


def check_memory(model: Path, context_tokens: int, slots: int) -> None:
    """Compares the need with what is available, where the system says it.

    Raises:
        ModelTooLarge: The model does not fit.
    """
    free, needed = machine.available_memory(), memory_needed(model, context_tokens, slots)
    if free is not None and needed > free:
        raise ModelTooLarge(
            f"The model {model.name} needs {needed / 1e9:.1f} GB of memory, "
            f"and {free / 1e9:.1f} GB are available.",
            "Close other programs, lower the context in the settings, or use the model `light`.",
        )


def header(model: Path) -> gguf.GgufInfo:
    """What the model's file says of itself; read once.

    Raises:
        ModelFileUnreadable: The file can't be read.
    """
    try:
        stat = model.stat()
        return _header_once(model, stat.st_size, stat.st_mtime_ns)
    except (gguf.NotGguf, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        raise ModelFileUnreadable(
            f"The model file {model} can't be used: {reason}.", "Check or install it again."
        ) from error


@lru_cache(maxsize=4)
def _header_once(model: Path, size: int, changed: int) -> gguf.GgufInfo:
    """Keeps what was read as long as size and time of the file stay the same."""
    return gguf.read(model)
