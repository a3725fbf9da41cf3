"""Whether a user speaks of what tools are for: files, commands, what is stored.

A small model that is offered tools calls one at every third sentence, whatever was said: it looked
for a file when somebody told it their name. So it is offered none until they are spoken of.
"""

import os
import re
from collections.abc import Collection
from itertools import islice
from pathlib import Path

_WORDS = """
file files filename filenames folder folders directory directories workspace repo repository
codebase readme makefile license changelog grep git shell terminal bash script scripts
datei dateien ordner verzeichnis befehl fichier fichiers dossier répertoire commande archivo
archivos carpeta comando arquivo arquivos pasta cartella
"""
_PHRASES = r"""
\b(?:run|execute|type)\s+(?:the\s+|this\s+|a\s+)?(?:command|tests?|program|[`'"$])
|\b(?:the|this|my|our|your)\s+(?:source\s+)?code\b
|\bsource\s+code\b|\b(?:stored|kept)\s+(?:items?|content|results?|as)\b
|\b[cm][1-9]\d{0,5}\b
|(?:^|[\s`'"(])(?:~/|\.{1,2}/|/[\w.-]+/)[\w.-]
|\b[a-z_][\w-]*/(?:[a-z_][\w.-]*/|[\s`'"),.:;?!]|$)
|\b[\w-]{2,}\.(?:[ch]|[a-z]{2,5}\d?)\b(?!\.\w)
"""
_SPOKEN = re.compile(rf"\b(?:{'|'.join(_WORDS.split())})\b|{_PHRASES}", re.IGNORECASE | re.VERBOSE)
_CAPITALS = re.compile(r"\b[A-Z][A-Z_-]{2,}\b")
MOST_NAMES = 2_000
"""Names that are looked at; a workspace has its telling ones at its top."""
READ = 4_000
"""Characters at either end of a message in which it is looked for: a paste may be of any length."""


def names_in(folder: Path) -> frozenset[str]:
    """The names right below a folder; none where it can't be read."""
    try:
        with os.scandir(folder) as entries:
            return frozenset(entry.name for entry in islice(entries, MOST_NAMES))
    except OSError:
        return frozenset()


def speaks_of_work(text: str, names: Collection[str] = ()) -> bool:
    """Whether a message is about files, commands or stored content.

    Args:
        text: What the user said.
        names: Names in the workspace, by which one in capitals is known.
    """
    for part in (text[:READ], text[READ:][-READ:]):
        if _SPOKEN.search(part) or any(name in names for name in _CAPITALS.findall(part)):
            return True
    return False
