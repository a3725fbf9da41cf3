"""What may have been meant by a path that leads nowhere, or out of the workspace."""

from difflib import get_close_matches

from app.tools.opening import open_root
from app.tools.troubles import FileNotFound, FileTrouble, OutsideWorkspace
from app.tools.workspace import Place, Workspace, shown

MOST = 5
"""Names that are offered in the place of one that is not there."""
LOOKED_AT = 20_000
"""Names among which near ones are looked for."""
LONGEST = 200
"""Characters of a name that are compared."""


LONGEST_EXAMPLE = 60
"""Characters of a name that is given as an example."""


def with_way_back(
    trouble: OutsideWorkspace, workspace: Workspace, left_out: str = ""
) -> OutsideWorkspace:
    """The same trouble, with a path that would be inside.

    Args:
        trouble: What leads out.
        workspace: Where it should lead.
        left_out: The argument that can be left out for the whole workspace, if there is one.
    """
    example = _example(workspace)
    below = f"a path below it{f', such as {example}' if example else ''}."
    advice = f"Leave {left_out} out, or use {below}" if left_out else f"Use {below}"
    return OutsideWorkspace(trouble.sentence, advice)


def with_near_names(trouble: FileNotFound, place: Place) -> FileNotFound:
    """The same trouble, with names that may have been meant.

    Args:
        trouble: What is missing.
        place: The path that was asked for.
    """
    try:
        return FileNotFound(trouble.sentence, _near(place))
    except FileTrouble:
        return trouble


def _example(workspace: Workspace) -> str:
    """A folder of the workspace, or else a file; empty where it has none to name."""
    try:
        with open_root(workspace.place(".")) as folder:
            entries = folder.entries()
    except FileTrouble:
        return ""
    plain = [one for one in entries if one.name[0].isalnum() and len(one.name) < LONGEST_EXAMPLE]
    names = [f"{shown(one.name)}/" for one in plain if one.kind == "folder"]
    return next(iter([*names, *(shown(one.name) for one in plain if one.kind == "file")]), "")


def _near(place: Place) -> str:
    folder, reached = open_root(place), "the workspace"
    for name in place.parts:
        with folder:
            try:
                inner = folder.enter(name)
            except FileTrouble:
                return _offered(reached, name, [entry.name for entry in folder.entries()])
            folder, reached = inner, shown(name)
    folder.__exit__(None, None, None)
    return ""


def _offered(folder: str, missing: str, names: list[str]) -> str:
    if "*" in missing:
        return "A pattern with * goes into an argument of its own."
    by_folded = {name.casefold(): name for name in names[:LOOKED_AT]}
    close = get_close_matches(missing.casefold()[:LONGEST], by_folded, n=MOST, cutoff=0.5)
    if not close:
        return f"Nothing in {folder} has a name near {shown(missing)}."
    found = ", ".join(shown(by_folded[name]) for name in close)
    return f"Near names in {folder}: {found}."
