"""The models on this machine: installed, sound, and small enough for its memory."""

from collections.abc import Iterable
from pathlib import Path

from app.chat.choice import chosen_model
from app.doctor.check import Check, failed, in_bytes, note, ok, problem
from app.host import fit
from app.host.catalogue import (
    CatalogueEntry,
    canonical,
    entries,
    find,
    is_embedded,
    is_file,
)
from app.host.launch import SLOTS
from app.host.partial import PartialFile
from app.host.store import DAMAGED_SUFFIX, ModelStore, file_hash
from app.settings import Settings
from memory.errors import StrataError
from widgets.figures import count

INSTALL = "`strata models install default` fetches one; `strata models` lists what there is."


def model_checks(settings: Settings, *, full: bool, loaded: bool) -> list[Check]:
    """What there is to say of the models, without asking any of them.

    Args:
        settings: The configuration.
        full: Compare the hashes of the files too.
        loaded: Whether a model host runs: what its model needs is taken already.
    """
    store = ModelStore(settings.paths.models.path)
    checks = [_answering(settings, store)]
    if settings.model.summary_model is not None:
        summaries = settings.model.summary_model
        checks.append(_named("summaries", summaries, store, base_model=_continues(settings)))
    if not loaded:
        checks += _memory(settings, store)
    checks.append(_embedder(store))
    if full:
        checks += [hash_check(entry, store) for entry in entries() if store.installed(entry)]
    return [*checks, *_left_over(store)]


def model_in_use(settings: Settings) -> str:
    """The canonical name of the model that a new session would get.

    Raises:
        UnknownModel: The configured name says `embedded/`, but there is no such model.
    """
    return chosen_model(settings, None)


def _answering(settings: Settings, store: ModelStore) -> Check:
    try:
        model = model_in_use(settings)
    except StrataError as error:
        return failed("model", error, INSTALL)
    return _named("model", model, store, base_model=_continues(settings))


def _continues(settings: Settings) -> bool:
    """Whether models are asked to continue plain text."""
    return settings.model.mode == "completion"


def _named(name: str, model: str, store: ModelStore, *, base_model: bool) -> Check:
    try:
        model = canonical(model)
        if not is_embedded(model):
            return ok(name, f"{model} is in use; it was not asked (`--ask-model` does).")
        path = store.resolve(model, base_model=base_model)
    except StrataError as error:
        return failed(name, error, INSTALL)
    title = path.name if is_file(model) else find(model).title
    return ok(name, f"{title} is installed, {in_bytes(path.stat().st_size)}.")


def _memory(settings: Settings, store: ModelStore) -> list[Check]:
    try:
        model = model_in_use(settings)
        if not is_embedded(model):
            return []
        path = store.resolve(model, base_model=_continues(settings))
        context = fit.usable_context(path, settings.host.context_tokens)
        needed = fit.memory_needed(path, context, SLOTS)
    except StrataError:
        return []  # the model itself is told already
    try:
        fit.check_memory(path, context, SLOTS)
    except StrataError as error:
        return [failed("memory", error, "Close other programs.")]
    return [ok("memory", f"There is room for the {in_bytes(needed)} that it needs.")]


def _embedder(store: ModelStore) -> Check:
    entry = find("embedder")
    if store.installed(entry):
        return ok("embedder", f"{entry.title} is installed, {in_bytes(entry.size)}.")
    return note(
        "embedder",
        "The model that finds passages by their meaning is not installed.",
        f"`strata models install {entry.short_name}` fetches it ({in_bytes(entry.size)}).",
    )


def hash_check(entry: CatalogueEntry, store: ModelStore) -> Check:
    """Whether the files of an installed model are those that were published."""
    for file in entry.files:
        path = store.path(entry, file.filename)
        try:
            right = file_hash(path) == file.sha256
        except OSError as error:
            way_out = "Check the disk and the folder's permissions."
            return problem("hash", f"{path} can't be read: {error.strerror}.", way_out)
        if not right:
            return problem(
                "hash",
                f"{path} is not the file that was fetched.",
                f"Remove it, then `strata models install {entry.short_name}`.",
            )
    return ok("hash", f"{entry.title} is what was published.")


def _left_over(store: ModelStore) -> list[Check]:
    checks = [
        note(
            "download",
            f"{entry.title} is only partly here: {in_bytes(come)} of {in_bytes(entry.size)}.",
            f"`strata models install {entry.short_name}` goes on with it.",
        )
        for entry in entries()
        if (come := _come(entry, store)) and not store.installed(entry)
    ]
    aside = _files(store.root, DAMAGED_SUFFIX)
    if aside:
        size = in_bytes(sum(path.stat().st_size for path in aside))
        told = f"Kept aside: {count(len(aside), 'damaged file')} of {size}, such as {aside[0]}."
        checks.append(note("kept aside", told, "Remove them when they are of no use."))
    return checks


def _come(entry: CatalogueEntry, store: ModelStore) -> int:
    paths: Iterable[Path] = (store.path(entry, file.filename) for file in entry.files)
    return sum(PartialFile(path).journal().offset for path in paths)


def _files(root: Path, suffix: str) -> list[Path]:
    return sorted(root.glob(f"*/*{suffix}")) if root.is_dir() else []
