"""What `.gitignore` files leave out."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.tools.globs import Glob, any_of
from app.tools.opening import Folder
from app.tools.troubles import FileTrouble

NAME = ".gitignore"
READ = 65_536
"""Bytes of such a file that are read: those of large projects have 10,000."""
MOST = 500
"""Lines of it that count."""


@dataclass(frozen=True, slots=True)
class _Rule:
    glob: Glob
    ignores: bool
    only_folders: bool


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one folder, for what stands in it and below."""

    depth: int
    """Names in the path of the folder."""
    rules: tuple[_Rule, ...]
    names: re.Pattern[str]
    """What some rule looks for: names that are none of these are not looked at any further."""

    def verdict(self, parts: Sequence[str], is_folder: bool) -> bool | None:
        """Whether they leave a path out; None where they say nothing of it. The last rule wins."""
        if not self.names.fullmatch(parts[-1]):
            return None
        names = parts[self.depth :]
        for rule in reversed(self.rules):
            if (is_folder or not rule.only_folders) and rule.glob.matches(names):
                return rule.ignores
        return None


def rules_in(folder: Folder, depth: int) -> Rules | None:
    """The rules that stand in a folder, if it has any that can be read."""
    try:
        with folder.open(NAME) as file:
            text = file.read(READ).decode("utf-8", "replace")
    except (FileTrouble, OSError):
        return None
    rules = tuple(filter(None, map(_rule, text.splitlines()[:MOST])))
    if not rules:
        return None
    return Rules(depth, rules, any_of(name for rule in rules for name in rule.glob.last_names))


def ignored(all_rules: Iterable[Rules], parts: Sequence[str], is_folder: bool) -> bool:
    """Whether a path is left out.

    Args:
        all_rules: The innermost folder's first.
        parts: The names of the path, from the workspace on.
        is_folder: Whether a folder stands there.
    """
    for rules in all_rules:
        verdict = rules.verdict(parts, is_folder)
        if verdict is not None:
            return verdict
    return False


def _rule(line: str) -> _Rule | None:
    line = line.strip()
    if not line or line.startswith("#"):
        return None
    ignores = not line.startswith("!")
    pattern = line.removeprefix("!").removeprefix("\\")
    only_folders = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    if not pattern:
        return None
    return _Rule(Glob(pattern), ignores, only_folders)
