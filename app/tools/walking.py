"""Goes through a folder and all below it, without leaving the workspace or following links."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.tools.ignoring import NAME, Rules, ignored, rules_in
from app.tools.opening import Entry, Folder, Kind, open_root
from app.tools.troubles import FileTrouble
from app.tools.workspace import Place

UNENTERED = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "venv", "node_modules", "__pycache__", ".mypy_cache",
        ".pytest_cache", ".ruff_cache", ".tox", ".nox", ".idea", ".gradle", ".terraform",
    }
)  # fmt: skip
"""Folders that tools fill: they hold many files, of which hardly one is looked for."""
DEEPEST = 64
"""Folders within folders that are gone into; each costs an open handle."""
MOST_SEEN = 200_000
"""Files and folders that one walk looks at."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something that a walk came by. Its folder is open only until the walk goes on."""

    parts: tuple[str, ...]
    """The names of its path, from the workspace on."""
    kind: Kind
    depth: int
    """1 for what stands in the folder that the walk began in."""
    ignored: bool
    """Whether a .gitignore leaves it out."""
    folder: Folder

    @property
    def inside(self) -> str:
        """Its path, from the workspace on."""
        return "/".join(self.parts)

    def size(self) -> int:
        """Bytes of a file."""
        return self.folder.size(self.parts[-1])


class Walk:
    """One walk, in the order of names, and a record of what it left out.

    Where the folder that it begins in is itself one that would be left out, nothing is ignored:
    somebody asked for it by name.

    Args:
        place: The folder that it begins in.
        deepest: Folders within folders that it goes into.
        halted: Asked often; once it says so, the walk ends.
    """

    def __init__(
        self, place: Place, deepest: int = DEEPEST, halted: Callable[[], bool] = lambda: False
    ) -> None:
        self._place = place
        self._deepest = min(deepest, DEEPEST)
        self._halted = halted
        self._obeys = True
        self.seen = 0
        self.ended_early = False
        self.unentered: Counter[str] = Counter()
        """Names of folders that it did not go into, and how many have each."""
        self.unreadable: list[str] = []

    def __iter__(self) -> Iterator[Found]:
        """Goes through what there is.

        Raises:
            FileTrouble: The folder to begin with is missing, no folder, or not to be read.
        """
        folder, rules = self._begin()
        with folder:
            yield from self._through(folder, self._place.parts, rules, 1)

    def _begin(self) -> tuple[Folder, tuple[Rules, ...]]:
        """The folder to begin with, and the rules on the way to it."""
        folder = open_root(self._place)
        rules: tuple[Rules, ...] = ()
        for depth, name in enumerate(self._place.parts):
            with folder:
                rules = _with_own(folder, depth, rules)
                parts = self._place.parts[: depth + 1]
                if name in UNENTERED or ignored(rules, parts, is_folder=True):
                    self._obeys = False
                folder = folder.enter(name)
        return folder, rules if self._obeys else ()

    def _through(
        self, folder: Folder, parts: tuple[str, ...], rules: tuple[Rules, ...], depth: int
    ) -> Iterator[Found]:
        entries = folder.entries()
        if self._obeys and any(entry.name == NAME for entry in entries):
            rules = _with_own(folder, len(parts), rules)
        for entry in entries:
            if self._stops():
                return
            found = self._found(entry, folder, parts, rules, depth)
            yield found
            if entry.kind == "folder" and self._enters(found):
                yield from self._into(found, rules)

    def _found(
        self,
        entry: Entry,
        folder: Folder,
        parts: tuple[str, ...],
        rules: tuple[Rules, ...],
        depth: int,
    ) -> Found:
        own = (*parts, entry.name)
        out = bool(rules) and ignored(rules, own, entry.kind == "folder")
        return Found(own, entry.kind, depth, out, folder)

    def _into(self, found: Found, rules: tuple[Rules, ...]) -> Iterator[Found]:
        try:
            folder = found.folder.enter(found.parts[-1])
        except FileTrouble:
            self.unreadable.append(found.inside)
            return
        with folder:
            try:
                yield from self._through(folder, found.parts, rules, found.depth + 1)
            except FileTrouble:
                self.unreadable.append(found.inside)

    def _enters(self, found: Found) -> bool:
        if found.depth >= self._deepest or found.ignored:
            return False
        name = found.parts[-1]
        if name in UNENTERED:
            self.unentered[name] += 1
            return False
        return True

    def _stops(self) -> bool:
        self.seen += 1
        if self.seen > MOST_SEEN or self._halted():
            self.ended_early = True
        return self.ended_early


def _with_own(folder: Folder, depth: int, rules: tuple[Rules, ...]) -> tuple[Rules, ...]:
    """The rules with those of a folder, which come first."""
    own = rules_in(folder, depth)
    return (own, *rules) if own else rules
