"""What can be wrong with a file that the model asks for: a class each, by which failures count."""

import errno
import stat
from pathlib import Path

from memory.errors import StrataError


class FileTrouble(StrataError):
    """Something kept a file or folder from being read."""


class OutsideWorkspace(FileTrouble):
    """The path, or a link on the way, leads out of the workspace."""


class NoPath(FileTrouble):
    """The text can't be a path at all."""


class WorkspaceGone(FileTrouble):
    """The workspace was there when the session began, and is no longer."""


class FileNotFound(FileTrouble):
    """There is nothing under this path."""


class IsAFolder(FileTrouble):
    """A folder stands where a file was expected."""


class NotAFolder(FileTrouble):
    """A file stands where a folder was expected."""


class NotAFile(FileTrouble):
    """It is a device, a pipe or a socket."""


class NotReadable(FileTrouble):
    """The system does not let it be read."""


class NotText(FileTrouble):
    """The file holds something else than text."""


class PastTheEnd(FileTrouble):
    """The file has fewer lines."""


class BadPattern(FileTrouble):
    """The pattern can't be understood."""


class TimedOut(FileTrouble):
    """It took longer than the configuration allows."""


def trouble_of(error: OSError, name: str) -> FileTrouble:
    """What the system said, as a sentence about what was asked for.

    Args:
        error: The system's error.
        name: The path below the workspace.
    """
    if error.errno == errno.ENOENT:
        return FileNotFound(f"There is no {name} in the workspace.")
    if error.errno in (errno.EACCES, errno.EPERM):
        return NotReadable(f"{name} is there, but the system does not allow reading it.")
    if error.errno == errno.ENAMETOOLONG:
        return NoPath("The path is longer than any file name can be.")
    if error.errno in (errno.ENXIO, errno.EAGAIN, errno.ENODEV):
        return NotAFile(f"{name} is no ordinary file.")
    return NotReadable(
        f"{name} could not be read: {error.strerror or 'the system gave no reason'}."
    )


def gone(workspace: Path) -> WorkspaceGone:
    """The workspace itself is missing.

    Args:
        workspace: Where it was.
    """
    return WorkspaceGone(
        f"The workspace {workspace} is gone.",
        "The user can bring it back, or name another as workspace under [tools].",
    )


def link_trouble(name: str) -> OutsideWorkspace:
    """A link stands where, a moment ago, there was none or one that could be followed."""
    return OutsideWorkspace(
        f"{name} is a link that leads nowhere, or changed while it was being opened.",
        "Links are followed only where they stay in the workspace.",
    )


def special_trouble(mode: int, name: str) -> FileTrouble | None:
    """What is wrong with this kind of file; None for an ordinary one."""
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return IsAFolder(f"{name} is a folder.", "List it with list_files.")
    if stat.S_ISLNK(mode):
        return link_trouble(name)
    return NotAFile(f"{name} is a device, a pipe or a socket, and is not read.")
