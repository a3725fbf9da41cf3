"""Where models lie, and what is said of those that aren't right."""

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest

from app.host import catalogue
from app.host.catalogue import CatalogueEntry, CatalogueFile
from app.host.errors import ModelDamaged, ModelFileUnreadable, ModelMissing
from app.host.store import ModelStore

from .conftest import CHAT_MODEL, gguf_bytes

CONTENT = b"the weights"


@pytest.fixture
def entry() -> CatalogueEntry:
    file = CatalogueFile("tiny.bin", len(CONTENT), hashlib.sha256(CONTENT).hexdigest(), ())
    return replace(catalogue.find("light"), files=(file,))


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    return ModelStore(tmp_path / "models")


def put(store: ModelStore, entry: CatalogueEntry, content: bytes) -> Path:
    path = store.path(entry)
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return path


def test_installed_means_verified_once(store: ModelStore, entry: CatalogueEntry) -> None:
    """CHAT-3: the second start checks nothing again, and trusts nothing unchecked."""
    assert not store.installed(entry)
    path = put(store, entry, CONTENT)
    assert not store.installed(entry)
    store.verify(entry)
    assert store.installed(entry)
    path.write_bytes(CONTENT[:-1])
    assert not store.installed(entry)


def test_a_damaged_file_is_kept_aside(store: ModelStore, entry: CatalogueEntry) -> None:
    """STORE-4, ALL-2: named, kept, and with the way out."""
    path = put(store, entry, b"x" * len(CONTENT))
    with pytest.raises(ModelDamaged, match=r"tiny.bin.*models install light"):
        store.verify(entry)
    assert not path.exists()
    assert path.with_name("tiny.bin.damaged").read_bytes() == b"x" * len(CONTENT)
    with pytest.raises(ModelMissing):
        store.verify(entry)


def test_a_model_that_is_not_there_says_how_to_get_it(store: ModelStore) -> None:
    """ALL-2."""
    with pytest.raises(ModelMissing, match=r"is not installed. Run `strata models install light`"):
        store.resolve("embedded/light")


def test_an_installed_model_whose_file_changed_is_damaged(store: ModelStore) -> None:
    """ALL-2."""
    light = catalogue.find("light")
    path = put(store, light, b"GGUF")
    path.with_name(path.name + ".sha256").write_text(light.files[0].sha256)
    with pytest.raises(ModelDamaged, match=r"models install light"):
        store.resolve("light")


def test_a_file_of_the_users_own(tmp_path: Path, store: ModelStore) -> None:
    """CHAT-3: any GGUF chat model can be named by its path."""
    path = tmp_path / "mine.gguf"
    path.write_bytes(gguf_bytes(CHAT_MODEL))
    assert store.resolve(str(path)) == path
    assert store.resolve(f"embedded/{path}") == path


def test_files_that_cannot_be_used_are_refused(tmp_path: Path, store: ModelStore) -> None:
    """ALL-2: not there, not a GGUF file, empty, a folder, no chat template.

    PROMPT-6: a base model needs no template where it is to continue plain text.
    """
    base = {key: value for key, value in CHAT_MODEL.items() if "template" not in key}
    (tmp_path / "page.gguf").write_text("<html>not found</html>")
    (tmp_path / "empty.gguf").touch()
    (tmp_path / "base.gguf").write_bytes(gguf_bytes(base))
    (tmp_path / "folder.gguf").mkdir()
    for name, said in {
        "gone": "can't be opened: No such file",
        "page": "does not begin with GGUF",
        "empty": "does not begin with GGUF",
        "base": "has no chat template",
        "folder": "can't be opened",
    }.items():
        with pytest.raises(ModelFileUnreadable, match=said):
            store.resolve(str(tmp_path / f"{name}.gguf"))
    base_model = tmp_path / "base.gguf"
    assert store.resolve(str(base_model), base_model=True) == base_model
