"""What stands where a path that leads nowhere was last on its way."""

from difflib import get_close_matches

from app.tools.opening import open_root
from app.tools.troubles import FileNotFound, FileTrouble
from app.tools.workspace import Place, shown

MOST = 5
"""Names that are offered in the place of one that is not there."""
LOOKED_AT = 20_000
"""Names among which near ones are looked for."""
LONGEST = 200
"""Characters of a name that are compared."""


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
