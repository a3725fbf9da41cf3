"""The wall around the workspace: the only way from a path that a model wrote to a file (ALL-8)."""

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from app.tools.troubles import NoPath, OutsideWorkspace, trouble_of
from memory.errors import StrataError

if TYPE_CHECKING:
    from app.schema import ToolsSettings

LONGEST = 4_096
"""Characters of a path: Linux's PATH_MAX, the most that a system takes."""
HANDLES: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether files can be opened from their folder's handle without following links."""

_ONLY_HERE: Final = object()
_DEVICES = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d¹²³])(?:\..*)?", re.IGNORECASE
)
_DRIVE = re.compile(r"[A-Za-z]:")


class NoWorkspace(StrataError):
    """The workspace is missing, or is no folder."""


@dataclass(frozen=True, slots=True)
class Place:
    """A real path below a workspace, free of links when it was made.

    Only `Workspace.place` makes it: what takes a `Place` can't be given a path from outside. What
    stands there may change until it is opened, so `opening` looks again at every step.
    """

    root: Path
    parts: tuple[str, ...]
    """Names from the root on; none for the root itself."""
    handles: bool
    _key: object = field(repr=False, compare=False)

    def __post_init__(self) -> None:
        if self._key is not _ONLY_HERE:
            raise TypeError("only Workspace.place makes a Place")

    @property
    def inside(self) -> str:
        """The path from the workspace on, with forward slashes; `.` for the workspace."""
        return "/".join(self.parts) or "."

    @property
    def path(self) -> Path:
        """The whole path."""
        return self.root.joinpath(*self.parts)


@dataclass(frozen=True)
class Workspace:
    """A folder, and everything below it.

    Hard links can't be told from other files: one that stands in the workspace is read, whatever
    other names its file has elsewhere. Making one takes the right to write in the workspace.

    Args:
        root: The folder, without links in its path: should one be put there later, all is outside.
        handles: Whether to open step by step from folder to folder, as POSIX systems can; else
            what was opened is compared with what should have been.
    """

    root: Path
    handles: bool = HANDLES

    @classmethod
    def at(cls, folder: Path, handles: bool = HANDLES) -> Self:
        """The workspace in a folder; links in its path are followed once, here."""
        return cls(Path(os.path.realpath(folder)), handles)

    def place(self, text: str) -> Place:
        """The real path that a model meant.

        Args:
            text: Relative to the workspace, absolute, or from `~` on. Need not exist.

        Raises:
            OutsideWorkspace: It leads out, itself or by a link.
            NoPath: It can't be a path.
            FileTrouble: A link on the way was taken away meanwhile.
        """
        if sys.platform == "win32" and (wrong := wrong_on_windows(text)):
            raise NoPath(wrong)
        try:
            wanted = self.root / _from_home(_checked(text))
            real = Path(os.path.realpath(wanted))
            parts = real.relative_to(self.root).parts
        except OSError as error:
            raise trouble_of(error, shown(text)) from error
        except ValueError as error:
            raise OutsideWorkspace(
                f"{shown(text)} is outside the workspace.",
                "Use a path below it.",
            ) from error
        return Place(self.root, parts, self.handles, _ONLY_HERE)


def workspace_of(settings: "ToolsSettings") -> Workspace:
    """The workspace that is configured, or else the working directory.

    Raises:
        NoWorkspace: It is missing, or is no folder.
    """
    try:
        chosen = settings.workspace.expanduser() if settings.workspace else Path.cwd()
    except (OSError, RuntimeError) as error:
        raise NoWorkspace(
            "The working directory is no longer there, so there is no workspace.",
            "Start Strata in another folder, or name one as workspace under [tools].",
        ) from error
    if not chosen.is_dir():
        is_there = "is no folder" if chosen.exists() else "is not there"
        raise NoWorkspace(
            f"The workspace {chosen} {is_there}.",
            "Name a folder as workspace under [tools] in the configuration.",
        )
    return Workspace.at(chosen)


def wrong_on_windows(text: str) -> str:
    """What Windows would take for something else than a plain name, as a sentence; else empty.

    Windows drops dots and spaces at the end of names, reads streams behind a colon, and opens
    devices by names such as NUL in any folder.
    """
    if text.startswith(("\\\\", "//", "\\??\\")):
        return "Paths of the network and of devices are not read."
    rest = text[2:] if _DRIVE.match(text) else text
    if rest is not text and not rest.startswith(("\\", "/")):
        return "A path with a drive has to go on with a backslash."
    for name in re.split(r"[\\/]", rest):
        if ":" in name:
            return "A colon can't stand in a name."
        if name not in (".", "..") and name.endswith((".", " ")):
            return "Names that end in a dot or a space can't be opened."
        if _DEVICES.fullmatch(name.strip()):
            return f"{name} is a device."
    return ""


def shown(name: str) -> str:
    """A name as a result shows it: control characters and what is no text are spelled out."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in name)


def _checked(text: str) -> str:
    """The text, if it can be a path.

    Raises:
        NoPath: It can't.
    """
    if len(text) > LONGEST:
        raise NoPath(f"A path has at most {LONGEST:,} characters.")
    if "\0" in text:
        raise NoPath("A path can't contain a NUL character.")
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        raise NoPath("The path has characters that no file name can have.") from error
    return text


def _from_home(text: str) -> str:
    """The text with a leading `~` as the home directory; other users' homes are just names."""
    if text == "~" or text.startswith(("~/", "~" + os.sep)):
        home = os.path.expanduser("~")  # noqa: PTH111 - pathlib raises where there is no home
        return home + text[1:]
    return text
