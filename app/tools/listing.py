"""Lists what stands below a folder, in the order of names, within bounds."""

from collections.abc import Callable
from dataclasses import dataclass, field

from app.tools.globs import Glob
from app.tools.telling import counted, enumerated, size_told
from app.tools.troubles import FileTrouble
from app.tools.walking import DEEPEST, Found, Walk
from app.tools.workspace import Place, Workspace, shown


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be listed.

    Args:
        place: The folder.
        pattern: Only what matches; files that a .gitignore leaves out never do.
        depth: Folders within folders; None for one, or for all where there is a pattern.
        limit: Entries at most.
        chars: Characters at most.
    """

    place: Place
    pattern: str | None = None
    depth: int | None = None
    limit: int = 200
    chars: int = 100_000


@dataclass(slots=True)
class _Listing:
    lines: list[str] = field(default_factory=list)
    chars: int = 0
    folders: int = 0
    files: int = 0
    left_out: int = 0
    ignored: int = 0


def list_below(workspace: Workspace, asked: Asked, halted: Callable[[], bool]) -> str:
    """The listing as text, and what it leaves out.

    Args:
        workspace: The workspace that links are looked up in.
        asked: What is to be listed.
        halted: Asked often; once it says so, the listing ends there and says so.

    Raises:
        FileTrouble: The folder is missing, no folder, or not to be read.
    """
    depth = asked.depth or (DEEPEST if asked.pattern else 1)
    walk = Walk(asked.place, depth, halted)
    glob = Glob(asked.pattern) if asked.pattern else None
    listing = _Listing()
    for found in walk:
        if glob is not None and found.ignored:
            listing.ignored += 1
        elif glob is None or _means(glob, found, len(asked.place.parts)):
            _add(listing, found, workspace, asked)
    summary = _summary(asked, listing, walk)
    return "\n".join([*listing.lines, *([""] if listing.lines else []), summary])


def _means(glob: Glob, found: Found, begin: int) -> bool:
    """Whether a pattern means it, seen from the folder that is listed or from the workspace."""
    return glob.matches(found.parts[begin:]) or glob.matches(found.parts)


def _add(listing: _Listing, found: Found, workspace: Workspace, asked: Asked) -> None:
    if len(listing.lines) >= asked.limit or listing.chars >= asked.chars:
        listing.left_out += 1
        return
    listing.folders += found.kind == "folder"
    listing.files += found.kind != "folder"
    line = _line(found, workspace)
    listing.lines.append(line)
    listing.chars += len(line) + 1


def _line(found: Found, workspace: Workspace) -> str:
    name = shown(found.inside)
    ignored = " (in .gitignore)" if found.ignored else ""
    if found.kind == "folder":
        return f"{name}/{ignored}"
    if found.kind == "file":
        return f"{name}  {size_told(found.size())}{ignored}"
    if found.kind == "link":
        return f"{name}  {_led(found, workspace)}"
    return f"{name}  device, pipe or socket"


def _led(found: Found, workspace: Workspace) -> str:
    """Where a link leads, as far as that is the model's affair."""
    try:
        return f"link to {shown(workspace.place(f'./{found.inside}').inside)}"
    except FileTrouble:
        return "link that leads out of the workspace"


def _summary(asked: Asked, listing: _Listing, walk: Walk) -> str:
    where = "The workspace" if not asked.place.parts else shown(asked.place.inside)
    if not listing.lines and not walk.ended_early:
        empty = "is empty" if not walk.seen else f"has nothing that matches {asked.pattern}"
        told = [f"{where} {empty}."]
    else:
        matching = f" matching {asked.pattern}" if asked.pattern else ""
        folders, files = counted(listing.folders, "folder"), counted(listing.files, "file")
        told = [f"{where}: {folders}, {files}{matching}."]
    if listing.left_out:
        told.append(f"{listing.left_out:,} more are not shown: narrow it by path or pattern.")
    return f"({' '.join([*told, *left_out(walk, listing.ignored)])})"


def left_out(walk: Walk, ignored: int) -> list[str]:
    """Sentences about what a walk did not look at."""
    told = []
    if walk.unentered:
        names = [f"{name}/" for name in sorted(walk.unentered)]
        told.append(f"Not looked into: {enumerated(names)}.")
    if ignored:
        told.append(f"Left out by .gitignore: {ignored:,}.")
    if walk.unreadable:
        told.append(f"Not readable: {enumerated([shown(name) for name in walk.unreadable])}.")
    if walk.ended_early:
        told.append(f"Stopped after {walk.seen - 1:,} entries: there are more.")
    return told
